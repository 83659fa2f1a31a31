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
import type { Settings } from '../../protocol/settings.ts'
import { trafficLimits } from '../../protocol/traffic.ts'
import type { RuleFacts } from '../asked-rules.ts'
import { compileAnswer } from '../compile/compile.ts'
import { isOperators, meets } from '../compile/match-value.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import { readSettings } from '../load/read-settings.ts'
import { plannedResponse } from '../patch.ts'

interface Sample {
  readonly params: Readonly<Record<string, string>>
  /** Undefined if the operation takes no body, or only forms or bytes. */
  readonly body: Fields | undefined
}

/**
 * A request with these fields and tools that meets the conditions on its body as far as possible: patterns
 * and negations are not solved.
 */
export function sampleOf(
  endpoint: Endpoint,
  when: WhenSpec,
  own: Fields = {},
  tools: readonly string[] = [],
): Sample {
  const { sampleCall, example, concerns, path, accepts } = endpoint
  const fields = sampleCall?.({ tools, partials: false, usage: false }) ?? {
    ...example?.params,
    ...example?.json,
  }
  const body: Record<string, unknown> = { ...fields, ...own }
  const params: Record<string, string> = {}
  for (const name of parametersOf(path)) {
    params[name] = String(fields[name] ?? concerns?.kind.sample?.['id'] ?? 'sample')
    delete body[name]
  }
  const isKnown = (sampleCall ?? example) !== undefined && accepts.includes('json')
  const met = isKnown ? meeting(when.body, body) : undefined
  return { params, body: isFields(met) ? met : undefined }
}

/** A value that meets a matcher as far as possible, made from another value. */
function meeting(matcher: unknown, base: unknown): unknown {
  if (matcher === undefined || meets(matcher, base)) return base
  if (isOperators(matcher)) return meetingOperators(matcher, base)
  if (Array.isArray(matcher))
    return matcher.map((item, index) => meeting(item, Array.isArray(base) ? base[index] : undefined))
  if (!isFields(matcher)) return matcher
  const fields: Record<string, unknown> = isFields(base) ? { ...base } : {}
  for (const [name, part] of Object.entries(matcher)) fields[name] = meeting(part, fields[name])
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function meetingOperators(written: Fields, base: unknown): unknown {
  const { equals, anyOf, some, contains, startsWith, endsWith, gt, gte, lt, lte, exists } = written
  if (equals !== undefined) return equals
  if (Array.isArray(anyOf)) return meeting(anyOf[0], base)
  if (some !== undefined) return [meeting(some, Array.isArray(base) ? base[0] : undefined)]
  if (contains !== undefined && Array.isArray(base)) return [contains]
  if (typeof gt === 'number') return gt + 1
  if (typeof lt === 'number') return lt - 1
  if (gte !== undefined || lte !== undefined) return gte ?? lte
  if (exists !== undefined) return exists === true ? 'sample' : undefined
  const texts = [startsWith, contains, endsWith].filter((one) => one !== undefined)
  return texts.length === 0 ? base : texts.map(String).join('')
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
