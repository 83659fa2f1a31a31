/** A recorded request as a scenario rule: what it asks, and the response that it got. */

import { pathParams } from '../../exchange/path-params.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import type { RequestExplanation } from '../../generated/control-types.ts'
import { fieldsOf, isCut, parsed, sentBody } from '../calls/sent-body.ts'

type Fields = Readonly<Record<string, unknown>>

/** Faults as rules write them. An entry has only their names; its explanation also has the options. */
type Faults = NonNullable<RequestExplanation['faults']>

/** The path of an operation, with `{name}` for each parameter. */
type Template = string | undefined

/** A scenario with one rule that gives the same response. JSON is YAML too. */
export function scenarioOf(entry: JournalEntryJson, template: Template, faults?: Faults): string {
  return scenarioText(entry, template, thenOf(entry, faults))
}

/** The same with the default response, to be edited. */
export function stubOf(entry: JournalEntryJson, template?: Template): string {
  return scenarioText(entry, template, {})
}

function scenarioText(entry: JournalEntryJson, template: Template, then: Fields): string {
  const { operation, seq } = entry
  const rule = { id: `${operation ?? 'request'}-${seq}`, when: matcherOf(entry, template, then), then }
  return JSON.stringify({ title: `Request ${seq}`, rules: [rule] }, null, 2)
}

/** Why no rule can give the same response. */
export function whyNoRule(
  entry: JournalEntryJson,
  why?: Pick<RequestExplanation, 'rulesEvaluated' | 'faults'>,
): string | undefined {
  const { operation, response, cause } = entry
  if (operation === undefined) return 'no rule can match an unknown path'
  // A rule for the prompt would reject valid requests as well.
  if (cause.rejection !== undefined && cause.decidedBy === undefined && why?.rulesEvaluated === false)
    return 'the request was rejected before any rule was evaluated'
  const then = thenOf(entry, why?.faults)
  const isEmpty = Object.keys(then).length === 0
  const isPart =
    'response' in then && (response?.events ?? []).length > 0
      ? !hasAllEvents(response)
      : (isEmpty || 'response' in then) && isCut(response?.body?.text)
  if (isPart) return 'the journal contains only the beginning of the response'
  return isEmpty ? 'the simulator generates all of this response' : undefined
}

/** Whether the journal keeps all events that were sent. */
const hasAllEvents = (response: JournalEntryJson['response']): boolean =>
  (response?.events?.length ?? 0) >= (response?.eventCount ?? 0)

/** The operation, the ids in the path, and the prompt. */
export function matcherOf(entry: JournalEntryJson, template?: Template, then: Fields = {}): Fields {
  const { operation, request } = entry
  const body = fieldsOf(sentBody(entry))
  const prompt = body === undefined ? {} : promptMatcher(body, isCut(request.body?.text))
  const ids = idsIn(entry, template)
  const isStream = body?.['stream'] === true && ('response' in then || 'fault' in then)
  const isBody = !isStream && ('response' in then || 'patch' in then) && body?.['messages'] !== undefined
  const fields: Record<string, unknown> = { ...(prompt['body'] as object | undefined) }
  if (isBody) fields['stream'] = { not: true }
  if (isStream) fields['stream'] = true
  return withoutEmpty({
    operation: operation ?? undefined,
    path: Object.fromEntries(ids),
    ...prompt,
    body: fields,
  })
}

const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && Object.keys(value as object).length > 0,
    ),
  )

/** The parameters in the path; undefined if it does not fit the template. */
export const paramsOf = ({ request }: JournalEntryJson, template: Template): Fields | undefined =>
  template === undefined ? undefined : pathParams(request.url, template)

/** The ids of jobs in the path. */
export const idsIn = (entry: JournalEntryJson, template: Template): [string, unknown][] =>
  Object.entries(paramsOf(entry, template) ?? {}).filter(([name]) => /^(?!project).*id$/i.test(name))

/** The longest text of a condition. */
const maxCondition = 80

