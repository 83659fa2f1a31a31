/** Chooses the tool calls for a request: each clause of the last user message calls the tool it names. */
import { ApiError } from '../../protocol/errors.ts'
import type { Place } from '../json-schema/merge-schema.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import { stemOf, Words } from '../words.ts'
import type { AnswerRequest, Conversation, PastCall, Tool } from './conversation.ts'
import { suggestionsFrom, tokensFor } from './suggest.ts'
import { objectOf, readablePart, type Token, tokensIn } from './tokens-in.ts'

/** A tool that may be called, with the words that name it. */
interface OfferedTool {
  readonly tool: Tool
  readonly name: Words
  readonly description: Words
  readonly parameters: readonly Place[]
  readonly required: readonly Place[]
}

/** A call to make, and the words and tokens that its arguments come from. */
export interface ChosenCall {
  readonly tool: Tool
  readonly words: Words
  readonly tokens: readonly Token[]
}

/**
 * A clause below this score calls no tool. A stem of the name counts 3, of the rest 1, and less if several
 * tools share it.
 */
const threshold = 1.5
const readableTypes = ['string', 'number', 'integer'] as const
const maxClauses = 40
const maxCalls = 8

/** The calls of this turn; none if all are made, or nothing asks for one. */
export function chooseCalls(request: AnswerRequest): readonly ChosenCall[] {
  const { choice, conversation, parallel, schemas, tools } = request
  if (choice.mode === 'none') return []
  const offered = tools
    .filter(({ name }) => choice.mode !== 'named' || name === choice.name)
    .map((tool) => offeredTool(tool, schemas))
  const planned = plannedCalls(offered, readablePart(conversation.lastUser))
  const left = withoutMade(planned, conversation.calls, ({ tool }, { name }) => tool.name === name)
  if (left.length > 0) return left.slice(0, parallel ? maxCalls : 1)
  return choice.mode === 'auto' ? [] : [requiredCall(offered, request)]
}

export function offeredTool(tool: Tool, schemas: Schemas): OfferedTool {
  const { kind, name, description, parameters, path } = tool
  const isRead = kind === 'function' && parameters !== undefined
  const places = isRead ? schemas.properties(parameters, path) : []
  return {
    tool,
    name: schemas.words(name),
    description: schemas.words(description.slice(0, 1000)),
    parameters: places,
    required: places.filter(({ required }) => required),
  }
}

/** What a stem in a text says for a tool, whether or not it says the same for others. */
function weightOf(stem: string, tool: OfferedTool): number {
  if (tool.name.subjects.has(stem) || isValueOf(stem, tool)) return 3
  const isParameter = tool.parameters.some(({ name }) => name.subjects.has(stem))
  return isParameter || tool.description.subjects.has(stem) ? 1 : 0
}

/** Whether a value of an `enum` has the stem. */
function isValueOf(stem: string, { parameters }: OfferedTool): boolean {
  return parameters.some(({ node }) => node.subjects.has(stem))
}

/** The calls that the clauses of a text name. A clause that names no tool belongs to the call before it. */
function plannedCalls(offered: readonly OfferedTool[], text: string): readonly ChosenCall[] {
  const named: { tool: OfferedTool; isByValue: boolean; begin: number; end: number }[] = []
  for (const { words, begin, end } of clausesOf(text)) {
    const tool = toolNamedIn(words, offered)
    const isByValue = tool !== undefined && isNamedByValue(tool, words)
    const last = named.at(-1)
    // `…, in celsius` adds a value to a call, and `… and subtract 4 from 10` is another one.
    const goesOn = tool === undefined || (tool === last?.tool && isByValue && !last.isByValue)
    if (last !== undefined && goesOn) last.end = end
    else if (tool !== undefined) named.push({ tool, isByValue, begin: last === undefined ? 0 : begin, end })
  }
  if (named.length === 0) return onlyTool(offered, text)
  return named.flatMap(({ tool, begin, end }) => callsOf(tool, text.slice(begin, end)))
}

/** The tool that shares most stems with a clause, if they are enough. */
function toolNamedIn(clause: Words, offered: readonly OfferedTool[]): OfferedTool | undefined {
  const scores = new Map<OfferedTool, number>()
  for (const stem of clause.subjects) {
    const named = offered
      .map((tool) => ({ tool, weight: weightOf(stem, tool) }))
      .filter(({ weight }) => weight > 0)
    for (const { tool, weight } of named) scores.set(tool, (scores.get(tool) ?? 0) + weight / named.length)
  }
  const [best] = [...scores].sort(([, one], [, other]) => other - one)
  return best !== undefined && best[1] >= threshold ? best[0] : undefined
}

