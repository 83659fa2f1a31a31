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

export interface SharingJournal {
  /** Drops the oldest entry and returns what it weighed. */
  forgetOldest(): number
}

export interface JournalBudget {
  /** A share for a journal that is empty. */
  share(journal: SharingJournal): BudgetShare
  /** What all journals hold. */
  readonly held: number
  /** How many places of the queue were ever looked at: what all of it has cost. */
  readonly looked: number
}

/** So many places of the queue may be of entries that are gone before they are cleared away. */
const maxStale = 1024

/** A budget of so many bytes. */
export function createJournalBudget(bytes: number): JournalBudget {
  return new Budget(bytes)
}

class Budget implements JournalBudget {
  readonly bytes: number
  // A place for each entry, in the order of recording. A journal drops its oldest first, so a place need not
  // say which entry it is of.
  queue: Member[] = []
  #first = 0
  /** How many places are of entries that are gone already. */
  stale = 0
  held = 0
  looked = 0

  constructor(bytes: number) {
    this.bytes = bytes
  }

  share(journal: SharingJournal): BudgetShare {
    return new Member(this, journal)
  }

  fit(): void {
    // The newest entry of all stays, however large it is.
    while (this.held > this.bytes && this.#first < this.queue.length - 1) {
      const member = this.queue[this.#first] as Member
      this.#first++
      this.looked++
      if (member.stale > 0) {
        member.stale--
        this.stale--
      } else this.held -= member.giveUp()
    }
    this.tidy()
  }

  tidy(): void {
    if (this.stale + this.#first <= Math.max(maxStale, this.queue.length / 2)) return
    this.looked += this.queue.length - this.#first
    this.queue = this.queue.slice(this.#first).filter((member) => {
      if (member.stale === 0) return true
      member.stale--
      return false
    })
    this.#first = 0
    this.stale = 0
  }
}

/** One journal. A class, since every session has one. */
class Member implements BudgetShare {
  readonly #budget: Budget
  /** Undefined once it has left: the queue must not keep its entries alive. */
  #journal: SharingJournal | undefined
  #held = 0
  /** How many of its places in the queue are in use. */
  #live = 0
  /** How many of its places, the first ones, are of entries that are gone already. */
  stale = 0

  constructor(budget: Budget, journal: SharingJournal) {
    this.#budget = budget
    this.#journal = journal
  }

  add(weight: number, isNew: boolean): void {
    if (this.#journal === undefined) return
    const budget = this.#budget
    if (isNew) {
      this.#live++
      budget.queue.push(this)
    }
    this.#held += weight
    budget.held += weight
    if (budget.held > budget.bytes) budget.fit()
  }

  dropped(weight: number): void {
    if (this.#journal === undefined) return
    this.#held -= weight
    this.#budget.held -= weight
    this.#live--
    this.stale++
    this.#budget.stale++
    this.#budget.tidy()
  }

  leave(): void {
    if (this.#journal === undefined) return
    this.#budget.held -= this.#held
    this.#held = 0
    this.#journal = undefined
    this.stale += this.#live
    this.#budget.stale += this.#live
    this.#live = 0
    this.#budget.tidy()
  }

  /** Drops its oldest entry and returns what it weighed. */
  giveUp(): number {
    const weight = this.#journal?.forgetOldest() ?? 0
    this.#live--
    this.#held -= weight
    return weight
  }
}
