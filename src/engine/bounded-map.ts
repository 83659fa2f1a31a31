/**
 * Things that take up room, kept by name and bounded in number and size: the one put there longest ago goes
 * first and is remembered as dropped.
 */

export interface ShelfOptions {
  /** How many things are kept. */
  readonly count: number
  /** How much they may take up together. */
  readonly size: number
}

export interface Shelf<T> {
  /**
   * Puts a thing in the place of the one that had its name. A thing larger than the whole shelf is a mistake
   * of the caller and throws.
   */
  put(name: string, thing: T, size: number): void
  /** The thing, `'dropped'` when it had to make room, or undefined. */
  find(name: string): T | 'dropped' | undefined
  readonly count: number
  /** How much all things take up together. */
  readonly size: number
  /** How much they may take up: the largest thing that can be put there. */
  readonly room: number
}

const remembered = 10_000

/** An empty shelf. */
export function createShelf<T>(options: ShelfOptions): Shelf<T> {
  const things = new Map<string, { readonly thing: T; readonly size: number }>()
  const dropped = new Set<string>()
  let total = 0

  const take = (name: string): boolean => {
    total -= things.get(name)?.size ?? 0
    return things.delete(name)
  }

  return {
    put(name, thing, size) {
      if (size > options.size)
        throw new RangeError(`shelf: ${size} is more than the whole shelf holds (${options.size})`)
      take(name)
      dropped.delete(name)
      // A map keeps the order of insertion, so the first one was put there longest ago.
      for (const oldest of things.keys()) {
        if (things.size < options.count && total + size <= options.size) break
        take(oldest)
        dropped.add(oldest)
        if (dropped.size > remembered) dropped.delete(dropped.values().next().value as string)
      }
      things.set(name, { thing, size })
      total += size
    },
    find: (name) => things.get(name)?.thing ?? (dropped.has(name) ? 'dropped' : undefined),
    room: options.size,
    get count() {
      return things.size
    },
    get size() {
      return total
    },
  }
}
