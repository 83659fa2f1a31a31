/**
 * What the core reads of a call before anybody validates it: what chance belongs to, the model, the prompt.
 */
import { Hasher, type Words } from '../engine/hash.ts'
import { type SessionTag, withoutSession } from '../engine/ids.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import { bytesText, type InputRules, keptFormText, TooDeep, writeInput } from '../protocol/canonical.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Route } from '../protocol/router.ts'

const noFields: ReadonlySet<string> = new Set()

/** What one call says. */
export interface Input {
  readonly payload: Payload
  /** What the content of the answer is drawn from. */
  readonly contentKey: Words
  /** Goes on from there with the rest of the input. */
  readonly rest: Hasher
}

/**
 * Reads what the content of the answer is drawn from, and the rest. Ids of the session `tag` stands for count
 * as those of any other.
 */
export function readInput(
  { payload, session }: IncomingCall,
  route: Route | undefined,
  content: Hasher,
  tag: SessionTag,
): Input {
  const said = sessionless(payload, (text) => withoutPrefix(withoutSession(text, tag), session))
  const exact = exactNumbers(route?.endpoint, said)
  const rules: InputRules = {
    ignored: route?.contentIgnores ?? noFields,
    exact,
    defaults: route?.contentDefaults,
  }
  try {
    writeInput(content, 'content', said, rules)
    const contentKey = content.words()
    const rest = new Hasher(contentKey)
    writeInput(rest, 'rest', said, rules)
    return { payload, contentKey, rest }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    const contentKey = content.text('too deep').words()
    return {
      payload: {
        kind: 'refused',
        type: 'invalid_request_error',
        message: `The body is ${error.message}: make it flatter.`,
      },
      contentKey,
      rest: new Hasher(contentKey),
    }
  }
}

// Ids go from answers into later questions: the job of a variation, the tool calls of a conversation.
function sessionless(payload: Payload, without: (text: string) => string): Payload {
  if (payload.kind === 'json') {
    const text = without(payload.text)
    return text === payload.text ? payload : { kind: 'json', value: JSON.parse(text) as unknown, text }
  }
  if (payload.kind !== 'form') return payload
  return {
    kind: 'form',
    fields: payload.fields.map((field) =>
      'value' in field ? { ...field, value: without(field.value) } : field,
    ),
  }
}

// Addresses of results go the same way. They begin with the session where the call that made them named it
// so, as this one does.
function withoutPrefix(text: string, session: string | undefined): string {
  return session === undefined ? text : text.replaceAll(`/s/${session}/`, '/')
}

/** What the journal keeps of a body: its text, or what it is made of. */
export function requestText(payload: Payload): string | undefined {
  switch (payload.kind) {
    case 'json':
      return payload.text
    case 'form':
      return keptFormText(payload.fields)
    case 'bytes':
      return bytesText(payload)
    default:
      return undefined
  }
}

/** Where the fields of a body are named: its value, or the names of a form's fields. */
export function fieldsOf(payload: Payload): unknown {
  if (payload.kind === 'json') return Array.isArray(payload.value) ? undefined : payload.value
  return payload.kind === 'form' ? payload.fields.map(({ name }) => name) : undefined
}

// A seed near ±9.22e18 loses digits in a double; its source text keeps two such seeds apart.
function exactNumbers(endpoint: Endpoint | undefined, payload: Payload): Record<string, string> | undefined {
  if (
    endpoint?.exactNumbers === undefined ||
    payload.kind !== 'json' ||
    payload.value === null ||
    typeof payload.value !== 'object'
  )
    return undefined
  let exact: Record<string, string> | undefined
  for (const name of endpoint.exactNumbers) {
    const value = (payload.value as Record<string, unknown>)[name]
    if (typeof value !== 'number' || Number.isSafeInteger(value)) continue
    const written = new RegExp(`"${name}"\\s*:\\s*(-?[0-9.eE+-]+)`).exec(payload.text)?.[1]
    if (written !== undefined) exact = { ...exact, [name]: written }
  }
  return exact
}

/** The model that the body names. */
export function modelOf(payload: Payload): string | undefined {
  if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object') {
    const { model } = payload.value as { model?: unknown }
    return typeof model === 'string' ? model : undefined
  }
  if (payload.kind === 'form')
    for (const field of payload.fields) if (field.name === 'model' && 'value' in field) return field.value
  return undefined
}

/** The path of the file that the call is about. */
export function filePathOf(
  endpoint: Endpoint,
  payload: Payload,
  params: Readonly<Record<string, string>>,
): string | undefined {
  return endpoint.filePathOf?.(payload.kind === 'json' ? payload.value : undefined, params)
}

/** The text that reserved words and rules look at. */
export function promptOf(endpoint: Endpoint, payload: Payload): string | undefined {
  if (endpoint.promptOf === undefined) return undefined
  if (payload.kind === 'json') return endpoint.promptOf(payload.value)
  if (payload.kind !== 'form') return undefined
  return endpoint.promptOf(
    Object.fromEntries(
      payload.fields.flatMap((field) => ('value' in field ? [[field.name, field.value]] : [])),
    ),
  )
}
