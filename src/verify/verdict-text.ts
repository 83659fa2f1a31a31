/** The text of verdicts: what was expected, what was received, and the closest mismatches. */
import { formatDuration } from '../engine/duration.ts'
import type { NearRequest } from '../generated/control-types.ts'
import { clip, listed } from '../protocol/wording.ts'
import { counted } from '../text/printable.ts'
import type { RecalledCall } from './compare-call.ts'
import type { ParsedPattern } from './read-pattern.ts'
import type { ParsedRequest } from './read-request.ts'

const maxPatternLength = 200
const maxListedCalls = 10
const maxDifferences = 3

/** A pattern: `chat.create with {"model":"gpt-4o"}`. */
export function patternText(calls: ParsedPattern | undefined): string {
  if (calls === undefined) return 'any request'
  const { operation, ...when } = calls.when
  const conditions = { ...when, ...calls.response }
  const name = operation === undefined ? 'a request' : [operation].flat().join(' or ')
  return Object.keys(conditions).length === 0
    ? name
    : `${name} with ${clip(JSON.stringify(conditions), maxPatternLength)}`
}

export function countText(count: number): string {
  return ['none', 'one'][count] ?? String(count)
}

/** What a request expects, each part in words. */
export function expectations(request: ParsedRequest): {
  readonly count: string | undefined
  readonly order: string | undefined
  readonly others: string | undefined
  readonly rules: string | undefined
} {
  const { requests, counts, inOrder, noOthers, usedRules, span } = request
  const within = span === undefined ? '' : ` within ${formatDuration(span)}`
  return {
    count: counts && `${patternText(requests)} ${limitsText(counts)}${within}`,
    order: inOrder && `in this order: ${inOrder.map(patternText).join(', then ')}`,
    others: noOthers ? `no requests other than ${patternText(requests)}` : undefined,
    rules: usedRules && `a response of ${usedRules.length === 1 ? 'rule' : 'rules'} ${listed(usedRules)}`,
  }
}

/** `exactly twice`, `at least once and at most 3 times`. */
function limitsText({ atLeast, atMost }: NonNullable<ParsedRequest['counts']>): string {
  const times = (count: number): string => ['never', 'once', 'twice'][count] ?? `${count} times`
  if (atMost === 0 || atLeast === atMost) return atMost === 0 ? 'never' : `exactly ${times(atMost)}`
  const limits = [
    atLeast === 0 ? '' : `at least ${times(atLeast)}`,
    atMost === Infinity ? '' : `at most ${times(atMost)}`,
  ]
  return limits.filter((limit) => limit !== '').join(' and ')
}

export function successText(request: ParsedRequest, count: number): string {
  const { count: counts, ...others } = expectations(request)
  const all = [counts && `${counts} (got ${countText(count)})`, ...Object.values(others)]
  return `As expected: ${all.filter((one) => one !== undefined).join('; ')}.`
}

/** Why a verdict is undecided. */
export function uncertainty(lost: number, unsure: number): string {
  const settings = '(settings memory.items and memory.bytes)'
  const evicted = `the journal has evicted its first ${counted(lost, 'request')} ${settings}`
  const partial = `the journal has only part of the body of ${counted(unsure, 'request')}`
  return `: ${[...(lost > 0 ? [evicted] : []), ...(unsure > 0 ? [partial] : [])].join(', and ')}`
}

/** Lines about the calls of one session. */
export class VerdictText {
  readonly #calls: readonly RecalledCall[]
  readonly #startedAt: number

  constructor(calls: readonly RecalledCall[], startedAt: number) {
    this.#calls = calls
    this.#startedAt = startedAt
  }

  #sinceStart(at: number): string {
    return `+${formatDuration(Math.max(0, at - this.#startedAt))}`
  }

  call({ entry }: RecalledCall): string {
    const { seq, at, ended, response } = entry
    const { rule } = entry.cause
    const ending = ended === 'aborted' || ended === 'disconnected' ? `, ${ended}` : ''
    const cause = rule === undefined ? '' : ` (rule ${rule})`
    const outcome = response?.status ?? 'no response'
    return `#${seq} ${nameOf(entry)} → ${outcome} at ${this.#sinceStart(at)}${ending}${cause}`
  }

  list(title: string, calls: readonly RecalledCall[]): string[] {
    if (calls.length === 0) return []
    const lines = calls.slice(0, maxListedCalls).map((one) => `  ${this.call(one)}`)
    const more = calls.length - lines.length
    return [title, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])]
  }

  /** The closest mismatches, with their differences. */
  near(nearest: readonly NearRequest[]): string[] {
    if (nearest.length === 0) return []
    const lines = ['Closest:']
    for (const near of nearest) {
      lines.push(`  ${this.#found(near)}`)
      for (const { field, expected, got } of near.differences.slice(0, maxDifferences))
        lines.push(`    ${field}: expected ${expected}, got ${got}`)
      const more = near.differences.length - maxDifferences
      if (more > 0) lines.push(`    and ${counted(more, 'more difference')}`)
    }
    return lines
  }

  #found({ seq }: NearRequest): string {
    return this.call(this.#calls.find(({ entry }) => entry.seq === seq) as RecalledCall)
  }

  /** An unused rule, with the closest request and why the rule did not answer it. */
  unused(id: string, near: NearRequest | undefined): string {
    return near === undefined
      ? `  ${id}: no request reached this rule (none was for its operation, or an earlier rule responded)`
      : `  ${id}: closest ${this.#found(near)}: ${near.differences[0]?.got}`
  }

  /** The last requests in order; `lost` counts those that the journal has evicted. */
  seen(lost: number): string {
    const evicted = lost === 0 ? '' : ` (the journal has evicted ${lost})`
    const last = this.#calls.at(-1)
    if (last === undefined) return `Received: no requests${evicted}.`
    const names = this.#calls.slice(-maxListedCalls).map(({ entry }) => `#${entry.seq} ${nameOf(entry)}`)
    const earlier = this.#calls.length + lost - names.length
    const front = earlier === 0 ? '' : `${earlier} earlier, then `
    return `Received: ${front}${names.join(', ')} (until ${this.#sinceStart(last.entry.at)})`
  }
}

function nameOf({ operation, request }: RecalledCall['entry']): string {
  return operation ?? `${request.method} ${clip(request.url, 80)}`
}
