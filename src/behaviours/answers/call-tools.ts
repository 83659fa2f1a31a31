/**
 * The tool calls for a request, with their arguments. A model makes the calls of one step after the other,
 * and then stops.
 */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import type { Field } from '../json-schema/from-prompt/fields.ts'
import { exactResponse } from '../prompt/exact-response.ts'
import { PromptFacts, type Results, readResults } from '../prompt/facts.ts'
import { createReader, type Reading } from '../prompt/reading.ts'
import type { AnswerRequest } from './answer-request.ts'
import type { Conversation, PastCall, Tool } from './conversation.ts'
import { aroundOf, type Considered, type PlannedCall, Planner } from './plan-calls.ts'
import { prose } from './prose.ts'
import { backward, minScore, profilesOf, type Reason, saysItEnds, type ToolProfile } from './score-tools.ts'

export interface WantedCall {
  readonly tool: Tool
  /** The words that request it. */
  readonly own: Reading
  readonly facts: PromptFacts
}

export interface Wanted {
  readonly calls: readonly WantedCall[]
  readonly considered: readonly Considered[]
  /** The reason for no tool call, other than the scores. */
  readonly reason?: string
}

type Asked = Pick<
  AnswerRequest,
  'tools' | 'choice' | 'parallel' | 'conversation' | 'schemas' | 'shared' | 'now'
>

export function wantedCalls(asked: Asked, mustCall: boolean): Wanted {
  const { tools, choice, parallel } = asked
  // A tool with an unsupported grammar is called only as the last resort.
  const callable = tools.filter(({ unwritable }) => unwritable !== true)
  const wanted = nextCalls({ ...asked, tools: callable })
  const rejected =
    mustCall && wanted.calls.length === 0
      ? tools.find(({ name }) => choice.mode !== 'named' || name === choice.name)
      : undefined
  if (rejected !== undefined) {
    throw new ApiError(
      'invalid_request_error',
      `\`${rejected.path}\`: the request requires a call to the tool ${JSON.stringify(rejected.name)}, but ` +
        'the simulator cannot generate text for its grammar: expected a grammar with the syntax "regex", ' +
        'or the format "text".',
      { param: rejected.path },
    )
  }
  return parallel ? wanted : { ...wanted, calls: wanted.calls.slice(0, 1) }
}

