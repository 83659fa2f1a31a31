/** Sample requests that meet the conditions of a rule, and the responses to them under the rule. */

import { noSchemas } from '../../behaviours/answers/loaded-schemas.ts'
import { roughTokens } from '../../behaviours/tokens/rough-tokens.ts'
import { defaultStart } from '../../engine/clock.ts'
import { type Fields, isFields } from '../../engine/fields.ts'
import { randomFrom } from '../../engine/random.ts'
import { createSandbox, type Sandbox } from '../../engine/sandbox.ts'
import type { Call } from '../../protocol/call.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import { parametersOf } from '../../protocol/schema-forms.ts'
import { type Settings, settingsSchema } from '../../protocol/settings.ts'
import { trafficLimits } from '../../protocol/traffic.ts'
import { compileAnswer } from '../compile/compile.ts'
import { isOperators } from '../compile/match-value.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import { plannedResponse } from '../patch.ts'
import type { RuleFacts } from '../rule-outcomes.ts'

interface Sample {
  readonly params: Readonly<Record<string, string>>
  /** Undefined if the operation takes no body, or only forms or bytes. */
  readonly body: Fields | undefined
}

/** A request with these fields and tools, and with the values that the conditions on its body write out. */
export function sampleOf(
  endpoint: Endpoint,
  when: WhenSpec,
  own: Fields = {},
  tools: readonly string[] = [],
): Sample {
  const { sampleCall, example, job, path, accepts } = endpoint
  const fields = sampleCall?.({ tools, partials: false, usage: false }) ?? {
    ...example?.params,
    ...example?.json,
  }
  const body: Record<string, unknown> = { ...fields, ...own }
  const params: Record<string, string> = {}
  for (const name of parametersOf(path)) {
    params[name] = String(fields[name] ?? job?.concerns?.kind.sample?.['id'] ?? 'sample')
    delete body[name]
  }
  const isKnown = (sampleCall ?? example) !== undefined && accepts.includes('json')
  return { params, body: isKnown ? { ...body, ...writtenIn(when.body) } : undefined }
}

/** The fields of a matcher without its operators. */
function writtenIn(matcher: unknown): Fields {
  if (!isFields(matcher) || isOperators(matcher)) return {}
  const written = Object.entries(matcher).filter(([, part]) => !isOperators(part) && !Array.isArray(part))
  return Object.fromEntries(written.map(([name, part]) => [name, isFields(part) ? writtenIn(part) : part]))
}

/**
 * The response before patches and faults of the delivery; undefined if the request is rejected, or needs
 * something that only a real client knows.
 */
export function respond(
  answer: AnswerSpec,
  { params, body }: Sample,
  operation: Operation,
  vocabulary: Vocabulary,
): PlainResponse | undefined {
  const { endpoint } = operation
  if (body === undefined && endpoint.accepts.length > 0) return undefined
  const settings = settingsSchema().parse({})
  const sandbox = sandboxOf(vocabulary, settings)
  const common = {
    operation: endpoint.operation,
    params,
    headers: {},
    now: sandbox.clock.now(),
    identity: randomFrom('dry run', [1, 2, 3, 4]),
  }
  const facts = {
    ...common,
    route: operation,
    payload: body === undefined ? { kind: 'none' } : { kind: 'json', value: body, text: '' },
    query: '',
    key: sampleKey,
    model: 'sample',
    prompt: 'sample',
    sandbox,
  }
  const plan = compileAnswer(answer, 'dry run', () => undefined)(facts as unknown as RuleFacts)
  if (plan.reject !== undefined) return undefined
  if (plan.response !== undefined) return plannedResponse(plan.response)
  try {
    const call: Call = {
      ...common,
      method: endpoint.method,
      requestId: 'req_sample',
      query: {},
      body: body === undefined ? undefined : endpoint.body?.().parse(body),
      key: { value: sampleKey },
      content: common.identity,
      plan,
    }
    endpoint.check?.(call as Call<never>, settings)
    return endpoint.act(call as Call<never, never>, {
      sandbox,
      settings,
      facilities: { tokens: roughTokens, schemas: () => noSchemas },
      traffic: { unread: 0, rendering: 0, arriving: 0, limits: trafficLimits },
    })
  } catch {
    return undefined
  }
}

const sampleKey = 'sk-sample'

/** A sandbox with the sample resources. */
function sandboxOf({ kinds }: Vocabulary, settings: Settings): Sandbox {
  const sandbox = createSandbox({
    name: 'dry-run',
    seed: 'dry-run',
    clock: { mode: 'auto', start: defaultStart, speed: 1, wall: () => 0 },
    memory: { count: 1000, size: 1_000_000 },
  })
  for (const { sample, put } of kinds)
    if (sample !== undefined)
      put(
        {
          fields: { key: sampleKey, ...sample },
          timeline: undefined,
          age: undefined,
          offContract: false,
        },
        { sandbox, settings },
      )
  return sandbox
}
