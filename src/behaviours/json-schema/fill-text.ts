/**
 * Fills a string: from the prompt, an example, a fake for the property's name, or a sentence.
 */

import type { Random } from '../../engine/random.ts'
import type { StringShape } from './clause.ts'
import { isNumeric } from './fill-number.ts'
import { addCharacters, type Filling, type FillSite, type FillTask, failed, type NONE } from './filling.ts'
import { hasFormat, typicalOf } from './formats.ts'
import { kindAt } from './from-prompt/fields.ts'
import { textFromPrompt } from './from-prompt/values.ts'
import { codePointLength } from './json-value.ts'

// Kind, then its strings: enough for a few items without repetition. `{t}` is the topic.
const TABLE = `
title: A closer look at {t} | Notes on {t} | The essentials of {t} | Understanding {t} | A short guide to
  {t} | {T} at a glance | What to know about {t} | Getting started with {t}
subject: About {t} | A question on {t} | Next steps for {t} | Update on {t} | Planning for {t}
description: A clear and practical overview of {t}. | A well-rounded choice with everything needed for
  {t}. | Covers the main points of {t} in plain terms. | A compact account of {t}, made for everyday use.
  | An easy introduction to {t} with a few worked examples.
summary: In short, {t} comes down to a few clear points. | The main points of {t} are covered, with the
  details kept brief. | Overall, {t} is straightforward once the basics are in place. | This gives the key
  facts about {t} and leaves out the rest. | The outcome for {t} is positive, with two things left to
  watch.
explanation: This follows directly from what was said about {t}. | The details given for {t} point to
  this. | Going through {t} one part at a time leads here. | Of the options for {t}, this one fits the
  request best. | The facts at hand about {t} leave little doubt. | Comparing the cases of {t} makes this
  the sound choice.
answer: The short answer on {t} is yes, with a few conditions. | For {t}, the first option works best. |
  It depends on the details of {t}, but it can be done. | Here is what matters most about {t}. | All in
  all, {t} works out as expected.
message: Thanks for the note about {t}. Everything is ready to go. | Here are the details on {t}, as
  agreed. | A quick update on {t}: the plan stands and the work has started. | Please take a look at {t}
  when there is a moment. | Good news about {t}: it went better than planned.
question: What matters most about {t}? | Which part of {t} should come first? | When is {t} needed? | Who
  is {t} meant for? | How much detail on {t} would help? | Are there any limits on {t}?
quote: Small steps carry far. | Good work is quiet work. | Start where things are simple. | A clear
  question is half the answer. | What is measured well is done well.
step: Collect the details of {t}. | Break the work into small parts. | Do the first part and check the
  result. | Carry on with the next part in the same way. | Compare the result with what was asked. |
  Correct whatever does not fit. | Write down what was found. | Share the result and note the next step. |
  Review everything once more. | Close the task and file the notes.
pro: It is easy to set up. | It saves a good deal of time. | The results are consistent. | It works well
  with what is already there. | The cost stays low. | It is simple to explain to others. | It leaves room
  to grow.
con: It needs some time to learn. | It depends on good input data. | The first setup takes a while. | It
  is less flexible than doing it by hand. | Costs may grow with use. | It needs a check from time to time.
sentence: This covers {t}. | A sound choice for {t}. | Worth a closer look at {t}. | A plain example of
  {t}. | Useful for {t}. | A typical case of {t}.
`
const SENTENCES: ReadonlyMap<string, readonly string[]> = new Map(
  TABLE.trim()
    .split(/\n(?! )/)
    .map((line) => {
      const [, kind = '', texts = ''] = /^(\w+): ([^]+)$/.exec(line) ?? []
      return [kind, texts.replaceAll(/\n +/g, ' ').split(' | ')]
    }),
)

/**
 * A string of a kind about `topic`. Items of one array pass their `index` and a shared source, which makes
 * them differ.
 */
function sentenceFor(kind: string, topic: string, random: Random, index: number): string {
  const list = (SENTENCES.get(kind) ?? SENTENCES.get('sentence')) as readonly string[]
  const start = kind === 'step' ? 0 : random.integer(0, list.length - 1)
  const text = list[(start + index) % list.length] as string
  return text.replace('{t}', topic).replace('{T}', `${topic.slice(0, 1).toUpperCase()}${topic.slice(1)}`)
}

