/** Finds the text in a prompt that a property asks for, by its name. */

import { valuesBeside } from '../../prompt/beside.ts'
import type { PromptFacts } from '../../prompt/facts.ts'
import type { LabelFact } from '../../prompt/labels.ts'
import { soughtOf } from '../../prompt/request-topic.ts'
import type { TextFact } from '../../prompt/surroundings.ts'
import { type Filling, inTurn } from '../filling.ts'
import { kindOf, type Naming, tellingWords } from '../property-naming.ts'
import { capitalize } from './conventions.ts'
import { textsOfFormat, textsOfKind } from './formatted-texts.ts'
import { BY, PLACES, personScore, placeScore, rank } from './names.ts'

const PEOPLE: ReadonlySet<string> = new Set('person first_name last_name'.split(' '))
/** Kinds whose value may be any quoted text. */
const FREE: ReadonlySet<string> = new Set(
  `
  name title subject message description summary question query input topic answer explanation quote
  product company file path book movie song dish word tag category step username code_text street
  department job
  `
    .trim()
    .split(/\s+/),
)
const WORDS: Readonly<Record<string, readonly string[]>> = {
  language: `
    latin python javascript typescript java rust ruby swift kotlin sql
    php bash
    `
    .trim()
    .split(/\s+/),
  color: `
    red blue green yellow orange purple black white grey gray brown pink teal navy gold silver beige
    turquoise violet blond blonde hazel
    `
    .trim()
    .split(/\s+/),
  weekday: 'monday tuesday wednesday thursday friday saturday sunday'.split(' '),
  date: 'today tomorrow tonight yesterday monday tuesday wednesday thursday friday saturday sunday'.split(
    ' ',
  ),
  cuisine:
    'italian indian mexican thai french greek japanese chinese lebanese korean spanish vietnamese'.split(' '),
}
/** Kinds and words written in lower case. */
const PLAIN_WORDS: ReadonlySet<string> = new Set('color unit today tomorrow tonight yesterday'.split(' '))
/**
 * The texts in the prompt for a property of this name and kind, best first; the caller uses the first that
 * conforms.
 */
export function textsFromPrompt(
  naming: Naming,
  kind: string | undefined,
  formats: readonly string[],
  filling: Filling,
  description?: string,
): readonly string[] {
  const dedicated = textsOfFormat(formats, filling) ?? textsOfKind(kind, naming, filling, description)
  if (dedicated !== undefined) return dedicated
  const { facts } = filling
  const assigned = assignedTexts(naming, filling)
  if (assigned.length > 0) return assigned
  const labelled = facts.labels.filter((label) => isLabelOf(label, naming)).map(({ value }) => value)
  if (labelled.length > 0 && kind !== 'query') return labelled
  const known = textsOfClass(naming, kind, filling)
  if (known !== undefined && (known.length > 0 || PLACES.has(kind ?? '') || PEOPLE.has(kind ?? '')))
    return known
  const free = kind === undefined || FREE.has(kind) ? quotedTexts(naming, kind, filling) : []
  const beside = mayStandBeside(kind) ? inTurn(besideName(naming, filling), filling) : []
  const said = inTurn(saidTexts(kind, filling), filling)
  const texts = kind === 'message' || kind === 'input' ? [...free, ...said] : [...beside, ...free, ...said]
  if (texts.length > 0) return texts
  if (kind === 'name' && ![...PEOPLE].some((other) => filling.kinds.has(other)))
    return inTurn(
      rank(facts.names, (fact) => (fact.before[0] === 'for' ? 0 : personScore(fact, filling.kinds))),
      filling,
    )
  if (kind === 'company' && ![...PEOPLE, ...PLACES].some((other) => filling.kinds.has(other)))
    return inTurn(
      rank(facts.names, () => 1),
      filling,
    )
  return kind === 'tag' ? inTurn(facts.contents, filling) : []
}

/** What stands beside the words of a name, else beside the last of them. */
function besideName(naming: Naming, { facts }: Filling): readonly string[] {
  const words = tellingWords(naming)
  const noun = words.at(-1) ?? ''
  // "Mercy Hospital" is the name of a hospital.
  const titled = facts.names.filter(({ value }) => value.toLowerCase().endsWith(` ${noun}`))
  const found = [...titled.map(({ value }) => value), ...valuesBeside(words, facts.spans)]
  return found.length > 0 || words.length === 1 ? found : valuesBeside(words.slice(-1), facts.spans)
}

