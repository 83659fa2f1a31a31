/**
 * How much the journals of all sessions may hold together: what was recorded longest ago goes first, in
 * whatever session it is. Costs a call the same however many sessions and entries there are.
 */

/** One journal's part of the budget. */
export interface BudgetShare {
  /**
   * An entry of this weight has been recorded (`isNew`), or one has become heavier or lighter by it; others
   * may have to go.
   */
  add(weight: number, isNew: boolean): void
  /** The journal has dropped its oldest entry by itself, of this weight. */
  dropped(weight: number): void
  /** The journal counts no more: its session is over. */
  leave(): void
}

export interface JournalBudget {
  /**
   * A share for a journal that is empty; `dropOldest` drops its oldest entry and returns what that weighed.
   */
  share(dropOldest: () => number): BudgetShare
  /** What all journals hold. */
  readonly held: number
  /** How many places of the queue were ever looked at: what all of it has cost. */
  readonly looked: number
}

/** What is known of one journal. */
interface Member {
  /** Undefined once it has left: a queue must not keep its entries alive. */
  dropOldest: (() => number) | undefined
  held: number
  /** How many of its places in the queue are in use. */
  live: number
  /** How many of its places, the first ones, are of entries that are gone already. */
  stale: number
}

/** So many places of the queue may be of entries that are gone before they are cleared away. */
const maxStale = 1024

/** A budget of so many bytes. */
export function createJournalBudget(bytes: number): JournalBudget {
  // A place for each entry, in the order of recording. A journal drops its oldest first, so a place need not
  // say which entry it is of.
  let queue: Member[] = []
  let first = 0
  let stale = 0
  let held = 0
  let looked = 0

  const tidy = (): void => {
    if (stale + first <= Math.max(maxStale, queue.length / 2)) return
    looked += queue.length - first
    queue = queue.slice(first).filter((member) => {
      if (member.stale === 0) return true
      member.stale--
      return false
    })
    first = 0
    stale = 0
  }
  const fit = (): void => {
    // The newest entry of all stays, however large it is.
    while (held > bytes && first < queue.length - 1) {
      const member = queue[first] as Member
      first++
      looked++
      if (member.stale > 0) {
        member.stale--
        stale--
        continue
      }
      const weight = member.dropOldest?.() ?? 0
      member.live--
      member.held -= weight
      held -= weight
    }
    tidy()
  }

  return {
    share(dropOldest) {
      const member: Member = { dropOldest, held: 0, live: 0, stale: 0 }
      return {
        add(weight, isNew) {
          if (member.dropOldest === undefined) return
          if (isNew) {
            member.live++
            queue.push(member)
          }
          member.held += weight
          held += weight
          if (held > bytes) fit()
        },
        dropped(weight) {
          if (member.dropOldest === undefined) return
          member.held -= weight
          held -= weight
          member.live--
          member.stale++
          stale++
          tidy()
        },
        leave() {
          if (member.dropOldest === undefined) return
          held -= member.held
          member.held = 0
          member.dropOldest = undefined
          member.stale += member.live
          stale += member.live
          member.live = 0
          tidy()
        },
      }
    },
    get held() {
      return held
    },
    get looked() {
      return looked
    },
  }
}