/** Sentences with a total of at least `length` characters. */
function longText(topic: string, random: Random, length: number): string {
  const list = [...SENTENCES.values()].flat().filter((one) => one.endsWith('.'))
  let text = ''
  for (let at = random.integer(0, list.length - 1); text.length < length; at++) {
    text += `${text === '' ? '' : ' '}${(list[at % list.length] as string).replace('{t}', topic)}`
  }
  return text
}

/** A string of this shape, or `NONE`. */
export function fillText(task: FillTask): string | typeof NONE {
  const { minLength, maxLength, formats, patterns } = task.shape.string as StringShape
  const isBounded = minLength > 0 || maxLength !== Infinity
  const fits = (text: string): boolean => {
    const length = isBounded ? codePointLength(text) : 0
    return (
      (!isBounded || (length >= minLength && length <= maxLength)) &&
      formats.every((format) => hasFormat(format, text)) &&
      (patterns?.matchesAll(text) ?? true) &&
      task.accept(text)
    )
  }
  const text = find(task, fits)
  if (text === undefined)
    return failed(
      task,
      keywordOf(task.shape.string as StringShape),
      'no string was found that satisfies all keywords of this schema; write keywords that a short ' +
        'string can satisfy',
    )
  addCharacters(task, 'minLength', text.length)
  return text
}

const keywordOf = ({ patterns, formats }: StringShape): string =>
  patterns !== undefined
    ? 'pattern'
    : formats.some((format) => !hasFormat(format, '\u0000'))
      ? 'format'
      : 'maxLength'

function find({ shape, place, filling }: FillTask, fits: (text: string) => boolean): string | undefined {
  const string = shape.string as StringShape
  const kind = kindAt(place, string, filling.kinds, shape.description)
  if (!place.byChance) {
    const given =
      place.within === undefined && place.depth === 0 ? textFromPrompt(string, filling, fits) : undefined
    if (given !== undefined) return given
    const examples = shape.examples.filter(
      (one): one is string => typeof one === 'string' && one !== '' && fits(one),
    )
    if (examples.length > 0) return examples[place.index % examples.length]
    const told = exampleIn(shape.description)
    if (told !== undefined && place.index === 0 && fits(told)) return told
  }
  const random = place.random.fork('text')
  for (let attempt = 0; kind !== undefined && attempt < 6; attempt++) {
    const fake = made(kind, place, filling, attempt)
    if (fake === undefined) break
    if (fits(fake)) return fake
  }
  // Strings of the usual length first, then of other lengths.
  for (let attempt = 0; string.formats.length > 0 && attempt < 24; attempt++) {
    for (const [index, format] of string.formats.entries()) {
      const usual = attempt < 8
      const text = usual ? typicalOf(format, random) : string.formatWriters[index]?.write(random, attempt - 8)
      if (text !== undefined && fits(text)) return text
    }
  }
  // Plain text often matches a pattern such as "^[^A-Z]*$", and reads better than a generated match.
  const topic = topicAt(place, filling)
  for (let attempt = 0; attempt < 3; attempt++) {
    const text = sized(plainText(place, topic, attempt), string, () =>
      longText(topic, random, string.minLength),
    )
    if (fits(text)) return text
  }
  for (let attempt = 0; string.patterns !== undefined && attempt < 60; attempt++) {
    const text = string.patterns.write(random, attempt)
    if (text !== undefined && fits(text)) return text
  }
  return counted(string, random.integer(0, 400), fits)
}

/** A fake of a kind. For a plain `name`, its neighbours suggest the kind. */
function made(kind: string, place: FillSite, filling: Filling, attempt: number): string | undefined {
  const random = place.random.fork(`fake ${attempt}`)
  if (SENTENCES.has(kind))
    return sentenceFor(kind, topicAt(place, filling), place.shared.fork('prose'), place.index + attempt)
  if (kind === 'date' || kind === 'datetime') return typicalOf(kind.replace('datetime', 'date-time'), random)
  if (kind === 'name') return madeName(place, filling, attempt)
  // All values of one person or place share a key: the rest of the name ("sender").
  const own = place.naming.words.filter((word) => !BELONGING.has(word)).join(' ')
  const fake = filling.fakes.text(
    kind,
    RELATED.has(kind) && attempt === 0 ? place.around.fork(`fake ${own}`) : random,
  )
  return fake ?? (isNumeric(kind) ? String(random.integer(1, 12)) : undefined)
}

const RELATED: ReadonlySet<string> = new Set(
  (
    'person first_name last_name email username city country country_code state region timezone location ' +
    'address airport'
  ).split(' '),
)
const BELONGING: ReadonlySet<string> = new Set(
  (
    'name first last full given family email mail address username user login city country code state ' +
    'region timezone zone location airport town'
  ).split(' '),
)