/** The topic of the prompt, for a property that asks what it is about and is told nothing better. */
export function topicFromPrompt(kind: string | undefined, filling: Filling): readonly string[] {
  const { topic, subject, asks } = filling.facts
  if (topic === '' || kind === undefined || (kind === 'question' && !asks)) return []
  if (kind === 'query') return inTurn([soughtOf(topic)], filling)
  if (kind === 'topic' || kind === 'input')
    return inTurn([subject !== '' && kind === 'topic' ? subject : topic], filling)
  // "Who directed Inception?" asks about a title.
  const asked = kind === 'title' && asks ? filling.facts.names[0]?.value : undefined
  if (asked !== undefined) return inTurn([asked], filling)
  return kind === 'question' || kind === 'title'
    ? inTurn([capitalize(kind === 'title' && subject !== '' ? subject : topic)], filling)
    : []
}

/** Places, people, and what is one of a list of words; undefined for other kinds. */
function textsOfClass(
  naming: Naming,
  kind: string | undefined,
  filling: Filling,
): readonly string[] | undefined {
  const { facts } = filling
  if (kind !== undefined && PLACES.has(kind))
    return inTurn(
      rank(placesWithStates(townsOf(facts), kind, filling), (fact) => placeScore(fact, naming)),
      filling,
    )
  if (kind !== undefined && PEOPLE.has(kind)) {
    const people = rank(facts.names, (fact) => personScore(fact, filling.kinds))
    if (kind === 'first_name') return people.map((name) => name.split(' ')[0] as string)
    if (kind === 'last_name') return people.flatMap((name) => name.split(' ').slice(1).at(-1) ?? [])
    return inTurn(people, filling)
  }
  if (kind !== undefined && Object.hasOwn(WORDS, kind)) {
    const list = WORDS[kind] as readonly string[]
    return inTurn(
      facts.words
        .filter((word) => list.includes(word))
        .map((word) => (PLAIN_WORDS.has(kind) || PLAIN_WORDS.has(word) ? word : capitalize(word))),
      filling,
    )
  }
  if (kind !== 'company') return undefined
  const employers = facts.names.filter(({ before }) => before[0] === 'at').map(({ value }) => value)
  const firms = facts.names
    .filter(({ value }) =>
      /\b(?:Corp|Inc|Ltd|LLC|GmbH|AG|Group|Company|Co|Bank|Labs|University)$/u.test(value),
    )
    .map(({ value }) => value)
  return firms.length + employers.length > 0 ? inTurn([...firms, ...employers], filling) : undefined
}

/** Names that may be places: the street of an address is none. */
function townsOf({ names, places: { streets } }: PromptFacts): readonly TextFact[] {
  return streets.length === 0
    ? names
    : names.filter(({ value }) => !streets.some((street) => street.includes(value)))
}

/** "San Francisco, CA" is one location, "Paris, London and Rome" are three. */
function placesWithStates(names: readonly TextFact[], kind: string, { facts }: Filling): readonly TextFact[] {
  if (kind !== 'location') return names
  return names.map((fact) => {
    const state = statedPlace.exec(
      facts.text.slice(facts.text.indexOf(`${fact.value}, `) + fact.value.length),
    )
    return facts.text.includes(`${fact.value}, `) && state !== null
      ? { value: `${fact.value}, ${state[1]}`, before: fact.before, after: fact.after }
      : fact
  })
}
const statedPlace = new RegExp(
  String.raw`^, ((?:[A-Z]{2}|\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)(?=\s*(?:[?.!\n]|$)| \d{5}| (?:today` +
    String.raw`|now|tomorrow)\b|[A-Z]{2}\b))`,
  'u',
)

/** Quoted texts and names that the words in front assign to the property, then those that nothing assigns. */
function quotedTexts(naming: Naming, kind: string | undefined, filling: Filling): readonly string[] {
  const { facts } = filling
  const quoted = facts.quoted
    .filter(({ value }) => !NAMES.has(kind ?? '') || !tellsMore.test(value))
    .map(({ value, before }) => ({ value, hint: hintOf(before, naming, kind) }))
  const intended = quoted.filter(({ hint }) => hint === 'this').map(({ value }) => value)
  const named = facts.names
    .filter(({ before }) => hintOf(before.slice(0, 1), naming, kind) === 'this')
    .map(({ value }) => value)
  return inTurn(
    [...intended, ...quoted.filter(({ hint }) => hint === undefined).map(({ value }) => value), ...named],
    filling,
  )
}

