/**
 * Finds the text in a prompt that a property asks for, by what the property's name is for; makes nothing up.
 */

import type { Filling } from '../filling.ts'
import { hasFormat } from '../formats.ts'
import { kindOf, type Naming } from '../property-naming.ts'
import type { LabelFact, PromptFacts, TextFact } from './facts.ts'

const PLACES: ReadonlySet<string> = new Set('city location country state region address airport'.split(' '))
const PEOPLE: ReadonlySet<string> = new Set('person first_name last_name'.split(' '))
/** Kinds that anything in quotation marks fits. */
const FREE: ReadonlySet<string> = new Set(
  'name title subject message description summary question query input topic answer explanation quote product company file path book movie song dish word tag category step username code_text street department job'.split(
    ' ',
  ),
)
const WORDS: Readonly<Record<string, readonly string[]>> = {
  language:
    'english french german spanish italian portuguese dutch russian chinese mandarin japanese korean arabic hindi turkish polish swedish greek latin python javascript typescript java rust ruby swift kotlin sql php bash'.split(
      ' ',
    ),
  color:
    'red blue green yellow orange purple black white grey gray brown pink teal navy gold silver beige turquoise violet blond blonde hazel'.split(
      ' ',
    ),
  weekday: 'monday tuesday wednesday thursday friday saturday sunday'.split(' '),
  unit: 'celsius fahrenheit kelvin kg km mile cm'.split(' '),
  date: 'today tomorrow tonight yesterday monday tuesday wednesday thursday friday saturday sunday'.split(
    ' ',
  ),
  room: 'kitchen bedroom bathroom office garage hallway basement attic garden livingroom'.split(' '),
  cuisine:
    'italian indian mexican thai french greek japanese chinese lebanese korean spanish vietnamese'.split(' '),
}
/** Kinds and words that are written without a capital. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  'color unit room today tomorrow tonight yesterday'.split(' '),
)
const CURRENCIES: Readonly<Record<string, string>> = {
  usd: 'USD',
  dollar: 'USD',
  eur: 'EUR',
  euro: 'EUR',
  gbp: 'GBP',
  pound: 'GBP',
  jpy: 'JPY',
  yen: 'JPY',
  chf: 'CHF',
  franc: 'CHF',
  cad: 'CAD',
  aud: 'AUD',
  inr: 'INR',
  rupee: 'INR',
}
/** Words whose spelling is more than a capital. */
const SPELLING: Readonly<Record<string, string>> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  sql: 'SQL',
  php: 'PHP',
}

/**
 * The texts that stand in the prompt for a property of this name and kind, best first; the caller takes the
 * first that conforms.
 */
export function textsFromPrompt(
  naming: Naming,
  kind: string | undefined,
  formats: readonly string[],
  filling: Filling,
): readonly string[] {
  const { facts } = filling
  const dedicated = fromFormat(formats, filling) ?? fromKind(kind, naming, filling)
  if (dedicated !== undefined) return dedicated
  const labelled = facts.labels.filter((label) => isLabelOf(label, naming)).map(({ value }) => value)
  if (labelled.length > 0 && kind !== 'query') return labelled

  if (kind !== undefined && PLACES.has(kind))
    return unused(
      rank(facts.names, (fact) => placeScore(fact, naming)),
      filling,
    )
  if (kind !== undefined && PEOPLE.has(kind)) {
    const people = rank(facts.names, personScore)
    if (kind === 'first_name') return people.map((name) => name.split(' ')[0] as string)
    if (kind === 'last_name') return people.flatMap((name) => name.split(' ').slice(1).at(-1) ?? [])
    return unused(people, filling)
  }
  if (kind !== undefined && Object.hasOwn(WORDS, kind)) {
    const list = WORDS[kind] as readonly string[]
    return unused(
      facts.words
        .filter((word) => list.includes(word))
        .map((word) => (PLAIN_WORDS.has(kind) || PLAIN_WORDS.has(word) ? word : capital(word))),
      filling,
    )
  }
  if (kind === 'company') {
    const firms = facts.names
      .filter(({ value }) =>
        /\b(?:Corp|Inc|Ltd|LLC|GmbH|AG|Group|Company|Co|Bank|Labs|University)$/u.test(value),
      )
      .map(({ value }) => value)
    if (firms.length > 0) return unused(firms, filling)
  }
  if (kind === undefined || FREE.has(kind)) {
    const quoted = facts.quoted.map(({ value, before }) => ({ value, hint: hintOf(before, naming, kind) }))
    const meant = quoted.filter(({ hint }) => hint === 'this').map(({ value }) => value)
    const called =
      meant.length > 0
        ? meant
        : facts.names
            .filter(({ before }) => hintOf(before.slice(0, 1), naming, kind) === 'this')
            .map(({ value }) => value)
    const texts = unused(
      [...called, ...quoted.filter(({ hint }) => hint === undefined).map(({ value }) => value)],
      filling,
    )
    if (texts.length > 0) return texts
  }
  if (kind === 'name' && ![...PEOPLE, ...PLACES].some((other) => filling.kinds.has(other)))
    return unused(
      rank(facts.names, () => 1),
      filling,
    )
  if (kind === 'tag') return unused(facts.contents, filling)
  if (facts.topic === '' || kind === undefined) return []
  if (kind === 'query' || kind === 'topic' || kind === 'input')
    return unused([facts.subject !== '' && kind === 'topic' ? facts.subject : facts.topic], filling)
  if (kind === 'question' && !facts.asks) return []
  return kind === 'question' || kind === 'title'
    ? unused([capital(kind === 'title' && facts.subject !== '' ? facts.subject : facts.topic)], filling)
    : []
}

