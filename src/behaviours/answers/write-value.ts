/** Answers of one bare value: a word, a number, the name of a city. */

import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import { asText } from '../../protocol/wording.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { createSchemas } from '../json-schema/schemas.ts'
import { objectsIn } from '../prompt/json-values.ts'
import type { ShortAnswer } from '../prompt/short-answer.ts'
import { type Schema, schemaOfName } from '../prompt/value-notes.ts'
import type { Conversation } from './conversation.ts'
import { prose } from './prose.ts'
import { factsOf } from './write-json.ts'

/** The text of a bare value, from the prompt, the results of tools, or the seed. */
export function bareValues(
  wanted: ShortAnswer,
  conversation: Conversation,
  fakes: () => Fakes,
  now: number,
): (random: Random) => string {
  const { name, kind, least, most, oneWord } = wanted
  if (kind === 'yes-no') return (random) => random.fork('offered').pick(['Yes', 'No'])
  const anyWord = (random: Random): string =>
    prose('one word', random.fork('prose'), 'low', { unit: 'word', least: 1, most: 1 })
  if (name === 'answer') {
    const found = wordIn(conversation)
    return found === undefined ? anyWord : () => found
  }
  const sum = kind === 'number' ? sumIn(conversation.lastUser) : undefined
  if (sum !== undefined) return () => sum
  if (least !== undefined && most !== undefined)
    return (random) =>
      Number.isInteger(least) && Number.isInteger(most) && (least !== 0 || most !== 1)
        ? String(random.fork('fill').integer(least, most))
        : (least + (most - least) * random.fork('fill').next()).toFixed(2)
  const schemas = createSchemas()
  // A question seldom holds its answer; a text that is given beside it does.
  const material = /:\s|\n|\b(?:extract|from)\b/.test(conversation.lastUser)
  const facts = factsOf(material ? conversation : { ...conversation, lastUser: '' }, now)
  const schema: Schema = {
    type: 'object',
    properties: { [name]: kind === 'number' ? { type: 'integer' } : single(schemaOfName(name)) },
    required: [name],
  }
  return (random) => {
    try {
      const value = schemas.fill(schema, 'messages', { facts, random: random.fork('fill'), fakes: fakes() })
      const text = asText((value as Record<string, unknown>)[name])
      return oneWord ? (text.split(/\s+/)[0] as string).replace(/[.,:;!?]$/, '') : text
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return anyWord(random)
    }
  }
}

const single = (schema: Schema): Schema => (schema['type'] === 'array' ? { type: 'string' } : schema)

/** The first single word that a tool returned and the question does not have. */
function wordIn({ toolResults, lastUser }: Conversation): string | undefined {
  const said = lastUser.toLowerCase()
  for (const { result } of toolResults)
    for (const { value } of objectsIn(result))
      for (const part of Object.values(value))
        if (
          typeof part === 'string' &&
          /^[\p{L}\p{N}-]{1,40}$/u.test(part) &&
          !said.includes(part.toLowerCase())
        )
          return part
  return toolResults
    .map(({ result }) => /^\s*([\p{L}\p{N}.-]{1,40}?)[.!]?\s*$/u.exec(result)?.[1])
    .find((word) => word !== undefined)
}

const operation = new RegExp(
  String.raw`(-?\d{1,9}(?:\.\d{1,6})?)\s*([-+*×x/÷]|plus|minus|times|multiplied by|` +
    String.raw`divided by)\s*(-?\d{1,9}(?:\.\d{1,6})?)`,
  'i',
)

/** The result of the one calculation in a question. */
function sumIn(question: string): string | undefined {
  const found = operation.exec(question.slice(0, 4000))
  if (found === null) return undefined
  const [a, b] = [Number(found[1]), Number(found[3])]
  const sign = (found[2] as string).toLowerCase()
  const value = /^(?:\+|plus)$/.test(sign)
    ? a + b
    : /^(?:-|minus)$/.test(sign)
      ? a - b
      : /^(?:\/|÷|divided by)$/.test(sign)
        ? a / b
        : a * b
  return Number.isFinite(value) ? String(Number(value.toPrecision(12))) : undefined
}
