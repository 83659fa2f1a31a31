/** Checks replies against the schemas of the contract: bodies, stream events, error envelopes. */
import type * as z from 'zod'
import { envelopeOf, streamEnvelopeOf } from '../openapi/envelopes.ts'
import { firstOf, locatedFindings } from '../protocol/findings.ts'
import type { Route } from '../protocol/router.ts'
import type { Expectation } from '../scenario/format/steps.ts'
import type { Difference } from './differences.ts'
import type { Exchange, Received } from './exchange.ts'
import type { Failure } from './report.ts'
import { pathOf, type StoryRun } from './story-run.ts'

/** A violation of the contract. */
interface Deviation extends Difference {
  /** Whether it is only an additional field, which clients ignore. */
  readonly beyond?: true
}

/** The most deviations that are collected from one reply, and reported of one step. */
const maxPerReply = 20
const maxPerStep = 5

/** The contract violations of a step, or the lack of them where `offContract` expects some. */
export function contractFailures(
  run: StoryRun,
  exchanges: readonly Exchange[],
  expected: Expectation,
): { readonly failures: readonly Failure[]; readonly notes: readonly string[] } {
  const violations = new Map<string, Failure>()
  const additional = new Set<string>()
  for (const exchange of exchanges) {
    const route = exchange.broken === undefined ? routeOf(run, exchange) : undefined
    if (route === undefined) continue
    for (const { beyond, ...deviation } of deviations(exchange, route)) {
      if (beyond === true) additional.add(deviation.field)
      else violations.set(`${deviation.field} ${deviation.expected}`, { kind: 'contract', ...deviation })
    }
  }
  if (expected.offContract === true)
    return { notes: [], failures: violations.size + additional.size > 0 ? [] : [notOffContract] }
  return {
    failures: [...violations.values()].slice(0, maxPerStep),
    notes:
      additional.size === 0
        ? []
        : [`not in the contract: ${[...additional].slice(0, maxPerStep).join(', ')}`],
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

function deviations({ request, reply }: Exchange, { endpoint, group }: Route): Deviation[] {
  if (reply === undefined) return []
  const { status } = reply
  if (status >= 400) return endpoint.open === true ? [] : refusal(reply, group.name)
  if (status < 200 || status >= 300)
    return status === 304 && endpoint.method === 'GET'
      ? []
      : [{ field: 'status', expected: 'a success (2xx) or a refusal (4xx, 5xx)', got: String(status) }]
  const sent =
    request.body !== undefined && 'json' in request.body
      ? (request.body.json as { readonly stream?: unknown } | null)
      : undefined
  const form =
    request.body !== undefined && 'form' in request.body
      ? request.body.form.some((part) => part.name === 'stream' && 'value' in part && part.value === 'true')
      : false
  const wantsStream = endpoint.event !== undefined && (sent?.stream === true || form)
  if (wantsStream || (reply.events !== undefined && endpoint.event !== undefined))
    return stream(reply, endpoint.event as z.ZodType, group.name, wantsStream)
  return endpoint.reply === undefined ? [] : judged(endpoint.reply, reply)
}

function refusal(reply: Received, group: string): Deviation[] {
  return judged(envelopeOf(group).schema, reply)
}

function judged(schema: z.ZodType, reply: Received): Deviation[] {
  if (reply.type !== 'application/json')
    return [
      {
        field: 'headers.content-type',
        expected: 'application/json',
        got: reply.type === '' ? 'nothing' : reply.type,
      },
    ]
  if (reply.json === undefined)
    return [
      {
        field: 'body',
        expected: 'JSON',
        got: reply.size === 0 ? 'nothing' : JSON.stringify((reply.text ?? '').slice(0, 80)),
      },
    ]
  return found(schema, reply.json, 'body')
}

function stream(
  { type, events = [] }: Received,
  schema: z.ZodType,
  group: string,
  wanted: boolean,
): Deviation[] {
  if (type !== 'text/event-stream')
    return wanted
      ? [
          {
            field: 'headers.content-type',
            expected: 'text/event-stream',
            got: type === '' ? 'nothing' : type,
          },
        ]
      : []
  const all: Deviation[] = []
  for (const [index, { data }] of events.entries()) {
    if (data === '[DONE]') continue
    const field = `stream.events[${index}]`
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      all.push({ field, expected: 'JSON', got: JSON.stringify(data.slice(0, 80)) })
      continue
    }
    const isError =
      value !== null &&
      typeof value === 'object' &&
      'error' in value &&
      value.error !== null &&
      value.error !== undefined
    all.push(...found(isError ? streamEnvelopeOf(group).schema : schema, value, field))
    if (all.length >= maxPerReply) break
  }
  return all.slice(0, maxPerReply)
}

function found(schema: z.ZodType, value: unknown, at: string): Deviation[] {
  const result = schema.safeParse(value)
  if (result.success) return []
  const first = firstOf(locatedFindings(result.error.issues, value), maxPerReply)
  return first.map(({ field, message, unknown }): Deviation => {
    const place = field === '' ? at : `${at}${field.startsWith('[') ? '' : '.'}${field}`
    if (unknown === true)
      return { field: place, expected: 'no such field', got: 'a field beyond the contract', beyond: true }
    const [, expected, got] = /^expected ([\s\S]*), got ([\s\S]*)$/.exec(message) ?? []
    return expected === undefined || got === undefined
      ? {
          field: place,
          expected: message.replace(/^(?:is required: )?expected /, ''),
          got: message.startsWith('is required') ? 'nothing' : 'another value',
        }
      : { field: place, expected, got }
  })
}
