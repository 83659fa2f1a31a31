/** Reads the wish for a bare value instead of a text: one word, only a number, just the name of the city. */

/** A bare value that is asked for. */
export interface ShortAnswer {
  /** What it is, as a property would be called: `city`, `number`, `answer`. */
  readonly name: string
  readonly kind: 'number' | 'text' | 'yes-no'
  readonly least: number | undefined
  readonly most: number | undefined
  /** Whether it is one word, whatever it is. */
  readonly oneWord: boolean
}

/** What a text may have that asks for a bare value; any other text does not. */
export const mayAskForValue =
  /\b(?:only|just|solely|simply|nothing (?:but|else|more)|(?:one|single|1)[- ]word|single|bare)\b/i

const numbers =
  'numbers?|integers?|digits?|figure|numerals?|numeric value|score|rating|count|total|sum|' +
  'percentage|price|age|year|' +
  'amount|quantity|result of the calculation|numerical (?:answer|value)|value'
const texts =
  'city|town|capital|country|continent|place|colou?r|name|person|author|language|animal|' +
  'date|day|weekday|month|time|' +
  'currency|e-?mail(?: address)?|title|company|phone(?: number)?|street|address|state|zip code|url|id|' +
  'brand|planet|season|surname|job title|profession|product'

const only =
  '(?:only|just|solely|simply|nothing (?:but|else than|more than|except)|' +
  'nothing other than|a single|exactly one|one single|bare)'
const start =
  '(?: (?:with|give|me|us|return|tell|output|write|say|state|reply|respond|answer|the|a|' +
  'an|one|its|his|her|final|exact|bare|single|raw|plain|correct|full|right)){0,6}'
const wantsNumber = new RegExp(
  String.raw`\b${only}${start} (?:${numbers})\b(?! (?:of words|of sentences|ed list|` +
    String.raw`one))(?! of (?!the (?:result|answer))[\p{Ll}]+s\b(?= (?:in|about|for)))|` +
    String.raw`\b(?:number|digit|integer|numerals?) only\b|\b(?:respond|reply|answer|return|` +
    String.raw`output)(?:s|ing)? with (?:a|an|one|the)(?: \w+)? (?:number|integer|digit)\b|` +
    String.raw`\bas (?:a|an) (?:single |plain |bare )?(?:number|integer)\b`,
  'iu',
)
const wantsText = new RegExp(
  String.raw`\b${only}${start} (?:(?<named>name|title) of (?:the|a|this|that|each|` +
    String.raw`its) )?(?:\p{Ll}{2,12} ){0,1}?(?<what>${texts})(?: name)?\b(?!s\b)|` +
    String.raw`\b(?<what2>${texts})(?: name)? only\b`,
  'iu',
)
const wantsWord =
  /\b(?:one|single|1)[- ]word\b(?! (?:per|for each|at a time|or two|in|of|from|about|that)\b)/i
/** "In only one day" and "it has just one name" ask for nothing. */
const aside = /\b(?:in|for|at|on|within|by|of|is|was|are|were|have|has|had|takes?|took|not)\s*$/i
const refused = /\b(?:not|never|don['’]t|without|nor)\b[^.!?,;:]*$/i
const range = new RegExp(
  String.raw`\b(?:between|from|of)?\s?(-?\d{1,9}(?:\.\d+)?)\s?(?:-|–|—|to|and|` +
    String.raw`through)\s?(-?\d{1,9}(?:\.\d+)?)\b|\bout of (\d{1,6})\b`,
  'i',
)
const closed = new RegExp(
  String.raw`(?:^|[.!?\n]\s*|\b(?:question|input|statement|claim|text):\s*)(?:is|are|was|were|` +
    "does|do|did|has|have|can|could|should|will|would|am|isn['’]t|aren['’]t|" +
    String.raw`doesn['’]t)\s[^.!?\n]{2,300}\?`,
  'i',
)

/** The bare value that `text` asks for about `question`; undefined when it asks for none. */
export function shortAnswer(text: string, question: string): ShortAnswer | undefined {
  if (!mayAskForValue.test(text)) return undefined
  const word = wantsWord.exec(text)
  const oneWord = word !== null && !refused.test(text.slice(Math.max(0, word.index - 40), word.index))
  const number = wantsNumber.exec(text)
  if (number !== null && !refused.test(text.slice(Math.max(0, number.index - 40), number.index)))
    return { name: nameOfNumber(number[0]), kind: 'number', ...boundsIn(text), oneWord }
  const bare = oneWord ? null : wantsText.exec(text)
  const found =
    bare === null || aside.test(text.slice(Math.max(0, bare.index - 12), bare.index))
      ? undefined
      : bare.groups
  const what = found?.['what'] ?? found?.['what2']
  if (what !== undefined) return plain(nameOf(what, found?.['named']), false)
  if (!oneWord) return undefined
  if (closed.test(question)) return { ...plain('answer', true), kind: 'yes-no' }
  const asked = kindAsked(question)
  return asked === 'number'
    ? { name: 'number', kind: 'number', least: undefined, most: undefined, oneWord }
    : plain(asked ?? 'answer', true)
}

const plain = (name: string, oneWord: boolean): ShortAnswer => ({
  name,
  kind: 'text',
  least: undefined,
  most: undefined,
  oneWord,
})

const nameOf = (what: string, named: string | undefined): string =>
  (named === undefined || /^(?:city|country|company|person|author|planet|product|brand)$/i.test(what)
    ? what
    : `${what}_name`
  )
    .toLowerCase()
    .replace(/^capital$|^town$/, 'city')
    .replace('colour', 'color')
    .replace(/^e-?mail.*/, 'email')
    .replaceAll(' ', '_')

const nameOfNumber = (words: string): string =>
  /\b(?:score|rating|count|percentage|price|age|year|quantity)\b/i.exec(words)?.[0].toLowerCase() ?? 'number'

function boundsIn(text: string): { readonly least: number | undefined; readonly most: number | undefined } {
  const found = range.exec(text)
  if (found === null) return { least: undefined, most: undefined }
  const [, low, high, top] = found
  const [least, most] = top === undefined ? [Number(low), Number(high)] : [0, Number(top)]
  return least <= most ? { least, most } : { least: most, most: least }
}

const kindWord = new RegExp(
  String.raw`\b(?:what|which|name|identify|tell me|give me)(?:['’]s| is| are| was|` +
    String.raw` were)?(?: \p{L}+){0,2}? (?<what>${texts})\b`,
  'iu',
)

/** What a question asks for, by its question word or the noun behind it. */
function kindAsked(question: string): string | undefined {
  const what = kindWord.exec(question)?.groups?.['what']
  if (what !== undefined) return nameOf(what, undefined)
  if (/\bhow (?:many|much|old|far|long|tall|big|often)\b/i.test(question)) return 'number'
  if (/\bwho\b/i.test(question)) return 'name'
  if (/\bwhere\b/i.test(question)) return 'city'
  return /\bwhen\b/i.test(question) ? 'month' : undefined
}
