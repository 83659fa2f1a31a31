/** Chooses the tool calls for a request: each clause of the last user message calls the tool it names. */
import { ApiError } from '../../protocol/errors.ts'
import type { Place } from '../json-schema/fill.ts'
import type { AnswerRequest } from './answer-request.ts'
import type { Conversation, Tool } from './conversation.ts'
import { stemsIn } from './stems.ts'
import { suggestionsFrom, tokensFor, tokensOf } from './suggest.ts'
import { readablePart, tokensIn } from './tokens-in.ts'

/** A call to make, and the text that its arguments come from. */
export interface ChosenCall {
  readonly tool: Tool
  readonly text: string
  /** The stems that chose the tool. */
  readonly stems: ReadonlySet<string>
  /** Whether the text has the required arguments; others come from the results of earlier calls. */
  readonly canBeRead: boolean
}

interface Profile {
  readonly tool: Tool
  readonly places: readonly Place[]
  /** What a stem in a clause says for this tool. */
  readonly weights: ReadonlyMap<string, number>
}

type Asked = Pick<AnswerRequest, 'tools' | 'choice' | 'parallel' | 'conversation' | 'schemas'>

/**
 * A clause below this score calls no tool. A stem of the name counts 3, of the rest 1, and less if several
 * tools share it.
 */
const threshold = 1.5
const readable = ['string', 'number', 'integer']
const maxClauses = 40
const maxRanked = 8
const maxCalls = 8

/** The calls of this turn; none if all are made, or nothing asks for one. */
export function chooseCalls(asked: Asked): readonly ChosenCall[] {
  const { choice, conversation, parallel } = asked
  if (choice.mode === 'none') return []
  const profiles = profilesOf(asked)
  const offered =
    choice.mode === 'named' ? profiles.filter(({ tool }) => tool.name === choice.name) : profiles
  const { calls, toolResults, lastUser } = conversation
  const left = toolResults.some(({ failed }) => failed)
    ? []
    : withoutMade(plannedCalls(offered, lastUser), calls)
  const ready = left.filter((call) => isReadable(offered, call, conversation))
  const now = ready.length > 0 ? ready : left.slice(0, 1)
  if (now.length > 0) return parallel ? now.slice(0, maxCalls) : now.slice(0, 1)
  if (choice.mode === 'auto') return []
  return [requiredCall(offered, asked)]
}

function profilesOf({ tools, schemas }: Asked): readonly Profile[] {
  const writable = tools.filter(({ unwritable }) => unwritable !== true)
  const words = writable.map((tool) => {
    const places =
      tool.kind === 'function' && tool.parameters !== undefined
        ? schemas.properties(tool.parameters, tool.path)
        : []
    const described = places.map(({ name }) => name).join(' ')
    return {
      tool,
      places,
      name: stemsIn(`${tool.name} ${places.flatMap(({ values = [] }) => values).join(' ')}`),
      rest: stemsIn(`${tool.description.slice(0, 1000)} ${described}`),
    }
  })
  const counts = new Map<string, number>()
  for (const { name, rest } of words)
    for (const stem of new Set([...name, ...rest])) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return words.map(({ tool, places, name, rest }) => {
    const all = [...new Set([...name, ...rest])]
    return {
      tool,
      places,
      weights: new Map(all.map((stem) => [stem, (name.has(stem) ? 3 : 1) / (counts.get(stem) as number)])),
    }
  })
}

/** The calls that the clauses of a text name. A clause that names none belongs to the one before. */
function plannedCalls(profiles: readonly Profile[], lastUser: string): readonly ChosenCall[] {
  const planned: ChosenCall[] = []
  let before = ''
  for (const clause of clausesOf(readablePart(lastUser))) {
    const [best, ...others] = rank(profiles, clause)
    const last = planned.at(-1)
    if (best === undefined || isSame(last, best.tool, clause)) {
      if (last === undefined) before = `${before} ${clause}`
      else planned[planned.length - 1] = { ...last, text: `${last.text} and ${clause}` }
      continue
    }
    // What a call needs and the text lacks may be in the results of another one.
    const source = best.canBeRead ? undefined : others.find(({ canBeRead }) => canBeRead)
    for (const call of source === undefined ? [best] : [source, best])
      planned.push({ ...call, text: `${before} ${clause}`.trim() })
    before = ''
  }
  if (planned.length === 0) return onlyTool(profiles, lastUser)
  return planned.flatMap((call) => repeated(profiles, call)).slice(0, maxCalls)
}

/** The tools that a clause names, the best first: by shared stems, and by arguments that can be read. */
function rank(profiles: readonly Profile[], clause: string): readonly ChosenCall[] {
  const stems = stemsIn(clause)
  return profiles
    .map((profile) => {
      const shared = [...stems].filter((stem) => profile.weights.has(stem))
      const score = shared.reduce((sum, stem) => sum + (profile.weights.get(stem) ?? 0), 0)
      return { profile, shared: new Set(shared), score }
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, maxRanked)
    .map(({ profile: { tool, places }, shared, score }) => {
      const call = { tool, text: clause, stems: shared, canBeRead: true }
      const required = places.filter((place) => place.required)
      const canBeRead = hasTokens(required, call, [])
      return { ...call, canBeRead, score: score + (canBeRead && required.length > 0 ? 1 : 0) }
    })
    .filter(({ score }) => score >= threshold)
    .sort((a, b) => b.score - a.score)
}

/** A clause that names the tool of the clause before without tokens of its own describes the same call. */
function isSame(last: ChosenCall | undefined, tool: Tool, clause: string): boolean {
  return last?.tool === tool && tokensIn(clause).length === 0
}

function clausesOf(text: string): readonly string[] {
  const quoted = text.replace(/"[^"\n]*"|“[^”\n]*”|```[^]*?```/g, (quote) =>
    quote.replace(/[.!?;,\n]| and /g, '\u0000$&'),
  )
  return quoted
    .split(/(?<!\u0000)(?:[.!?;](?=\s|$)|\n+|,?(?<!\u0000) (?:and|then|also) )/)
    .map((clause) => clause.replaceAll('\u0000', '').trim())
    .filter((clause) => clause !== '')
    .slice(0, maxClauses)
}