/** Whether nothing but values of an `enum` names the tool. */
function isNamedByValue(tool: OfferedTool, { subjects }: Words): boolean {
  return [...subjects].every((stem) => isValueOf(stem, tool) || weightOf(stem, tool) === 0)
}

/** The clauses of a text; a quotation is not divided. */
function clausesOf(text: string): readonly { words: Words; begin: number; end: number }[] {
  const masked = text.replace(/"[^"\n]*"|“[^”\n]*”|```[^]*?```/g, (quote) => '"'.repeat(quote.length))
  const between = /[.!?;]\s+|\n+|,? (?:(?:and|then|also) )+/g
  const ends = [...masked.matchAll(between)].slice(0, maxClauses - 1)
  return [...ends, undefined].map((end, index) => {
    const before = ends[index - 1]
    const begin = before === undefined ? 0 : before.index + before[0].length
    const range = { begin, end: end?.index ?? text.length }
    return { ...range, words: new Words(text.slice(range.begin, range.end)) }
  })
}

/** The only offered tool, if its required arguments can be read from the text. */
function onlyTool([only, another]: readonly OfferedTool[], text: string): readonly ChosenCall[] {
  if (only === undefined || another !== undefined || only.required.length === 0) return []
  const call = callOf(only, text)
  const suggest = suggestionsFrom(call.words, call.tokens)
  const used = new Set<unknown>()
  const canBeRead = only.required.every((place) => {
    const { values, types } = place.node.description
    // One value of an `enum` is as good as another; a flag, a list or an object says little.
    if (values !== undefined || !readableTypes.some((type) => types.has(type))) return true
    const [candidate] = suggest(place, used)
    used.add(candidate?.token)
    return candidate !== undefined
  })
  return canBeRead ? [call] : []
}

/** The call of a tool with the arguments in a text. */
export function callOf(offered: OfferedTool, text: string): ChosenCall {
  const words = new Words(text)
  const object = objectOf(words, (stem) => weightOf(stem, offered) > 0)
  const tokens = tokensIn(text).filter((token) => !isValueOf(stemOf(token.text.toLowerCase()), offered))
  const isKnown = tokens.some(({ at }) => at === object?.at && object.form === 'name')
  return {
    tool: offered.tool,
    words,
    tokens: object === undefined || isKnown ? tokens : [...tokens, object],
  }
}

/** `Paris and London` is a call for each, if the tool has one required argument. */
function callsOf(offered: OfferedTool, text: string): readonly ChosenCall[] {
  const call = callOf(offered, text)
  const [place, another] = offered.required
  if (place === undefined || another !== undefined || !text.includes(' and ')) return [call]
  const [first, ...others] = tokensFor(place, call.tokens)
  const alike = [first, ...others].filter((token) => token !== undefined && token.form === first?.form)
  if (alike.length < 2) return [call]
  return alike.map((one) => ({
    ...call,
    tokens: call.tokens.filter((token) => token === one || !alike.includes(token)),
  }))
}

/** The planned calls without those that were made: each call that was made stands for one. */
export function withoutMade<T>(
  planned: readonly T[],
  calls: Conversation['calls'],
  isSame: (one: T, call: PastCall) => boolean,
): readonly T[] {
  const made = [...calls]
  return planned.filter((one) => {
    const at = made.findIndex((call) => isSame(one, call))
    if (at >= 0) made.splice(at, 1)
    return at < 0
  })
}

/**
 * The call of a request that demands one although no clause is left: of a tool that was called least. After
 * other calls it is the last of these: agents add the tool that ends there.
 */
function requiredCall(offered: readonly OfferedTool[], request: AnswerRequest): ChosenCall {
  const { calls, lastUser } = request.conversation
  const countOf = ({ tool }: OfferedTool): number => calls.filter(({ name }) => name === tool.name).length
  const fewest = Math.min(...offered.map(countOf))
  const least = offered.filter((tool) => countOf(tool) === fewest)
  const next = calls.length > 0 ? least.at(-1) : least[0]
  if (next === undefined) {
    const message = 'tool_choice demands a tool call, but no such tool is offered'
    throw new ApiError('invalid_request_error', message, { param: 'tool_choice' })
  }
  return callOf(next, readablePart(lastUser))
}
