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
    this.#heap ??= createHeap((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
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

export interface Heap<T> {
  push(item: T): void
  /** Removes the first item. */
  pop(): T | undefined
  /** The first item, without removing it. */
  first(): T | undefined
  clear(): void
  readonly size: number
}

/** A heap ordered by `before`. */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = []

  const rise = (item: T, from: number): void => {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(item, items[parent] as T)) break
      items[at] = items[parent] as T
      at = parent
    }
    items[at] = item
  }

  const sink = (item: T): void => {
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && before(items[child + 1] as T, items[child] as T)) child++
      if (!before(items[child] as T, item)) break
      items[at] = items[child] as T
      at = child
    }
    items[at] = item
  }

  return {
    push(item) {
      rise(item, items.push(item) - 1)
    },
    pop() {
      const first = items[0]
      const last = items.pop()
      if (last !== undefined && items.length > 0) sink(last)
      return first
    },
    first: () => items[0],
    clear() {
      items.length = 0
    },
    get size() {
      return items.length
    },
  }
}
