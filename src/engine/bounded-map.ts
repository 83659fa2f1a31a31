/**
 * A map whose entries are bounded in number and in size: where a new one does not fit, the entries that were
 * written longest ago make room.
 */
import { OrderedMap } from './ordered-map.ts'
import { RememberedKeys } from './remembered-keys.ts'

export interface Bounds {
  /** How many values are kept; any number unless given. */
  readonly count?: number
  /** How much the values may take up together, in the unit of `set`; any amount unless given. */
  readonly size?: number
  /** How many keys are remembered as evicted (`wasEvicted`) at least; none unless given. */
  readonly rememberEvicted?: number
  /** Hears of each value that had to make room. */
  readonly onEvict?: (() => void) | undefined
}

export class BoundedMap<Value> {
  readonly #values = new OrderedMap<Value>()
  /** Only of values that have a size: most maps are bounded by count alone. */
  #sizes: Map<string, number> | undefined
  readonly #evicted: RememberedKeys | undefined
  readonly #maxCount: number
  readonly #onEvict: (() => void) | undefined
  #size = 0
  /** How much all values may take up together, and so the size of the largest that can be kept. */
  readonly maxSize: number

  constructor({ count = Infinity, size = Infinity, rememberEvicted = 0, onEvict }: Bounds) {
    this.#maxCount = count
    this.maxSize = size
    this.#evicted = rememberEvicted === 0 ? undefined : new RememberedKeys(rememberEvicted)
    this.#onEvict = onEvict
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
    return this.#values.use(key)
  }

  /** Writes a value as the youngest. Throws a `RangeError` for one larger than `maxSize`. */
  set(key: string, value: Value, size = 0): void {
    if (size > this.maxSize)
      throw new RangeError(`bounded-map: a value of size ${size} cannot be kept in ${this.maxSize}`)
    this.delete(key)
    this.#evicted?.delete(key)
    while (this.#values.size > 0 && (this.#values.size >= this.#maxCount || this.#size + size > this.maxSize))
      this.#evict(this.#values.oldestKey as string)
    this.#values.set(key, value)
    if (size === 0) return
    this.#sizes ??= new Map()
    this.#sizes.set(key, size)
    this.#size += size
  }

  delete(key: string): void {
    this.#values.delete(key)
    const size = this.#sizes?.get(key)
    if (size === undefined) return
    this.#sizes?.delete(key)
    this.#size -= size
  }

  clear(): void {
    this.#values.clear()
    this.#sizes = undefined
    this.#evicted?.clear()
    this.#size = 0
  }

  /** Whether the value of a key had to make room, as far back as `rememberEvicted` says. */
  wasEvicted(key: string): boolean {
    return this.#evicted?.has(key) === true
  }

  /** How many values had to make room of which `wasEvicted` no longer knows. */
  get evictedUnremembered(): number {
    return this.#evicted?.forgotten ?? 0
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
    this.#evicted?.add(key)
    this.#onEvict?.()
  }
}
