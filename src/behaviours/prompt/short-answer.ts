/** Reads the wish for a bare value instead of a text: one word, only a number, just the name of the city. */

/** A bare value that is asked for. */
export interface ShortAnswer {
  /** What it is, as a property would be called: `city`, `number`, `answer`. */
  readonly name: string
  readonly kind: 'number' | 'text' | 'yes-no'
  readonly bounds: { readonly least: number; readonly most: number } | undefined
  /** Whether it is one word, whatever it is. */
  readonly oneWord: boolean
}

/** What a text may have that asks for a bare value; any other text does not. */
export const mayAskForValue =
  /\b(?:only|just|solely|simply|nothing (?:but|else|more)|(?:one|single|1)[- ]word|single|bare)\b/i

const numbers =
  'numbers?|integers?|digits?|figure|numerals?|numeric value|score|rating|count|total|sum|percentage|price|' +
  'age|amount|quantity|result|numerical (?:answer|value)|value'
const texts =
  'city|town|capital|country|continent|place|colou?r|name|person|author|language|animal|date|day|weekday|' +
  'month|year|time|currency|e-?mail(?: address)?|title|company|phone(?: number)?|street|address|state|' +
  'zip code|url|id|brand|planet|season|surname|job title|profession|product'
const only =
  '(?:only|just|solely|simply|nothing (?:but|else than|more than|except|other than)|a single|exactly one|' +
  'bare)' +
  '(?: (?:with|give|me|us|return|tell|output|write|say|state|reply|respond|answer|the|a|an|one|its|his|her|' +
  'final|exact|bare|single|raw|plain|correct|full|right)){0,6}'
const wantsNumber = new RegExp(
  String.raw`\b${only} (?:${numbers})\b(?! of (?!the (?:result|answer|calculation)))|` +
    String.raw`\b(?:number|digit|integer|numerals?|result) only\b|\bas (?:a|an) (?:single |plain |bare )?` +
    String.raw`(?:number|integer)\b|\b(?:respond|reply|answer|return|output)(?:s|ing)? with (?:a|an|one|` +
    'the)' +
    String.raw`(?: \w+)? (?:number|integer|digit)\b`,
  'iu',
)
const wantsText = new RegExp(
  String.raw`\b${only} (?:(?:name|title) of (?:the|a|this|that|each|` +
    String.raw`its) )?(?:\p{Ll}{2,12} )??(?<what>${texts})` +
    String.raw`(?: name)?\b(?!s\b)|\b(?<what2>${texts})(?: name)? only\b`,
  'iu',
)
const wantsWord =
  /\b(?:one|single|1)[- ]word\b(?! (?:per|for each|at a time|or two|in|of|from|about|that)\b)/i
/** "In only one day" and "never a single word" ask for nothing. */
const aside = new RegExp(
  String.raw`\b(?:in|for|at|on|within|by|of|is|was|are|were|have|has|had|takes?|took)\s*$|` +
    String.raw`\b(?:not|never|don['’]t|without|nor)\b[^.!?,;:]*$`,
  'i',
)
const range = new RegExp(
  String.raw`\b(?:between|from|of)?\s?(-?\d{1,9}(?:\.\d+)?)\s?(?:-|–|—|to|and|` +
    String.raw`through)\s?(-?\d{1,9}(?:\.\d+)?)\b|\bout of (\d{1,6})\b`,
  'i',
)
const closed = new RegExp(
  String.raw`(?:^|[.!?\n]\s*|\b(?:question|input|statement|claim|text):\s*)(?:is|are|was|were|does|do|did|` +
    "has|have|can|could|should|will|would|am|isn['’]t|aren['’]t|" +
    String.raw`doesn['’]t)\s(?![^?]* or )[^.!?\n]{2,300}\?`,
  'i',
)

/** The bare value that `text` asks for about `question`; undefined when it asks for none. */
export function shortAnswer(text: string, question: string): ShortAnswer | undefined {
  if (!mayAskForValue.test(text)) return undefined
  const asked = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = pattern.exec(text)
    return found === null || aside.test(text.slice(Math.max(0, found.index - 40), found.index))
      ? undefined
      : found
  }
  const oneWord = asked(wantsWord) !== undefined
  const number = asked(wantsNumber)
  const plain = { kind: 'text', bounds: undefined, oneWord } as const
  if (number !== undefined)
    return { ...plain, name: nameOfNumber(number[0]), kind: 'number', bounds: boundsIn(text) }
  const { what, what2 } = (oneWord ? undefined : asked(wantsText)?.groups) ?? {}
  if (what !== undefined || what2 !== undefined) return { ...plain, name: nameOf(what ?? what2 ?? '') }
  if (!oneWord) return undefined
  if (closed.test(question)) return { ...plain, name: 'answer', kind: 'yes-no' }
  const name = kindAsked(question)
  return { ...plain, name, kind: name === 'number' ? 'number' : 'text' }
}

const nameOf = (what: string): string =>
  what
    .toLowerCase()
    .replace(/^capital$|^town$/, 'city')
    .replace('colour', 'color')
    .replace(/^e-?mail.*/, 'email')
    .replaceAll(' ', '_')

const nameOfNumber = (words: string): string =>
  /\b(?:score|rating|count|percentage|price|age|quantity)\b/i.exec(words)?.[0].toLowerCase() ?? 'number'

function boundsIn(text: string): ShortAnswer['bounds'] {
  const [, low, high, top] = range.exec(text) ?? []
  if (low === undefined && top === undefined) return undefined
  const [least, most] = top === undefined ? [Number(low), Number(high)] : [0, Number(top)]
  return { least: Math.min(least, most), most: Math.max(least, most) }
}

const kindWord = new RegExp(
  String.raw`\b(?:what|which|name|identify|tell me|give me)(?:['’]s| is| are| was| were)?` +
    String.raw`(?: \p{L}+){0,2}? (?<what>${texts})\b`,
  'iu',
)
const questionWords: readonly (readonly [RegExp, string])[] = [
  [/\bhow (?:many|much|old|far|long|tall|big|often)\b/i, 'number'],
  [/\bwho\b/i, 'name'],
  [/\bwhere\b/i, 'city'],
  [/\bwhen\b/i, 'month'],
]

/** What a question asks for, by its question word or the noun behind it. */
function kindAsked(question: string): string {
  const what = kindWord.exec(question)?.groups?.['what']
  if (what !== undefined) return nameOf(what)
  return questionWords.find(([pattern]) => pattern.test(question))?.[1] ?? 'answer'
}
