/** Reads the messages of a request, one after the other, into the conversation that an answer needs. */
import { isFields, listOf } from '../../engine/fields.ts'
import type { AnsweredCall, Conversation, PastCall } from './conversation.ts'

/** The text of a content: a string, or its text parts joined. Invalid parts have none. */
export function textOf(content: unknown, between = '\n'): string {
  if (typeof content === 'string') return content
  let joined: string | undefined
  for (const part of listOf(content)) {
    const text = isFields(part) && part['type'] === 'text' ? part['text'] : undefined
    if (typeof text === 'string' && text !== '')
      joined = joined === undefined ? text : joined + between + text
  }
  return joined ?? ''
}

/** A note of the client: `<system-reminder>…</system-reminder>`. */
const note = /<([\w-]{1,40})>[^]*?<\/\1>/g
/** A reserved value controls the simulator and is not part of the prompt. */
const reservedValue = / ?\[sim:[^\]\n]{0,40}\]/g

export class ConversationReader implements Conversation {
  lastUser = ''
  toolResults: AnsweredCall[] = []
  /** The calls since the last question, by their ids; a result takes the place of its call. */
  readonly #calls = new Map<string, PastCall>()

  get calls(): readonly PastCall[] {
    return [...this.#calls.values()]
  }

  user(text: string): void {
    // Tool results answer a question that was asked before; words beside them are a new one, notes are not.
    if (this.toolResults.length > 0 && text.slice(0, 4000).replace(note, '').trim() === '') return
    this.lastUser = text.replace(reservedValue, '').trim()
    this.#calls.clear()
  }

  /** The model's turn, before its calls. */
  assistant(): void {
    this.toolResults = []
  }

  /** A call without an id is known by its name. */
  call(id: string | undefined, name: string, input: string): void {
    this.#calls.set(id ?? this.#unnamed(name), { name, input, result: undefined })
  }

  /** A result without an id answers the call of that name that waits. */
  result(id: string | undefined, result: string, name?: string): void {
    const key = id ?? this.#openCall(name as string)
    const call = { name, input: '', ...this.#calls.get(key), result }
    this.#calls.set(key, call)
    this.toolResults.push(call)
  }

  #unnamed(name: string): string {
    return `function ${name} ${this.#calls.size}`
  }

  #openCall(name: string): string {
    for (const [id, call] of this.#calls) if (call.name === name && call.result === undefined) return id
    return this.#unnamed(name)
  }
}
