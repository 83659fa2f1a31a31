/** Judges what a recording shows of links and files: uploads that can be read, videos that can be fetched. */
import type { Deviation } from '../contract/deviation.ts'
import { isFields } from '../engine/fields.ts'
import type { RecordedExchange } from '../har/exchange.ts'
import type { RecordedCall } from './recorded-call.ts'

export interface FoundDeviation {
  readonly deviation: Deviation
  readonly exchange: RecordedExchange
}

/** `exchanges`: all of the recording, for uploads go elsewhere. `calls`: those of operations. */
export function judgeLinks(
  exchanges: readonly RecordedExchange[],
  calls: readonly RecordedCall[],
): FoundDeviation[] {
  return [...unreadableUploads(exchanges, calls), ...contentAndState(calls)]
}

/** A file that was uploaded and cannot be read at its `visit_url` right after (contract 2.5, 4.8). */
function unreadableUploads(
  exchanges: readonly RecordedExchange[],
  calls: readonly RecordedCall[],
): FoundDeviation[] {
  return calls.flatMap(({ route, json, exchange: granted }) => {
    if (route.endpoint.upload !== 'grant' || !isFields(json)) return []
    const { upload_url: to, visit_url: at } = json
    const later = exchanges.filter(({ startedAt }) => startedAt >= granted.startedAt)
    const sent = later.find(({ request, reply }) => isAt(request.url, to) && isSuccess(reply?.status))
    if (sent === undefined) return []
    const read = later.find(
      ({ request, startedAt }) =>
        request.method === 'GET' && startedAt >= sent.startedAt && isAt(request.url, at),
    )
    const status = read?.reply?.status ?? 200
    if (read === undefined || status < 400) return []
    return [
      {
        exchange: read,
        deviation: {
          operation: route.endpoint.operation,
          section: 'contract 2.5',
          where: 'body',
          pointer: '/visit_url',
          kind: 'value',
          severity: 'breaking',
          expected: 'an address at which the file is reachable after upload',
          got: `status ${status} there`,
        },
      },
    ]
  })
}

// Signatures in a query are taken out of a recording, so only what stands before it tells addresses apart.
const isAt = (url: string, link: unknown): boolean =>
  typeof link === 'string' && url.split('?')[0] === link.split('?')[0]

const isSuccess = (status: number | undefined): boolean => status === 200 || status === 201

/** A video's content before it is completed, or none when it is (contract 3, 4.6). */
function contentAndState(calls: readonly RecordedCall[]): FoundDeviation[] {
  return calls.flatMap((call, index) => {
    const { endpoint } = call.route
    const isContent =
      endpoint.method === 'GET' && endpoint.about !== undefined && endpoint.polls === undefined
    if (!isContent) return []
    const id = Object.values(call.params)[0]
    const polls = (part: readonly RecordedCall[]): RecordedCall[] =>
      part.filter(
        (other) =>
          other.route.endpoint.polls?.kind === endpoint.about &&
          Object.values(other.params)[0] === id &&
          other.exchange.session === call.exchange.session &&
          other.reply.status < 400,
      )
    const last = polls(calls.slice(0, index)).at(-1)
    const before = hasExpired(last, call.exchange.startedAt) ? 'expired' : statusOf(last)
    const after = statusOf(polls(calls.slice(index + 1))[0])
    const { status } = call.reply
    const wrong =
      status < 400 && after !== undefined && !['completed', 'failed'].includes(after)
        ? { expected: 'a refusal before the video is completed', got: `${status} before status ${after}` }
        : [400, 404, 409].includes(status) && before === 'completed' && after !== 'failed'
          ? { expected: 'the file of a completed video', got: `${status} after status ${before}` }
          : undefined
    if (wrong === undefined) return []
    const { operation } = endpoint
    const place = {
      operation,
      section: 'contract 4.6',
      where: 'status',
      pointer: '',
      kind: 'status',
    } as const
    return [{ exchange: call.exchange, deviation: { ...place, severity: 'breaking', ...wrong } }]
  })
}

function hasExpired(call: RecordedCall | undefined, now: number): boolean {
  const at = isFields(call?.json) ? call.json['expires_at'] : undefined
  return typeof at === 'number' && at * 1000 <= now
}

function statusOf(call: RecordedCall | undefined): string | undefined {
  const status = isFields(call?.json) ? call.json['status'] : undefined
  return typeof status === 'string' ? status : undefined
}
