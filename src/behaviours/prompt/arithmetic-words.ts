/** The signs, words and numbers of calculations in a prompt. */
import { numberOf, numberWord, ordinalWord } from './number-words.ts'

export type Token =
  | { readonly kind: 'number'; readonly text: string; readonly value: number; readonly percent: boolean }
  /** A part or a multiple of what follows: "half of", "double". */
  | { readonly kind: 'share'; readonly text: string; readonly value: number }
  | {
      readonly kind:
        | 'sign'
        /** `text` is the exponent. */
        | 'power'
        | 'call'
        /** What to do with the numbers that follow. */
        | 'request'
        /** What may stand between two of these numbers. */
        | 'join'
        /** "It", "the result". */
        | 'known'
        | 'other'
      readonly text: string
    }

type Meaning = readonly [Exclude<Token['kind'], 'number' | 'other'>, string]

/** What words mean, by the sign or name that means the same. */
const phrases: readonly (readonly [...Meaning, string])[] = [
  ['sign', '+', 'plus|added to|increased by|+'],
  ['sign', '-', 'minus|decreased by|reduced by|-|−|–'],
  ['sign', '*', 'times|multiplied by|multiplied with|*|×|·'],
  ['sign', '/', 'divided by|over|/|÷'],
  ['sign', '%', 'modulo|modulus|mod|%'],
  ['sign', '^', 'to the power of|raised to the power of|raised to|to the power|to the|**|^'],
  ['sign', 'of', 'of'],
  ['sign', 'off', 'off'],
  ['sign', '(', '('],
  ['sign', ')', ')'],
  ['power', '2', 'squared|²'],
  ['power', '3', 'cubed|³'],
  ['call', 'sqrt', 'square root of|square root|sqrt|√'],
  ['call', 'cbrt', 'cube root of|cube root|cbrt'],
  ['call', 'abs', 'absolute value of|abs'],
  ['call', 'sin', 'sine of|sin'],
  ['call', 'cos', 'cosine of|cos'],
  ['call', 'tan', 'tangent of|tan'],
  ['call', 'log', 'logarithm of|log'],
  ['call', 'ln', 'natural logarithm of|ln'],
  ['call', 'pow', 'pow'],
  ['call', 'round', 'round'],
  ['share', '2', 'double|twice'],
  ['share', '3', 'triple'],
  ['share', '0.5', 'half of|half'],
  ['share', '0.25', 'quarter of'],
  ['request', '+', 'add|adding|sum of|sum up|sum|total of'],
  ['request', '-', 'subtract|subtracting|deduct|take|difference between|difference of|difference'],
  ['request', '*', 'multiply|multiplying|product of'],
  ['request', '/', 'divide|dividing|split|quotient of|ratio of'],
  ['request', '^', 'raise|raising'],
  ['request', '%', 'remainder of|remainder when|remainder'],
  ['request', 'average', 'average of|mean of|average'],
  ['request', 'max', 'maximum of|max of|largest of|max'],
  ['request', 'min', 'minimum of|min of|smallest of|min'],
  ['join', 'from', 'away from|from'],
  ['join', 'into', 'into'],
  ['join', 'and', 'and|by|to|with|among|between|is|,|&'],
  [
    'known',
    'it',
    'the result|that result|that number|the answer|the total|it|that|this|result|answer|' +
      'the sum|the product|the difference|the quotient|the output|the outcome|the previous result|' +
      'the last result|the previous answer|what you get|what you got|what you have|what we get|what i get|' +
      'what comes out|whatever you get|whatever comes out|what is left|whats left|what remains|the rest',
  ],
]
/** Words and signs between numbers that change nothing. */
const silent: ReadonlySet<string> = new Set(
  'the a number numbers value values both up together dollar dollars euro euros usd eur power $ € £'.split(
    ' ',
  ),
)
const meanings: ReadonlyMap<string, Meaning> = new Map(
  phrases.flatMap(([kind, text, words]) =>
    words.split('|').map((word): [string, Meaning] => [word, [kind, text]]),
  ),
)

const digits = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,15})(?:\.\d{1,12})?|\.\d{1,12}`
const inWords = [...meanings.keys()]
  .filter((phrase) => /^[a-z]/.test(phrase))
  .sort((a, b) => b.length - a.length)
  .map((phrase) =>
    phrase === 'to the'
      ? String.raw`to the(?= (?:${ordinalWord}\b|[\w-]+ power\b))`
      : phrase.startsWith('the ')
        ? String.raw`${phrase}(?! (?:of|between)\b)`
        : phrase,
  )
  .join('|')
const pattern = new RegExp(
  [
    String.raw`(?<![\w.#-])\d{4}-\d\d(?:-\d\d)?(?!\d)`,
    String.raw`(?<number>(?:(?<![\w.#:])|(?<=\dx))(?:${digits})(?:(?:k|bn| (?:dozen|hundred` +
      String.raw`|thousand|million|billion))\b|(?:st|nd|rd|th)\b)?` +
      String.raw`(?![\d.]*[a-wyz_:])|\b(?:${numberWord}|${ordinalWord})\b)(?<percent> ?%(?! ?[\d(])| ` +
      String.raw`per ?cent\b)?`,
    String.raw`\b(?<phrase>${inWords})\b`,
    String.raw`(?<=[\d)] ?)(?<times>x)(?= ?[\d(])`,
    String.raw`[\p{L}_][\p{L}\p{N}_'’-]*`,
    String.raw`\*\*|\S`,
  ].join('|'),
  'giu',
)

/** The first so many tokens of a prompt. */
export function tokensOf(prompt: string, most: number): readonly Token[] {
  const tokens: Token[] = []
  for (const { 0: written, groups } of prompt.matchAll(pattern)) {
    const text = written.toLowerCase()
    const value = groups?.['number'] === undefined ? undefined : numberOf(groups['number'])
    const [kind, meaning] = meanings.get(groups?.['times'] === undefined ? text : '*') ?? []
    if (value !== undefined)
      tokens.push({ kind: 'number', text, value, percent: groups?.['percent'] !== undefined })
    else if (kind === 'share') tokens.push({ kind, text, value: Number(meaning) })
    else if (kind === undefined ? !silent.has(text) : meaning !== 'of' || tokens.at(-1)?.kind === 'number')
      tokens.push({ kind: kind ?? 'other', text: meaning ?? text })
    if (tokens.length >= most) break
  }
  return tokens
}