const declined = /\b(?:do not|don['’]t|without|never)\b[^.!?\n]{0,30}\b(?:tools?|functions?)\b/i
/** A client's complaint about an unreadable answer is not a request for tools. */
const corrects = new RegExp(
  String.raw`^\W*(?:invalid|error|missing|validation|required field|(?:failed|unable|could not) ` +
    '(?:to )?(?:parse|validate)|your (?:last |previous )?(?:answer|response|output|reply)' +
    String.raw`\b)`,
  'i',
)

/** The candidate tools with their scores, and the reason for no tool call. */
export function explainTools({ calls, considered, reason }: Wanted): () => readonly string[] {
  // Stored with the call, without its caches.
  const [best, count, isCalled] = [considered.slice(0, 8), considered.length, calls.length > 0]
  if (count === 0) return () => (reason === undefined ? [] : [reason])
  return () => [
    'Candidate tools, each with its highest score for a part of the prompt:',
    ...best.map(({ tool, score, why }) => `  - ${tool}: ${score} (${why.map(reasonText).join(', ')})`),
    ...(count > 8 ? [`  - and ${count - 8} more`] : []),
    ...(isCalled ? [] : [reason ?? noneFits(best)]),
  ]
}

const reasonText = ([points, what]: Reason): string =>
  `${points > 0 ? '+' : ''}${Number(points.toFixed(1))} ${what}`

const noneFits = ([best]: readonly Considered[]): string =>
  (best?.score ?? 0) < minScore
    ? `No tool was called: no score reached ${minScore}.`
    : 'No tool was called: the prompt does not mention the topic of any tool, or lacks a required parameter.'

const none: Wanted = { calls: [], considered: [] }

const reasons = {
  declined: 'No tool was called: the prompt declines tools or corrects a previous answer.',
  failed: 'No tool was called: the last tool call failed.',
  done: 'No tool was called: all requested actions are done, or no next action was found.',
  idle: 'No tool was called: the prompt addresses the model itself and requests no action.',
}

/** The tool calls of the next step; none if all steps are done or no tool fits. */
function nextCalls({ tools, choice, conversation, schemas, shared, now }: Asked): Wanted {
  const { lastUser, calls, earlier = [], toolResults } = conversation
  if (choice.mode === 'none' || tools.length === 0) return none
  const mustCall = choice.mode !== 'auto'
  if (!mustCall && (declined.test(lastUser) || corrects.test(lastUser)))
    return { ...none, reason: reasons.declined }
  const read = createReader(shared, now)
  const asked = read(lastUser)
  const results = readResults([...(backward.test(lastUser) ? earlier : []), ...calls].flatMap(returned))
  const texts = results.texts.map(read)
  const around = aroundOf(conversation, read)
  const wantedFor = ({ profile: { tool, own: toolStems }, own, others, found }: OpenCall): WantedCall => ({
    tool,
    own,
    facts: new PromptFacts(own, { others: [...texts, ...others], results: found, toolStems, sparing: true }),
  })
  const whole = (profile: ToolProfile | undefined): readonly WantedCall[] =>
    profile === undefined ? [] : [wantedFor({ profile, own: asked, others: around, found: results })]
  const profiles = profilesOf(tools, schemas, shared)
  if (choice.mode === 'named')
    return { ...none, calls: whole(profiles.find(({ tool }) => tool.name === choice.name)) }
  const working = profiles.filter(({ ending }) => ending < 3)
  const all = working.length > 0 ? working : profiles
  const { steps, considered } = new Planner(all, conversation, { asked, around, results }).plan()
  const failed = toolResults.some(isFailure)
  const made = calls.map(({ name }) => name)
  for (const step of failed ? [] : steps) {
    const open = step
      .flatMap((call) =>
        eachResult(call, results, conversation).map((found) => ({
          profile: call.profile,
          own: call.own,
          others: call.others,
          found,
        })),
      )
      .filter(({ profile }) => !take(made, profile.tool.name))
    if (open.length === 0) continue
    if (isEmptyHanded(step, conversation)) break
    return { calls: open.map(wantedFor), considered }
  }
  const last = mustCall ? lastTool : failed ? () => undefined : endingTool
  const reason = failed ? 'failed' : calls.length > 0 ? 'done' : considered.length === 0 ? 'idle' : undefined
  const ending = { calls: whole(last(profiles, conversation)), considered }
  return reason === undefined ? ending : { ...ending, reason: reasons[reason] }
}

/** A planned call, and the results that it is about. */
type OpenCall = PlannedCall & { readonly found: Results }

const returned = ({ name = '', result }: PastCall): readonly { name: string; result: string }[] =>
  result === undefined ? [] : [{ name, result }]

/** "Delete all of them" is a call for each thing that was found: the results that each call is about. */
function eachResult(
  { profile, own }: PlannedCall,
  all: Results,
  { calls }: Conversation,
): readonly Results[] {
  const id = profile.fields.find(({ required, name }) => required && /id$/i.test(name))?.name
  if (id === undefined || !/\b(?:all|each|every|both|them|these|those)\b/i.test(own.text)) return [all]
  const found = calls.findLast(({ name, result }) => result !== undefined && name !== profile.tool.name)
  if (found === undefined) return [all]
  const { records } = readResults(returned(found))
  const things = records
    .filter(({ value }) => Object.hasOwn(value, id) || Object.hasOwn(value, 'id'))
    .slice(0, 8)
  return things.length < 2 ? [all] : things.map((one) => ({ ...all, records: [one] }))
}

const nothing =
  /^\s*(?:\[\s*\]|null|\{\s*"\w+"\s*:\s*(?:\[\s*\]|null)\s*\}|(?:no|nothing) .{0,40}found.{0,20})\s*$/i

/** Whether the previous search found nothing, which leaves nothing to act on. */
function isEmptyHanded(step: readonly PlannedCall[], { calls }: Conversation): boolean {
  const last = calls.findLast(({ result }) => result !== undefined)
  if (last === undefined || !nothing.test(last.result ?? '')) return false
  const isBound = ({ required, name }: Field): boolean => required && /(?:id|number|key)$/i.test(name)
  return step.every(({ profile, own }) => profile.fields.some(isBound) && !/\d/.test(own.text))
}

/**
 * With `tool_choice: auto`, a tool for the final answer: alone if its description says so, else after others.
 */
function endingTool(tools: readonly ToolProfile[], { calls }: Conversation): ToolProfile | undefined {
  const fresh = tools.filter(({ tool }) => !calls.some(({ name }) => name === tool.name))
  const isEnd = ({ tool, ending }: ToolProfile): boolean =>
    calls.length > 0 ? ending >= 3 : tools.length === 1 && saysItEnds(tool)
  return fresh.find(isEnd)
}

/**
 * If a tool call is required and no step is left: the final tool, then an unused tool, then the final tool
 * again.
 */
function lastTool(tools: readonly ToolProfile[], { calls }: Conversation): ToolProfile | undefined {
  // A failed tool call is repeated before an unrelated tool is called.
  const countOf = ({ tool }: ToolProfile): number => {
    const made = calls.filter(({ name }) => name === tool.name)
    return made.length === 1 && made.some(isFailure) ? -1 : made.length
  }
  const least = (some: readonly ToolProfile[]): ToolProfile | undefined =>
    some.toSorted((a, b) => countOf(a) - countOf(b))[0]
  // Before any call, a shape such as ContactInfo is a tool like others.
  const ending = tools.filter(({ ending }) => ending > (calls.length > 0 ? 0 : 1))
  const end = least(ending.toSorted((a, b) => b.ending - a.ending))
  const next = least(tools)
  const isEnd = end !== undefined && next !== undefined && (countOf(end) < 1 || countOf(next) > 0)
  return isEnd ? end : next
}

const failure =
  /^\W*(?:\w+ )?(?:error|failed|failure|exception)\b|^\s*\{\s*"(?:error|isError)"\s*:\s*(?!null|false|"")/i
const isFailure = ({ failed, result }: Pick<PastCall, 'failed' | 'result'>): boolean =>
  failed || (result !== undefined && failure.test(result.slice(0, 400)))

/** Removes a name from an array, if present. */
function take(names: (string | undefined)[], name: string): boolean {
  const at = names.indexOf(name)
  if (at >= 0) names.splice(at, 1)
  return at >= 0
}

export function inputOf(
  { tool, own, facts }: WantedCall,
  { schemas, conversation }: AnswerRequest,
  random: Random,
  fakes: Fakes,
): string {
  if (tool.parameters !== undefined) {
    const from = { facts, random: random.fork('fill'), fakes, sparing: true }
    const value = schemas.fill(tool.parameters, tool.path, from)
    return tool.kind === 'function' ? JSON.stringify(value) : String(value)
  }
  if (tool.kind === 'function') return '{}'
  const fence = own.of('quote').find(({ at }) => own.text.startsWith('```', at))
  return exactResponse(conversation.lastUser) ?? fence?.text ?? prose(own.text, random)
}