/** Of a body that was cut, the last message may be missing. */
function promptMatcher(body: Fields, isPart: boolean): Fields {
  const contains = (text: string): object => ({ contains: text.slice(0, maxCondition) })
  for (const name of ['prompt', 'text', 'remixPrompt']) {
    const value = body[name]
    if (typeof value === 'string' && value !== '') return { body: { [name]: contains(value) } }
  }
  const [instance] = Array.isArray(body['instances']) ? (body['instances'] as Fields[]) : []
  if (typeof instance?.['prompt'] === 'string')
    return { body: { instances: { some: { prompt: contains(instance['prompt']) } } } }
  const messages = Array.isArray(body['messages']) ? (body['messages'] as Fields[]) : []
  const content = messages.findLast((message) => message?.['role'] === 'user')?.['content']
  const isList = Array.isArray(content)
  const text = isList
    ? (content as Fields[]).find((part) => typeof part?.['text'] === 'string')?.['text']
    : content
  if (typeof text !== 'string' || text === '') return {}
  const asked = contains(text)
  if (!isPart) return { conversation: { lastUser: asked } }
  return { body: { messages: { some: { content: isList ? { some: { text: asked } } : asked } } } }
}

function thenOf(entry: JournalEntryJson, faults: Faults = entry.cause.faults): Fields {
  const { ended, response, cause } = entry
  if (faults.length > 0) return { ...saidBefore(entry), fault: faults.length === 1 ? faults[0] : faults }
  if (response === undefined) return { fault: 'reset' }
  const { status, events = [], eventCount = 0 } = response
  const isChanged = cause.decidedBy?.kind === 'breakpoint'
  if (ended === 'disconnected' && !(isChanged && events.length > 0))
    return { fault: eventCount > 0 ? { kind: 'disconnect', afterEvents: eventCount } : 'reset' }
  const body = parsed(response.body?.text)
  if (status >= 400 && (!isChanged || body?.['error'] !== undefined)) return { error: errorOf(entry, body) }
  if (events.length > 0) return streamOf(entry)
  if (isChanged) return { response: responseOf(status, body, response.body?.text), offContract: true }
  const text = body === undefined ? undefined : textOf(body)
  if (text !== undefined) return { text: escaped(text) }
  const patch = body === undefined ? {} : escaped(kept(body, entry))
  return Object.keys(patch).length === 0 ? {} : { patch }
}

/** Faults that change the text itself. */
const garbling = ['corrupt', 'duplicate', 'out-of-order']

/** The text of a response with faults, as far as it arrived. */
function saidBefore({ cause, response }: JournalEntryJson): Fields {
  if (cause.faults.some((fault) => garbling.includes(fault))) return {}
  const events = response?.events ?? []
  const before = events.filter(({ data }) => parsed(data)?.['error'] === undefined)
  const text = events.length > 0 ? streamText(before) : textOf(parsed(response?.body?.text) ?? {})
  return text ? { text: escaped(text) } : {}
}

function errorOf({ response, cause }: JournalEntryJson, body: Fields | undefined): Fields {
  const { type: said, message, code: written } = (body?.['error'] ?? {}) as Fields
  const type = cause.rejection?.type ?? said
  const code = cause.rejection?.code ?? written
  const wait = cause.rejection?.retryAfterMs
  return {
    status: response?.status,
    type: typeof type === 'string' ? type : undefined,
    code: typeof code === 'number' && code !== response?.status ? code : undefined,
    message: typeof message === 'string' ? escaped(message) : undefined,
    retryAfter: wait === undefined ? undefined : `${wait}ms`,
  }
}

function responseOf(status: number, body: Fields | undefined, text: string | undefined): Fields {
  return { status, ...(body === undefined ? { text: escaped(text ?? '') } : { body: escaped(body) }) }
}

/** The text, if the stream says nothing else; otherwise its bytes. */
function streamOf({ ended, response, cause }: JournalEntryJson): Fields {
  const isChanged = cause.decidedBy?.kind === 'breakpoint'
  const events = response?.events ?? []
  const text = isChanged || !hasAllEvents(response) ? undefined : streamText(events)
  if (text !== undefined) return { text: escaped(text) }
  const bytes = events.map(({ event, data }) => {
    const name = event === undefined ? '' : `event: ${event}\n`
    return data.endsWith('\n\n') ? data : `${name}${data.replaceAll(/^/gm, 'data: ')}\n\n`
  })
  return {
    response: { contentType: 'text/event-stream', text: escaped(bytes.join('')) },
    fault: ended === 'disconnected' ? { kind: 'truncate', afterShare: 0.99 } : undefined,
    offContract: isChanged ? true : undefined,
  }
}

