/** Reads the messages of a request, one after the other, into the conversation that an answer needs. */
import type { AnsweredCall, Conversation, PastCall } from './conversation.ts'

/** A note of the client: `<system-reminder>…</system-reminder>`. */
const note = /<([\w-]{1,40})>[^]*?<\/\1>/g
/** A reserved value controls the simulator and is not part of the prompt. */
const reservedValue = / ?\[sim:[^\]\n]{0,40}\]/g

export class ConversationReader {
  /** The calls since the last question, by their ids; a result takes the place of its call. */
  readonly #calls = new Map<string, PastCall>()
  #results: AnsweredCall[] = []
  #lastUser = ''

  user(text: string): void {
    // Tool results answer a question that was asked before; words beside them are a new one, notes are not.
    if (this.#results.length > 0 && text.slice(0, 4000).replace(note, '').trim() === '') return
    this.#lastUser = text
    this.#calls.clear()
  }

  /** The model's turn, before its calls. */
  assistant(): void {
    this.#results = []
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
    this.#results.push(call)
  }

  #unnamed(name: string): string {
    return `function ${name} ${this.#calls.size}`
  }

  #openCall(name: string): string {
    for (const [id, call] of this.#calls) if (call.name === name && call.result === undefined) return id
    return this.#unnamed(name)
  }

  read(): Conversation {
    return {
      lastUser: this.#lastUser.replace(reservedValue, '').trim(),
      calls: [...this.#calls.values()],
      toolResults: this.#results,
    }
  }
}
