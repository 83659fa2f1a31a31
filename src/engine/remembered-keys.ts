/**
 * Keys of what is gone, so that a lookup can say so. The latest `count` are remembered, and at most as many
 * before them: the older half goes as a whole.
 */
export class RememberedKeys {
  readonly #count: number
  #latest: Set<string> | undefined
  #earlier: Set<string> | undefined
  /** How many keys are no longer remembered. */
  forgotten = 0

  constructor(count: number) {
    this.#count = count
  }

  add(key: string): void {
    this.#latest ??= new Set()
    if (this.#latest.size >= this.#count) {
      this.forgotten += this.#earlier?.size ?? 0
      this.#earlier = this.#latest
      this.#latest = new Set()
    }
    this.#latest.add(key)
  }

  has(key: string): boolean {
    return this.#latest?.has(key) === true || this.#earlier?.has(key) === true
  }

  delete(key: string): void {
    this.#latest?.delete(key)
    this.#earlier?.delete(key)
  }

  clear(): void {
    this.#latest = undefined
    this.#earlier = undefined
    this.forgotten = 0
  }
}
