/** The facts of a call that rule conditions use: plain data, computed only on demand. */

import { isFields, listOf } from '../engine/fields.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { FormField, Payload } from '../protocol/call.ts'
import type { JobUse } from '../protocol/endpoint.ts'

export interface ConditionFacts {
  readonly key: string | undefined
  readonly model: string | undefined
  /** The last message of the user, or the prompt. */
  readonly prompt: string | undefined
  readonly payload: Payload
  /** As sent, without `?`. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly params: Readonly<Record<string, string>>
  /** The job that the call refers to. */
  readonly job: NamedJob | undefined
  /** Virtual milliseconds since the epoch. */
  readonly now: number
  readonly sandbox: Pick<Sandbox, 'flags' | 'startedAt'>
}

/** The parts of a call, by the names that `when`, `per` and templates use. */
export const callParts = {
  body: ({ payload }: ConditionFacts): unknown => bodyOf(payload),
  query: ({ query }: ConditionFacts): unknown => queryOf(query),
  headers: ({ headers }: ConditionFacts): unknown => headers,
  path: ({ params }: ConditionFacts): unknown => params,
  key: ({ key }: ConditionFacts): unknown => key,
  model: ({ model }: ConditionFacts): unknown => model,
  prompt: ({ prompt }: ConditionFacts): unknown => prompt,
}

/** A job, video or operation, which need not exist. */
interface NamedJob {
  readonly kind: string
  readonly id: string
}

/** The body as rules see it: the JSON, or the fields of a form by name. */
export function bodyOf(payload: Payload): unknown {
  if (payload.kind === 'json') return payload.value
  if (payload.kind === 'bytes') return { size: payload.bytes.size, sha256: payload.bytes.sha256 }
  return payload.kind === 'form' ? fieldsOf(payload.fields) : undefined
}

/** The query by name; the last value of each. */
export function queryOf(query: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(query))
}

// `images[]` and a repeated name are lists, as clients of every language write them.
function fieldsOf(fields: readonly FormField[]): Readonly<Record<string, unknown>> {
  const byName = new Map<string, { readonly values: unknown[]; listed: boolean }>()
  for (const field of fields) {
    const listed = field.name.endsWith('[]')
    const name = listed ? field.name.slice(0, -2) : field.name
    const value = 'value' in field ? field.value : factsOf(field.file)
    const known = byName.get(name)
    if (known === undefined) byName.set(name, { values: [value], listed })
    else {
      known.values.push(value)
      known.listed ||= listed
    }
  }
  return Object.fromEntries(
    [...byName].map(([name, { values, listed }]) => [name, values.length > 1 || listed ? values : values[0]]),
  )
}

function factsOf({ filename, contentType, size, sha256 }: Extract<FormField, { file: unknown }>['file']) {
  return { filename, contentType, size, sha256 }
}

/** The progress of a conversation (chat and messages). The body is not validated. */
export interface Turns {
  /** 1 in a conversation without an assistant message. */
  readonly turn: number
  /** The text of the last tool result after the last user message; undefined if there is none. */
  readonly toolResult: string | undefined
}

export function turnsOf(payload: Payload): Turns {
  const body = payload.kind === 'json' ? payload.value : undefined
  let turn = 1
  let toolResult: string | undefined
  for (const message of listOf(isFields(body) ? body['messages'] : undefined)) {
    if (!isFields(message)) continue
    const { role, content } = message
    if (role === 'assistant') turn++
    else if (role === 'tool' || role === 'function') toolResult = textOf(content)
    else if (role === 'user') toolResult = resultIn(content)
  }
  return { turn, toolResult }
}

// Messages sends tool results in user messages; a user message without a result is a new question.
function resultIn(content: unknown): string | undefined {
  const found = listOf(content).findLast((block) => isFields(block) && block['type'] === 'tool_result')
  return isFields(found) ? textOf(found['content']) : undefined
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = listOf(content).map((part) => (isFields(part) ? part['text'] : undefined))
  return texts.filter((text) => typeof text === 'string').join('\n')
}

/** The job that a call names. The call is not validated. */
export function namedJob(
  { kind: { resource: kind }, id: idIn }: NonNullable<JobUse['concerns']>,
  params: Readonly<Record<string, string>>,
  payload: Payload,
): NamedJob | undefined {
  const body = bodyOf(payload)
  const id = idIn(params, isFields(body) ? body : {})
  return typeof id === 'string' ? { kind, id } : undefined
}
