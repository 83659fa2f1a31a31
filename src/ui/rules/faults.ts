/** Overrides that inject faults: ready ones, those of the form, and how the list describes them. */
import type { Capabilities, FaultCapability, OverrideState } from '../../generated/control-types.ts'

/** The body of `POST /__sim/overrides`, as far as the page uses it. */
export interface OverrideBody {
  readonly when?:
    | {
        readonly operation?: string | readonly string[]
        readonly body?: { readonly stream: true }
        readonly nth?: number
      }
    | undefined
  readonly fault: { readonly kind: string; readonly [option: string]: unknown }
  readonly times?: number | undefined
  readonly ttl?: string | undefined
}

export interface Preset {
  readonly label: string
  readonly body: OverrideBody
}

/** Common failures of the next request. Those that the server does not know are left out. */
export function presetsOf({ operations, faults }: Capabilities): readonly Preset[] {
  const next = (label: string, kind: string, options: object = {}, only?: readonly string[]): Preset[] => {
    const fault = faults.find(({ name }) => name === kind)
    if (fault === undefined) return []
    const affected = fault.operations.filter((id) => only?.includes(id) ?? true)
    if (affected.length === 0) return []
    const when = whenOf(affected, fault, operations.length)
    return [{ label, body: { ...when, fault: { kind, ...options }, times: 1 } }]
  }
  const kinds = [...new Set(operations.flatMap(({ submits }) => submits ?? []))]
  return [
    ...next('Next request fails with 503', 'overloaded'),
    ...next('Next request is rate-limited (429)', 'rate-limit'),
    ...next('Next request gets no response', 'hang'),
    ...next('Next connection is reset', 'reset'),
    ...next('Next stream is cut after 3 events', 'disconnect', { afterEvents: 3 }),
    ...next('Next stream stalls after 3 events', 'stall', { afterEvents: 3 }),
    ...kinds.flatMap((kind) =>
      next(
        `Next ${nounOf(kind)} fails`,
        'content-filter',
        {},
        operations.filter(({ submits }) => submits === kind).map(({ id }) => id),
      ),
    ),
    ...next('Next job is created even though its submission fails', 'ambiguous-submit'),
  ]
}

/** `videoOperation` as `video operation`. */
const nounOf = (kind: string): string => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A fault of streams must wait for a request that streams. Without a condition, it is for every request. */
function whenOf(
  operations: readonly string[],
  { part }: FaultCapability,
  all: number,
): Pick<OverrideBody, 'when'> {
  const operation = operations.length === 1 ? (operations[0] as string) : operations
  if (part === 'stream') return { when: { operation, body: { stream: true } } }
  return operations.length === all ? {} : { when: { operation } }
}

/** What the form holds: the texts of its fields. */
export interface FormValues {
  /** Empty for every operation that the fault can affect. */
  readonly operation: string
  readonly options: Readonly<Record<string, string>>
  /** Which of the requests to the operation; empty for all. */
  readonly nth: string
  readonly times: string
  readonly ttl: string
}

/** The groups of faults, the most used first. */
export const partTitles: Readonly<Record<FaultCapability['part'], string>> = {
  api: 'API errors',
  stream: 'Streams',
  connection: 'Connection',
  headers: 'Headers',
  body: 'Body',
  job: 'Jobs',
  upload: 'Uploads',
}

export const inGroups = (faults: readonly FaultCapability[]): readonly FaultCapability[] =>
  Object.keys(partTitles).flatMap((wanted) => faults.filter(({ part }) => part === wanted))

const optionTitles: Readonly<Record<string, string>> = {
  by: 'Bytes added',
  ends: 'Line ending',
  for: 'Duration',
  how: 'End of the connection',
  times: 'Number of requests',
}

/** `retryAfter` as `Retry after, seconds`. */
export function optionTitle(name: string, schema: FaultCapability['options'][string]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const title = optionTitles[name] ?? words.slice(0, 1).toUpperCase() + words.slice(1)
  return isDuration(schema) ? `${title}, seconds` : title
}

