/** Items by the instant at which something happens to each; an item has one instant or none. */
import { createHeap, type Heap } from './heap.ts'

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

  /** Sets the instant of an item; undefined for none. */
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

  /** The item whose instant comes first; of one instant, the one that was set first. */
  first(): { readonly at: number; readonly item: Item } | undefined {
    for (let entry = this.#heap?.first(); entry !== undefined; entry = this.#heap?.first()) {
      if (this.#current?.get(entry.item) === entry) return entry
      this.#heap?.pop()
    }
    return undefined
  }
}