/** The only offered tool, if its required arguments can be read from the text. */
function onlyTool(profiles: readonly Profile[], text: string): readonly ChosenCall[] {
  const [only, another] = profiles
  if (only === undefined || another !== undefined) return []
  const call = { tool: only.tool, text: readablePart(text), stems: new Set<string>(), canBeRead: true }
  const required = only.places.filter((place) => place.required)
  return required.length > 0 && hasTokens(required, call, []) ? [call] : []
}

/** `Paris and London` is a call for each, if the tool has one required argument. */
function repeated(profiles: readonly Profile[], call: ChosenCall): readonly ChosenCall[] {
  const { tool, text, stems } = call
  const places =
    profiles.find((profile) => profile.tool === tool)?.places.filter(({ required }) => required) ?? []
  const [place] = places
  if (places.length !== 1 || place === undefined || !/ and /.test(text)) return [call]
  const [first, ...others] = tokensFor(place, text, tokensOf(text, stems))
  const alike = [first, ...others].filter((token) => token !== undefined && token.form === first?.form)
  const tokens = alike.filter((token) => token !== undefined).sort((a, b) => a.at - b.at)
  if (tokens.length < 2 || first?.form === 'phrase') return [call]
  // Each has the text without the others.
  return tokens.map((token) => {
    const rest = tokens.filter((other) => other !== token)
    return {
      ...call,
      text: rest.toReversed().reduce((left, { at, end }) => left.slice(0, at) + left.slice(end), text),
    }
  })
}

/** The planned calls without those that were made: of each tool, as many as there are calls of it. */
function withoutMade(planned: readonly ChosenCall[], calls: Conversation['calls']): readonly ChosenCall[] {
  const made = calls.map(({ name }) => name)
  return planned.filter(({ tool }) => {
    const at = made.indexOf(tool.name)
    if (at >= 0) made.splice(at, 1)
    return at < 0
  })
}

/** Whether the required arguments of a call can be read. Others wait for the results of earlier calls. */
function isReadable(profiles: readonly Profile[], call: ChosenCall, conversation: Conversation): boolean {
  const places = profiles.find(({ tool }) => tool === call.tool)?.places ?? []
  return hasTokens(
    places.filter(({ required }) => required),
    call,
    resultsOf(conversation),
  )
}

function hasTokens(
  places: readonly Place[],
  { text, stems, canBeRead }: ChosenCall,
  results: readonly string[],
): boolean {
  // Which year a date is in does not matter here.
  const suggest = suggestionsFrom({ text, results, year: 0, resultsFirst: !canBeRead }, stems)
  const used = new Set<object>()
  return places.every((place) => {
    // One of the values is as good as another; a flag, a list or an object says little.
    if (place.values !== undefined || !place.types.some((type) => readable.includes(type))) return true
    const [candidate] = suggest(place, used)
    if (candidate !== undefined) used.add(candidate.token)
    return candidate !== undefined
  })
}

/** The results of the calls since the last user message. */
export function resultsOf({ calls }: Conversation): readonly string[] {
  return calls.flatMap(({ result }) => result ?? [])
}

/**
 * The call of a request that demands one although no clause is left: of a tool that was called least. After
 * other calls, it is one whose arguments the results have, or the last one: agents add the tool that ends
 * there.
 */
function requiredCall(profiles: readonly Profile[], { tools, choice, conversation }: Asked): ChosenCall {
  const countOf = ({ tool }: Profile): number =>
    conversation.calls.filter(({ name }) => name === tool.name).length
  const fewest = Math.min(...profiles.map(countOf))
  const least = profiles.filter((profile) => countOf(profile) === fewest)
  const call = { text: readablePart(conversation.lastUser), stems: new Set<string>(), canBeRead: false }
  const results = resultsOf(conversation)
  const isKnown = ({ tool, places }: Profile): boolean =>
    hasTokens(
      places.filter(({ required }) => required),
      { ...call, tool, text: '' },
      results,
    )
  const next = results.length > 0 ? (least.find(isKnown) ?? least.at(-1)) : least[0]
  if (next !== undefined) return { ...call, tool: next.tool }
  const named = tools.find(({ name }) => choice.mode !== 'named' || name === choice.name)
  if (named === undefined)
    throw new ApiError(
      'invalid_request_error',
      'tool_choice demands a tool call, but no such tool is offered',
      {
        param: 'tool_choice',
      },
    )
  throw new ApiError(
    'invalid_request_error',
    `\`${named.path}\`: the request requires a call to the tool ${JSON.stringify(named.name)}, but the ` +
      'simulator cannot generate text for its grammar: expected a grammar with the syntax "regex", or the ' +
      'format "text".',
    { param: named.path },
  )
}
