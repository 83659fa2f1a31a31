/** The text that the prompt, or a result before it, gives for a property. */
import { isNumeric } from '../fill-number.ts'
import { type Filling, type FillSite, fromFacts } from '../filling.ts'
import { NAMED } from '../property-naming.ts'
import type { StringShape, ValueShape } from '../schema-node.ts'
import { ORIGIN, TARGET } from './directions.ts'
import { numberFromPrompt } from './numbers.ts'
import { markUsed, textsFromPrompt, topicFromPrompt } from './texts.ts'

export function textGiven(
  { description }: ValueShape,
  { formats, patterns }: StringShape,
  kind: string | undefined,
  place: FillSite,
  filling: Filling,
  fits: (text: string) => boolean,
): string | undefined {
  const text =
    fromFacts(
      filling,
      () =>
        textsFromPrompt(place.naming, kind, formats, filling, description).find(fits) ??
        // A code is known by the pattern that it matches.
        (patterns === undefined
          ? undefined
          : filling.facts.tokens.find((token) => /[\d#@_/.:-]|^[A-Z]{2,}$/u.test(token) && fits(token))),
    ) ??
    answerFromResults(kind, filling).find(fits) ??
    topicFromPrompt(kind, filling).find(fits)
  if (text !== undefined) {
    filling.found++
    markUsed(text, filling)
    return text
  }
  if (kind === undefined || !isNumeric(kind) || formats.length > 0) return undefined
  const x = fromFacts(filling, () => numberFromPrompt(place, filling, (number) => fits(String(number))))
  return x === undefined ? undefined : String(x)
}

/** What an answer says after results came: the results. */
function answerFromResults(kind: string | undefined, { facts: { results } }: Filling): readonly string[] {
  if (results === undefined || (kind !== 'answer' && kind !== 'summary')) return []
  return [
    results.text
      .trim()
      .replace(/\s*\n\s*/g, ', ')
      .slice(0, 500),
  ]
}

const calculates =
  /\b(?:math(?:s|ematical)?|arithmetic(?:al)?|algebraic) (?:expression|formula|equation|problem)/iu

/** The kind of a name that is ambiguous alone: the `name` of a product is not that of a person. */
export function kindAt(
  { naming, parent }: FillSite,
  { formats, maxLength }: StringShape,
  kinds: ReadonlySet<string>,
  description: string | undefined,
): string | undefined {
  const { kind, words } = naming
  if (formats.includes('email')) return 'email'
  // What an amount of money is converted from and to.
  const isCurrency =
    words.every((word) => ORIGIN.has(word) || TARGET.has(word)) &&
    (maxLength === 3 ? kinds.has('amount') : /\bcurrenc|\bISO[ -]?4217\b/iu.test(description ?? ''))
  if (kind === 'operand' && !isCurrency) return undefined
  if ((kind === undefined || kind === 'query' || kind === 'input') && calculates.test(description ?? ''))
    return 'expression'
  if (isCurrency) return 'currency'
  if (words.join(' ') === 'code' && kinds.has('language')) return 'code_text'
  if (
    (kind === 'name' || kind === 'title') &&
    naming.words.length === 1 &&
    parent.kind !== undefined &&
    NAMED.has(parent.kind)
  )
    return parent.kind
  return kind
}
