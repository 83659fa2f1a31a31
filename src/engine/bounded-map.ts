/**
 * A map whose entries are bounded in number and in size: where a new one does not fit, the entries that were
 * written longest ago make room.
 */

export interface Bounds {
  /** How many values are kept; any number unless given. */
  readonly count?: number
  /** How much the values may take up together, in the unit of `set`; any amount unless given. */
  readonly size?: number
  /** How many keys are remembered as evicted (`wasEvicted`); none unless given. */
  readonly rememberEvicted?: number
}

export class BoundedMap<Value> {
  readonly #values = new Map<string, Value>()
  /** Only of values that have a size: most maps are bounded by count alone. */
  readonly #sizes = new Map<string, number>()
  readonly #evicted = new Set<string>()
  readonly #maxCount: number
  readonly #rememberEvicted: number
  #size = 0
  /** How much all values may take up together, and so the size of the largest that can be kept. */
  readonly maxSize: number

  constructor({ count = Infinity, size = Infinity, rememberEvicted = 0 }: Bounds) {
    this.#maxCount = count
    this.maxSize = size
    this.#rememberEvicted = rememberEvicted
  }

  /** The number of values. */
  get count(): number {
    return this.#values.size
  }

  /** How much all values take up together. */
  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Gets a value and makes it the youngest: with `use` alone, the least recently used is evicted first. */
  use(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, value)
    }
    return value
  }

  /** Writes a value as the youngest. Throws a `RangeError` for one larger than `maxSize`. */
  set(key: string, value: Value, size = 0): void {
    if (size > this.maxSize)
      throw new RangeError(`bounded-map: a value of size ${size} cannot be kept in ${this.maxSize}`)
    this.delete(key)
    this.#evicted.delete(key)
    while (this.#values.size > 0 && (this.#values.size >= this.#maxCount || this.#size + size > this.maxSize))
      this.#evict(this.#values.keys().next().value as string)
    this.#values.set(key, value)
    if (size === 0) return
    this.#sizes.set(key, size)
    this.#size += size
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return
    const size = this.#sizes.get(key)
    if (size === undefined) return
    this.#sizes.delete(key)
    this.#size -= size
  }

  clear(): void {
    this.#values.clear()
    this.#sizes.clear()
    this.#evicted.clear()
    this.#size = 0
  }

  /** Whether the value of a key had to make room, as far back as `rememberEvicted` says. */
  wasEvicted(key: string): boolean {
    return this.#evicted.has(key)
  }

  /** Oldest first. */
  entries(): IterableIterator<[string, Value]> {
    return this.#values.entries()
  }

  /** Oldest first. */
  values(): IterableIterator<Value> {
    return this.#values.values()
  }

  #evict(key: string): void {
    this.delete(key)
    if (this.#rememberEvicted === 0) return
    this.#evicted.add(key)
    if (this.#evicted.size > this.#rememberEvicted)
      this.#evicted.delete(this.#evicted.values().next().value as string)
  }
}
