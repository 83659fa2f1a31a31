/**
 * Decides what a model answers: text, structured output, tool calls or a refusal, from the prompt and the
 * seed, for all chat APIs.
 */
import type { Random } from '../../engine/random.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PlannedAnswer } from '../../protocol/plan.ts'
import { clip } from '../../protocol/wording.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { type PromptFacts, readPromptFacts } from '../json-schema/prompt/facts.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import { chooseTools } from './choose-tools.ts'
import type { AnswerFormat, Conversation, Tool, ToolChoice } from './conversation.ts'
import { describedShape, objectsIn } from './described-shape.ts'
import { exactReply, offeredAnswers } from './exact-reply.ts'
import { prose, type Verbosity } from './prose.ts'

/** The generator of fake values that the platform has loaded. */
export function fakesOf(context: Context): Fakes {
  const { fakes } = context.facilities
  if (fakes === undefined)
    throw new Error('the fakes are not loaded: call simulator.preload() before handle(), or use fetch')
  return fakes as Fakes
}

export interface ToolCall {
  readonly tool: Tool
  /** The arguments as JSON text, or the input of a custom tool. */
  readonly input: string
}

export type ModelAnswer =
  /** `given` is text that the prompt or the plan dictates; nothing may be added to it. */
  | { readonly kind: 'text'; readonly text: string; readonly given: boolean }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }

export interface AnswerRequest {
  readonly conversation: Conversation
  /** The tools that may be called. */
  readonly tools: readonly Tool[]
  readonly choice: ToolChoice
  readonly parallel: boolean
  readonly format: AnswerFormat
  readonly verbosity: Verbosity
  readonly planned: PlannedAnswer | undefined
  readonly schemas: Schemas
}

/**
 * Prepares the answers to a request, one per random source: what does not depend on chance is done once.
 * Throws 400 for a schema that cannot be followed, with its path and keyword.
 */
export function prepareAnswer(asked: AnswerRequest, fakes: () => Fakes): (random: Random) => ModelAnswer {
  const { planned } = asked
  if (planned?.refusal !== undefined) return () => ({ kind: 'refusal', text: planned.refusal as string })
  if (planned?.text !== undefined) return () => ({ kind: 'text', text: planned.text as string, given: true })
  const { conversation, tools, choice } = asked
  const question = conversation.lastUser.includes('[sim:')
    ? { ...asked, conversation: withoutReservedWords(conversation) }
    : asked
  const mustCall = choice.mode === 'required' || choice.mode === 'named'
  const calls = tools.length > 0 || mustCall ? wantedCalls(question, mustCall) : []
  return calls.length > 0
    ? (random) => ({
        kind: 'calls',
        calls: calls.map((call, index) => ({
          tool: call.tool,
          input: inputOf(call, question, random.fork(`call ${index}`), fakes),
        })),
      })
    : textAnswers(question, fakes)
}

// A reserved word controls the simulator and is no topic.
function withoutReservedWords(conversation: Conversation): Conversation {
  return { ...conversation, lastUser: conversation.lastUser.replace(/ ?\[sim:[^\]\n]{0,40}\]/g, '').trim() }
}

interface WantedCall {
  readonly tool: Tool
  readonly prompt: string
}

function wantedCalls(
  { tools, choice, parallel, conversation }: AnswerRequest,
  mustCall: boolean,
): readonly WantedCall[] {
  const { lastUser } = conversation
  // A tool whose grammar cannot be followed is called only when there is no other way.
  const callable = tools.filter(({ unwritable }) => unwritable !== true)
  const chosen = chooseTools(callable, choice, lastUser, {
    parallel,
    again: conversation.toolResults.length > 0,
  })
  const refused =
    mustCall && chosen.length === 0
      ? tools.find(({ name }) => choice.mode !== 'named' || name === choice.name)
      : undefined
  if (refused !== undefined) {
    throw new ApiError(
      'invalid_request_error',
      `\`${refused.path}\`: the simulator writes no text of this grammar, and the tool ` +
        `${JSON.stringify(refused.name)} must be called: expected a grammar with the syntax "regex", or ` +
        'the format "text".',
      { param: refused.path },
    )
  }
  const [only] = chosen
  const prompts =
    only !== undefined && chosen.length === 1 && parallel ? promptsBySubject(only, lastUser) : []
  return prompts.length > 1
    ? prompts.map((prompt) => ({ tool: only as Tool, prompt }))
    : chosen.map((tool) => ({ tool, prompt: lastUser }))
}

function inputOf(
  { tool, prompt }: WantedCall,
  { schemas }: AnswerRequest,
  random: Random,
  fakes: () => Fakes,
): string {
  if (tool.parameters !== undefined) {
    const value = schemas.fill(tool.parameters, tool.path, {
      facts: readPromptFacts(prompt),
      random: random.fork('fill'),
      fakes: fakes(),
    })
    return tool.kind === 'function' ? JSON.stringify(value) : String(value)
  }
  if (tool.kind === 'function') return '{}'
  return exactReply(prompt) ?? /```[\w-]*\n([^]{1,20000}?)\n?```/.exec(prompt)?.[1] ?? prose(prompt, random)
}

const capitalised = String.raw`\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30}){0,3}`
const listOfNames = new RegExp(
  String.raw`(?<![\p{L}])(${capitalised}(?:, ${capitalised}){0,8},? and ${capitalised})`,
  'u',
)

/**
 * A prompt that names several places or things for one tool ("the weather in Paris and London") asks for
 * several calls: the prompt once per name, without the others.
 */
