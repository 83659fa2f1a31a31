/**
 * How far the words of one text stand in another: what speaks for it, what against. Knows words and nothing
 * of questions.
 */

import { stemOf, type Term, termsOf } from './terms.ts'
import { families } from './word-families.ts'

/** A text or JSON value as the places where its words stand. */
export interface Reading {
  /** −1 (the text denies it) to 1 (the text says it), 0 when the word and its family do not stand there. */
  matchOf(term: Term): number
}

/** What a word of the same family counts beside the word itself. */
const kinship = 0.8
/** Stems from this length on match longer words that begin with them: `cancel` and `cancellation`. */
const shortestBeginning = 5

interface Count {
  readonly stem: string
  said: number
  denied: number
}

/** Reads a text or JSON value. Names of fields count as words, denied where the value is `false`. */
export function read(value: unknown): Reading {
  const counts = new Map<string, Count>()
  const byBeginning = new Map<string, Count[]>()
  const take = (text: string, denied: boolean): void => {
    for (const term of termsOf(text)) {
      let count = counts.get(term.stem)
      if (count === undefined) {
        count = { stem: term.stem, said: 0, denied: 0 }
        counts.set(term.stem, count)
        const beginning = term.stem.slice(0, shortestBeginning)
        const group = byBeginning.get(beginning)
        if (group === undefined) byBeginning.set(beginning, [count])
        else group.push(count)
      }
      if (term.denied !== denied) count.denied++
      else count.said++
    }
  }
  eachText(value, true, take)

  const balanceOf = (stem: string): number => {
    const exact = counts.get(stem)
    if (exact !== undefined) return balance(exact.said, exact.denied)
    if (stem.length < shortestBeginning) return 0
    let said = 0
    let denied = 0
    for (const other of byBeginning.get(stem.slice(0, shortestBeginning)) ?? []) {
      if (!stem.startsWith(other.stem) && !other.stem.startsWith(stem)) continue
      said += other.said
      denied += other.denied
    }
    return balance(said, denied)
  }

  const tallies = families.map(({ stems }) => {
    const tally = { said: 0, denied: 0 }
    for (const stem of stems) {
      const count = counts.get(stem)
      tally.said += count?.said ?? 0
      tally.denied += count?.denied ?? 0
    }
    return tally
  })
  const kin = families.map(({ contrary, topic }, at) => {
    const own = tallies[at] as { said: number; denied: number }
    if (topic) return own.said + own.denied > 0 ? kinship : 0
    const other = contrary === undefined ? undefined : tallies[contrary]
    // Who is not happy is unhappy.
    return kinship * balance(own.said + (other?.denied ?? 0), own.denied + (other?.said ?? 0))
  })

  return {
    matchOf({ stem, denied }) {
      let found = balanceOf(stem)
      if (found === 0)
        for (const [at, { stems }] of families.entries())
          if (stems.has(stem) && Math.abs(kin[at] as number) > Math.abs(found)) found = kin[at] as number
      return denied ? -found : found
    },
  }
}

/** The text of a string or of all strings and numbers inside a JSON value, names of fields left out. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const texts: string[] = []
  eachText(value, false, (text) => texts.push(text))
  return texts.join('\n')
}

/** How much a word says: those that every conversation is full of say little. */
export function weightOf({ stem }: Term): number {
  return generic.has(stem) ? 0.25 : 1
}

const balance = (said: number, denied: number): number =>
  said + denied === 0 ? 0 : (said - denied) / (said + denied)

function eachText(value: unknown, names: boolean, take: (text: string, denied: boolean) => void): void {
  if (typeof value === 'string') take(value, false)
  else if (typeof value === 'number') take(String(value), false)
  else if (Array.isArray(value)) for (const item of value) eachText(item, names, take)
  else if (value !== null && typeof value === 'object') {
    const { type, text } = value as { type?: unknown; text?: unknown }
    // A part of a message: its two names are no words of the state (wire-formats section 9: Vercel sends
    // these).
    if (type === 'text' && typeof text === 'string') {
      take(text, false)
      return
    }
    for (const [name, inner] of Object.entries(value)) {
      if (names && inner !== null) take(name, inner === false)
      eachText(inner, names, take)
    }
  }
}

const generic: ReadonlySet<string> = new Set(
  `customer user client person people message text email ticket review comment post document statement sentence conversation chat author writer speaker say mention state contain include express describe
  indicate ask want need request get make give response reply answer question content input issue problem level very`
    .split(/\s+/)
    .map(stemOf),
)
