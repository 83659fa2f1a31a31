/**
 * What the core reads of a body before anybody validates it: what chance is drawn from, and what the journal
 * keeps.
 */
import { Hasher, type HashWords } from '../engine/hash.ts'
import { defaultTag, type SessionTag, withoutSession } from '../engine/ids.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import {
  bytesText,
  type InputRules,
  journalFormText,
  TooDeepError,
  writeInput,
} from '../protocol/canonical.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Place } from './call-state.ts'

const noFields: ReadonlySet<string> = new Set()

export interface Input {
  /** The body; refused where it cannot be read as deep as it is nested. */
  readonly payload: Payload
  /** What the content of the answer is drawn from. */
  readonly contentKey: HashWords
  /** What ids are drawn from: the content, and all that it ignores. */
  readonly identityKey: HashWords
}

/**
 * Reads what chance belongs to. Ids of the call's own session count as those of any other: they go from
 * answers into later questions (the job of a variation, the tool calls of a conversation).
 */
export function readInput({ call, route, params, key, session: { world } }: Place): Input {
  const { payload } = call
  const clean = cleanerOf(world.tag, call.session)
  const target = route?.endpoint.operation ?? `${call.method} ${call.path}`
  const path = route === undefined ? '' : JSON.stringify(params)
  const content = new Hasher()
    .text(world.seed)
    .text(target)
    .text(clean === undefined ? path : clean(path))
  const input = clean === undefined ? payload : cleaned(payload, clean)
  const rules: InputRules = {
    ignored: route?.contentIgnores ?? noFields,
    exact: route?.endpoint.exactNumbers === undefined ? undefined : exactNumbers(route.endpoint, input),
    defaults: route?.contentDefaults,
  }
  let read = payload
  let contentKey: HashWords
  let identity: Hasher
  try {
    writeInput(content, 'content', input, rules)
    contentKey = content.words()
    identity = new Hasher(contentKey)
    writeInput(identity, 'rest', input, rules)
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error
    const message = `The body is ${error.message}: make it flatter.`
    read = { kind: 'refused', type: 'invalid_request_error', message }
    contentKey = content.text('too deep').words()
    identity = new Hasher(contentKey)
  }
  identity.text(clean === undefined ? call.query : clean(call.query)).text(key ?? '')
  return { payload: read, contentKey, identityKey: identity.words() }
}

/** Takes the tag and the prefix of its session out of a text; undefined in the default session. */
function cleanerOf(tag: SessionTag, prefix: IncomingCall['session']): ((text: string) => string) | undefined {
  if (tag === defaultTag && prefix === undefined) return undefined
  // Addresses of results begin with the session where the call that made them named it so, as this one does.
  return (text) => {
    const tagless = withoutSession(text, tag)
    return prefix === undefined ? tagless : tagless.replaceAll(`/s/${prefix}/`, '/')
  }
}

function cleaned(payload: Payload, clean: (text: string) => string): Payload {
  if (payload.kind === 'json') {
    const text = clean(payload.text)
    return text === payload.text ? payload : { kind: 'json', value: JSON.parse(text) as unknown, text }
  }
  if (payload.kind !== 'form') return payload
  const fields = payload.fields.map((field) =>
    'value' in field ? { ...field, value: clean(field.value) } : field,
  )
  return { kind: 'form', fields }
}

// A seed near ±9.22e18 loses digits in a double; its source text keeps two such seeds apart.
function exactNumbers({ exactNumbers: names = [] }: Endpoint, payload: Payload): InputRules['exact'] {
  if (payload.kind !== 'json' || payload.value === null || typeof payload.value !== 'object') return undefined
  let exact: Record<string, string> | undefined
  for (const name of names) {
    const value = (payload.value as Record<string, unknown>)[name]
    if (typeof value !== 'number' || Number.isSafeInteger(value)) continue
    const written = new RegExp(`"${name}"\\s*:\\s*(-?[0-9.eE+-]+)`).exec(payload.text)?.[1]
    if (written !== undefined) exact = { ...exact, [name]: written }
  }
  return exact
}

/** What the journal keeps of a body: its text, and its fields or their names. */
export function readKept(payload: Payload): { readonly text: string | undefined; readonly fields: unknown } {
  switch (payload.kind) {
    case 'json':
      return { text: payload.text, fields: Array.isArray(payload.value) ? undefined : payload.value }
    case 'form':
      return { text: journalFormText(payload.fields), fields: payload.fields.map(({ name }) => name) }
    case 'bytes':
      return { text: bytesText(payload), fields: undefined }
    default:
      return { text: undefined, fields: undefined }
  }
}
