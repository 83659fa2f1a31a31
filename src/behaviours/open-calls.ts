/** The tool calls of a conversation that wait for their results: each needs one before the next turn. */

/** The ids that a message shows, and the length of each. */
const maxShown = { ids: 5, characters: 60 } as const

export class OpenCalls {
  /** The ids without a result, each with the path of its call. */
  readonly #open = new Map<string, string>()
  readonly #answered = new Set<string>()

  call(id: string, field: string): void {
    this.#open.set(id, field)
  }

  /** Whether a result is the first of its call, another one, or matches no call. */
  answer(id: string): 'first' | 'again' | 'unmatched' {
    if (this.#answered.has(id)) return 'again'
    if (!this.#open.delete(id)) return 'unmatched'
    this.#answered.add(id)
    return 'first'
  }

  /** Ends the turn. Returns the calls that have no result: their ids, and the path of the first one. */
  close(): { readonly field: string; readonly ids: string } | undefined {
    const [first] = this.#open
    const ids = Array.from(this.#open.keys(), (id) => id.slice(0, maxShown.characters))
    this.#open.clear()
    this.#answered.clear()
    if (first === undefined) return undefined
    const more = ids.length > maxShown.ids ? ` and ${ids.length - maxShown.ids} more` : ''
    return { field: first[1], ids: ids.slice(0, maxShown.ids).join(', ') + more }
  }
}
