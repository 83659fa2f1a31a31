/** The bare value that a prompt requests: only a number, only the name of a city. */
import { type JsonWish, numbersIn, objectOf } from './json-shape.ts'

const numbers = 'number|integer|digit|score|rating|count|total|sum|price|age|amount|result'
const things = 'city|country|name|colou?r|date|e-?mail|title|language|animal|month|person|year'
const bare = new RegExp(
  String.raw`(?<=^|[.!?:;,(—\n]\s{0,3}|\b(?:answer|reply|respond|return|output|give|me|us|write|say|state|` +
    'print|with|as|and|please|provide|be) )(?:only|just|solely|simply|nothing but|a single|exactly one)' +
    '(?: (?:with|give|return|output|write|say|reply|respond|answer|the|an?|its|final|me|name of)){0,6} ' +
    String.raw`(?:[a-z]+ )??(?:${numbers}|(?<name>${things}))\b|` +
    String.raw`\b(?:number|(?<last>name|title)) only\b|` +
    String.raw`(?<!\b(?:not|never|no|without|n['’]t)\b[^.!?\n]{0,30})\b(?:one|single|1)[- ](?<word>word)\b` +
    '(?! (?:per|at|for|from|of|that|which))',
  'i',
)
const closed = /^(?:is|are|was|were|does|do|did|has|have|can|should|will) [^\n]*\?/im
const askedThing = new RegExp(
  String.raw`\b(?:what|which|name)\b[^.?!\n]{0,30}? (?:(capital)|(${things}))\b|\bwho\b`,
  'i',
)

/** The kind of bare value that a text requests, if any: "only the number", "in one word". */
export function bareValue(text: string, question: string, anyWord: readonly string[]): JsonWish | undefined {
  const { groups } = bare.exec(text) ?? {}
  if (groups === undefined) return undefined
  const { word, name: named = groups['last'] ?? 'value' } = groups
  const asksBack = word !== undefined && !closed.test(question) ? askedThing.exec(question) : null
  const isCity =
    asksBack?.[1] !== undefined ||
    (named === 'name' && /\bname of (?:the |a )?(?:capital|city)\b/i.test(text))
  const name = isCity ? 'city' : (asksBack?.[2]?.toLowerCase() ?? (asksBack === null ? named : 'person'))
  const isNumber = name === 'value' || name === 'year'
  const isWord = word !== undefined && asksBack === null
  const ofWords = { enum: closed.test(question) ? ['Yes', 'No'] : anyWord }
  const plain = isNumber ? (numbersIn(text) ?? { type: 'integer' }) : { type: 'string' }
  // A question seldom contains its answer, but a text next to the question often does.
  const holds = word === undefined && /:\s|\n|\b(?:extract|from)\b/i.test(question)
  const rest = holds ? question.replace(/["“”]/g, '') : ''
  return { schema: objectOf({ [name]: isWord ? ofWords : plain }), list: name, fenced: false, rest }
}
