/**
 * The calls that answer a request: which tools, and with what arguments. A model goes from step to step, and
 * ends.
 */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { exactReply } from '../prompt/exact-reply.ts'
import { readPromptFacts } from '../prompt/facts.ts'
import { conceptsOf } from '../prompt/words.ts'
import type { AnswerRequest } from './answer-request.ts'
import type { Conversation, PastCall, Tool } from './conversation.ts'
import { endsAs, saysItEnds } from './ending-tools.ts'
import { aroundOf, type Considered, type PlannedCall, planCalls } from './plan-calls.ts'
import { prose } from './prose.ts'
import { minScore } from './score-tools.ts'

export interface WantedCall {
  readonly tool: Tool
  /** The words in which it is asked for. */
  readonly text: string
  readonly others: readonly string[]
  /** Which of several results it is about. */
  readonly turn?: number
}

export interface Wanted {
  readonly calls: readonly WantedCall[]
  readonly considered: readonly Considered[]
  /** Why nothing is called, where it is not for the scores. */
  readonly reason?: string
}

type Asked = Pick<AnswerRequest, 'tools' | 'choice' | 'parallel' | 'conversation' | 'schemas' | 'now'>

export function wantedCalls(asked: Asked, mustCall: boolean): Wanted {
  const { tools, choice, parallel } = asked
  // A tool whose grammar cannot be followed is called only when there is no other way.
  const callable = tools.filter(({ unwritable }) => unwritable !== true)
  const wanted = nextCalls({ ...asked, tools: callable })
  const refused =
    mustCall && wanted.calls.length === 0
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
  return parallel ? wanted : { ...wanted, calls: wanted.calls.slice(0, 1) }
}

