/** Which requests of two recordings are the same: their keys, without what differs per run. */

import { createHash } from 'node:crypto'
import { isFields, jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import { readStream } from '../protocol/read-stream.ts'
import { eventsOf, hasKey, type JudgedCall } from './judged-calls.ts'

/** A call with the key of equal requests, and the key of requests with the same field names. */
export interface KeyedCall extends JudgedCall {
  readonly same: string
  readonly alike: string
}

/**
 * `calls` in order: values that a response contains first are ids of that run. Credentials count only if
 * both recordings show them.
 */
export function keyed(calls: readonly JudgedCall[], areKeysShown: boolean): KeyedCall[] {
  const values = new RunValues()
  return calls.map((call) => {
    const { route, request } = call
    const common = [route.endpoint.operation, areKeysShown && hasKey(call)]
    const names = isFields(request) ? Object.keys(request).sort() : []
    const keyed = {
      ...call,
      same: digest(JSON.stringify([...common, ...partsOf(call, values)])),
      alike: JSON.stringify([...common, names]),
    }
    values.add(call)
    return keyed
  })
}

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('base64')

/** Deeper values are ignored. */
const maxDepth = 32

/** The parts of a request that make it another one. */
function partsOf({ exchange, route, params, request }: JudgedCall, values: RunValues): unknown[] {
  const { url, headers, body } = exchange.request
  const ids = route.endpoint.idsIn?.body ?? []
  const visit = (value: unknown, depth: number, isId = false): unknown => {
    if (typeof value === 'string') return values.withoutRun(value, isId)
    if (typeof value === 'number') return isTime(value) ? '#' : value
    if (value === null || typeof value !== 'object') return value
    if (depth === maxDepth) return '…'
    if (Array.isArray(value)) return value.map((one) => visit(one, depth + 1))
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return fields.map(([name, one]) => [name, visit(one, depth + 1, depth === 0 && ids.includes(name))])
  }
  const named = (pairs: Iterable<readonly [string, string]>): unknown[] =>
    [...pairs].map(([name, value]) => [name, values.withoutRun(value, true)]).sort()
  const sent = Object.keys(route.group.clientHeaders ?? {}).filter((name) => headerIn(headers, name))
  return [
    ...[named(Object.entries(params)), named(new URL(url).searchParams), sent, visit(request, 0)],
    request === undefined || hasFiles(exchange)
      ? formBytes(bytesOf(body), headerIn(headers, 'content-type'))
      : '',
  ]
}

const hasFiles = ({ request: { headers, body } }: Exchange): boolean =>
  isForm(headerIn(headers, 'content-type')) && latin1(bytesOf(body)).includes('filename=')

const isForm = (type = ''): boolean => /^multipart\//i.test(type)

const latin1 = (body: Uint8Array): string => Buffer.from(body).toString('latin1')

/** A body without the boundary and the file names of a form. */
function formBytes(body: Uint8Array, type = ''): string {
  if (body.length === 0) return ''
  const boundary = /boundary="?([^";\s]+)/i.exec(type)?.[1]
  if (!isForm(type) || boundary === undefined) return digest(body)
  return digest(
    latin1(body)
      .replaceAll(boundary, '')
      .replaceAll(/filename="[^"]*"/g, ''),
  )
}

/** Seconds or milliseconds since 1970, from 2001 to 2100. */
const isTime = (value: number): boolean =>
  Number.isInteger(value) && [value, value / 1000].some((one) => one >= 1e9 && one < 4.1e9)

/** UUIDs, timestamps, dates, and long numbers. Models contain dates: `gpt-4o-2024-08-06`. */
const changing = new RegExp(
  [
    String.raw`\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b`,
    String.raw`(?<![\w-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`,
    String.raw`\b(?=[a-f]*\d)[\da-f]{16,}\b`,
    String.raw`(?<!\d)\d{10,}(?!\d)`,
  ].join('|'),
  'gi',
)

/** Longer strings are files and documents. */
const maxText = 65_536

/** The values that responses contained before any request did. */
class RunValues {
  readonly #requested = new Set<string>()
  readonly #made = new Set<string>()

  add({ params, request, response, json }: JudgedCall): void {
    for (const text of textsIn([params, request])) this.#requested.add(text)
    if (response.status >= 400) return
    for (const text of textsIn(json === undefined ? streamed(response) : json)) {
      const parts = text.length <= maxText && !/\s/.test(text) ? text.split(/[/?&=]/) : []
      for (const one of [text, ...parts]) if (one !== '' && !this.#requested.has(one)) this.#made.add(one)
    }
  }

  /** Text without what differs per run. In other places than those of ids, words are no ids. */
  withoutRun(text: string, isId: boolean): string {
    if (this.#made.has(text) && (isId || /[\d\s]/.test(text))) return '<made>'
    return text.length > maxText ? text : text.replace(changing, '#')
  }
}

function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value !== null && typeof value === 'object' && depth < maxDepth)
    for (const one of Object.values(value)) yield* textsIn(one, depth + 1)
}

/** The values of a stream's events, and its whole texts. */
function streamed(response: ExchangeResponse): unknown {
  const events = eventsOf(response) ?? []
  const { text, reasoning, toolCalls } = readStream(events)
  const inputs = toolCalls.map(({ arguments: input }) => JSON.stringify(input))
  return [events.map(({ data }) => jsonIn(data)), text, reasoning, inputs]
}

/** The start of a request, for people: `POST /v1/videos {"model":"sora-2"…, without an API key`. */
export function requestText(call: JudgedCall): string {
  const { route, exchange, request } = call
  const { method, url, headers, body } = exchange.request
  const isFormBody = isForm(headerIn(headers, 'content-type'))
  const sent = isFormBody ? JSON.stringify(request) : (body?.text ?? '').slice(0, 4096)
  const text = request === undefined ? '' : sent.replaceAll(/\s+/g, ' ')
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
  const line = `${method} ${new URL(url).pathname} ${shown}`.trimEnd()
  return route.group.credentials.length === 0 || hasKey(call) ? line : `${line}, without an API key`
}

const maxShown = 80