/** Kinds of short names, which a quotation that says more is not. */
const NAMES: ReadonlySet<string> = new Set('name product company dish category department job'.split(' '))
const tellsMore =
  /^.{1,60}, .*\d|\d.*, |(?:\S+ ){3}.*[.!?]$|(?:\S+ ){2}.*\b(?:is|are|was|were|lives|works|has|costs)\b/u

const KEYS: ReadonlySet<string> = new Set(
  'key name setting field property option variable parameter attribute column config'.split(' '),
)

/** The two sides of "set X to Y", for properties such as `key` and `value`. */
function assignedTexts({ words }: Naming, filling: Filling): readonly string[] {
  const last = words.at(-1) ?? ''
  const isKey = KEYS.has(last) && filling.kinds.has('operand')
  if (!isKey && last !== 'value') return []
  const sides = filling.facts.assignments.flatMap(({ name, value }) =>
    name === undefined ? [] : [isKey ? withoutNoun(name, last) : value],
  )
  return inTurn(sides, filling)
}

/** "The language setting" is the setting called language. */
const withoutNoun = (name: string, noun: string): string =>
  name.toLowerCase().endsWith(` ${noun}`) ? name.slice(0, -noun.length - 1) : name

/** What the prompt hands over in its own words: a message, a task, a command, a thing to buy. */
function saidTexts(kind: string | undefined, { facts }: Filling): readonly string[] {
  if (kind === 'word') return facts.said.messages.filter((message) => !message.includes(' '))
  if (kind === 'pattern')
    return [...facts.tokens.filter((token) => /[*?]\S/u.test(token)), ...facts.said.sought]
  if (kind !== undefined && WORKS.has(kind))
    return rank(facts.names, ({ before }) => Number(!BY.has(before[0] ?? '')))
  if (kind === 'message' || kind === 'input') return facts.said.messages
  if (kind === 'title')
    return [
      ...['movie', 'film', 'book', 'song', 'novel'].flatMap((noun) => valuesBeside([noun], facts.spans)),
      ...facts.said.tasks.map(capitalize),
    ]
  if (kind === 'step') return facts.said.tasks
  if (kind === 'subject') return facts.said.subjects
  if (kind === 'job') return facts.said.jobs
  if (kind === 'code_text') return facts.said.commands
  if (kind === 'query') return facts.said.statements
  return kind === 'product' || kind === 'dish' ? facts.said.things : []
}

/** Kinds whose values do not stand beside their name: they are texts, or have a form of their own. */
const APART: ReadonlySet<string> = new Set(
  `
  title subject message description summary query input topic answer explanation question quote step pro con
  date time datetime money amount product sentence
  `
    .trim()
    .split(/\s+/),
)
const mayStandBeside = (kind: string | undefined): boolean => kind === undefined || !APART.has(kind)

/** Marks a text as used, so that no other property uses it too. */
export function markUsed(text: string, filling: Filling): void {
  filling.used.push(text)
}

/** Works with titles: "the movie Inception". */
const WORKS: ReadonlySet<string> = new Set(['movie', 'book', 'song'])
const CALLED: ReadonlySet<string> = new Set(
  'named called titled entitled title name labelled labeled'.split(' '),
)
const SAID: ReadonlySet<string> = new Set(['saying', 'say', 'reading', 'read', 'stating'])
/** Whether the words in front of a quoted text assign it to this property or to another. */
function hintOf(
  before: readonly string[],
  naming: Naming,
  kind: string | undefined,
): 'this' | 'other' | undefined {
  for (const word of before.slice(0, 2)) {
    if (naming.words.includes(word)) return 'this'
    const other = CALLED.has(word) ? 'title' : SAID.has(word) ? 'message' : kindOf([word])
    if (other === undefined || !FREE.has(other)) continue
    if (
      other === kind ||
      (kind === 'title' && WORKS.has(other)) ||
      (other === 'title' && (kind === 'name' || kind === 'subject' || naming.words.at(-1) === 'name'))
    )
      return 'this'
    return kind === undefined && (other === 'message' || naming.words.length === 0) ? undefined : 'other'
  }
  return undefined
}

function isLabelOf(label: LabelFact, naming: Naming): boolean {
  if (naming.words.length === 0) return false
  const [a, b] = [label.words.join(' '), naming.words.join(' ')]
  return (
    a === b ||
    a.endsWith(` ${b}`) ||
    (naming.kind !== undefined && naming.kind !== 'operand' && kindOf(label.words) === naming.kind)
  )
}
