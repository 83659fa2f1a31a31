/** Reads the messages of a request, one after the other, into the conversation that an answer needs. */
import { type AnsweredCall, type Conversation, carriesOn, type PastCall } from './conversation.ts'

/** So many calls of earlier questions may say what "it" is. */
const maxEarlier = 8

export class ConversationReader {
  readonly #instructions: string[] = []
  /** The calls since the last question, by their ids; a result takes the place of its call. */
  readonly #calls = new Map<string, PastCall>()
  #results: AnsweredCall[] = []
  #lastUser = ''
  #previousUser: string | undefined
  readonly #earlier: PastCall[] = []
  #lastTool: string | undefined
  #answered: string | undefined
  #previousAnswer: string | undefined
  #previous: 'user' | 'assistant' | 'result' | 'instructions' | undefined

  instructions(text: string): void {
    this.#instructions.push(text)
    this.#previous = 'instructions'
  }

  user(text: string): void {
    const follows = this.#previous === 'user'
    this.#previous = 'user'
    // Tool results answer a question that was asked before; words beside them are a new one.
    if (this.#results.length > 0 && carriesOn(text)) return
    // Messages in a row are one.
    if (!follows && this.#lastUser !== '') this.#previousUser = this.#lastUser
    this.#previousAnswer = this.#answered
    this.#lastUser = follows ? `${this.#lastUser}\n${text}` : text
    for (const { name } of this.#calls.values()) this.#lastTool = name ?? this.#lastTool
    this.#earlier.push(...this.#calls.values())
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
      instructions: this.#instructions.join('\n'),
      lastUser: handedOn ?? this.#lastUser,
      previousUser: this.#previousUser,
      previousAnswer: this.#previousAnswer,
      calls: [...this.#calls.values()],
      earlier: this.#earlier.slice(-maxEarlier),
      lastTool: this.#lastTool,
      toolResults: this.#results,
    }
  }
}
