/** Chooses the tool calls for a request: each clause of the last user message calls the tool it names. */
import { ApiError } from '../../protocol/errors.ts'
import type { Place } from '../json-schema/merge-schema.ts'
import { stemOf, type Words } from '../words.ts'
import type { Asked } from './asked.ts'
import type { Conversation, PastCall, Tool } from './conversation.ts'
import { type Results, tokensFor } from './suggest.ts'
import { readablePart, type Token } from './tokens-in.ts'

/** What is known of a tool. */
interface Profile {
  readonly tool: Tool
  readonly places: readonly Place[]
  readonly required: readonly Place[]
  readonly name: Words
  readonly description: Words
}

/** A call to make, and the text that its arguments come from. */
export interface ChosenCall {
  readonly tool: Tool
  readonly text: string
  /** The stems that chose the tool. */
  readonly stems: ReadonlySet<string>
  /** Whether the text has the required arguments; others come from the results of earlier calls. */
  readonly canBeRead: boolean
}

/** A call that a clause names, with what is known of its tool. */
interface NamedCall extends ChosenCall {
  readonly profile: Profile
}

/**
 * A clause below this score calls no tool. A stem of the name counts 3, of the rest 1, and less if several
 * tools share it.
 */
const threshold = 1.5
const maxClauses = 40
const maxCalls = 8

/** The calls of this turn; none if all are made, or nothing asks for one. */
export function chooseCalls(asked: Asked): readonly ChosenCall[] {
  const { choice, conversation, parallel, tools } = asked.request
  if (choice.mode === 'none') return []
  const offered = tools
    .filter(
      ({ name, unwritable }) => unwritable !== true && (choice.mode !== 'named' || name === choice.name),
    )
    .map((tool) => profileOf(tool, asked))
  const { calls, toolResults, lastUser } = conversation
  const isStopped = toolResults.some(({ failed }) => failed)
  const planned = isStopped ? [] : plannedCalls(offered, readablePart(lastUser), asked)
  const left = withoutMade(planned, calls, ({ tool }, { name }) => tool.name === name)
  // A call waits for the arguments that neither the text nor the results have.
  const ready = left.filter(
    (call) => call.canBeRead || hasArguments(call.profile, call, asked, asked.results),
  )
  const now = ready.length > 0 ? ready : left.slice(0, 1)
  if (now.length > 0) return parallel ? now.slice(0, maxCalls) : now.slice(0, 1)
  if (choice.mode === 'auto') return []
  return [requiredCall(offered, asked)]
}

export function profileOf(tool: Tool, { request }: Asked): Profile {
  const { kind, name, description, parameters, path } = tool
  const isRead = kind === 'function' && parameters !== undefined
  const places = isRead ? request.schemas.properties(parameters, path) : []
  return {
    tool,
    places,
    required: places.filter(({ required }) => required),
    name: request.schemas.words(name),
    description: request.schemas.words(description.slice(0, 1000)),
  }
}

/** What a stem in a clause says for a tool, whether or not it says the same for others. */
function weightOf(stem: string, profile: Profile): number {
  const { name, description, places } = profile
  if (name.subjects.has(stem) || isValueOf(profile, stem)) return 3
  const isDescribed = description.subjects.has(stem) || places.some((place) => place.name.subjects.has(stem))
  return isDescribed ? 1 : 0
}

/** The calls that the clauses of a text name. A clause that names none belongs to the one before. */
function plannedCalls(profiles: readonly Profile[], text: string, asked: Asked): readonly NamedCall[] {
  const planned: NamedCall[] = []
  let before = ''
  for (const clause of clausesOf(text)) {
    const [best, ...others] = rank(profiles, clause, asked)
    const last = planned.at(-1)
    if (best === undefined || (last?.tool === best.tool && goesOn(last, best, asked))) {
      if (last === undefined) before = joined(before, clause)
      else planned[planned.length - 1] = { ...last, text: joined(last.text, clause) }
      continue
    }
    // What a call needs and the text lacks may be in the results of another one.
    const source = best.canBeRead ? undefined : others.find(({ canBeRead }) => canBeRead)
    for (const call of source === undefined ? [best] : [source, best])
      planned.push({ ...call, text: joined(before, clause) })
    before = ''
  }
  if (planned.length === 0) return onlyTool(profiles, text, asked)
  return planned.flatMap((call) => repeated(call, asked)).slice(0, maxCalls)
}

/**
 * Whether a clause that names the tool of the clause before describes the same call: it has no tokens of its
 * own, or names but values of an `enum`, and the clause before had none.
 */
function goesOn(before: NamedCall, call: NamedCall, asked: Asked): boolean {
  if (asked.read(call.text).tokens.length === 0) return true
  const isValue = (stem: string): boolean => isValueOf(call.profile, stem)
  return [...call.stems].every(isValue) && ![...before.stems].some(isValue)
}

/** Whether a value of an `enum` has a stem. */
function isValueOf({ places }: Profile, stem: string): boolean {
  return places.some(({ node }) => node.subjects.has(stem))
}