function promptsBySubject(tool: Tool, prompt: string): readonly string[] {
  if (!takesOneName(tool.parameters)) return []
  const said = prompt.slice(0, 4000)
  const list = listOfNames.exec(said)?.[1]
  return list === undefined
    ? []
    : list
        .split(/,? and |, /)
        .slice(0, 8)
        .map((name) => said.replace(list, () => name))
}

// Several names go into one call when it has several parameters for them, or takes a phrase.
function takesOneName(parameters: unknown): boolean {
  if (parameters === null || typeof parameters !== 'object') return false
  const { properties, required } = parameters as { properties?: unknown; required?: unknown }
  if (properties === null || typeof properties !== 'object') return false
  const open = Object.entries(properties as Record<string, unknown>).flatMap(([name, schema]) => {
    const { type, enum: values } = (schema ?? {}) as { type?: unknown; enum?: unknown }
    return type === 'array' ? ['array'] : type === 'string' && values === undefined ? [name] : []
  })
  const needed = Array.isArray(required) ? open.filter((name) => required.includes(name)) : []
  const candidates = needed.length > 0 ? needed : open
  return (
    candidates.length === 1 &&
    !/^(?:array|query|q|text|prompt|question|input|content|message|expression|sql|code|topic)$/i.test(
      candidates[0] as string,
    )
  )
}

function textAnswers(question: AnswerRequest, fakes: () => Fakes): (random: Random) => ModelAnswer {
  const { conversation, format, schemas } = question
  const { lastUser, instructions, toolResults } = conversation
  if (format.kind === 'schema') {
    const facts = factsOf(conversation)
    return (random) => ({
      kind: 'text',
      text: JSON.stringify(
        schemas.fill(format.schema, format.path, { facts, random: random.fork('fill'), fakes: fakes() }),
      ),
      given: true,
    })
  }
  const exact = toolResults.length > 0 ? undefined : (exactReply(lastUser) ?? exactReply(instructions, true))
  if (format.kind === 'json') return jsonAnswers(question, exact, fakes)
  if (exact !== undefined) return () => ({ kind: 'text', text: exact, given: true })
  if (toolResults.length > 0)
    return (random) => ({ kind: 'text', text: quoteResults(conversation, random), given: false })
  const byUser = offeredAnswers(lastUser)
  const offered = byUser.length > 0 ? byUser : offeredAnswers(instructions)
  if (offered.length > 0)
    return (random) => ({ kind: 'text', text: random.fork('offered').pick(offered), given: true })
  return (random) => ({
    kind: 'text',
    text: prose(lastUser, random.fork('prose'), question.verbosity),
    given: false,
  })
}

const maxQuoteLength = 4000
/** The maximum of quoted characters in an answer: there may be thousands of results, and 128 choices. */
const maxQuotesLength = 20_000

/** The answer after tool results, which quotes them. */
function quoteResults({ toolResults }: Conversation, random: Random): string {
  const opener = random
    .fork('results')
    .pick(['Here is what I found.', 'I looked it up.', 'This is the result.', 'Here is the answer.'])
  const lines = toolResults.map(({ name, text }) => {
    const quote = text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text
    return `${name ?? 'The tool'} returned: ${quote}`
  })
  return clip([opener, ...lines].join('\n'), maxQuotesLength)
}

/** Legacy JSON mode: an object, in the shape that the messages describe if they do. */
function jsonAnswers(
  { conversation, schemas, verbosity }: AnswerRequest,
  exact: string | undefined,
  fakes: () => Fakes,
): (random: Random) => ModelAnswer {
  const { instructions, lastUser, toolResults } = conversation
  const said = (value: unknown): ModelAnswer => ({ kind: 'text', text: JSON.stringify(value), given: true })
  const asked = exact === undefined ? undefined : [...objectsIn(exact)][0]?.object
  if (asked !== undefined) return () => said(asked)
  const byInstructions = describedShape(instructions)
  const shape = byInstructions ?? describedShape(lastUser, true)
  const facts = factsOf(
    byInstructions === undefined && shape !== undefined
      ? { ...conversation, lastUser: shape.rest }
      : conversation,
  )
  const wrapped = (random: Random): ModelAnswer =>
    said({
      answer:
        toolResults.length > 0
          ? quoteResults(conversation, random)
          : (exact ?? prose(lastUser, random.fork('prose'), verbosity)),
    })
  if (shape === undefined) return wrapped
  return (random) => {
    try {
      const value = schemas.fill(shape.schema, 'messages', {
        facts,
        random: random.fork('fill'),
        fakes: fakes(),
      })
      return value !== null && typeof value === 'object' && !Array.isArray(value)
        ? said(value)
        : wrapped(random)
    } catch (error) {
      // A schema in a message is only a wish: an object of another shape still keeps the promise of the
      // mode.
      if (!(error instanceof ApiError)) throw error
      return wrapped(random)
    }
  }
}

/** The facts that the answer may use: of the tool results and the user's message. */
function factsOf({ toolResults, lastUser }: Conversation): PromptFacts {
  return readPromptFacts([...toolResults.map(({ text }) => inLines(text)), lastUser].join('\n'))
}

// A JSON result is read as a list of facts: a line for each value, with its name.
function inLines(result: string): string {
  const [whole] = objectsIn(result)
  if (whole === undefined) return result
  const lines: string[] = []
  const add = (value: unknown, name: string): void => {
    if (lines.length >= 100) return
    if (value !== null && typeof value === 'object')
      for (const [key, part] of Object.entries(value)) add(part, Array.isArray(value) ? name : key)
    else lines.push(`${name}: ${String(value)}`)
  }
  add(whole.object, '')
  return lines.join('\n')
}