/** The default of an option; of a duration in seconds, as its title says. */
export const usualText = (preset: unknown, schema: FaultCapability['options'][string]): string =>
  isDuration(schema) ? String(preset).replace(/(\d)s$/, '$1') : String(preset)

const isDuration = ({ $comment, pattern }: FaultCapability['options'][string]): boolean =>
  $comment === 'duration' || String(pattern).includes('(?:ms|s|m|h|d)')

/** A number without a unit is in seconds. */
const durationOf = (text: string): string => (/^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text)

/** The override of the form. Empty fields are omitted. */
export function overrideOf(
  fault: FaultCapability,
  { operation, options, nth, times, ttl }: FormValues,
  { operations }: Capabilities,
): OverrideBody {
  const affected = operation === '' ? fault.operations : [operation]
  const given = Object.entries(options).flatMap(([name, text]) => {
    const schema = fault.options[name]
    return text.trim() === '' || schema === undefined ? [] : [[name, optionValue(text.trim(), schema)]]
  })
  const { when } = whenOf(affected, fault, operations.length)
  const isOne = nth !== ''
  const most = times.trim() === '' ? undefined : Number(times)
  return {
    when: isOne ? { ...when, nth: Number(nth) } : when,
    fault: { kind: fault.name, ...Object.fromEntries(given) },
    times: isOne ? 1 : most,
    ttl: ttl.trim() === '' ? undefined : durationOf(ttl.trim()),
  }
}

/** A number where the schema has numbers. The server judges anything else. */
function optionValue(text: string, schema: FaultCapability['options'][string]): unknown {
  const { type, enum: choices } = schema
  if (isDuration(schema)) return durationOf(text)
  const isNumeric = type === 'integer' || type === 'number'
  if (Array.isArray(choices)) return choices.find((choice) => String(choice) === text) ?? text
  return isNumeric && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Which requests an override applies to, and what they get. More operations than `most` are counted. */
export function overrideText(
  { when, then }: Pick<OverrideState, 'when' | 'then'>,
  most = Number.POSITIVE_INFINITY,
): string {
  const { operation, body, nth, ...more } = when
  const listed = [operation ?? 'every request'].flat().map(String)
  const rest = listed.length - most
  const names = rest > 1 ? `${listed.slice(0, most).join(', ')} and ${rest} more` : listed.join(', ')
  const streams = JSON.stringify(body) === '{"stream":true}'
  const others = { ...more, ...(body === undefined || streams ? {} : { body }) }
  const conditions = Object.keys(others).length === 0 ? '' : ` where ${JSON.stringify(others)}`
  const only = nth === undefined ? '' : `, only request ${String(nth)}`
  return `${names}${streams ? ' (streams)' : ''}${only}${conditions}: ${thenText(then)}`
}

function thenText(then: OverrideState['then']): string {
  const { fault, ...response } = then
  const parts = [fault ?? []].flat().map((one) => (typeof one === 'string' ? one : faultText(one as object)))
  if (Object.keys(response).length > 0) parts.push(JSON.stringify(response))
  return parts.join(', ')
}

function faultText(fault: object): string {
  const { kind, ...options } = fault as { readonly kind?: unknown }
  const listed = Object.entries(options).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `${String(kind)}${listed.length === 0 ? '' : ` (${listed.join(', ')})`}`
}

/** What the override still does. */
export function leftText({ when, left, live, expires, answered }: OverrideState): string {
  const done = answered === 0 ? '' : `, ${answered} answered`
  if (!live) return left === 0 ? `used up${done}` : `expired${done}`
  const end = expires === null ? '' : `, until ${expires.slice(11, 19)}`
  const one = when['nth'] === undefined ? 'next request' : 'one request'
  let requests = `next ${left} requests`
  if (left === null) requests = 'no limit'
  if (left === 1) requests = one
  return `${requests}${done}${end}`
}
