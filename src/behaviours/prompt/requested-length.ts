/** Reads the length that a prompt asks for. */
import { numberOf, smallNumber } from './words.ts'

type Unit = 'word' | 'sentence' | 'paragraph' | 'line' | 'character' | 'item'
interface Range {
  readonly least: number
  readonly most: number
}

/** The length a prompt asks for, from `least` to `most`; none when `unit` is undefined. */
export type RequestedLength =
  | (Range & { readonly unit: Exclude<Unit, 'item'> })
  | (Range & {
      readonly unit: 'item'
      readonly noun: string
      readonly style: 'numbers' | 'bullets' | 'lines' | 'commas'
      /** The most words of each item. */
      readonly words: number | undefined
    })
  | { readonly unit: undefined }

const decades = '(?:twen|thir|for|fif|six|seven|eigh|nine)ty'
const counted =
  String.raw`\d{1,3}(?:,\d{3})+|\d{1,4}|half a dozen|(?:an?|${smallNumber}) (?:dozen|hundred)|` +
  `${smallNumber}|` +
  `(?:thir|four|fif|six|seven|eigh|nine)teen|${decades}(?:[- ][a-z]{3,5})?`
const some =
  '(?:a |the )?(?:couple|pair)(?: of)?|a few|several|a handful of|some|a single|' +
  'an?(?= (?:(?:short|brief|single|concise) )?(?:sentence|paragraph))'
const amount = new RegExp(
  String.raw`(?<![\w.-])(?<low>${counted}|${some})(?:\s?(?:-|–|—|to|or|and)\s?(?<high>${counted}))?` +
    '(?=[ -])',
  'gi',
)
const atMost =
  "at most|(?:no|not|never|n['’]t)(?: [a-z]+){0,3} (?:more|longer|greater) than|" +
  'up to|max(?:imum|\\.)?(?: of)?|' +
  "under|less than|fewer than|below|within|(?:not|never|n['’]t|without) (?:to )?exceed(?:ing)?|" +
  'shorter than|limit(?:ed)? (?:it |yourself |your [a-z]+ )?to'
const atLeast = 'at least|(?:no|not) (?:fewer|less) than|min(?:imum)?(?: of)?|more than|over'
/** What may stand in front of an amount; it ends where the amount begins. */
const bound = new RegExp(String.raw`\b(?:(?<upper>${atMost})|(?<lower>${atLeast}))(?: a total of)? $`, 'i')

const adjectives =
  '(?:(?:short|simple|brief|full|complete|good|fun|interesting|key|main|different|practical|useful|' +
  'creative|' +
  'possible|new|more|great|famous|popular|concise|long|catchy|unique|random|english)[ -])*'
export const things =
  'items?|bullet points?|bullets?|points|ideas?|tips|reasons|ways|steps|examples?|names|facts?|suggestions|' +
  'titles|questions|benefits|advantages|headlines|options|entries|things|taglines|slogans|topics|keywords'
const notThings =
  '(?!(?:minutes|hours|days|weeks|months|years|seconds|times|percent|dollars|euros|miles|letters|syllables|' +
  String.raw`cups|grams|of|or|and|to|for|in|on|about|with)\b)`
/** What may stand behind an amount: a unit of text, or what a list is made of. */
const inUnits = new RegExp(
  String.raw`[ -]${adjectives}(?<unit>sentence|paragraph|word|line|character|char)s?\b` +
    String.raw`(?<behind> or (?:less|fewer|under)| max(?:imum)?| tops)?(?<each> each| per \w+| apiece)?`,
  'iy',
)
const inItems = new RegExp(
  String.raw` (?:of (?:the |your |my )?)?${adjectives}(?:(?<thing>${things})\b|` +
    `(?:${notThings}[a-z-]{2,15} ){0,3}?` +
    String.raw`${notThings}(?<noun>[a-z]{2,19}(?<![sui])s|people|children|men|women)\b)|` +
    '-(?:item|point|bullet|step|entry) (?<form>list|summary|plan|outline|answer|guide)',
  'iy',
)
const asks =
  'list|give|name|suggest|share|tell|provide|propose|offer|recommend|brainstorm|mention|need|want|what are|' +
  'write|create|generate|in|with|as|come up with|think of|enumerate|produce|outline|draft|find|show|send|' +
  'pick|' +
  'identify|compile|return|make|prepare|get|into|describe|explain|using|output|like'
const opens =
  '(?:(?:me|us|the|top|my|exactly|a|an|up|back|it|this|out|total|of|only|just|between|about|around|roughly|' +
  'approximately|from|some|(?:(?:bulleted|numbered|short|simple|ordered|json) )?(?:list|array) of) )*'
/** The words that ask for a list of so many things, in front of the amount and its bound. */
const asksForItems = new RegExp(
  String.raw`(?:\b(?:${asks}) |^\s*|[.!?:;,\n]\s*|\btop |\b(?:list|array) of )${opens}$`,
  'i',
)
/** What a text has that asks for a length: looking for it is quicker than for a whole length. */
export const mayAskForLength = new RegExp(
  String.raw`\d|\b(?:${smallNumber}|dozen|couple|few|several|some|handful|pair|single|[a-z]{2,5}teen|` +
    `${decades}|` +
    String.raw`hundred|sentence|paragraph|haiku|limerick|couplet|quatrain|sonnet|tweet|one-liner)\b`,
  'i',
)

