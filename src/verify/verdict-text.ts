/** The text of verdicts: what was expected, what was received, and the closest mismatches. */
import { formatDuration } from '../engine/duration.ts'
import type { NearRequest } from '../generated/control-types.ts'
import { clip } from '../protocol/wording.ts'
import type { RecalledCall } from './compare-call.ts'
import type { ParsedPattern } from './read-pattern.ts'
import { type ParsedRequest, timesText } from './read-request.ts'

const maxPatternLength = 200
const maxListedCalls = 10
const maxSeenRuns = 10
const maxDifferences = 3

/** A pattern: `chat.create with {"model":"gpt-4o"}`. */
export function patternText(calls: ParsedPattern | undefined): string {
  if (calls === undefined) return 'any request'
  const { operation, ...when } = calls.when
  const conditions = {
    ...(calls.address === undefined ? {} : { path: calls.address }),
    ...when,
    ...calls.response,
  }
  const name = operation === undefined ? 'a request' : [operation].flat().join(' or ')
  return Object.keys(conditions).length === 0
    ? name
    : `${name} with ${clip(JSON.stringify(conditions), maxPatternLength)}`
}

export function countText(count: number): string {
  return ['none', 'one'][count] ?? String(count)
}

export function successText(request: ParsedRequest, count: number): string {
  const { requests, counts, inOrder, noOthers, usedRules, isEveryRule } = request
  const others =
    inOrder === undefined
      ? `there were no requests other than ${patternText(requests)}`
      : 'there were no other requests'
  const sentences = [
    counts === undefined
      ? ''
      : `${patternText(requests)} was ${count === 0 ? 'never received' : `received ${timesText(count)}`}`,
    inOrder === undefined
      ? ''
      : `the requests arrived in this order: ${inOrder.map(patternText).join(', then ')}`,
    noOthers ? others : '',
    usedRules === undefined ? '' : usedText(isEveryRule ? undefined : usedRules),
  ]
  return `${sentences.filter((sentence) => sentence !== '').join('; ')}.`
}

const maxRules = 10

/** `rules a and b have responded to a request`; of all rules, if there is no list. */
function usedText(rules: readonly string[] | undefined): string {
  if (rules === undefined) return 'every rule has responded to a request'
  if (rules.length === 1) return `rule ${rules[0]} has responded to a request`
  const named = rules.slice(0, maxRules)
  const more = rules.length - named.length
  const text = more > 0 ? `${named.join(', ')} and ${more} more` : listOf(named)
  return `rules ${text} have responded to a request`
}

const listOf = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

export function uncertainty(lost: number, unsure: number): string {
  const calls = (count: number, one: string): string => (count === 1 ? one : `${count} requests`)
  const evicted =
    `the journal has evicted its first ${calls(lost, 'request')} (settings ` +
    'memory.items and memory.bytes)'
  const cut = `the journal has only part of the body of ${calls(unsure, 'one request')}`
  return `: ${[...(lost === 0 ? [] : [evicted]), ...(unsure === 0 ? [] : [cut])].join(', and ')}`
}

const moreText = (count: number): string => `${count} more ${count === 1 ? 'difference' : 'differences'}`

/** Consecutive requests of one operation. */
interface Run {
  readonly name: string
  /** The position of its first request. */
  readonly index: number
  readonly first: number
  to: number
}

function runsOf(calls: readonly RecalledCall[]): readonly Run[] {
  const runs: Run[] = []
  for (const [index, { entry }] of calls.entries()) {
    const { seq, operation, request } = entry
    const name = operation ?? `${request.method} ${clip(request.url, 40)}`
    const last = runs.at(-1)
    if (last?.name === name && last.to === seq - 1) last.to = seq
    else runs.push({ name, index, first: seq, to: seq })
  }
  return runs
}

function runNames({ name, first, to }: Run): string[] {
  if (to - first > 1) return [`#${first} to #${to} ${name}`]
  return to === first ? [`#${first} ${name}`] : [`#${first} ${name}`, `#${to} ${name}`]
}

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

  /** The window of time; empty for any time. */
  window({ from, until, span }: ParsedRequest): string {
    const parts = [
      from === undefined ? '' : `from ${this.#sinceStart(from)} on`,
      until === undefined ? '' : `before ${this.#sinceStart(until)}`,
      span === undefined ? '' : `within ${formatDuration(span)}`,
    ].filter((part) => part !== '')
    return parts.length === 0 ? '' : ` ${parts.join(', ')}`
  }

  call({ entry }: RecalledCall): string {
    const { seq, operation, at, ended, request, response } = entry
    const { rule } = entry.cause
    const ending = ended === 'aborted' || ended === 'disconnected' ? `, ${ended}` : ''
    const name = operation ?? `${request.method} ${clip(request.url, 80)}`
    const cause = rule === undefined ? '' : ` (rule ${rule})`
    const outcome = response?.status ?? 'no response'
    return `#${seq} ${name} → ${outcome} at ${this.#sinceStart(at)}${ending}${cause}`
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
    const lines = nearest.flatMap((near) => [
      `  ${this.#found(near)}`,
      ...near.differences
        .slice(0, maxDifferences)
        .map(({ field, expected, got }) => `    ${field}: expected ${expected}, got ${got}`),
      ...(near.differences.length > maxDifferences
        ? [`    and ${moreText(near.differences.length - maxDifferences)}`]
        : []),
    ])
    return ['Closest:', ...lines]
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

  /** All requests in order; `lost` counts those that the journal has evicted. */
  seen(lost: number): string {
    const calls = this.#calls
    if (calls.length === 0)
      return lost === 0
        ? 'Received: no requests.'
        : `Received: no requests (the journal has evicted ${lost === 1 ? 'one' : lost}).`
    const all = runsOf(calls)
    const last = all.slice(-maxSeenRuns)
    const before = (last[0] as Run).index + lost
    const names = last.flatMap(runNames)
    const { at } = (calls.at(-1) as RecalledCall).entry
    const front = before === 0 ? 'Received:' : `Received: ${before} earlier, then`
    return `${front} ${names.join(', ')} (until ${this.#sinceStart(at)})`
  }
}
