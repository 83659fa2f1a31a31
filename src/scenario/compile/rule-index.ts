/**
 * Finds the rules that a call may match, in order, without evaluating each. Most rules need a literal
 * somewhere (a model, a field of the body): a map from literals to rules skips all others at no cost.
 */
import { type CallPlace, type ConditionFacts, callParts } from '../condition-facts.ts'
import { type Need, type NeededText, scalarText } from './conditions.ts'

/** The parts of a rule that an index reads. */
interface Indexable {
  readonly conditions: readonly { readonly needs: readonly Need[] }[]
  readonly counts: unknown
}

/** Rules that are evaluated at the same stage. */
export class RuleIndex<Rule extends Indexable> {
  readonly rules: readonly Rule[]
  /** Whether any of them keeps counting after an earlier rule has matched. */
  readonly counting: boolean
  readonly #top: Level

  constructor(rules: readonly Rule[]) {
    this.rules = rules
    this.counting = rules.some(({ counts }) => counts !== undefined)
    this.#top = levelOf(
      rules.map(({ conditions }, at) => ({
        at,
        needs: conditions.flatMap(({ needs }) => needs).slice(0, maxNeeds),
      })),
    )
  }

  /** The positions of the rules that a call may match, in order. All others differ from it. */
  mayMeet(facts: ConditionFacts): readonly number[] {
    const found: number[] = []
    collect(this.#top, facts, found)
    // Rules with several strings may be found by more than one.
    if (found.length < 2) return found
    return found.sort((a, b) => a - b).filter((at, index) => at !== found[index - 1])
  }
}

/** The maximum part of one rule that is read; it bounds the work of an index for any file. */
const maxNeeds = 32
/** Up to this many rules are evaluated one by one. */
const fewRules = 8

interface IndexedRule {
  readonly at: number
  /** Its needs, apart from the string that it is listed under. */
  readonly needs: readonly Need[]
}

/** Rules by their needs, each listed under its rarest string. */
interface Level {
  /** Rules without a need that can be looked up. */
  readonly rest: readonly number[]
  readonly places: Place
}

/** A place in a call: its possible strings, or the places inside it. */
interface Place {
  readonly whole: Map<string, Bucket>
  /** By length. */
  readonly beginnings: Map<number, Map<string, Bucket>>
  readonly inside: Map<string, Place>
}

interface Bucket {
  readonly rules: IndexedRule[]
  /** The rules of a large bucket are distinguished by their other needs. */
  level: Level | undefined
}

function levelOf(rules: readonly IndexedRule[]): Level {
  const sharing = new Map<string, number>()
  for (const { needs } of rules)
    for (const { place, texts } of needs)
      for (const text of texts) {
        const name = nameOf(place, text)
        sharing.set(name, (sharing.get(name) ?? 0) + 1)
      }
  const share = ({ place, texts }: Need): number =>
    texts.reduce((sum, text) => sum + (sharing.get(nameOf(place, text)) ?? 0), 0)
  const rest: number[] = []
  const places = emptyPlace()
  const buckets = new Set<Bucket>()
  for (const { at, needs } of rules) {
    const rarest = minimum(needs, share)
    if (rarest === undefined) {
      rest.push(at)
      continue
    }
    const others = needs.filter((need) => need !== rarest)
    for (const text of rarest.texts) {
      const bucket = bucketAt(placeAt(places, rarest.place), text)
      bucket.rules.push({ at, needs: others })
      buckets.add(bucket)
    }
  }
  for (const bucket of buckets)
    if (bucket.rules.length > fewRules && bucket.rules.some(({ needs }) => needs.length > 0))
      bucket.level = levelOf(bucket.rules)
  return { rest, places }
}

function collect({ rest, places }: Level, facts: ConditionFacts, found: number[]): void {
  for (const at of rest) found.push(at)
  for (const [root, place] of places.inside) look(place, callParts[root as CallPlace[0]](facts), facts, found)
}

function look(
  { whole, beginnings, inside }: Place,
  value: unknown,
  facts: ConditionFacts,
  found: number[],
): void {
  const text = scalarText(value)
  if (text !== undefined) {
    take(whole.get(text), facts, found)
    for (const [length, texts] of beginnings) take(texts.get(text.slice(0, length)), facts, found)
    return
  }
  if (inside.size === 0 || typeof value !== 'object' || value === null) return
  const fields = value as Readonly<Record<string, unknown>>
  // The smaller set: ten thousand rules may each name a different field.
  const names = inside.size <= fewRules || Array.isArray(value) ? inside.keys() : Object.keys(fields)
  for (const name of names) {
    const place = inside.get(name)
    if (place !== undefined && Object.hasOwn(fields, name)) look(place, fields[name], facts, found)
  }
}

function take(bucket: Bucket | undefined, facts: ConditionFacts, found: number[]): void {
  if (bucket === undefined) return
  if (bucket.level !== undefined) collect(bucket.level, facts, found)
  else for (const { at } of bucket.rules) found.push(at)
}

function emptyPlace(): Place {
  return { whole: new Map(), beginnings: new Map(), inside: new Map() }
}

function placeAt(from: Place, path: readonly string[]): Place {
  return path.reduce((place, name) => known(place.inside, name, emptyPlace), from)
}

function bucketAt({ whole, beginnings }: Place, { text, beginning }: NeededText): Bucket {
  const texts = beginning ? known(beginnings, text.length, () => new Map<string, Bucket>()) : whole
  return known(texts, text, () => ({ rules: [], level: undefined }))
}

function known<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

const nameOf = (place: Need['place'], { text, beginning }: NeededText): string =>
  `${place.join('\0')}\0${beginning ? '^' : '='}${text}`

function minimum<Item>(items: readonly Item[], of: (item: Item) => number): Item | undefined {
  let least: Item | undefined
  let leastOf = Number.POSITIVE_INFINITY
  for (const item of items) {
    const amount = of(item)
    if (amount >= leastOf) continue
    least = item
    leastOf = amount
  }
  return least
}
