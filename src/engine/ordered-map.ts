/**
 * A map in the order of writing whose oldest value is at hand. A built-in `Map` walks over all that was
 * removed before its first key, and an iterator that is kept keeps every table that the map has outgrown.
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

  /** The value that was written, or used, longest ago. */
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

  /** The value that was there. */
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
