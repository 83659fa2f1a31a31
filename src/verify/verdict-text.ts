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

function timesText(number: number): string {
  return ['never', 'once', 'twice'][number] ?? `${number} times`
}

/** `exactly twice`, `at least once and at most 3 times`. */
export function limitsText({ atLeast, atMost }: NonNullable<ParsedRequest['counts']>): string {
  if (atMost === 0) return 'never'
  if (atLeast === atMost) return `exactly ${timesText(atMost)}`
  const most = `at most ${timesText(atMost)}`
  if (atLeast === 0) return most
  const least = `at least ${timesText(atLeast)}`
  return atMost === Infinity ? least : `${least} and ${most}`
}

export function successText(request: ParsedRequest, count: number): string {
  const { requests, counts, inOrder, noOthers, usedRules, isEveryRule } = request
  const sentences: string[] = []
  if (counts !== undefined) {
    const received = count === 0 ? 'never received' : `received ${timesText(count)}`
    sentences.push(`${patternText(requests)} was ${received}`)
  }
  if (inOrder !== undefined)
    sentences.push(`the requests arrived in this order: ${inOrder.map(patternText).join(', then ')}`)
  if (noOthers) sentences.push('there were no other requests')
  if (isEveryRule) sentences.push('every rule has responded to a request')
  else if (usedRules?.length === 1) sentences.push(`rule ${usedRules[0]} has responded to a request`)
  else if (usedRules !== undefined) sentences.push(`rules ${listed(usedRules)} have responded to a request`)
  return `${sentences.join('; ')}.`
}

/** Why a verdict is undecided. */
export function uncertainty(lost: number, unsure: number): string {
  const reasons: string[] = []
  if (lost > 0) {
    const settings = '(settings memory.items and memory.bytes)'
    reasons.push(`the journal has evicted its first ${counted(lost, 'request')} ${settings}`)
  }
  if (unsure > 0) reasons.push(`the journal has only part of the body of ${counted(unsure, 'request')}`)
  return `: ${reasons.join(', and ')}`
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
    const found = this.#calls.find(({ entry }) => entry.seq === seq)
    return found === undefined ? `#${seq}` : this.call(found)
  }

  /** Unused rules, each with the closest request and why the rule did not answer it. */
  unused(
    ids: readonly string[],
    explained: readonly { readonly id: string; readonly near: NearRequest | undefined }[],
  ): string[] {
    const have = ids.length === 1 ? 'A rule has' : `${ids.length} rules have`
    const lines = explained.map(({ id, near }) =>
      near === undefined
        ? `  ${id}: no request reached this rule (none was for its operation, or an earlier rule responded)`
        : `  ${id}: closest ${this.#found(near)}: ${near.differences[0]?.got}`,
    )
    return [`${have} not responded to any request: ${ids.join(', ')}.`, ...lines]
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
