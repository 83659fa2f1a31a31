/** Texts that are JSON because the messages ask for it, or because JSON mode promises an object. */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import type { JsonValue } from '../json-schema/json-value.ts'
import { createSchemas } from '../json-schema/schemas.ts'
import { describedShape } from '../prompt/described-shape.ts'
import { type PromptFacts, readPromptFacts } from '../prompt/facts.ts'
import { type JsonWish, jsonWish } from '../prompt/json-wish.ts'
import { requestedLength } from '../prompt/requested-length.ts'
import { objectOf, type Schema } from '../prompt/value-notes.ts'
import type { ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'

/** The wish for JSON of a conversation, and the shape that its messages describe. */
export interface AskedJson extends JsonWish {
  /** The instructions, as far as they speak of lengths. */
  readonly instructions: string
}

/** What the messages ask of JSON; undefined when they ask for none. The user's last word counts most. */
export function askedJson(conversation: Conversation): AskedJson | undefined {
  const { instructions, lastUser } = conversation
  const byUser = jsonWish(lastUser, true)
  if (byUser === null) return undefined
  const bySystem = jsonWish(instructions, false) ?? undefined
  if (byUser === undefined && bySystem === undefined) return undefined
  const any = anyJson(conversation, byUser)
  return {
    ...any,
    fenced: byUser?.fenced === true || bySystem?.fenced === true,
    list: byUser?.list ?? bySystem?.list,
  }
}

/** The shape for an answer that has to be JSON, whether or not the messages say so. */
export function anyJson({ instructions, lastUser }: Conversation, byUser?: JsonWish): AskedJson {
  const plain = { fenced: false, list: undefined, instructions }
  const rest = byUser?.rest ?? lastUser
  if (byUser?.shape !== undefined) return { ...plain, shape: byUser.shape, rest }
  const byInstructions = describedShape(instructions)
  if (byInstructions !== undefined) return { ...plain, shape: byInstructions, rest }
  const shape = describedShape(lastUser, true)
  return { ...plain, shape, rest: shape?.rest ?? rest }
}

/** The texts in JSON. `said` is what the answer would be in words; `object` demands an object, bare. */
export function jsonAnswers(
  asked: AskedJson,
  conversation: Conversation,
  {
    said,
    object,
    fakes,
    now,
  }: { said(random: Random): string; object: boolean; fakes(): Fakes; now: number },
): (random: Random) => ModelAnswer {
  const facts = factsOf({ ...conversation, lastUser: asked.rest }, now)
  const [listed, schema] = schemaOf(asked)
  const schemas = createSchemas()
  const text = (value: JsonValue): ModelAnswer => ({
    kind: 'text',
    text:
      asked.fenced && !object
        ? `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
        : JSON.stringify(value),
    given: true,
  })
  const found = schema === undefined ? resultOf(conversation) : undefined
  return (random) => {
    if (found !== undefined) return text(found)
    const filled =
      schema === undefined
        ? undefined
        : wished(() =>
            schemas.fill(schema, 'messages', { facts, random: random.fork('fill'), fakes: fakes() }),
          )
    const value = listed === undefined || object ? filled : (filled as Record<string, JsonValue>)?.[listed]
    return value === undefined || (object && !isObject(value)) ? text({ answer: said(random) }) : text(value)
  }
}

// A schema in a message is only a wish: an object of another shape still keeps the promise of JSON.
function wished(fill: () => JsonValue): JsonValue | undefined {
  try {
    return fill()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return undefined
  }
}

/** The schema to fill. A list is filled as a property, whose name says what of; it is named in front. */
function schemaOf({
  shape,
  list,
  rest,
  instructions,
}: AskedJson): readonly [string | undefined, Schema | undefined] {
  const isList = shape?.schema['type'] === 'array'
  const length = [rest, instructions].map((text) => requestedLength(text)).find(({ unit }) => unit === 'item')
  if (list === undefined && !isList) {
    if (shape !== undefined || length === undefined) return [undefined, shape?.schema]
  }
  const noun = list?.noun
  const name = noun ?? (length?.unit === 'item' ? length.noun.replace(/^objects$/, 'items') : 'items')
  const array: Schema = isList
    ? (shape?.schema as Schema)
    : { type: 'array', items: shape?.schema ?? itemNamed(name), minItems: 1 }
  const sized = length?.unit === 'item' ? { ...array, minItems: length.least, maxItems: length.most } : array
  return [list === undefined && !isList ? undefined : name, objectOf(new Map([[name, sized]]))]
}

const itemNamed = (noun: string): Schema => ({
  type: /^(?:numbers|integers|floats|scores|years)$/.test(noun) ? 'integer' : 'string',
})

/** What the one tool returned, when it is an object already. */
function resultOf({ toolResults }: Conversation): JsonValue | undefined {
  const [only] = toolResults
  if (only === undefined || toolResults.length > 1 || only.result.length > maxResult) return undefined
  try {
    const value = JSON.parse(only.result) as JsonValue
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
const maxResult = 4000

const isObject = (value: JsonValue): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The facts that the answer may use: of the tool results and the user's message. */
export function factsOf({ toolResults, lastUser }: Conversation, now: number): PromptFacts {
  const results = toolResults.map(({ name, result }) => ({ name: name ?? '', result }))
  return readPromptFacts(lastUser, { now, results })
}
