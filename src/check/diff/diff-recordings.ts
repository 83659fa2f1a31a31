/**
 * What changed between two recordings: statuses, fields, types, values and headers, by operation.
 * Ids, timestamps and text are ignored, and so is what only one recording shows.
 */
import { grouped } from '../../engine/fields.ts'
import type { Exchange } from '../../exchange/exchange.ts'
import { counted } from '../../text/printable.ts'
import { hasKey, sortRecording } from '../judge-recording.ts'
import { comparedOperations, compareRequests, inContract, isLimited, unmatched } from './compare-requests.ts'
import { compareResponses, type Found, onlyIn } from './compare-responses.ts'
import { requestText, withKeys } from './same-request.ts'
import { type Traffic, trafficOf } from './traffic.ts'

export interface Difference extends Omit<Found, 'operation' | 'calls'> {
  readonly operations: readonly string[]
  readonly requests: readonly ComparedRequest[]
}

/** A request, and its place in each recording. */
interface ComparedRequest {
  readonly request: string
  readonly before: string
  readonly after: string
}

export interface RecordingDiff {
  readonly version: 1
  readonly differences: readonly Difference[]
  /** Possible coincidences: slower responses, optional fields, requests that were not compared. */
  readonly notes: readonly string[]
  /** The number of operations. */
  readonly compared: number
  /** Why the recordings were not compared: the gateway was not available in one of them. */
  readonly outage?: string
}

export async function diffRecordings(
  before: readonly Exchange[],
  after: readonly Exchange[],
): Promise<RecordingDiff> {
  const sorted = [await sortRecording(before), await sortRecording(after)] as const
  const outage = outageOf(sorted[0], 'first') ?? outageOf(sorted[1], 'second')
  if (outage !== undefined) return { version: 1, differences: [], notes: [], compared: 0, outage }
  const areKeysShown = sorted.every(({ calls }) => calls.some(hasKey))
  const [a, b] = sorted.map(({ calls }) => trafficOf(withKeys(calls, areKeysShown))) as [Traffic, Traffic]
  const compared = [compareRequests(a, b)]
  for (const kind of ['alike', 'same'] as const)
    for (const [key, responses] of a.responses[kind]) {
      const others = b.responses[kind].get(key)
      if (others !== undefined) compared.push(compareResponses(responses, others))
    }
  const chance = new Set(compared.flatMap(({ chance }) => chance))
  const found = compared.flatMap(({ differs }) => differs)
  return {
    version: 1,
    differences: together(found, [...a.times.keys()]),
    notes: [...chance, ...slower(a, b), ...onlyOne(a, b), ...notCompared(sorted, [a, b])],
    compared: comparedOperations(a, b),
  }
}

/** A difference that several operations share is listed once, before those of fewer operations. */
function together(found: readonly Found[], order: readonly string[]): Difference[] {
  const alike = grouped(found, ({ operation: _, calls: __, ...what }) => JSON.stringify(what))
  return [...alike.values()]
    .map((all): Difference => {
      const [{ operation: _, calls: __, ...what }] = all as [Found]
      const seen = new Set(all.map(({ operation }) => operation))
      const operations = order.filter((operation) => seen.has(operation))
      return { operations, ...what, requests: requestsOf(all) }
    })
    .toSorted(
      (x, y) =>
        y.operations.length - x.operations.length ||
        order.indexOf(x.operations[0] as string) - order.indexOf(y.operations[0] as string) ||
        x.operations.join().localeCompare(y.operations.join()),
    )
}

function requestsOf(found: readonly Found[]): ComparedRequest[] {
  const requests = new Map<string, ComparedRequest>()
  for (const { calls } of found) {
    const [before, after] = calls.map(({ exchange }) => exchange.source) as [string, string]
    const place = JSON.stringify([before, after])
    if (!requests.has(place)) requests.set(place, { request: requestText(calls[1]), before, after })
  }
  return [...requests.values()]
}

/** Slower by this factor, and by this much. */
const noticeable = { factor: 2, milliseconds: 100 }

/** Rejections are faster than other responses: each form has its own median. */
function slower(a: Traffic, b: Traffic): string[] {
  return [...a.times].flatMap(([operation, forms]) =>
    [...forms].flatMap(([form, before]) => {
      const after = b.times.get(operation)?.get(form)
      if (after === undefined) return []
      const firstByte = increase('the time to the first byte', before.firstByte, after.firstByte)
      const end = increase('the time to the last byte', before.end, after.end)
      // The last byte of a stream is a separate matter.
      const all = firstByte === undefined || form === 'stream' ? [firstByte, end] : [firstByte]
      const texts = all.filter((text) => text !== undefined)
      const name = form === 'response' ? operation : `${operation} (${form}s)`
      return texts.length === 0 ? [] : [`${name}: ${texts.join('; ')}`]
    }),
  )
}

/** `the time to the first byte increased from 80 ms to 900 ms`; undefined if it is not noticeable. */
function increase(what: string, a: readonly number[], b: readonly number[]): string | undefined {
  const [before, after] = [median(a), median(b)]
  if (a.length === 0 || after <= before * noticeable.factor || after - before <= noticeable.milliseconds)
    return undefined
  return `${what} increased from ${Math.round(before)} ms to ${Math.round(after)} ms`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const onlyOne = (a: Traffic, b: Traffic): string[] =>
  onlyIn(a.times, b.times).map(([operation, which]) => `${operation}: appears only in the ${which} recording`)

type Sorted = Awaited<ReturnType<typeof sortRecording>>

/**
 * If every request got 5xx or no response. Some may have been rate-limited, or rejected because they have no
 * API key.
 */
function outageOf({ calls, others }: Sorted, which: string): string | undefined {
  const telling = inContract(calls).filter((call) => call.response.status !== 401 || hasKey(call))
  const statuses = telling.map(({ response }) => response.status)
  const isDown = statuses.every((status) => status >= 500 || status === 429)
  const silent = others.filter(isSilent).length
  if (!isDown || (silent === 0 && !statuses.some((status) => status >= 500))) return undefined
  const seen = [...new Set<unknown>([...statuses, ...(silent > 0 ? ['no response'] : [])])]
  return `the gateway was not available in the ${which} recording (${seen.join(', ')})`
}

const isSilent = ({ reason }: Sorted['others'][number]): boolean => reason === 'no response'

/** The requests that were not compared, with the reason. */
function notCompared(sorted: readonly [Sorted, Sorted], traffic: readonly [Traffic, Traffic]): string[] {
  return sorted.flatMap(({ calls, others }, index) => {
    const [own, other] = index === 0 ? traffic : (traffic.toReversed() as [Traffic, Traffic])
    const which = index === 0 ? 'first' : 'second'
    const requests = [...own.alike.values()].flat()
    const reasons = [
      [calls.filter(isLimited).length, 'rate-limited (429)'],
      [others.filter(isSilent).length, 'without a response'],
      [unmatched(requests, other), `without a request with the same fields in the other recording`],
    ] as const
    return reasons.flatMap(([count, reason]) =>
      count === 0 ? [] : [`not compared: ${counted(count, 'request')} of the ${which} recording, ${reason}`],
    )
  })
}