/** The tools that a clause names, the best first: by shared stems, and by arguments that can be read. */
function rank(profiles: readonly Profile[], clause: string, asked: Asked): readonly NamedCall[] {
  const stems = [...asked.read(clause).subjects]
  const weights = profiles.map((profile) => stems.map((stem) => weightOf(stem, profile)))
  const sharedBy = stems.map((_, at) => weights.filter((own) => own[at] !== 0).length)
  return profiles
    .map((profile, index) => {
      const own = weights[index] ?? []
      const score = own.reduce((sum, weight, at) => sum + weight / (sharedBy[at] || 1), 0)
      const named = new Set(stems.filter((_, at) => own[at] !== 0))
      return { profile, tool: profile.tool, text: clause, stems: named, canBeRead: true, score }
    })
    .filter(({ score }) => score >= threshold - 1)
    .map((call) => {
      const canBeRead = hasArguments(call.profile, call, asked)
      const isTold = canBeRead && call.profile.required.length > 0
      return { ...call, canBeRead, score: call.score + (isTold ? 1 : 0) }
    })
    .filter(({ score }) => score >= threshold)
    .sort((a, b) => b.score - a.score)
}

/** A clause that begins with a conjunction goes on with the sentence before it. */
function joined(before: string, clause: string): string {
  if (before === '') return clause
  return /^(?:and|then|also) /.test(clause) ? `${before} ${clause}` : `${before}. ${clause}`
}

/** The clauses of a text; a quotation is not divided. */
function clausesOf(text: string): readonly string[] {
  const quoted = text.replace(/"[^"\n]*"|“[^”\n]*”|```[^]*?```/g, (quote) =>
    quote.replace(/[.!?;,\n]| and /g, '\u0000$&'),
  )
  return quoted
    .split(/(?<!\u0000)(?:[.!?;](?=\s|$)|\n+|,?(?<!\u0000) (?=(?:and|then|also) ))/)
    .map((clause) => clause.replaceAll('\u0000', '').trim())
    .filter((clause) => !/^(?:and|then|also)?$/.test(clause))
    .slice(0, maxClauses)
}

/** The only offered tool, if its required arguments can be read from the text. */
function onlyTool(profiles: readonly Profile[], text: string, asked: Asked): readonly NamedCall[] {
  const [only, another] = profiles
  if (only === undefined || another !== undefined || only.required.length === 0) return []
  const call = { profile: only, tool: only.tool, text, stems: new Set<string>(), canBeRead: true }
  return hasArguments(only, call, asked) ? [call] : []
}

/** `Paris and London` is a call for each, if the tool has one required argument. */
function repeated(call: NamedCall, asked: Asked): readonly NamedCall[] {
  const { profile, text, stems } = call
  const [place, another] = profile.required
  if (place === undefined || another !== undefined || !text.includes(' and ')) return [call]
  const reading = asked.read(text)
  const [first, ...others] = tokensFor(place, reading, reading.tokensAfter(stems))
  if (first === undefined || first.form === 'phrase') return [call]
  const alike = others.filter(
    ({ form, text }) => form === first.form && !isValueOf(profile, stemOf(text.toLowerCase())),
  )
  const tokens = [first, ...alike].sort((a, b) => a.at - b.at)
  if (tokens.length < 2) return [call]
  // Each has the text without the others.
  const without = (others: readonly Token[]): string =>
    others.toReversed().reduce((left, { at, end }) => left.slice(0, at) + left.slice(end), text)
  return tokens.map((token) => ({ ...call, text: without(tokens.filter((other) => other !== token)) }))
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

/** Whether the required arguments can be read from a text, or from results. */
export function hasArguments(
  { required }: Profile,
  { text, stems, canBeRead }: Omit<ChosenCall, 'tool'>,
  asked: Asked,
  results?: Results,
): boolean {
  const suggest = asked.suggestionsFrom(text, { stems, results, resultsFirst: !canBeRead })
  const used = new Set<object>()
  return required.every((place) => {
    const { values, types } = place.node.description
    // One of the values is as good as another; a flag, a list or an object says little.
    const isReadable = types.has('string') || types.has('number') || types.has('integer')
    if (values !== undefined || !isReadable) return true
    const [candidate] = suggest(place, used)
    if (candidate !== undefined) used.add(candidate.token)
    return candidate !== undefined
  })
}

/**
 * The call of a request that demands one although no clause is left: of a tool that was called least. After
 * other calls, it is one whose arguments the results have, or the last one: agents add the tool that ends
 * there.
 */
function requiredCall(profiles: readonly Profile[], asked: Asked): ChosenCall {
  const { conversation } = asked.request
  const countOf = ({ tool }: Profile): number =>
    conversation.calls.filter(({ name }) => name === tool.name).length
  const fewest = Math.min(...profiles.map(countOf))
  const least = profiles.filter((profile) => countOf(profile) === fewest)
  const call = { text: readablePart(conversation.lastUser), stems: new Set<string>(), canBeRead: false }
  const isKnown = (profile: Profile): boolean =>
    hasArguments(profile, { ...call, text: '' }, asked, asked.results)
  const hasResults = asked.results.texts.length > 0
  const next = hasResults ? (least.find(isKnown) ?? least.at(-1)) : least[0]
  if (next === undefined) throw impossibleCall(asked)
  return { ...call, tool: next.tool }
}

function impossibleCall({ request: { tools, choice } }: Asked): ApiError {
  const named = tools.find(({ name }) => choice.mode !== 'named' || name === choice.name)
  const message =
    named === undefined
      ? 'tool_choice demands a tool call, but no such tool is offered'
      : `\`${named.path}\`: the request requires a call to the tool ${JSON.stringify(named.name)}, but the ` +
        'simulator cannot generate text for its grammar: expected a grammar with the syntax "regex", or ' +
        'the format "text".'
  return new ApiError('invalid_request_error', message, { param: named?.path ?? 'tool_choice' })
}
