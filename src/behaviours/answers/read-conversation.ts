/** Reads the messages of a request, one after the other, into the conversation that an answer needs. */
import type { AnsweredCall, Conversation, PastCall } from './conversation.ts'

/** A note of the client: `<system-reminder>…</system-reminder>`. */
const note = /<([\w-]{1,40})>[^]*?<\/\1>/g

export class ConversationReader {
  /** The calls since the last question, by their ids; a result takes the place of its call. */
  readonly #calls = new Map<string, PastCall>()
  #results: AnsweredCall[] = []
  #lastUser = ''
  #answered: string | undefined
  #previous: 'user' | 'assistant' | 'result' | 'instructions' | undefined

  /** A system or developer message. */
  instructions(): void {
    this.#previous = 'instructions'
  }

  user(text: string): void {
    const follows = this.#previous === 'user'
    this.#previous = 'user'
    // Tool results answer a question that was asked before; words beside them are a new one, notes are not.
    if (this.#results.length > 0 && text.slice(0, 4000).replace(note, '').trim() === '') return
    // Messages in a row are one.
    this.#lastUser = follows ? `${this.#lastUser}\n${text}` : text
    this.#calls.clear()
  }

  assistant(text: string): void {
    this.#results = []
    this.#answered = text
    this.#previous = 'assistant'
  }

  /** A call without an id is known by its name. */
  call(id: string | undefined, name: string, input: string): void {
    this.#calls.set(id ?? this.#unnamed(name), { name, input, result: undefined, failed: false })
  }

  result(id: string | undefined, text: string, more: { name?: string; failed?: boolean } = {}): void {
    const { name, failed = false } = more
    const key = id ?? this.#openCall(name as string)
    const { name: called, input } = this.#calls.get(key) ?? { name, input: '' }
    const call = { name: called, input, result: text, failed }
    this.#calls.set(key, call)
    this.#results.push(call)
    this.#previous = 'result'
  }

  #unnamed(name: string): string {
    return `function ${name} ${this.#calls.size}`
  }

  // It answers the call of that name that waits.
  #openCall(name: string): string {
    for (const [id, call] of this.#calls) if (call.name === name && call.result === undefined) return id
    return this.#unnamed(name)
  }

  read(): Conversation {
    // Some agents hand on what another has said, and nothing else.
    const handedOn = this.#lastUser === '' && this.#previous === 'assistant' ? this.#answered : undefined
    return {
      lastUser: handedOn ?? this.#lastUser,
      calls: [...this.#calls.values()],
      toolResults: this.#results,
    }
  }
}
