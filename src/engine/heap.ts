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
