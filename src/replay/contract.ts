/** Holds the replies of a step against the contract: bodies, stream events, error envelopes. */
import type { Deviation } from '../contract/deviation.ts'
import type { JudgeReply } from '../contract/judge-reply.ts'
import type { Route } from '../protocol/router.ts'
import { fieldPath } from '../protocol/wording.ts'
import type { Expectation } from '../scenario/format/steps.ts'
import type { Exchange, StepRequest } from './exchange.ts'
import type { Failure } from './report.ts'
import { pathOf, type StoryRun } from './story-run.ts'

/** The most deviations that are reported of one step. */
const maxPerStep = 5

/** The deviations of a step from the contract, or the lack of them where `offContract` expects some. */
export function contractFailures(
  run: StoryRun,
  exchanges: readonly Exchange[],
  expected: Expectation,
): { readonly failures: readonly Failure[]; readonly notes: readonly string[] } {
  const violations = new Map<string, Failure>()
  const additional = new Set<string>()
  const ordered = new Set<string>()
  for (const exchange of exchanges) {
    const route = exchange.broken === undefined ? routeOf(run, exchange) : undefined
    if (route === undefined) continue
    for (const deviation of deviations(run.judge, exchange, route)) {
      const field = fieldOf(deviation)
      const { severity, expected, got } = deviation
      const isOrdered =
        deviation.where === 'stream' &&
        expected === 'JSON' &&
        run.story.breaksEvents?.(deviation.operation) === true
      if (severity === 'addition') additional.add(field)
      else if (isOrdered) ordered.add(field)
      else violations.set(`${field} ${expected}`, { kind: 'contract', field, expected, got })
    }
  }
  if (expected.offContract === true)
    return {
      notes: [],
      failures: violations.size + additional.size + ordered.size > 0 ? [] : [notOffContract],
    }
  return {
    failures: [...violations.values()].slice(0, maxPerStep),
    notes: [
      ...(ordered.size === 0
        ? []
        : [`broken events, as the scenario orders: ${[...ordered].slice(0, maxPerStep).join(', ')}`]),
      ...(additional.size === 0
        ? []
        : [`not in the contract: ${[...additional].slice(0, maxPerStep).join(', ')}`]),
    ],
  }
}

const notOffContract: Failure = {
  kind: 'expectation',
  field: 'offContract',
  expected: 'a reply that violates the contract',
  got: 'one that conforms to it',
}

function routeOf(run: StoryRun, { request }: Exchange): Route | undefined {
  const { target, parts, match } = run.options
  if (request.operation !== undefined) return parts.routeOf(request.operation)
  if (!request.url.startsWith(`${target.base}/`)) return undefined
  const found = match(request.method, pathOf(run, request.url))
  return found.kind === 'found' ? found.route : undefined
}

function deviations(judge: JudgeReply, { request, reply }: Exchange, route: Route): Deviation[] {
  if (reply === undefined) return []
  const { status, headers, text = '', events } = reply
  return judge(
    route,
    { status, headers: new Map(Object.entries(headers)), body: text, events },
    { method: request.method, streams: wantsStream(request) },
  )
}

function wantsStream({ body }: StepRequest): boolean {
  if (body === undefined) return false
  if ('json' in body) return (body.json as { readonly stream?: unknown } | null)?.stream === true
  return (
    'form' in body &&
    body.form.some((part) => part.name === 'stream' && 'value' in part && part.value === 'true')
  )
}

/** The place in the words of expectations: `body.choices[0].index`, `stream.events[2].type`. */
function fieldOf({ where, pointer, event }: Deviation): string {
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')))
  return fieldPath([where, ...(event === undefined ? [] : ['events', event]), ...path])
}
