/** Sample requests that meet the conditions of a rule, made from an operation's own sample. */
import { type Fields, isFields } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { parametersOf } from '../../protocol/schema-forms.ts'
import { isOperators, meets } from '../compile/match-value.ts'
import type { WhenSpec } from '../format/rule.ts'

export interface Sample {
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
