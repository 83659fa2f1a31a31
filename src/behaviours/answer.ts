/**
 * What a model answers: text, structured output, tool calls or a refusal, from the prompt and the seed. One place for all
 * APIs that talk; knows no wire format.
 */
import type { Random } from '../engine/random.ts'
import type { Context } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import type { PlannedAnswer } from '../protocol/plan.ts'
import { chooseTools } from './choose-tools.ts'
import type { AnswerFormat, Conversation, Tool, ToolChoice } from './conversation.ts'
import type { Fakes } from './fakes.ts'
import { fillSchema, type JsonValue } from './json-schema/fill-schema.ts'
import { readSchema } from './json-schema/read-schema.ts'
import { SchemaRefusal } from './json-schema/schema-refusal.ts'
import { readPromptFacts, type PromptFacts } from './prompt-facts.ts'
import { exactReply, prose } from './prose.ts'

/** The dictionary of fakes that the edge has loaded. */
export function fakesOf(context: Context): Fakes {
  const { fakes } = context.facilities
  if (fakes === undefined) throw new Error('the fakes are not loaded: await simulator.load() before handle(), or use fetch')
  return fakes as Fakes
}

export interface ToolCall {
  readonly tool: Tool
  /** The arguments as JSON text, or the input of a custom tool. */
  readonly input: string
}

export type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }

export interface Question {
  readonly conversation: Conversation
  readonly tools: readonly Tool[]
  readonly choice: ToolChoice
  readonly parallel: boolean
  readonly format: AnswerFormat
  readonly planned: PlannedAnswer | undefined
  /** Where schemas stand in the request, for refusals: `tools[0].function.parameters`. */
  readonly schemaPath: (tool: Tool | undefined) => string
}

/** The answer to a question. Throws 400 for a schema that cannot be followed, with its place and keyword. */
export function answerTo(question: Question, random: Random, fakes: () => Fakes): Answer {
  const { conversation, planned } = question
  if (planned?.refusal !== undefined) return { kind: 'refusal', text: planned.refusal }
  if (planned?.text !== undefined) return { kind: 'text', text: planned.text }
  const again = conversation.toolResults.length > 0
  const tools = chooseTools(question.tools, question.choice, conversation.lastUser, { parallel: question.parallel, again })
  if (tools.length > 0) return { kind: 'calls', calls: calls(tools, question, random, fakes) }
  return { kind: 'text', text: textAnswer(question, random, fakes) }
}

function textAnswer(question: Question, random: Random, fakes: () => Fakes): string {
  const { conversation, format } = question
  if (format.kind === 'schema') return JSON.stringify(fill(format.schema, question.schemaPath(undefined), factsOf(conversation), random, fakes))
  if (format.kind === 'json') return jsonAnswer(question, random, fakes)
  if (conversation.toolResults.length > 0) return quoteResults(conversation, random)
  return exactReply(conversation.lastUser) ?? prose(conversation.lastUser, random.fork('prose'))
}

/** After a tool result the answer is in text and quotes it. */
function quoteResults({ toolResults }: Conversation, random: Random): string {
  const opener = random.pick(['Here is what I found.', 'I looked it up.', 'This is the result.'])
  const lines = toolResults.map(({ name, text }) => `${name === undefined ? 'The tool' : name} returned: ${text}`)
  return [opener, ...lines].join('\n')
}

function calls(tools: readonly Tool[], question: Question, random: Random, fakes: () => Fakes): readonly ToolCall[] {
  const facts = factsOf(question.conversation)
  const several = tools.length === 1 && question.parallel ? subjects(tools[0] as Tool, question.conversation.lastUser) : []
  if (several.length > 1) {
    const [tool] = tools as [Tool]
    return several.map((subject, index) => ({ tool, input: inputOf(tool, question, readPromptFacts(subject), random.fork(`call ${index}`), fakes) }))
  }
  return tools.map((tool, index) => ({ tool, input: inputOf(tool, question, facts, random.fork(`call ${index}`), fakes) }))
}

function inputOf(tool: Tool, question: Question, facts: PromptFacts, random: Random, fakes: () => Fakes): string {
  if (tool.kind === 'custom') {
    if (tool.pattern !== undefined) return String(fill({ type: 'string', pattern: tool.pattern }, question.schemaPath(tool), facts, random, fakes))
    return exactReply(question.conversation.lastUser) ?? prose(question.conversation.lastUser, random)
  }
  const filled = fill(tool.parameters ?? { type: 'object', properties: {} }, question.schemaPath(tool), facts, random, fakes)
  return JSON.stringify(filled)
}

/**
 * A prompt that names two places or things for one tool ("the weather in Paris and London") asks for two calls: the
 * prompt once per name, with the other names left out.
 */