const lines = (exactly: number): RequestedLength => ({ unit: 'line', least: exactly, most: exactly })
const forms: Readonly<Record<string, RequestedLength>> = {
  haiku: lines(3),
  limerick: lines(5),
  couplet: lines(2),
  quatrain: lines(4),
  sonnet: lines(14),
  tweet: { unit: 'character', least: 80, most: 270 },
  'one-liner': { unit: 'sentence', least: 1, most: 1 },
}
const anyForm = new RegExp(
  String.raw`\b(?:write|compose|give|make|create|as|in|draft|me|need|want|an?|tell)\b.*\b` +
    String.raw`(${Object.keys(forms).join('|')})\b`,
  'is',
)

const maxCounts: Readonly<Record<Unit, number>> = {
  sentence: 40,
  paragraph: 12,
  word: 1000,
  line: 60,
  character: 6000,
  item: 100,
}
const maxAmounts = 12

type Groups = Readonly<Record<string, string | undefined>>
type TextLength = Range & { readonly unit: Exclude<Unit, 'item'> }
type ItemLength = Range & { readonly unit: 'item'; readonly noun: string }

/** The length that a prompt asks for ("in one sentence", "list 3–5 ideas", "in at most 50 words"). */
export function requestedLength(prompt: string): RequestedLength {
  if (!mayAskForLength.test(prompt)) return { unit: undefined }
  let [items, whole, words] = [] as [ItemLength?, TextLength?, number?]
  let found = 0
  for (const { 0: text, index, groups } of prompt.matchAll(amount)) {
    if (++found > maxAmounts) break
    const before = prompt.slice(Math.max(0, index - 60), index)
    const end = index + text.length
    const unit = groupsAt(inUnits, prompt, end)
    if (unit === undefined) items ??= lengthInItems(groups as Groups, groupsAt(inItems, prompt, end), before)
    else {
      const length = lengthInUnits(groups as Groups, unit, before)
      if (length === undefined) continue
      const isEach = unit['each'] !== undefined || /\beach (?:[a-z]+ ){0,3}$/i.test(before)
      if (!isEach) whole ??= length
      else if (length.unit === 'word') words ??= length.most
    }
  }
  if (items !== undefined) return { ...items, style: styleOf(prompt), words }
  const form = whole ?? forms[anyForm.exec(prompt)?.[1]?.toLowerCase() ?? '']
  return form ?? { unit: undefined }
}

function groupsAt(sticky: RegExp, text: string, at: number): Groups | undefined {
  sticky.lastIndex = at
  return sticky.exec(text)?.groups
}

function lengthInItems(counts: Groups, things: Groups | undefined, before: string): ItemLength | undefined {
  if (things === undefined) return undefined
  const { thing, noun, form } = things
  const limit = bound.exec(before)
  const lead = limit === null ? before : before.slice(0, limit.index)
  if (form === undefined && !asksForItems.test(lead)) return undefined
  const range = rangeOf(counts, limit?.groups ?? {}, 'item')
  const name = (thing ?? noun ?? 'points').toLowerCase()
  return range && { unit: 'item', ...range, noun: /^bullets?$/.test(name) ? 'points' : name }
}

/** "Never a single word" asks for nothing. */
const refused = /\b(?:not|never|don['’]t|without)\b[^.!?,]*$/i

function lengthInUnits(counts: Groups, groups: Groups, before: string): TextLength | undefined {
  const written = (groups['unit'] as string).toLowerCase()
  const unit = written.startsWith('char') ? 'character' : (written as TextLength['unit'])
  const limit = bound.exec(before)?.groups ?? {}
  if (limit['upper'] === undefined && refused.test(before.slice(-30))) return undefined
  const range = rangeOf(counts, { upper: groups['behind'], ...limit }, unit)
  return range && { unit, ...range }
}

function rangeOf({ low = '', high = low }: Groups, { upper, lower }: Groups, unit: Unit): Range | undefined {
  const max = maxCounts[unit]
  const [least, most] = [boundOf(low, 0), boundOf(high, 1)]
  if (!(most > 0)) return undefined
  const top = Math.min(max, Math.max(least, most))
  if (upper !== undefined) {
    const upTo = Math.max(1, top - (/^(?:under|less|fewer|below|shorter)/i.test(upper) ? 1 : 0))
    return { least: Math.ceil(upTo * 0.6), most: upTo }
  }
  const bottom = Math.min(top, Math.max(1, least))
  if (lower === undefined) return { least: bottom, most: top }
  const from = Math.min(max, bottom + (/^(?:more|over)/i.test(lower) ? 1 : 0))
  return { least: from, most: Math.min(max, Math.ceil(from * 1.2)) }
}

const amounts: Readonly<Record<string, readonly [number, number]>> = {
  couple: [2, 2],
  pair: [2, 2],
  'a few': [3, 4],
  several: [3, 5],
  some: [3, 5],
  'a handful': [4, 5],
  'a single': [1, 1],
  a: [1, 1],
  an: [1, 1],
}
const boundOf = (written: string, end: 0 | 1): number =>
  amounts[written.toLowerCase().replace(/^(?:a|the) (?=couple|pair)| of$/g, '')]?.[end] ??
  numberOf(written) ??
  0

const inOwnLines = new RegExp(
  String.raw`\b(?:one|each) (?:\w+ )?(?:per|on (?:a|its own|a new|a separate|` +
    String.raw`its own separate)) (?:\w+ )?line\b|` +
    String.raw`\bon separate lines\b`,
  'i',
)

function styleOf(prompt: string): 'numbers' | 'bullets' | 'lines' | 'commas' {
  if (/\bcomma[- ]|\bby (?:a )?commas?\b|\bcommas between\b/i.test(prompt)) return 'commas'
  if (/bullet|\bdash(?:es)?\b/i.test(prompt)) return 'bullets'
  return inOwnLines.test(prompt) && !/\bnumbered?\b/i.test(prompt) ? 'lines' : 'numbers'
}
