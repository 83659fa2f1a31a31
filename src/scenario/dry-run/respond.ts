/** Lets an operation respond to a sample request under a rule, without a server and without a session. */
import { noSchemas } from '../../behaviours/answers/loaded-schemas.ts'
import { roughTokens } from '../../behaviours/tokens/rough-tokens.ts'
import { defaultStart } from '../../engine/clock.ts'
import { randomFrom } from '../../engine/random.ts'
import { createSandbox, type Sandbox } from '../../engine/sandbox.ts'
import type { Call } from '../../protocol/call.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import type { Settings } from '../../protocol/settings.ts'
import { trafficLimits } from '../../protocol/traffic.ts'
import type { RuleFacts } from '../asked-rules.ts'
import { compileAnswer } from '../compile/compile.ts'
import type { AnswerSpec } from '../format/rule.ts'
import { readSettings } from '../load/read-settings.ts'
import { plannedResponse } from '../patch.ts'
import type { Sample } from './sample.ts'

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
  const settings = readSettings({})
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
          contents: undefined,
        },
        { sandbox, settings },
      )
  return sandbox
}
