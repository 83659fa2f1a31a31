/** Reads the length that a prompt asks for. */
import { numberOf, numberWord } from './number-words.ts'

type Unit = 'word' | 'sentence' | 'paragraph' | 'line' | 'character' | 'item'

/** The length a prompt asks for, from `least` to `most`; none when `unit` is undefined. */
export type RequestedLength =
  | { readonly unit: Exclude<Unit, 'item'>; readonly least: number; readonly most: number }
  | {
      readonly unit: 'item'
      readonly least: number
      readonly most: number
      readonly noun: string
      readonly style: 'numbers' | 'bullets' | 'lines' | 'commas'
      /** The most words of each item. */
      readonly words: number | undefined
    }
  | { readonly unit: undefined }

const count = String.raw`(?:${numberWord}|\d{1,3}(?:,\d{3})+|\d{1,4})`
const some = 'a couple|a few|several|a handful of|some|a single|an?'
const amount = String.raw`(?<low>${count}|${some})(?:\s?(?:-|–|—|to|or|and)\s?(?<high>${count}))?`
const atMost =
  String.raw`at most|(?:no|not|never|n['’]t)(?: \w+){0,3} (?:more|longer|greater) than|up to|` +
  String.raw`max(?:imum|\.)?(?: of)?|` +
  "under|less than|fewer than|below|within|(?:not|never|n['’]t|without) (?:to )?exceed(?:ing)?|" +
  String.raw`shorter than|limit(?:ed)? (?:it |yourself |your \w+ )?to`
const atLeast = 'at least|(?:no|not) (?:fewer|less) than|min(?:imum)?(?: of)?|more than|over'
const bound =
  `(?:(?<most>${atMost})|(?<least>${atLeast})|` +
  'between|exactly|about|around|approximately|roughly|only|just|precisely)'
const adjectives =
  '(?:(?:short|simple|brief|full|complete|good|fun|interesting|key|main|different|practical|useful|' +
  'creative|possible|new|more|great|famous|popular|concise|long|catchy|unique|random|english)[ -])*'
export const things =
  'items?|bullet points?|bullets?|points|ideas?|tips|reasons|ways|steps|examples?|names|facts?|suggestions|' +
  'titles|questions|benefits|advantages|headlines|options|entries|things|taglines|slogans|topics|keywords'

const lengthInUnits = new RegExp(
  String.raw`(?:\b${bound} (?:a total of )?)?(?<![\w.-])${amount}[ -]${adjectives}` +
    String.raw`(?<unit>sentence|paragraph|word|line|character|char)s?\b` +
    String.raw`(?<behind> or (?:less|fewer|under)| max(?:imum)?| tops)?(?<each> each| per \w+| apiece)?`,
  'gi',
)
const asks =
  'list|give|name|suggest|share|tell|provide|propose|offer|recommend|brainstorm|mention|need|want|what are|' +
  'write|create|generate|in|with|as|come up with|think of|enumerate|produce|outline|draft|' +
  'find|show|send|pick|' +
  'identify|compile|return|make|prepare|get|into|describe|explain|using|output|like'
const opens =
  '(?:(?:me|us|the|top|my|exactly|a|an|up|back|it|this|out|total|of|only|just|' +
  '(?:(?:bulleted|numbered|short|simple|ordered|json) )?(?:list|array) of) )*'
const noThings =
  'minutes|hours|days|weeks|months|years|seconds|times|percent|dollars|euros|miles|words|' +
  'sentences|paragraphs|' +
  'lines|characters|letters|syllables|cups|grams|of|or|and|to'
const lengthInItems = new RegExp(
  String.raw`(?:\b(?:${asks})\s|^|[.!?:;,\n]\s*|\btop |\b(?:list|array) of )${opens}(?:${bound} )?(?:the )?` +
    String.raw`(?<![\w.-])${amount} (?:of (?:the |your |my )?)?${adjectives}(?:(?<thing>${things})\b|` +
    String.raw`(?:(?!(?:${noThings}|for|in|on|about|with)\b)[\p{Ll}-]{2,15} ){0,3}?(?!(?:${noThings})\b)` +
    String.raw`(?<noun>\p{Ll}{2,19}(?<![sui])s|people|children|men|women)\b)`,
  'iu',
)
const hyphenated = new RegExp(
  String.raw`\b(?<low>${count})-(?:item|point|bullet|step|entry) (?<thing>list|summary|plan|outline|` +
    'answer|guide)',
  'i',
)
const anyUnit = /sentence|paragraph|word|line|char/i
const anyForm = /\b(?:haiku|limerick|couplet|quatrain|sonnet|tweet|one-liner)\b/i
const asksForForm = /\b(?:write|compose|give|make|create|as|in|draft|me|need|want|an?|tell)\b/i

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

