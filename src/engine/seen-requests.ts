/**
 * How often requests were seen, of as many different ones as the bound says; the latest half is always known.
 * Two maps, the older of which goes as a whole: finding the oldest of a hundred thousand keys one by one, behind
 * all that were taken out before it, is slow.
 */
export class SeenRequests {
  readonly #bound: number
  readonly #onDrop: (count: number) => void
  #latest: Map<number, number> | undefined
  #earlier: Map<number, number> | undefined

  constructor(bound: number, onDrop: (count: number) => void) {
    this.#bound = bound
    this.#onDrop = onDrop
  }

  /** How many times this key has been seen, this time included: 1 for a first call. */
  count(key: number): number {
    let latest = (this.#latest ??= new Map())
    const count = (latest.get(key) ?? this.#earlier?.get(key) ?? 0) + 1
    if (latest.size >= Math.max(1, Math.floor(this.#bound / 2)) && !latest.has(key)) {
      const gone = this.#bound > 1 ? this.#earlier : latest
      if (gone !== undefined) this.#onDrop(gone.size)
      this.#earlier = this.#bound > 1 ? latest : undefined
      latest = this.#latest = new Map()
    }
    latest.set(key, count)
    return count
  }
}
