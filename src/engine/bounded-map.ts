/** Ordered maps, and maps that evict the oldest value at a limit. */

/**
 * A map in the order of writing with fast access to its oldest value. A built-in `Map` scans all removed
 * entries before its first key, and a kept iterator retains every outgrown table.
 */

interface Item<Value> {
  readonly key: string
  value: Value
  older: Item<Value> | undefined
  younger: Item<Value> | undefined
}

export class OrderedMap<Value> {
  // Most of these maps stay empty: a session has many of them.
  #items: Map<string, Item<Value>> | undefined
  #oldest: Item<Value> | undefined
  #youngest: Item<Value> | undefined

  get size(): number {
    return this.#items?.size ?? 0
  }

  /** The value that was least recently written or used. */
  get oldest(): Value | undefined {
    return this.#oldest?.value
  }

  get oldestKey(): string | undefined {
    return this.#oldest?.key
  }

  get(key: string): Value | undefined {
    return this.#items?.get(key)?.value
  }

  has(key: string): boolean {
    return this.#items?.has(key) === true
  }

  /** Writes a value as the youngest. */
  set(key: string, value: Value): void {
    this.#items ??= new Map()
    const known = this.#items.get(key)
    const item = known ?? { key, value, older: undefined, younger: undefined }
    if (known === undefined) this.#items.set(key, item)
    else this.#unlink(known)
    item.value = value
    this.#append(item)
  }

  /** Makes a value the youngest. */
  use(key: string): Value | undefined {
    const item = this.#items?.get(key)
    if (item !== undefined && item !== this.#youngest) {
      this.#unlink(item)
      this.#append(item)
    }
    return item?.value
  }

  /** The previous value. */
  delete(key: string): Value | undefined {
    const item = this.#items?.get(key)
    if (item === undefined) return undefined
    this.#items?.delete(key)
    this.#unlink(item)
    return item.value
  }

  clear(): void {
    this.#items = undefined
    this.#oldest = undefined
    this.#youngest = undefined
  }

  /** Oldest first. */
  *entries(): Generator<[string, Value]> {
    for (let item = this.#oldest; item !== undefined; item = item.younger) yield [item.key, item.value]
  }

  /** Oldest first. */
  *values(): Generator<Value> {
    for (let item = this.#oldest; item !== undefined; item = item.younger) yield item.value
  }

  #append(item: Item<Value>): void {
    item.older = this.#youngest
    item.younger = undefined
    if (this.#youngest === undefined) this.#oldest = item
    else this.#youngest.younger = item
    this.#youngest = item
  }

  #unlink({ older, younger }: Item<Value>): void {
    if (older === undefined) this.#oldest = younger
    else older.younger = younger
    if (younger === undefined) this.#youngest = older
    else younger.older = older
  }
}

/** Keys of evicted values: at least the latest `count`, at most twice as many. */
export class RememberedKeys {
  readonly #count: number
  #latest: Set<string> | undefined
  #earlier: Set<string> | undefined
  /** The number of keys that are no longer remembered. */
  unremembered = 0

  constructor(count: number) {
    this.#count = count
  }

  add(key: string): void {
    this.#latest ??= new Set()
    if (this.#latest.size >= this.#count) {
      this.unremembered += this.#earlier?.size ?? 0
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
    this.unremembered = 0
  }
}

export interface Bounds {
  /** The maximum number of values. Default: unlimited. */
  readonly count?: number
  /** The maximum total size of the values, in the unit of `set`. Default: unlimited. */
  readonly size?: number
  /** The minimum number of keys remembered as evicted (`wasEvicted`). Default: none. */
  readonly rememberEvicted?: number
  /** Called for each evicted value. */
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
  /** The maximum total size, and therefore the maximum size of one value. */
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

  /** The total size of all values. */
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
    // A map without sizes needs no more room for a new value of a key.
    if (size === 0 && this.#sizes === undefined && this.#values.has(key)) return this.#values.set(key, value)
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

  /** Whether the value of a key was evicted, within the memory of `rememberEvicted`. */
  wasEvicted(key: string): boolean {
    return this.#evicted?.has(key) === true
  }

  /** The number of evicted values that `wasEvicted` no longer remembers. */
  get evictedUnremembered(): number {
    return this.#evicted?.unremembered ?? 0
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
