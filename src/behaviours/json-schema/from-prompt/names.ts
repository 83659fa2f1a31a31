/** Which names of a prompt are places, and which are people: the words in front tell. */
import type { TextFact } from '../../prompt/surroundings.ts'
import type { Naming } from '../property-naming.ts'
import { ORIGIN } from './directions.ts'

export const PLACES: ReadonlySet<string> = new Set(
  'city location country state region address airport'.split(' '),
)

export function rank(facts: readonly TextFact[], score: (fact: TextFact) => number): string[] {
  return facts
    .map((fact) => ({ value: fact.value, score: score(fact) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ value }) => value)
}

const AT: ReadonlySet<string> = new Set(
  'in at near around from to visit visiting of over via between for toward towards into through'.split(' '),
)
export const BY: ReadonlySet<string> = new Set(
  `
  by with mr mrs ms dr named called am im dear hi hello hey remind invite meet ask tell contact name cc
  author director and
  `
    .trim()
    .split(/\s+/),
)

export function placeScore({ before }: TextFact, { words }: Naming): number {
  const first = before[0] ?? ''
  if (words.some((word) => ORIGIN.has(word))) return first === 'from' ? 4 : first === 'to' ? 0 : 1
  if (words.some((word) => DESTINATION.has(word)))
    return first === 'to' || first === 'for' ? 4 : first === 'from' ? 0 : 1
  return first === 'for' ? 2 : AT.has(first) ? 3 : BY.has(first) ? 0.5 : 1
}
const DESTINATION: ReadonlySet<string> = new Set('to destination arrival target'.split(' '))

export function personScore({ before, value }: TextFact, kinds: ReadonlySet<string>): number {
  const first = before[0] ?? ''
  return BY.has(first)
    ? 3
    : first === 'for' || first === 'from'
      ? 2
      : AT.has(first)
        ? Number(first === 'to' && ![...PLACES].some((kind) => kinds.has(kind)))
        : value.includes(' ')
          ? 1.5
          : 1
}