const maxCounts: Readonly<Record<Unit, number>> = {
  sentence: 40,
  paragraph: 12,
  word: 1000,
  line: 60,
  character: 6000,
  item: 100,
}

/** The length that a prompt asks for ("in one sentence", "list 3–5 ideas", "in at most 50 words"). */
export function requestedLength(prompt: string): RequestedLength {
  const units = anyUnit.test(prompt) ? inUnits(prompt) : []
  const items = lengthInItems.exec(prompt) ?? hyphenated.exec(prompt)
  if (items !== null) {
    const groups = items.groups as Groups
    const range = rangeOf(groups, 'item')
    const noun = (groups['thing'] ?? groups['noun'] ?? 'points').toLowerCase()
    if (range !== undefined && !/^an?$/i.test(groups['low'] as string))
      return {
        unit: 'item',
        ...range,
        noun: /^bullets?$|list|summary|plan|outline/.test(noun) ? 'points' : noun,
        style: styleOf(prompt),
        words: units.find(({ unit, each }) => unit === 'word' && each)?.most,
      }
  }
  const whole = units.find(({ each }) => !each)
  if (whole !== undefined) return { unit: whole.unit, least: whole.least, most: whole.most }
  const form = anyForm.exec(prompt)?.[0].toLowerCase()
  return form === undefined || !asksForForm.test(prompt)
    ? { unit: undefined }
    : (forms[form] as RequestedLength)
}

type Groups = Readonly<Record<string, string | undefined>>
interface UnitLength {
  readonly unit: Exclude<Unit, 'item'>
  readonly least: number
  readonly most: number
  readonly each: boolean
}

const refused = /\b(?:not|never|don['’]t|without)\b[^.!?,]*$/i

function inUnits(prompt: string): readonly UnitLength[] {
  const found: UnitLength[] = []
  for (const match of prompt.matchAll(lengthInUnits)) {
    const groups = match.groups as Groups
    const written = (groups['unit'] as string).toLowerCase()
    const unit = written.startsWith('char') ? 'character' : (written as UnitLength['unit'])
    // "a word" is a figure of speech, "a sentence" a length; "never a single word" is neither.
    if (/^(?:an?|some)$/i.test(groups['low'] as string) && !/^(?:sentence|paragraph)$/.test(unit)) continue
    const before = prompt.slice(Math.max(0, match.index - 30), match.index)
    if (groups['most'] === undefined && refused.test(before)) continue
    const range = rangeOf(groups, unit)
    if (range === undefined) continue
    const each = groups['each'] !== undefined || /\beach (?:\w+ ){0,3}$/i.test(before)
    found.push({ unit, ...range, each })
    if (found.length === 4) break
  }
  return found
}

function rangeOf(groups: Groups, unit: Unit): { least: number; most: number } | undefined {
  const max = maxCounts[unit]
  const low = groups['low'] as string
  const [least, most] = [boundOf(low, 0), boundOf(groups['high'] ?? low, 1)]
  if (!(most > 0)) return undefined
  const top = Math.min(max, Math.max(least, most))
  if (groups['most'] !== undefined || groups['behind'] !== undefined) {
    const strictly = /^(?:under|less|fewer|below|shorter)/i.test(groups['most'] ?? '') ? 1 : 0
    const upTo = Math.max(1, top - strictly)
    return { least: Math.ceil(upTo * 0.6), most: upTo }
  }
  const bottom = Math.min(top, Math.max(1, least))
  if (groups['least'] === undefined) return { least: bottom, most: top }
  const from = Math.min(max, bottom + (/^(?:more|over)/i.test(groups['least']) ? 1 : 0))
  return { least: from, most: Math.min(max, Math.ceil(from * 1.2)) }
}

const amounts: Readonly<Record<string, readonly [number, number]>> = {
  'a couple': [2, 2],
  'a few': [3, 4],
  several: [3, 5],
  some: [3, 5],
  'a handful of': [4, 5],
  'a single': [1, 1],
  a: [1, 1],
  an: [1, 1],
}
const boundOf = (written: string, end: 0 | 1): number =>
  amounts[written.toLowerCase()]?.[end] ?? numberOf(written) ?? 0

const inOwnLines = new RegExp(
  String.raw`\b(?:one|each) (?:\w+ )?(?:per|on (?:a|its own|a new|a separate|` +
    String.raw`its own separate)) (?:\w+ )?line\b|\bon separate lines\b`,
  'i',
)

function styleOf(prompt: string): 'numbers' | 'bullets' | 'lines' | 'commas' {
  if (/\bcomma[- ]|\bby (?:a )?commas?\b|\bcommas between\b/i.test(prompt)) return 'commas'
  if (/bullet|\bdash(?:es)?\b/i.test(prompt)) return 'bullets'
  return inOwnLines.test(prompt) && !/\bnumbered?\b/i.test(prompt) ? 'lines' : 'numbers'
}
