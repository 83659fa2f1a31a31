/** Finds how many items a prompt asks for, and the items that it lists itself. */
import { asText } from '../../../protocol/wording.ts'
import { type PromptFacts, readPromptFacts } from '../../prompt/facts.ts'
import { numberOf } from '../../prompt/number-words.ts'
import type { NumberFact } from '../../prompt/surroundings.ts'
import { type Filling, type FillSite, fromFacts } from '../filling.ts'
import { type JsonValue, jsonKey } from '../json-value.ts'
import { kindOf } from '../property-naming.ts'
import type { ArrayShape, SchemaNode, ValueShape } from '../schema-node.ts'
import { arraysFromPrompt, fitsNode, fitsShape } from './json.ts'

export interface Length {
  readonly least: number
  readonly most: number
}

/** What stands between a word of asking and the number: "give me exactly three", "a list of the top 5". */
const filler: ReadonlySet<string> = new Set(
  'me u us the top my at about around a an list of up to exactly least most just only ' +
    'precisely best good between'.split(' '),
)
const asking: ReadonlySet<string> = new Set(
  `
  list give name suggest write generate create return provide brainstorm propose recommend make produce offer
  pick choose find show need want share tell enumerate output include extract return with draft come add
  contain limit
  `
    .trim()
    .split(/\s+/),
)
const anything: ReadonlySet<string> = new Set(
  'item thing entry element result option idea example suggestion one record row ' +
    'bullet point piece of'.split(' '),
)
const marks: ReadonlySet<string> = new Set(['minimum', 'maximum'])

/** How many items the prompt asks for: by the array's name ("5 ideas" for `ideas`), or in general. */
export function lengthFromPrompt(place: FillSite, { facts }: Filling): Length | undefined {
  const last = place.naming.words.at(-1)
  const isOnly = isOnlyArray(place)
  for (const [index, fact] of facts.numbers.entries()) {
    if (!Number.isInteger(fact.value) || fact.value < 1 || fact.value > 50) continue
    const range = rangeOf(fact, facts.numbers[index - 1])
    const own = fact.after.slice(0, 3).findIndex((word) => word === last || isAlike(word, place))
    const isOwn = own === 0 || (own > 0 && !fact.after.slice(0, own).some((word) => separating.has(word)))
    if (isOwn || (isOnly && isAskedFor(fact))) return range
  }
  return undefined
}

const separating: ReadonlySet<string> = new Set('and or with each in on to from by at per'.split(' '))

const isAlike = (word: string, { naming }: FillSite): boolean =>
  naming.kind !== undefined && naming.kind !== 'count' && kindOf([word]) === naming.kind

/** Whether a number is one of things that the prompt asks to be given, whatever they are called. */
function isAskedFor({ before, after }: NumberFact): boolean {
  const words = before.filter((word) => !marks.has(word) && !/^\d+$/.test(word))
  const verb = words.find((word) => !filler.has(word))
  const isBare =
    after[0] === undefined && words[0] !== undefined && /^(?:exactly|least|most|precisely)$/.test(words[0])
  return (
    isBare ||
    (verb !== undefined && asking.has(verb)) ||
    (after[0] !== undefined && anything.has(after[0]) && after[0] !== 'of')
  )
}

function rangeOf({ value, before }: NumberFact, previous: NumberFact | undefined): Length {
  const words = before.filter((word) => !marks.has(word))
  const from = /^(?:to|or|and)$/.test(words[0] ?? '') ? words[1] : words[0]
  if (previous !== undefined && previous.value < value && from === String(previous.value))
    return { least: previous.value, most: value }
  if (words[0] === 'to' && words[1] === 'up') return { least: Math.min(value, 2), most: value }
  const isMost =
    words[0] === 'most' ||
    words[0] === 'maximum' ||
    (words[0] === 'than' && words[1] === 'more' && words[2] === 'no')
  return { least: isMost ? Math.min(value, 2) : value, most: value }
}

