/** Answers of one bare value: a word, a number, the name of a city. */
import type { Random } from '../../engine/random.ts'
import { asText } from '../../protocol/wording.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { objectsIn } from '../prompt/json-values.ts'
import type { ShortAnswer } from '../prompt/short-answer.ts'
import { anyText, schemaOfName } from '../prompt/value-notes.ts'
import type { Conversation } from './conversation.ts'
import { prose } from './prose.ts'
import { factsOf, wishedFill } from './write-json.ts'

/** The text of a bare value, from the prompt, the results of tools, or the seed. */
export function bareValues(
  { name, kind, bounds, oneWord }: ShortAnswer,
  conversation: Conversation,
  fakes: () => Fakes,
  now: number,
): (random: Random) => string {
  const anyWord = (random: Random): string =>
    prose('one word', random.fork('prose'), 'low', { unit: 'word', least: 1, most: 1 })
  const { lastUser } = conversation
  const given = name === 'answer' ? wordIn(conversation) : kind === 'number' ? sumIn(lastUser) : undefined
  if (kind === 'yes-no') return (random) => random.fork('offered').pick(['Yes', 'No'])
  if (given !== undefined) return () => given
  if (name === 'answer') return anyWord
  if (bounds !== undefined) {
    const { least, most } = bounds
    const isWhole = Number.isInteger(least) && Number.isInteger(most) && (least !== 0 || most !== 1)
    return (random) =>
      isWhole
        ? String(random.fork('fill').integer(least, most))
        : (least + (most - least) * random.fork('fill').next()).toFixed(2)
  }
  // A question seldom holds its answer; a text that is given beside it does.
  const isMaterial = /:\s|\n|\b(?:extract|from)\b/.test(lastUser)
  const facts = factsOf(isMaterial ? conversation : { ...conversation, lastUser: '' }, now)
  const byName = schemaOfName(name)
  const schema = kind === 'number' ? { type: 'integer' } : byName['type'] === 'array' ? anyText : byName
  const fill = wishedFill({ type: 'object', properties: { [name]: schema }, required: [name] }, facts, fakes)
  return (random) => {
    const value = fill(random)
    if (value === undefined) return anyWord(random)
    const text = asText((value as Record<string, unknown>)[name])
    return oneWord ? (text.split(/\s+/)[0] as string).replace(/[.,:;!?]$/, '') : text
  }
}

/** The first single word that a tool returned and the question does not have. */
function wordIn({ toolResults, lastUser }: Conversation): string | undefined {
  const said = lastUser.toLowerCase()
  const parts = toolResults.flatMap(({ result }) =>
    objectsIn(result).flatMap(({ value }) => Object.values(value)),
  )
  const found = parts.find(
    (part): part is string =>
      typeof part === 'string' && /^[\p{L}\p{N}-]{1,40}$/u.test(part) && !said.includes(part.toLowerCase()),
  )
  return (
    found ??
    toolResults
      .map(({ result }) => /^\s*([\p{L}\p{N}.-]{1,40}?)[.!]?\s*$/u.exec(result)?.[1])
      .find((word) => word !== undefined)
  )
}

const operation = new RegExp(
  String.raw`(-?\d{1,9}(?:\.\d{1,6})?)\s*([-+*×x/÷]|plus|minus|times|multiplied by|divided by)\s*` +
    String.raw`(-?\d{1,9}(?:\.\d{1,6})?)`,
  'i',
)

/** The result of the one calculation in a question. */
function sumIn(question: string): string | undefined {
  const found = operation.exec(question.slice(0, 4000))
  if (found === null) return undefined
  const [a, b] = [Number(found[1]), Number(found[3])]
  const sign = (found[2] as string).toLowerCase()
  const value = /^[+p]/.test(sign)
    ? a + b
    : /^(?:-|minus)/.test(sign)
      ? a - b
      : /^[/÷d]/.test(sign)
        ? a / b
        : a * b
  return Number.isFinite(value) ? String(Number(value.toPrecision(12))) : undefined
}