function subjects(tool: Tool, prompt: string): readonly string[] {
  const { parameters } = tool
  const properties = parameters !== null && typeof parameters === 'object' ? (parameters as { properties?: Record<string, { type?: unknown; enum?: unknown }> }).properties : undefined
  if (properties === undefined || properties === null || typeof properties !== 'object') return []
  const strings = Object.values(properties).filter((schema) => schema !== null && typeof schema === 'object' && schema.type === 'string' && schema.enum === undefined)
  if (strings.length !== 1) return []
  const list = /\b((?:[A-Z][\p{L}'-]+(?: [A-Z][\p{L}'-]+)*)(?:, (?:[A-Z][\p{L}'-]+(?: [A-Z][\p{L}'-]+)*))*,? and (?:[A-Z][\p{L}'-]+(?: [A-Z][\p{L}'-]+)*))/u.exec(prompt)?.[1]
  if (list === undefined) return []
  const names = list.split(/, and |, | and /).slice(0, 8)
  return names.map((name) => prompt.replace(list, name))
}

/** Legacy JSON mode: an object, of the shape that the instructions describe when they do. */
function jsonAnswer(question: Question, random: Random, fakes: () => Fakes): string {
  const { conversation } = question
  const facts = factsOf(conversation)
  const written = schemaIn(conversation.instructions) ?? schemaIn(conversation.lastUser)
  if (written !== undefined) {
    try {
      const value = fill(written, 'messages', facts, random, fakes)
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) return JSON.stringify(value)
    } catch (error) {
      // A schema in prose is a wish, not a field of the request: an object of another shape still keeps the mode's promise.
      if (!(error instanceof ApiError)) throw error
    }
  }
  const keys = keysIn(`${conversation.instructions}\n${conversation.lastUser}`)
  if (keys.length > 0) {
    const properties = Object.fromEntries(keys.map((key) => [key, { type: numeric.test(key) ? 'integer' : 'string' }]))
    return JSON.stringify(fill({ type: 'object', properties, required: keys }, 'messages', facts, random, fakes))
  }
  const answer = conversation.toolResults.length > 0 ? quoteResults(conversation, random) : (exactReply(conversation.lastUser) ?? prose(conversation.lastUser, random.fork('prose')))
  try {
    const asked: unknown = JSON.parse(answer)
    if (asked !== null && typeof asked === 'object' && !Array.isArray(asked)) return JSON.stringify(asked)
  } catch {
    // Most answers are no JSON, and are wrapped.
  }
  return JSON.stringify({ answer })
}

const numeric = /(?:count|number|age|year|quantity|total|amount|price|score|rating|id)$/i

function keysIn(text: string): string[] {
  const list = /\b(?:keys?|fields?|properties|property|attributes?)\b[^."'`\n]{0,30}((?:["'`][\w-]{1,40}["'`](?:\s*\([^)]*\))?(?:,? and |, | or )?)+)/i.exec(text)?.[1]
  return list === undefined ? [] : [...new Set([...list.matchAll(/["'`]([\w-]{1,40})["'`]/g)].map(([, key]) => key as string))].filter((key) => key !== '__proto__')
}

/** A JSON Schema that stands in a text, as some clients put it into the system prompt. */
function schemaIn(text: string): unknown {
  const at = text.search(/\{\s*"(?:\$schema|type|properties)"/)
  if (at < 0) return undefined
  const end = text.lastIndexOf('}')
  for (let stop = end; stop > at; stop = text.lastIndexOf('}', stop - 1)) {
    try {
      const schema: unknown = JSON.parse(text.slice(at, stop + 1))
      return schema
    } catch {
      if (end - stop > 2000) return undefined
    }
  }
  return undefined
}

function factsOf(conversation: Conversation): PromptFacts {
  return readPromptFacts(conversation.lastUser)
}

function fill(schema: unknown, path: string, facts: PromptFacts, random: Random, fakes: () => Fakes): JsonValue {
  try {
    return fillSchema(readSchema(schema), { random: random.fork('fill'), facts, fakes: fakes() })
  } catch (error) {
    if (!(error instanceof SchemaRefusal)) throw error
    const param = error.path === '' ? path : `${path}.${error.path}`
    throw new ApiError('invalid_request_error', `Invalid schema at \`${param}\`: ${error.message}`, { param })
  }
}

/** Refuses schemas that cannot be followed, whether or not this call will use them. */
export function checkSchema(schema: unknown, path: string): void {
  try {
    readSchema(schema)
  } catch (error) {
    if (!(error instanceof SchemaRefusal)) throw error
    const param = error.path === '' ? path : `${path}.${error.path}`
    throw new ApiError('invalid_request_error', `Invalid schema at \`${param}\`: ${error.message}`, { param })
  }
}