const declined = /\b(?:do not|don['’]t|without|never)\b[^.!?\n]{0,30}\b(?:tools?|functions?)\b/i
/** What a client says of an answer that it could not read: no request for tools. */
const corrects = new RegExp(
  String.raw`^\W*(?:invalid|error|missing|validation|required field|(?:failed|unable|could not) (?:to ` +
    String.raw`)?(?:parse|validate)|your (?:last |previous )?(?:answer|response|output|reply)\b)`,
  'i',
)

/** Which tools were considered, with what score, and why none is called. */
export function explainTools({ calls, considered, reason }: Wanted): readonly string[] {
  if (considered.length === 0) return reason === undefined ? [] : [reason]
  const lines = considered.slice(0, 8).map(({ tool, score, why }) => `  - ${tool}: ${score} (${why})`)
  const more = considered.length > 8 ? [`  - and ${considered.length - 8} more`] : []
  const end = calls.length > 0 ? [] : [reason ?? noneFits(considered)]
  return [
    'The tools that were considered, with the score of the part of the prompt that fits best:',
    ...lines,
    ...more,
    ...end,
  ]
}

const noneFits = ([best]: readonly Considered[]): string =>
  (best?.score ?? 0) < minScore
    ? `No tool was called: none reached ${minScore}.`
    : 'No tool was called: the prompt has nothing that a tool is about, only a verb or nothing that it needs.'

const none: Wanted = { calls: [], considered: [] }

/** The calls of the next step; none when all is done, or nothing is to be called. */
function nextCalls({ tools, choice, conversation, schemas, now }: Asked): Wanted {
  const { lastUser, calls, toolResults } = conversation
  const whole = (tool: Tool | undefined): readonly WantedCall[] =>
    tool === undefined ? [] : [{ tool, text: lastUser, others: aroundOf(conversation) }]
  if (choice.mode === 'none' || tools.length === 0) return none
  if (choice.mode === 'named')
    return { ...none, calls: whole(tools.find(({ name }) => name === choice.name)) }
  const mustCall = choice.mode === 'required'
  if (!mustCall && (declined.test(lastUser) || corrects.test(lastUser)))
    return { ...none, reason: 'No tool was called: the prompt declines tools, or corrects an answer.' }
  const failed = toolResults.some(isFailure)
  const { steps, considered } = planCalls(tools, conversation, schemas, now)
  if (!failed) {
    const made = calls.map(({ name }) => name)
    for (const step of steps) {
      const all = step.flatMap((call) => eachResult(call, conversation))
      const open = all.filter(({ tool }) => !take(made, tool.name))
      if (open.length > 0 && !isEmptyHanded(step, conversation)) return { calls: open, considered }
      if (open.length > 0) break
    }
  }
  const last = mustCall ? lastTool(tools, conversation) : failed ? undefined : endingTool(tools, conversation)
  const reason = failed
    ? 'No tool was called: the last one failed.'
    : calls.length > 0
      ? 'No tool was called: all that was asked for is done, or nothing was found to go on with.'
      : considered.length === 0
        ? 'No tool was called: the prompt asks the model itself, not for anything to be done.'
        : undefined
  return { calls: whole(last), considered, ...(reason === undefined ? {} : { reason }) }
}

/** "Delete all of them" is a call for each thing that was found. */
function eachResult({ profile, text, others }: PlannedCall, { calls }: Conversation): readonly WantedCall[] {
  const call: WantedCall = { tool: profile.tool, text, others }
  if (
    !/\b(?:all|each|every|both|them|these|those)\b/i.test(text) ||
    !profile.fields.some(({ required, name }) => required && /id$/i.test(name))
  )
    return [call]
  const found = calls.findLast(({ name, result }) => result !== undefined && name !== profile.tool.name)
  const { results } = readPromptFacts('', { results: found === undefined ? [] : [returned(found)] })
  const id = profile.fields.find(({ required, name }) => required && /id$/i.test(name))?.name ?? 'id'
  const count = results.filter(({ value }) => Object.hasOwn(value, id) || Object.hasOwn(value, 'id')).length
  return count < 2 ? [call] : Array.from({ length: Math.min(count, 8) }, (_, turn) => ({ ...call, turn }))
}

const returned = ({ name, result }: PastCall) => ({ name: name ?? '', result: result ?? '' })

/** Whether what was looked for was not found, so that nothing can be done with it. */
function isEmptyHanded(step: readonly PlannedCall[], { calls }: Conversation): boolean {
  const last = calls.findLast(({ result }) => result !== undefined)
  return (
    last !== undefined &&
    new RegExp(
      String.raw`^\s*(?:\[\s*\]|null|\{\s*"\w+"\s*:\s*(?:\[\s*\]|null)\s*\}|(?:no|nothing|not) .{0,` +
        String.raw`40}(?:found|match)\w*.{0,20})\s*\.?\s*$`,
      'i',
    ).test(last.result ?? '') &&
    step.every(
      ({ profile, text }) =>
        profile.fields.some(({ required, name }) => required && /(?:id|number|key)$/i.test(name)) &&
        !/\d/.test(text),
    )
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
 * then the tool that ends, then one that was not called yet, then the one that ends once more, then the one
 * that was called least.
 */
function lastTool(tools: readonly Tool[], { lastUser, calls, toolResults }: Conversation): Tool | undefined {
  // What has failed once may be tried again.
  const countOf = (tool: Tool): number => {
    const made = calls.filter(({ name }) => name === tool.name)
    return made.length === 1 && made.some(isFailure) ? 0 : made.length
  }
  const least = (some: readonly Tool[]): Tool | undefined =>
    [...some].sort((a, b) => countOf(a) - countOf(b))[0]
  if (
    calls.length === 0 &&
    /\?|^\W*(?:what|how|who|where|which|when|number of|i['’]d like to know)\b/i.test(lastUser)
  ) {
    const working = tools.filter((tool) => endsAs(tool) < 2)
    if (working.length === 1 && working.length < tools.length) return working[0]
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

const isFailure = ({ failed, result }: Pick<PastCall, 'failed' | 'result'>): boolean =>
  failed || (result !== undefined && failure.test(result.slice(0, 400)))
const failure =
  /^\W*(?:\w+ )?(?:error|failed|failure|exception)\b|^\s*\{\s*"(?:error|isError)"\s*:\s*(?!null|false|"")/i

/** Takes a name out of a list, if it is there. */
function take(names: (string | undefined)[], name: string): boolean {
  const at = names.indexOf(name)
  if (at >= 0) names.splice(at, 1)
  return at >= 0
}

export function inputOf(
  { tool, text, others, turn }: WantedCall,
  { schemas, conversation, now }: AnswerRequest,
  random: Random,
  fakes: () => Fakes,
): string {
  if (tool.parameters !== undefined) {
    const results = conversation.calls.flatMap((call) => (call.result === undefined ? [] : [returned(call)]))
    const facts = readPromptFacts(text, {
      now,
      others,
      results,
      toolStems: conceptsOf(`${tool.name} ${tool.description}`),
      sparing: true,
    })
    const value = schemas.fill(tool.parameters, tool.path, {
      facts:
        turn === undefined
          ? facts
          : {
              ...facts,
              results: facts.results
                .filter(({ value: one }) => Object.keys(one).some((key) => /id$/i.test(key)))
                .slice(turn, turn + 1),
            },
      random: random.fork('fill'),
      fakes: fakes(),
      sparing: true,
    })
    return tool.kind === 'function' ? JSON.stringify(value) : String(value)
  }
  if (tool.kind === 'function') return '{}'
  return exactReply(text) ?? /```[\w-]*\n([^]{1,20000}?)\n?```/.exec(text)?.[1] ?? prose(text, random)
}
