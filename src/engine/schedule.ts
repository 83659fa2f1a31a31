/** A heap, and a schedule of values whose time can change. */

interface Entry<Item> {
  readonly at: number
  readonly order: number
  readonly item: Item
}

/** How many outdated entries the heap may hold beside as many again as there are live ones. */
const maxOutdated = 1000

export class Schedule<Item> {
  // An entry that is not its item's `current` one is outdated and skipped. Made when first needed: most
  // sessions never have anything to schedule.
  #heap: Heap<Entry<Item>> | undefined
  #current: Map<Item, Entry<Item>> | undefined
  #order = 0

  /** Sets the time of an item; undefined for none. */
  set(item: Item, at: number | undefined): void {
    if (at === undefined) return this.delete(item)
    this.#heap ??= new Heap((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
    this.#current ??= new Map()
    const entry = { at, order: this.#order++, item }
    this.#current.set(item, entry)
    this.#heap.push(entry)
    // When nobody takes the first, outdated entries never come to the top.
    if (this.#heap.size > 2 * this.#current.size + maxOutdated) {
      this.#heap.clear()
      for (const current of this.#current.values()) this.#heap.push(current)
    }
  }

  delete(item: Item): void {
    this.#current?.delete(item)
  }

  clear(): void {
    this.#heap = undefined
    this.#current = undefined
  }

  /** The item whose time comes first; of one time, the one that was set first. */
  first(): { readonly at: number; readonly item: Item } | undefined {
    for (let entry = this.#heap?.first(); entry !== undefined; entry = this.#heap?.first()) {
      if (this.#current?.get(entry.item) === entry) return entry
      this.#heap?.pop()
    }
    return undefined
  }
}

/** A binary heap. */
export class Heap<Item> {
  readonly #items: Item[] = []
  readonly #isBefore: (a: Item, b: Item) => boolean

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  first(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(item, items[parent] as Item)) break
      items[at] = items[parent] as Item
      at = parent
    }
    items[at] = item
  }

  /** Removes the first item. */
  pop(): void {
    const last = this.#items.pop()
    if (last !== undefined && this.#items.length > 0) this.#sink(last)
  }

  clear(): void {
    this.#items.length = 0
  }

  #sink(item: Item): void {
    const items = this.#items
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as Item, items[child] as Item)) child++
      if (!this.#isBefore(items[child] as Item, item)) break
      items[at] = items[child] as Item
      at = child
    }
    items[at] = item
  }
}
