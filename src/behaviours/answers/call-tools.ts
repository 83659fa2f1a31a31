/**
 * The calls that answer a request: which tools, and with what arguments. A model goes from step to step, and
 * ends.
 */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { exactReply } from '../prompt/exact-reply.ts'
import { readPromptFacts } from '../prompt/facts.ts'
import { asks } from '../prompt/said-words.ts'
import type { AnswerRequest } from './answer-request.ts'
import { declinesTools } from './choose-tools.ts'
import type { Conversation, Tool, ToolChoice } from './conversation.ts'
import { endsAs, saysItEnds } from './ending-tools.ts'
import { planCalls } from './plan-calls.ts'
import { prose } from './prose.ts'
import { looksUp } from './score-tools.ts'

export interface WantedCall {
  readonly tool: Tool
  /** The words in which it is asked for. */
  readonly prompt: string
  /** What is known from before: earlier steps, and what tools have returned. */
  readonly known: string
}

export function wantedCalls(
  {
    tools,
    choice,
    parallel,
    conversation,
  }: Pick<AnswerRequest, 'tools' | 'choice' | 'parallel' | 'conversation'>,
  mustCall: boolean,
): readonly WantedCall[] {
  // A tool whose grammar cannot be followed is called only when there is no other way.
  const callable = tools.filter(({ unwritable }) => unwritable !== true)
  const chosen = nextCalls(callable, choice, conversation)
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
  return parallel ? chosen : chosen.slice(0, 1)
}

/** The calls of the next step; empty when all is done, or nothing is to be called. */
function nextCalls(
  tools: readonly Tool[],
  choice: ToolChoice,
  conversation: Conversation,
): readonly WantedCall[] {
  const { lastUser, calls, toolResults } = conversation
  const results = calls.flatMap(({ result }) => (result === undefined ? [] : [result]))
  const whole = (tool: Tool | undefined): readonly WantedCall[] =>
    tool === undefined ? [] : [{ tool, prompt: lastUser, known: results.join('\n') }]
  if (choice.mode === 'none' || tools.length === 0) return []
  if (choice.mode === 'named') return whole(tools.find((tool) => tool.name === choice.name))
  const mustCall = choice.mode === 'required'
  if (!mustCall && declinesTools(lastUser)) return []
  const failed = toolResults.some(isFailure)
  if (!failed) {
    const made = calls.map(({ name }) => name)
    for (const step of planCalls(tools, conversation)) {
      const open = step.filter(({ tool }) => !take(made, tool.name))
      const known = results.join('\n')
      if (open.length > 0) return open.map(({ tool, text }) => ({ tool, prompt: text, known }))
    }
  }
  return whole(
    mustCall ? lastTool(tools, conversation) : failed ? undefined : endingTool(tools, conversation),
  )
}

/** In `auto`, a tool that takes the final answer: alone when it says so, else after others. */
function endingTool(tools: readonly Tool[], { calls }: Conversation): Tool | undefined {
  const fresh = tools.filter((tool) => !calls.some(({ name }) => name === tool.name))
  return calls.length > 0
    ? fresh.find((tool) => endsAs(tool) >= 3)
    : tools.length === 1
      ? fresh.find(saysItEnds)
      : undefined
}

/**
 * When something must be called and no step is left: for a question the only tool that looks things up,
 * then the tool that ends, then one that was not called yet,
 * then the one that ends once more, then the one that was called least.
 */
function lastTool(tools: readonly Tool[], { lastUser, calls, toolResults }: Conversation): Tool | undefined {
  // What has failed once may be tried again.
  const countOf = (tool: Tool): number => {
    const made = calls.filter(({ name }) => name === tool.name)
    return made.length === 1 && made.some(isFailure) ? 0 : made.length
  }
  const least = (some: readonly Tool[]): Tool | undefined =>
    [...some].sort((a, b) => countOf(a) - countOf(b))[0]
  if (calls.length === 0 && asks(lastUser)) {
    const working = tools.filter((tool) => endsAs(tool) < 2)
    const [only] = working
    if (only !== undefined && working.length === 1 && working.length < tools.length && looksUp(only))
      return only
  }
  // Before any call, a shape such as ContactInfo is a tool like others.
  const ending = tools.filter((tool) => endsAs(tool) > (calls.length > 0 ? 0 : 1))
  // Rather what failed once more than what nobody asked for.
  const failed = toolResults.find(isFailure)
  const retried = ending.length === 0 ? tools.find(({ name }) => name === failed?.name) : undefined
  if (retried !== undefined) return retried
  const end = least([...ending].sort((a, b) => endsAs(b) - endsAs(a)))
  const next = least(tools)
  return end !== undefined && next !== undefined && (countOf(end) === 0 || countOf(next) > 0) ? end : next
}

const isFailure = ({
  failed,
  result,
}: {
  readonly failed: boolean
  readonly result: string | undefined
}): boolean => failed || (result !== undefined && failure.test(result.slice(0, 400)))
const failure =
  /^\W*(?:\w+ )?(?:error|failed|failure|exception)\b|^\s*\{\s*"(?:error|isError)"\s*:\s*(?!null|false|"")/i

/** Takes a name out of a list, if it is there. */
function take(names: (string | undefined)[], name: string): boolean {
  const at = names.indexOf(name)
  if (at >= 0) names.splice(at, 1)
  return at >= 0
}

export function inputOf(
  { tool, prompt, known }: WantedCall,
  { schemas }: AnswerRequest,
  random: Random,
  fakes: () => Fakes,
): string {
  if (tool.parameters !== undefined) {
    const value = schemas.fill(tool.parameters, tool.path, {
      facts: readPromptFacts(prompt, known),
      random: random.fork('fill'),
      fakes: fakes(),
      sparing: true,
    })
    return tool.kind === 'function' ? JSON.stringify(value) : String(value)
  }
  if (tool.kind === 'function') return '{}'
  return exactReply(prompt) ?? /```[\w-]*\n([^]{1,20000}?)\n?```/.exec(prompt)?.[1] ?? prose(prompt, random)
}