/** Records that a text was taken over, so that no other property takes it too. */
export function markUsed(text: string, filling: Filling): void {
  filling.used.push(text)
}

function fromFormat(formats: readonly string[], { facts, used }: Filling): readonly string[] | undefined {
  for (const format of formats) {
    if (format === 'email' || format === 'idn-email') return fresh(facts.emails, used)
    if (format === 'uri' || format === 'url' || format === 'iri') return fresh(facts.urls, used)
    if (format === 'uuid') return fresh(facts.codes, used)
    if (format === 'date') return fresh(facts.dates, used)
    if (format === 'time') return fresh(facts.times, used).map((time) => `${time}:00Z`)
    if (format === 'date-time') return moments(facts.dates, facts.times, used)
    // Of the formats that are kept, no text of one NUL character is; what is left are the unknown ones.
    if (!hasFormat(format, '\u0000'))
      return facts.tokens.filter((token) => /[.:\d]/u.test(token) && hasFormat(format, token))
  }
  return undefined
}

function fromKind(
  kind: string | undefined,
  naming: Naming,
  { facts, used }: Filling,
): readonly string[] | undefined {
  const some = (list: readonly string[]): readonly string[] | undefined =>
    list.length === 0 ? undefined : list
  if (naming.words.some((word) => MAILED.has(word)) && facts.emails.length > 0 && kind !== 'date') {
    const mails = fresh(facts.emails, used)
    if (mails.length > 0) return mails
  }
  switch (kind) {
    case 'email':
      return fresh(facts.emails, used)
    case 'url':
    case 'image_url':
      return fresh(facts.urls, used)
    case 'phone':
      return fresh(facts.phones, used)
    case 'date':
      return some(fresh(facts.dates, used))
    case 'datetime':
      return some(moments(facts.dates, facts.times, used))
    case 'ip':
      return facts.tokens.filter((token) => hasFormat('ipv4', token))
    case 'domain':
      return facts.tokens.filter(
        (token) => token.includes('.') && /[a-z]{2}$/iu.test(token) && hasFormat('hostname', token),
      )
    case 'dish':
      return some(dishes(facts.topic))
    case 'time':
      return some(fresh(facts.times, used))
    case 'currency':
      return currencies(naming, facts, used)
    case 'symbol':
      return facts.tokens
        .filter((token) => /^\$?[A-Z]{1,5}$/u.test(token) && token.length > 1)
        .map((token) => token.replace('$', ''))
    case 'id': {
      const near = (fact: TextFact): boolean =>
        fact.before.slice(0, 3).some((word) => naming.words.includes(word))
      const numbers = facts.numbers
        .filter(
          ({ value, before }) => value > 99 && before.slice(0, 2).some((word) => naming.words.includes(word)),
        )
        .map(({ value }) => String(value))
      return some([...fresh(facts.codes.filter(near), used), ...numbers, ...fresh(facts.codes, used)])
    }
    default:
      return undefined
  }
}