/** Whether an array is the only one of its object, so that "three" can mean nothing else. */
function isOnlyArray({ within, depth }: FillSite): boolean {
  if (depth > 1 || within === undefined) return depth === 0
  return (
    within.properties.filter(({ node }) => node.shapes.some((shape) => shape.array !== undefined)).length ===
    1
  )
}

/** The whole array as the prompt gives it: as JSON, as numbers, or as a list in words. */
export function itemsFromPrompt(
  shape: ValueShape,
  place: FillSite,
  length: Length | undefined,
  filling: Filling,
): JsonValue[] | undefined {
  const array = shape.array as ArrayShape
  if (array.prefix.length > 0) return undefined
  return fromFacts(filling, () => {
    for (const given of arraysFromPrompt(filling))
      if (given.length > 0 && fitsShape(shape, [...given], filling)) return structuredClone([...given])
    for (const found of candidates(array.rest, place, filling)) {
      const items = (array.unique ? withoutDoubles(found) : [...found]).slice(0, array.maxItems)
      if (items.length < Math.max(2, array.minItems) || (length !== undefined && items.length < length.least))
        continue
      if (!items.every((item) => fitsNode(array.rest, item, filling)) || !fitsShape(shape, items, filling))
        continue
      for (const item of items) filling.used.push(asText(item))
      return items
    }
    return undefined
  })
}

function withoutDoubles(items: readonly JsonValue[]): JsonValue[] {
  return [...new Map(items.map((item) => [jsonKey(item), item])).values()]
}

function candidates(items: SchemaNode, place: FillSite, filling: Filling): readonly (readonly JsonValue[])[] {
  const { facts, turn } = filling
  const only = items.shapes.length === 1 ? items.shapes[0] : undefined
  if (only === undefined || only.values !== undefined) return []
  if (only.number !== undefined) {
    const operands = facts.calculations[turn % Math.max(1, facts.calculations.length)]?.operands ?? []
    const lists = facts.enumerations.map(({ items: parts }) =>
      parts.map((part) => numberOf(part) ?? Number.NaN),
    )
    return [operands, ...lists, ...facts.numberRuns].filter((list) => list.every(Number.isFinite))
  }
  const { kind, words } = place.naming
  const last = words.at(-1) ?? ''
  if (only.string === undefined || NAMED_KINDS.has(kind ?? '') || !isOnlyArray(place)) return []
  return [...facts.enumerations]
    .sort((one, other) => Number(other.before.includes(last)) - Number(one.before.includes(last)))
    .map(({ items: parts }) => parts.map((part) => part.replace(/^["'`“]|["'`”]$/gu, '')))
}

/** Kinds whose values are found by their form, in a list or not; and texts that are made, not listed. */
const NAMED_KINDS: ReadonlySet<string> = new Set(
  'city country state region location person first_name last_name email url image_url ' +
    'path file date title question'.split(' '),
)

/**
 * What the prompt says of each item, where items are objects: "two pizzas and a cola" for things with a
 * quantity, "Ann (ann@example.com), Ben (ben@example.com)" for people with addresses.
 */
export function partsFromPrompt(
  items: SchemaNode,
  place: FillSite,
  { facts }: Filling,
): readonly PromptFacts[] {
  const properties = items.shapes[0]?.object?.properties ?? []
  const has = (...kinds: readonly string[]): boolean =>
    properties.some(({ naming }) => naming.kind !== undefined && kinds.includes(naming.kind))
  if (properties.length === 0 || !isOnlyArray(place)) return []
  if (has('email') && has('person', 'name', 'first_name') && facts.emails.length > 1) {
    const ends = facts.emails.map(({ value }) => facts.text.indexOf(value) + value.length)
    return ends.map((end, index) =>
      readPromptFacts(facts.text.slice(ends[index - 1] ?? Math.max(0, end - 120), end)),
    )
  }
  const [list] = has('count') ? facts.enumerations : []
  return (list?.items ?? []).map((part) => {
    const counted = numberOf(part.split(' ')[0] as string) !== undefined
    // "A cola" is one.
    return readPromptFacts(`order ${counted ? '' : 'one '}${part}`)
  })
}
