/** Maps whose values count towards a bound: beyond it, the oldest value goes first. */

export interface Limits {
  /** The maximum number of values. Default: unlimited. */
  readonly count?: number | undefined
  /** The maximum total size of the values, in the unit of `set`. Default: unlimited. */
  readonly size?: number | undefined
  /** Called for each eviction. */
  readonly onEvict?: (() => void) | undefined
  /** Counts the sizes of several bounds together. */
  readonly total?: { size: number } | undefined
}

interface Item<Value = unknown, Key = unknown> {
  readonly key: Key
  readonly value: Value
  size: number
  /** The map of the value. */
  readonly owner: { evict(key: Key, value: Value): void }
  older: Item | undefined
  younger: Item | undefined
}

/**
 * The values of all maps that share a bound, in the order in which they were written. A list of its own: a
 * built-in `Map` scans all removed entries before its first one.
 */
export class Bound {
  readonly maxCount: number
  readonly maxSize: number
  readonly #onEvict: (() => void) | undefined
  #total: Limits['total']
  #oldest: Item | undefined
  #youngest: Item | undefined
  count = 0
  size = 0
  /** The number of values that had to go. */
  evicted = 0

  constructor({ count = Infinity, size = Infinity, onEvict, total }: Limits) {
    this.maxCount = count
    this.maxSize = size
    this.#onEvict = onEvict
    this.#total = total
  }

  /** Adds a value as the youngest. Older ones make room; the youngest stays, however large it is. */
  add(item: Item): void {
    item.older = this.#youngest
    item.younger = undefined
    if (this.#youngest === undefined) this.#oldest = item
    else this.#youngest.younger = item
    this.#youngest = item
    this.count++
    this.grow(item.size)
  }

  remove(item: Item): void {
    const { older, younger } = item
    if (older === undefined) this.#oldest = younger
    else older.younger = younger
    if (younger === undefined) this.#youngest = older
    else younger.older = older
    this.count--
    this.size -= item.size
    if (this.#total !== undefined) this.#total.size -= item.size
  }

  /** Makes a value the youngest. */
  touch(item: Item): void {
    if (item === this.#youngest) return
    this.remove(item)
    this.add(item)
  }

  /** A value takes so much more. Older ones make room. */
  grow(by: number): void {
    this.size += by
    if (this.#total !== undefined) this.#total.size += by
    while ((this.count > this.maxCount || this.size > this.maxSize) && this.count > 1) this.evictOldest()
  }

  /** From now on, its values no longer count towards the total. */
  leave(): void {
    if (this.#total !== undefined) this.#total.size -= this.size
    this.#total = undefined
  }

  /** Drops the oldest value. False if there is none. */
  evictOldest(): boolean {
    if (this.#oldest === undefined) return false
    const { owner, key, value } = this.#oldest
    owner.evict(key, value)
    this.evicted++
    this.#onEvict?.()
    return true
  }
}

/** A map within a bound of its own, or within one that it shares with other maps. */
export class BoundedMap<Value, Key = string> {
  readonly #values = new Map<Key, Item<Value, Key>>()
  readonly #bound: Bound
  readonly #onEvict: ((value: Value) => void) | undefined

  /** `onEvict` is called for each value of this map that had to go. */
  constructor(bound: Bound | Limits, onEvict?: (value: Value) => void) {
    this.#bound = bound instanceof Bound ? bound : new Bound(bound)
    this.#onEvict = onEvict
  }

  /** The number of values. */
  get count(): number {
    return this.#values.size
  }

  /** The total size of all values. */
  get size(): number {
    let size = 0
    for (const item of this.#values.values()) size += item.size
    return size
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)?.value
  }

  /** Gets a value and makes it the youngest: with `use` alone, the least recently used is evicted first. */
  use(key: Key): Value | undefined {
    const known = this.#values.get(key)
    if (known === undefined) return undefined
    this.#bound.touch(known as Item)
    this.#values.delete(key)
    this.#values.set(key, known)
    return known.value
  }

  /** Makes a value the youngest of its bound. The map keeps its order. */
  touch(key: Key): void {
    const known = this.#values.get(key)
    if (known !== undefined) this.#bound.touch(known as Item)
  }

  /** Writes a value as the youngest. */
  set(key: Key, value: Value, size = 0): void {
    if (this.#values.has(key)) this.delete(key)
    const item: Item<Value, Key> = { key, value, size, owner: this, older: undefined, younger: undefined }
    this.#values.set(key, item)
    this.#bound.add(item as Item)
  }

  /** Drops a value that has to make room. */
  evict(key: Key, value: Value): void {
    this.delete(key)
    this.#onEvict?.(value)
  }

  /** Changes the size of a value, which keeps its age. */
  resize(key: Key, size = 0): void {
    const known = this.#values.get(key)
    if (known === undefined) return
    const by = size - known.size
    known.size = size
    this.#bound.grow(by)
  }

  delete(key: Key): boolean {
    const known = this.#values.get(key)
    if (known === undefined) return false
    this.#bound.remove(known as Item)
    return this.#values.delete(key)
  }

  clear(): void {
    for (const key of [...this.#values.keys()]) this.delete(key)
  }

  /** Least recently written or used first. */
  *entries(): Generator<[Key, Value]> {
    for (const [key, { value }] of this.#values) yield [key, value]
  }

  /** Least recently written or used first. */
  *values(): Generator<Value> {
    for (const { value } of this.#values.values()) yield value
  }
}