const CALLED: ReadonlySet<string> = new Set(['named', 'called', 'titled', 'entitled', 'title', 'name'])
const SAID: ReadonlySet<string> = new Set(['saying', 'say', 'reading', 'read', 'stating'])
const MAILED: ReadonlySet<string> = new Set(
  'to from cc bcc recipient sender reply attendee participant invitee'.split(' '),
)

/** The currencies in the order of the prompt; "to EUR" is not what one converts from. */
function currencies({ words }: Naming, facts: PromptFacts, used: readonly string[]): readonly string[] {
  const signs = facts.numbers.flatMap(({ before, after }) => [before[0] ?? '', after[0] ?? ''])
  const isFrom = words.some((word) => FROM.has(word))
  const found = facts.words.filter(
    (_, at) => !(isFrom && (facts.words[at - 1] === 'to' || facts.words[at - 1] === 'into')),
  )
  const codes = [...found, ...signs].flatMap((word) =>
    Object.hasOwn(CURRENCIES, word) ? [CURRENCIES[word] as string] : [],
  )
  return [...new Set(codes)].filter((code) => !used.includes(code))
}

/** "A lasagna recipe", "how to bake bread": the dish alone. */
function dishes(topic: string): readonly string[] {
  const dish =
    /\b(?:recipe for|make|cook|bake) (?:an? |the |some )?([^,.]{2,40}?)(?= with | using |$)/iu.exec(
      topic,
    )?.[1] ?? /(?:an? |the |my )?([\p{L} ]{3,40}) recipe/iu.exec(topic)?.[1]
  return dish === undefined ? [] : [capital(dish.replace(/^(?:an?|the|my) /iu, ''))]
}

const fresh = (facts: readonly TextFact[], used: readonly string[]): readonly string[] =>
  facts.map(({ value }) => value).filter((value) => !used.includes(value))

function moments(
  dates: readonly TextFact[],
  times: readonly TextFact[],
  used: readonly string[],
): readonly string[] {
  return dates
    .map(({ value }, index) => `${value}T${times[index]?.value ?? times[0]?.value ?? '00:00'}:00Z`)
    .filter((value) => !used.includes(value))
}

/** Leaves out what was used and begins with the one whose turn it is. */
function unused(texts: readonly string[], { used, turn }: Filling): readonly string[] {
  const left = [...new Set(texts)].filter((text) => !used.includes(text))
  const start = left.length === 0 ? 0 : turn % left.length
  return start === 0 ? left : [...left.slice(start), ...left.slice(0, start)]
}

function rank(facts: readonly TextFact[], score: (fact: TextFact) => number): string[] {
  return facts
    .map((fact) => ({ value: fact.value, score: score(fact) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ value }) => value)
}

const AT: ReadonlySet<string> = new Set(
  'in at near around from to visit visiting of over via between for toward towards into through'.split(' '),
)
const BY: ReadonlySet<string> = new Set(
  'by with mr mrs ms dr named called am im dear hi hello hey remind invite meet ask tell contact name cc author director and'.split(
    ' ',
  ),
)

function placeScore({ before }: TextFact, { words }: Naming): number {
  const first = before[0] ?? ''
  if (words.some((word) => FROM.has(word))) return first === 'from' ? 4 : first === 'to' ? 0 : 1
  if (words.some((word) => TO.has(word)))
    return first === 'to' || first === 'for' ? 4 : first === 'from' ? 0 : 1
  return first === 'for' ? 2 : AT.has(first) ? 3 : BY.has(first) ? 0.5 : 1
}
const FROM: ReadonlySet<string> = new Set('from origin departure source start'.split(' '))
const TO: ReadonlySet<string> = new Set('to destination arrival target'.split(' '))

function personScore({ before, value }: TextFact): number {
  const first = before[0] ?? ''
  return BY.has(first)
    ? 3
    : first === 'for' || first === 'from'
      ? 2
      : AT.has(first)
        ? 0
        : value.includes(' ')
          ? 1.5
          : 1
}

/** What the words in front of a quoted text say it is: meant for this property, for another, or nothing. */
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

const capital = (text: string): string =>
  SPELLING[text] ?? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