function madeName(place: FillSite, filling: Filling, attempt: number): string | undefined {
  const { kinds } = filling
  const { parent, naming } = place
  const has = (...some: readonly string[]): boolean => some.some((kind) => kinds.has(kind))
  const thing = naming.words.length > 1 ? naming.words.slice(0, -1) : parent.words
  if (thing.length > 0)
    return thing.length > 4 ? undefined : `${capital(adjective(place, attempt))} ${thing.join(' ')}`
  if (has('email', 'phone', 'age', 'gender', 'job', 'username', 'first_name'))
    return filling.fakes.text('person', place.around.fork('fake '))
  const kind = NEIGHBOURS.find(([some]) => has(...some))?.[1] ?? 'person'
  return kind === 'title'
    ? sentenceFor('title', topicAt(place, filling), place.random, 0)
    : filling.fakes.text(kind, place.around.fork('fake '))
}

/** The kind of a plain `name`, derived from the kinds of other properties. */
const NEIGHBOURS: readonly (readonly [readonly string[], string])[] = [
  [['ingredient', 'cuisine'], 'dish'],
  [['population', 'latitude'], 'city'],
  [['money', 'count'], 'product'],
  [['person', 'date', 'time', 'step'], 'title'],
]

/** The topic of prose: that of the prompt, or the thing that the property belongs to. */
function topicAt({ naming, parent }: FillSite, { facts }: Filling): string {
  if (facts.subject !== '') return facts.subject
  const words = parent.words.length > 0 ? parent.words : naming.words.slice(0, -1)
  return words.length > 0 && words.length < 5 ? `the ${words.join(' ')}` : 'the request'
}

const ADJECTIVES =
  'simple modern local classic typical bright quiet compact common fresh steady careful'.split(' ')

function plainText(place: FillSite, topic: string, attempt: number): string {
  const words = place.naming.words.join(' ')
  if (words === '' || words.length > 40)
    return sentenceFor('sentence', topic, place.shared.fork('plain'), place.index + attempt)
  return `${adjective(place, attempt)} ${words}`
}

function adjective(place: FillSite, attempt: number): string {
  return ADJECTIVES[
    (place.shared.fork('adjective').integer(0, 11) + place.index + attempt) % ADJECTIVES.length
  ] as string
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** Cuts a string at the end of a word, or lengthens it, until its length is allowed. */
function sized(text: string, { minLength, maxLength }: StringShape, longer: () => string): string {
  let whole = [...(text.length < minLength ? longer() : text)]
  if (whole.length <= maxLength) return whole.join('')
  whole = whole.slice(0, maxLength)
  const cut = whole
    .join('')
    .replace(/\s+\S*$/u, '')
    .replace(/[\s,;:]+$/u, '')
  return codePointLength(cut) >= Math.max(minLength, maxLength / 2)
    ? cut
    : whole.join('').replace(/\s$/u, 's')
}

/** The last resort, for short lengths and values that must differ: letters that count up like a number. */
function counted(
  { minLength, maxLength }: StringShape,
  start: number,
  fits: (text: string) => boolean,
): string | undefined {
  const least = Math.max(minLength, Math.min(2, maxLength))
  if (least > 10_000) return undefined
  for (let i = 0; i < 1_000; i++) {
    let letters = ''
    for (let rest = start + i; rest > 0 || letters === ''; rest = Math.floor(rest / 26))
      letters = String.fromCharCode(97 + (rest % 26)) + letters
    const text =
      letters.length >= least ? letters.slice(-Math.min(maxLength, 12)) : letters.padStart(least, 'a')
    if (fits(text)) return text
  }
  return ['', '0', 'A'].find(fits)
}

/** The example in a description: "The city, e.g. San Francisco". */
function exampleIn(description: string | undefined): string | undefined {
  const [, told] =
    /(?:\be\.g\.?|\bfor example|\bexample:|\bsuch as(?= ["'`]))[,:]?\s{1,3}([^\n]{1,120})/iu.exec(
      description ?? '',
    ) ?? []
  if (told === undefined) return undefined
  const quoted = /^["'`“]([^"'`”]{1,80})["'`”]/u.exec(told)?.[1]
  const plain = told.split(/[);]|\.(?:\s|$)| or | and |, etc/u)[0]?.trim()
  const text = quoted ?? plain
  return text === undefined || text === '' || text.length > 60 || text.split(' ').length > 6
    ? undefined
    : text
}
