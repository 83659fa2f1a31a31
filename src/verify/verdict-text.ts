/** The wording of verdicts: what was expected, what came, what came close. */
import { formatDuration } from '../engine/duration.ts'
import { clip } from '../protocol/wording.ts'
import type { RecalledCall } from './call-facts.ts'
import type { ParsedPattern } from './read-pattern.ts'
import { type ParsedRequest, times } from './read-request.ts'
import type { NearCall } from './request.ts'

const maxPatternLength = 200
const maxListedCalls = 10
const maxSeenCalls = 20

export const duration = formatDuration

const sinceStart = (at: number, startedAt: number): string =>
  `+${formatDuration(Math.max(0, at - startedAt))}`

const nameInList = ({ entry: { seq, operation, method, path } }: RecalledCall): string =>
  `#${seq} ${operation ?? `${method} ${clip(path, 40)}`}`

/** A pattern: `chat.create with {"model":"gpt-4o"}`. */
export function patternText(calls: ParsedPattern | undefined): string {
  if (calls === undefined) return 'any call'
  const { operation, ...when } = calls.when
  const conditions = {
    ...(calls.address === undefined ? {} : { path: calls.address }),
    ...when,
    ...calls.reply,
  }
  const name =
    operation === undefined ? 'a call' : typeof operation === 'string' ? operation : operation.join(' or ')
  return Object.keys(conditions).length === 0
    ? name
    : `${name} with ${clip(JSON.stringify(conditions), maxPatternLength)}`
}

/** What was expected, how often, and when. */
export function expectation(
  calls: ParsedPattern | undefined,
  counts: string,
  request: ParsedRequest,
  startedAt: number,
): string {
  return `${patternText(calls)} ${counts}${windowText(request, startedAt)}`
}

/** The window of time; empty for any time. */
export function windowText({ from, until, span }: ParsedRequest, startedAt: number): string {
  const parts = [
    from === undefined ? '' : `from ${sinceStart(from, startedAt)} on`,
    until === undefined ? '' : `before ${sinceStart(until, startedAt)}`,
    span === undefined ? '' : `within ${duration(span)}`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`
}

export function countText(count: number): string {
  return count === 0 ? 'none' : count === 1 ? 'one' : String(count)
}

/** The message when everything holds. */
export function success(request: ParsedRequest, count: number): string {
  const order =
    request.inOrder === undefined
      ? []
      : [`${request.inOrder.map(patternText).join(', then ')} came in this order`]
  const counted =
    request.counts === undefined
      ? []
      : [`${patternText(request.calls)} came ${count === 0 ? 'never' : times(count)}`]
  const others = request.noOthers
    ? [`there were no calls beside ${request.inOrder === undefined ? patternText(request.calls) : 'these'}`]
    : []
  return `${[...counted, ...order, ...others].join('; ')}.`
}

/** Why something is uncertain. */
export function uncertainty(lost: number, unsure: number): string {
  const dropped =
    lost === 0
      ? []
      : [
          [
            `the journal has dropped its first ${lost === 1 ? 'call' : `${lost} calls`} (settings`,
            'memory.journalEntries and memory.journalBytes)',
          ].join(' '),
        ]
  const cut =
    unsure === 0
      ? []
      : [`the journal does not hold the whole body of ${unsure === 1 ? 'a call' : `${unsure} calls`}`]
  return `: ${[...dropped, ...cut].join(', and ')}`
}

/** One call on one line. */
export function callLine({ entry }: RecalledCall, startedAt: number): string {
  const { seq, operation, method, path, status, at, ended, rule } = entry
  const ending = ended === 'aborted' || ended === 'cut' ? `, ${ended}` : ''
  const name = operation ?? `${method} ${clip(path, 80)}`
  const cause = rule === undefined ? '' : ` (rule ${rule})`
  return `#${seq} ${name} → ${status} at ${sinceStart(at, startedAt)}${ending}${cause}`
}

export function callLines(title: string, calls: readonly RecalledCall[], startedAt: number): string[] {
  if (calls.length === 0) return []
  const more = calls.length - maxListedCalls
  return [
    title,
    ...calls.slice(0, maxListedCalls).map((one) => `  ${callLine(one, startedAt)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** The nearest calls, with what differs in each. */
export function nearestLines(
  nearest: readonly NearCall[],
  calls: readonly RecalledCall[],
  startedAt: number,
): string[] {
  if (nearest.length === 0) return []
  return [
    'Nearest:',
    ...nearest.flatMap(({ seq, differences }) => {
      const found = calls.find(({ entry }) => entry.seq === seq)
      return [
        `  ${found === undefined ? `#${seq}` : callLine(found, startedAt)}`,
        ...differences.map(
          ({ field, expected, got: value }) => `    ${field}: expected ${expected}, got ${value}`,
        ),
      ]
    }),
  ]
}

/** All calls, in order. */
export function seenLine(calls: readonly RecalledCall[], startedAt: number, lost: number): string {
  if (calls.length === 0)
    return lost === 0 ? 'Seen: no calls at all.' : `Seen: no calls; the first ${lost} are no longer kept.`
  const last = calls.slice(-maxSeenCalls)
  const before = calls.length - last.length + lost
  const { at } = (last.at(-1) as RecalledCall).entry
  return [
    'Seen:',
    ...(before === 0 ? [] : [`${before} before, then`]),
    last.map(nameInList).join(', '),
    `(until ${sinceStart(at, startedAt)})`,
  ].join(' ')
}