/** Whether a change to a response concerns only its text. */
export function isOnlyText(before: string, after: string): boolean {
  const [old, text] = [before, after].map((one) => JSON.stringify(textOf(parsed(one) ?? {})))
  return old !== undefined && text !== undefined && before.replace(old, () => text) === after
}

/** The text of a response of chat or messages, if it has nothing else and ended normally. */
function textOf({ choices, content, stop_reason: reason }: Fields): string | undefined {
  if (Array.isArray(choices) && choices.length === 1) {
    const { message, finish_reason: finish } = choices[0] as { message?: Fields; finish_reason?: unknown }
    const { content: text, role: _, annotations, ...more } = message ?? {}
    const isPlain = Object.values(more).every((value) => value == null) && !hasItems(annotations)
    return isPlain && finish === 'stop' && typeof text === 'string' ? text : undefined
  }
  if (!Array.isArray(content) || content.length !== 1 || reason !== 'end_turn') return undefined
  const { type, text, citations } = content[0] as Fields
  return type === 'text' && typeof text === 'string' && !hasItems(citations) ? text : undefined
}

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** The same of a stream. */
export function streamText(stream: readonly { readonly data: string }[]): string | undefined {
  let text = ''
  for (const { data } of stream) {
    const event = parsed(data)
    if (event === undefined) {
      if (data === '[DONE]') continue
      return undefined
    }
    const added = Array.isArray(event['choices']) ? chatText(event['choices'] as Fields[]) : blockText(event)
    if (added === undefined) return undefined
    text += added
  }
  return text
}

function chatText(choices: readonly Fields[]): string | undefined {
  if (choices.length === 0) return ''
  const [{ index, delta, finish_reason: finish }] = choices as [Fields]
  const { content, role: _, ...more } = (delta ?? {}) as Fields
  const isPlain = choices.length === 1 && index === 0 && Object.values(more).every((value) => value == null)
  return isPlain && (finish == null || finish === 'stop') ? String(content ?? '') : undefined
}

function blockText({ type, content_block: block, delta }: Fields): string | undefined {
  const { type: kind, text, stop_reason: reason } = (block ?? delta ?? {}) as Fields
  if (type === 'message_delta') return reason === 'end_turn' ? '' : undefined
  if (type === 'content_block_start') return kind === 'text' ? '' : undefined
  if (type === 'content_block_delta') return kind === 'text_delta' ? String(text) : undefined
  return typeof type === 'string' && /^(?:message_(?:start|stop)|content_block_stop|ping)$/.test(type)
    ? ''
    : undefined
}

/** The simulator generates these for each response. */
const generated = new Set([
  'id',
  'created',
  'created_at',
  'object',
  'usage',
  'system_fingerprint',
  'trace_id',
])
const maxText = 4000

/** The fields of a body that another response can have: no ids, no URLs, no files. */
function kept(body: Fields, { request, cause }: JournalEntryJson): Fields {
  const isId = (text: string): boolean =>
    request.url.includes(text) || cause.transitions.some(({ id }) => text.includes(id) || id.includes(text))
  const isKept = (value: unknown): boolean => {
    if (typeof value === 'string')
      return value.length <= maxText && !/^https?:/.test(value) && !(value.length > 8 && isId(value))
    return !Array.isArray(value) || value.every(isKeptWhole)
  }
  const isKeptWhole = (value: unknown): boolean =>
    isKept(value) && (value === null || typeof value !== 'object' || Object.values(value).every(isKeptWhole))
  const fieldsOf = (fields: Fields, isTop: boolean): Fields =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => {
        if ((isTop && generated.has(name)) || !isKept(value)) return []
        if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[name, value]]
        const inner = fieldsOf(value as Fields, false)
        return Object.keys(inner).length === 0 ? [] : [[name, inner]]
      }),
    )
  return fieldsOf(body, true)
}

/** Texts in which `${` stands for itself, not for a value of the request. */
export function escaped<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('${', '$$${')) as Value
}
