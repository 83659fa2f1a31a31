/**
 * A map that keeps what was written last and forgets the rest, so that a session of a million calls stays
 * small.
 */
export class Recent<Value> {
  readonly #limit: number
  readonly #values = new Map<string, Value>()

  /** Keeps at most `limit` values. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: Value): void {
    // What is written again is young again.
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#limit) this.#values.delete(this.#values.keys().next().value as string)
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }

  entries(): IterableIterator<[string, Value]> {
    return this.#values.entries()
  }

  values(): IterableIterator<Value> {
    return this.#values.values()
  }

  get size(): number {
    return this.#values.size
  }
}
