/** Makes one finding of what has one cause, and takes out what must not be shown. */
import type { Deviation } from '../contract/deviation.ts'
import { base64 } from '../engine/base64.ts'
import { clip } from '../protocol/wording.ts'
import type { Finding, ShownExchange } from './report.ts'

/** A deviation that one reply shows. */
export interface Shown extends Deviation {
  /** The statement of the contract, where a probe was made for it. */
  readonly states?: string | undefined
  /** Deviations of one cause become one finding. */
  readonly cause: string
}

/** A deviation, and where it was seen. */
export interface Seen extends Shown {
  /** The probe, or the place in a recording. */
  readonly probe: string
  readonly exchange: ShownExchange
}

/** Maps whose names the request chooses. */
const named = /\/(answers|probabilities|legend)\/[^/]+/g

/**
 * A deviation with the cause that it shares with those of the same place and kind: in any item of a list or
 * a map, in the plain reply and in the stream.
 */
export function shown(deviation: Deviation, states?: string): Shown {
  const { section, where, pointer, kind, severity } = deviation
  const place = pointer === '' ? where : pointer.replace(/\/\d+(?=\/|$)/g, '/*').replace(named, '/$1/*')
  return { ...deviation, states, cause: JSON.stringify([section, place, kind, severity, states]) }
}

/** One finding for each cause, in the order in which they were first seen. */
export function findingsOf(all: readonly Seen[]): Finding[] {
  const byCause = new Map<string, [Seen, ...Seen[]]>()
  for (const seen of all) {
    const known = byCause.get(seen.cause)
    if (known === undefined) byCause.set(seen.cause, [seen])
    else known.push(seen)
  }
  return [...byCause.values()].map((seen): Finding => {
    const [{ cause: _, probe, exchange, states, ...deviation }] = seen
    return {
      ...deviation,
      operations: [...new Set(seen.map(({ operation }) => operation))],
      ...(states === undefined ? {} : { states }),
      probes: [...new Set(seen.map((one) => one.probe))],
      ...exchange,
    }
  })
}

/** A request and its reply, as far as they are shown. */
export interface PlainExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
  }
  readonly reply: {
    readonly status: number
    readonly headers: { get(name: string): string | null | undefined }
    readonly body: Uint8Array
    readonly json: unknown
  }
}

/** The most characters of a text that are shown, and of a text within JSON. */
const maxText = 2000
const maxValue = 300
const shownHeaders = ['content-type', 'retry-after', 'x-request-id', 'request-id']

export function shownExchange({ request, reply }: PlainExchange): ShownExchange {
  const type = reply.headers.get('content-type') ?? ''
  const isText = /^text\/|json|xml/.test(type) || reply.json !== undefined
  const body =
    reply.body.length === 0
      ? undefined
      : reply.json !== undefined
        ? shortened(reply.json)
        : isText
          ? clip(new TextDecoder().decode(reply.body), maxText)
          : `${reply.body.length} bytes`
  return {
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: shortened(request.body) }),
    },
    reply: {
      status: reply.status,
      headers: Object.fromEntries(
        shownHeaders.flatMap((name) => {
          const value = reply.headers.get(name)
          return value === null || value === undefined ? [] : [[name, value]]
        }),
      ),
      ...(body === undefined ? {} : { body }),
    },
  }
}

/** A value with its long texts and lists cut. */
function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return clip(value, maxValue)
  if (value === null || typeof value !== 'object') return value
  if (depth > 8) return '…'
  if (Array.isArray(value)) {
    const first = value.slice(0, 20).map((one) => shortened(one, depth + 1))
    return value.length > 20 ? [...first, `… and ${value.length - 20} more`] : first
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 40)
      .map(([name, one]) => [name, shortened(one, depth + 1)]),
  )
}

/** A key that is shorter stands in ordinary words: it cannot be told from them, and is no secret. */
const minKeyLength = 8

/** The same data without the key, in whatever form the gateway has repeated it, and without signatures. */
export function withoutKey<Data>(data: Data, key: string): Data {
  const forms =
    key.length < minKeyLength
      ? []
      : [...new Set([key, encodeURIComponent(key), base64(new TextEncoder().encode(key))])]
  const hide = (text: string): string =>
    forms.reduce((shown, form) => shown.replaceAll(form, '<key>'), text).replace(signed, '$1?<signed>')
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value)
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(hidden)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), hidden(one)]))
  }
  return hidden(data) as Data
}

/** An address that lets whoever has it read or write. */
const signed =
  /(https?:\/\/[^\s?"']+)\?[^\s"']*(?:sign|token|credential|access|x-amz-|x-goog-|\bsig\b)[^\s"']*/gi
