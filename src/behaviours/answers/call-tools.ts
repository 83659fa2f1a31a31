/** The calls that answer a request: which tools, and with what arguments. */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { exactReply } from '../prompt/exact-reply.ts'
import { readPromptFacts } from '../prompt/facts.ts'
import type { AnswerRequest } from './answer-request.ts'
import { chooseTools } from './choose-tools.ts'
import type { Tool } from './conversation.ts'
import { prose } from './prose.ts'

export interface WantedCall {
  readonly tool: Tool
  readonly prompt: string
}

export function wantedCalls(
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

export function inputOf(
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
