/** Texts that are JSON because the messages ask for it, or because JSON mode promises an object. */

import { isFields, jsonIn } from '../../engine/fields.ts'
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import type { JsonValue } from '../json-schema/json-value.ts'
import { createSchemas } from '../json-schema/schemas.ts'
import { describedShape } from '../prompt/described-shape.ts'
import { type PromptFacts, readPromptFacts } from '../prompt/facts.ts'
import { type JsonWish, jsonWish } from '../prompt/json-wish.ts'
import { requestedLength } from '../prompt/requested-length.ts'
import { anyText, listOf, objectOf, type Schema } from '../prompt/value-notes.ts'
import type { ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'

/** What the messages ask of JSON; undefined when they ask for none. The user's last word counts most. */
export function askedJson(conversation: Conversation): JsonWish | undefined {
  const byUser = jsonWish(conversation.lastUser, true)
  if (byUser === null) return undefined
  const bySystem = jsonWish(conversation.instructions, false) ?? undefined
  if (byUser === undefined && bySystem === undefined) return undefined
  return {
    ...anyJson(conversation, byUser),
    fenced: byUser?.fenced === true || bySystem?.fenced === true,
    list: byUser?.list ?? bySystem?.list,
  }
}

/** The shape for an answer that has to be JSON, whether or not the messages say so. */
export function anyJson({ instructions, lastUser }: Conversation, byUser?: JsonWish): JsonWish {
  const rest = byUser?.rest ?? lastUser
  const wish = { fenced: false, list: undefined, rest }
  const shape = byUser?.shape ?? describedShape(instructions)
  if (shape !== undefined) return { ...wish, shape }
  const example = describedShape(lastUser, true)
  return { ...wish, shape: example, rest: example?.rest ?? rest }
}

interface JsonWriting {
  /** What the answer would be in words. */
  said(random: Random): string
  /** Whether the answer is an object, without a fence around it. */
  readonly isObject: boolean
  fakes(): Fakes
  readonly now: number
}

export function jsonAnswers(
  wish: JsonWish,
  conversation: Conversation,
  { said, isObject, fakes, now }: JsonWriting,
): (random: Random) => ModelAnswer {
  const facts = factsOf({ ...conversation, lastUser: wish.rest }, now)
  const { list, schema } = schemaOf(wish, conversation.instructions)
  const fenced = wish.fenced && !isObject
  const text = (value: JsonValue): ModelAnswer => ({
    kind: 'text',
    text: fenced ? `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`` : JSON.stringify(value),
    given: true,
  })
  const found = schema === undefined ? resultOf(conversation) : undefined
  if (found !== undefined) return () => text(found)
  const fill = schema && wishedFill(schema, facts, fakes)
  return (random) => {
    const filled = fill?.(random)
    const value = list === undefined || isObject ? filled : (filled as Record<string, JsonValue>)?.[list]
    const fits = value !== undefined && (!isObject || isFields(value))
    return text(fits ? value : { answer: said(random) })
  }
}

/**
 * Fills a schema that was read out of a text. It is only a wish: undefined where it cannot be followed, since
 * an answer of another shape still keeps the promise of JSON.
 */
export function wishedFill(
  schema: Schema,
  facts: PromptFacts,
  fakes: () => Fakes,
): (random: Random) => JsonValue | undefined {
  const schemas = createSchemas()
  return (random) => {
    try {
      return schemas.fill(schema, 'messages', { facts, random: random.fork('fill'), fakes: fakes() })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return undefined
    }
  }
}

/** The schema to fill. A list is filled as the property `list`, whose name says what of. */
function schemaOf(
  { shape, list, rest }: JsonWish,
  instructions: string,
): { readonly list?: string; readonly schema?: Schema } {
  const isList = list !== undefined || shape?.schema['type'] === 'array'
  const length = [rest, instructions].map((text) => requestedLength(text)).find(({ unit }) => unit === 'item')
  const sized = length?.unit === 'item' ? length : undefined
  if (!isList && (shape !== undefined || sized === undefined))
    return shape === undefined ? {} : { schema: shape.schema }
  const name = list?.noun ?? sized?.noun.replace(/^objects$/, 'items') ?? 'items'
  const items = /^(?:numbers|integers|floats|scores|years)$/.test(name) ? { type: 'integer' } : anyText
  const array = shape?.schema['type'] === 'array' ? shape.schema : listOf(shape?.schema ?? items)
  const bounds = sized && { minItems: sized.least, maxItems: sized.most }
  const schema = objectOf(new Map([[name, { ...array, ...bounds }]]))
  return isList ? { list: name, schema } : { schema }
}

/** What the one tool returned, when it is an object already. */
function resultOf({ toolResults }: Conversation): JsonValue | undefined {
  const [only] = toolResults
  if (only === undefined || toolResults.length > 1 || only.result.length > maxResult) return undefined
  const value = jsonIn(only.result)
  return isFields(value) ? (value as JsonValue) : undefined
}
const maxResult = 4000

/** The facts that the answer may use: of the tool results and the user's message. */
export function factsOf({ toolResults, lastUser }: Conversation, now: number): PromptFacts {
  const results = toolResults.map(({ name, result }) => ({ name: name ?? '', result }))
  return readPromptFacts(lastUser, { now, results })
}
