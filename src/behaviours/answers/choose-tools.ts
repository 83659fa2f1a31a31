/** Chooses the tools that a model would call for a text. */
import {
  actionsIn,
  actionsOf,
  isArithmetic,
  isLooking,
  type SaidAction,
  type SaidActions,
} from '../prompt/actions.ts'
import { subjects, wordsOf } from '../prompt/subjects.ts'
import type { Tool } from './conversation.ts'

/** The maximum number of tools that one answer calls. */
const maxCalls = 8
/**
 * The minimum score of a tool that is called unasked: a word of its name, a subject of its description, or
 * two ordinary words.
 */
const minScore = 2
const nameScore = 3
const requestedScore = 1000

/** A tool that a text asks for, and the part of the text that is about it. */
export interface Chosen {
  readonly tool: Tool
  readonly text: string
  /** Whether another tool needs what it returns. */
  readonly supplies?: boolean
}

/** What a client says of an answer that it could not read: no request for tools. */
const corrects = new RegExp(
  String.raw`^\W*(?:invalid|error|missing|validation|required field|` +
    String.raw`(?:failed|unable|could not) (?:to )?(?:parse|validate)|` +
    String.raw`your (?:last |previous )?(?:answer|response|output|reply)\b)`,
  'i',
)
const declined = /\b(?:do not|don['’]t|without|never)\b[^.!?\n]{0,30}\b(?:tools?|functions?)\b/i
export const declinesTools = (prompt: string): boolean => declined.test(prompt) || corrects.test(prompt)

/**
 * The tools to call for a text, in the order in which it mentions them; empty when none fits. `goesOn` says
 * that the text continues what came before, so that "delete it" asks for a tool that deletes.
 */
export function chooseTools(tools: readonly Tool[], text: string, goesOn = false): readonly Chosen[] {
  if (tools.length === 0) return []
  const actions = actionsIn(text)
  const words = new Map(wordsOf(text))
  const sum = actions.counts ? actions.all.find(({ action }) => isArithmetic(action)) : undefined
  if (sum !== undefined && !words.has('math')) words.set('math', sum.at)
  const said: Said = { text, words, actions, goesOn }
  const ranked = tools.map((tool) => scoreTool(tool, said)).sort((a, b) => b.score - a.score || a.at - b.at)
  const best = ranked[0] as ScoredTool
  if (best.score < minScore) return []
  // Several tools are called only when each is mentioned by a word of its own, or all by name.
  const called = [best]
  const taken = new Set(best.named)
  let supplier: ScoredTool | undefined
  for (const other of ranked.slice(1)) {
    const own = other.named.filter((word) => !taken.has(word))
    if (
      other.score < minScore ||
      own.length === 0 ||
      called.length === maxCalls ||
      (best.score >= requestedScore && other.score < requestedScore)
    )
      continue
    // "Search the web for the weather" asks for one thing, "the weather at my location" for two in order.
    if (called.some((one) => boundary(text, one.at, other.at) === undefined)) {
      if (needsNothing(other.tool) && !needsNothing(best.tool)) supplier ??= other
      continue
    }
    for (const word of own) taken.add(word)
    called.push(other)
  }
  const chosen = inParts(
    text,
    called.sort((a, b) => a.at - b.at),
  )
  return supplier === undefined ? chosen : [{ tool: supplier.tool, text, supplies: true }, ...chosen]
}

const needsNothing = ({ parameters }: Tool): boolean => {
  const { required } = (parameters ?? {}) as { required?: unknown }
  return !Array.isArray(required) || required.length === 0
}

interface Said {
  readonly text: string
  readonly words: ReadonlyMap<string, number>
  readonly actions: SaidActions
  readonly goesOn: boolean
}

interface ScoredTool {
  readonly tool: Tool
  readonly score: number
  /** The words of the tool's name that the text has. */
  readonly named: readonly string[]
  /** The position of the first mention. */
  readonly at: number
}

/** How well a text fits a tool: words of its name and what it does count most, then its description. */
function scoreTool(tool: Tool, said: Said): ScoredTool {
  // A name such as get_weather is no ordinary word: a prompt that has it asks for the tool.
  const asked = /[_-]|\p{Ll}\p{Lu}/u.test(tool.name) ? said.text.indexOf(tool.name) : -1
  if (asked >= 0) return { tool, score: requestedScore, named: [tool.name], at: asked }
  const parts = nameParts(tool.name)
  const does = actionsOfTool(tool, parts)
  const things = parts.filter((part) => !does.words.has(part))
  if (does.actions.some(isArithmetic) && isCalculation(tool, things))
    return scoreCalculation(tool, does, said)

  const named: string[] = []
  let at = Infinity
  let score = 0
  for (const word of wordsOf(things.join(' ')).keys()) {
    const found = said.words.get(word)
    if (found === undefined) continue
    named.push(word)
    at = Math.min(at, found)
    score += nameScore
  }
  // "my orders" fits list_orders better than get_order, "the forecast" get_forecast better than get_weather.
  for (const thing of things) {
    if (thing.length < 4 || !(hasWord(said.text, thing) || (thing === 'file' && fileName.test(said.text))))
      continue
    score += plainThings.test(thing) ? nameScore : 1
    if (plainThings.test(thing)) named.push(thing)
  }
  const described = scoreDescription(tool, said.words)
  const doing = fitOfAction(does.actions, things, said)
  const isNamed = named.length > 0 || described > 1
  if (isNamed || (doing.fit > 0 && (things.length === 0 || said.goesOn))) {
    score += doing.fit
    if (doing.said !== undefined && doing.fit > 0) {
      named.push(`${doing.said.at} ${doing.said.action}`)
      at = Math.min(at, doing.said.at)
    }
  }
  return { tool, score: score + described, named, at: Number.isFinite(at) ? at : 0 }
}

// Words that say little in a description, and much in a name.
const plainThings = /^(?:user|item|list|text|object)s?$/
const fileName = /[\w-]\.[a-z]\w{0,4}(?![\w@])/

function scoreDescription(tool: Tool, words: ReadonlyMap<string, number>): number {
  let score = 0
  for (const word of wordsOf(`${tool.description}\n${parameterNames(tool)}`).keys())
    if (words.has(word)) score += subjects.has(word) ? 2 : 1
  return score
}

/** The words of a name in lower case: `get_order` and `getOrder` are get and order. */
const nameParts = (name: string): readonly string[] =>
  name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase())

interface Doing {
  readonly actions: readonly string[]
  /** The words of the name that say so. */
  readonly words: ReadonlySet<string>
}

/** What a tool does: by the verb of its name, else by the first word of its description. */
function actionsOfTool(tool: Tool, parts: readonly string[]): Doing {
  // The verb comes first (get_order), or last (order_lookup, web_search); between is what it is about.
  const verb = [parts[0], parts.at(-1)].find((part) => part !== undefined && actionsOf(part) !== undefined)
  if (verb !== undefined) return { actions: actionsOf(verb) as readonly string[], words: new Set([verb]) }
  const [first = ''] = /\p{L}+/u.exec(tool.description) ?? []
  return { actions: actionsOf(first.toLowerCase()) ?? [], words: new Set() }
}

const numbers =
  /^(?:two|numbers?|ints?|integers?|floats?|values?|operands?|math|calc(?:ulate|ulator)?|tool|of|and|the)$/

/** Whether a tool adds or multiplies numbers: an "add" may also put something into a list. */
function isCalculation(tool: Tool, things: readonly string[]): boolean {
  if (things.length > 0)
    return things.every((thing) => numbers.test(thing) || actionsOf(thing)?.some(isArithmetic))
  return (
    /\b(?:numbers?|sum|product|arithmetic|integers?|math\w*|values?)\b/i.test(tool.description) ||
    hasNumbers(tool)
  )
}

function scoreCalculation(tool: Tool, { actions }: Doing, { actions: said }: Said): ScoredTool {
  const wanted = said.all.filter(({ action }) => isArithmetic(action))
  const found = said.counts ? wanted.find(({ action }) => actions.includes(action)) : undefined
  return found === undefined
    ? { tool, score: 0, named: [], at: 0 }
    : { tool, score: 3 * nameScore, named: [found.action], at: found.at }
}

/**
 * How the actions of a tool fit what is said, and the word that fits. A tool that changes something does not
 * answer a question, and one that cancels does not update.
 */
function fitOfAction(
  actions: readonly string[],
  things: readonly string[],
  { actions: said }: Said,
): { fit: number; said?: SaidAction } {
  if (actions.length === 0) return { fit: 0 }
  const exact = said.all.filter(
    ({ action, asVerb, word }) => actions.includes(action) && (asVerb || !things.includes(word)),
  )
  const verb = exact.find(({ asVerb }) => asVerb)
  if (verb !== undefined) return { fit: 4, said: verb }
  const verbs = said.all.filter(({ action, asVerb }) => asVerb && !isArithmetic(action))
  const looks = actions.some(isLooking)
  if (verbs.length > 0 && !verbs.some(({ action }) => isLooking(action))) return { fit: looks ? -1 : -6 }
  if (exact[0] !== undefined) return { fit: 2, said: exact[0] }
  if (looks) return { fit: verbs.length > 0 || said.asks ? 1 : 0 }
  return { fit: verbs.length > 0 || said.asks ? -6 : 0 }
}

const propertiesOf = ({ parameters }: Tool): Readonly<Record<string, unknown>> => {
  if (parameters === null || typeof parameters !== 'object') return {}
  const { properties } = parameters as { properties?: unknown }
  return properties !== null && typeof properties === 'object' ? (properties as Record<string, unknown>) : {}
}

const parameterNames = (tool: Tool): string => Object.keys(propertiesOf(tool)).join(' ')

const hasNumbers = (tool: Tool): boolean =>
  Object.values(propertiesOf(tool)).some((schema) =>
    /"type":(?:\[[^\]]*)?"(?:number|integer)"/.test(JSON.stringify(schema) ?? ''),
  )

function hasWord(text: string, word: string): boolean {
  const at = text.toLowerCase().indexOf(word)
  return at >= 0 && !/\p{L}/u.test(text[at + word.length] ?? '') && !/\p{L}/u.test(text[at - 1] ?? '')
}

const between = /[.!?;]\s+|\n|,?\s+(?:and|plus|as well as)\s+(?:also\s+|then\s+)?|,\s+|[，。；、和与]/gu

/** Where one mention's part of a text ends and the next begins; undefined when they are in one phrase. */
function boundary(text: string, first: number, second: number): number | undefined {
  const [from, to] = first < second ? [first, second] : [second, first]
  const last = [...text.slice(from, to).matchAll(between)].at(-1)
  return last === undefined ? undefined : from + last.index + last[0].length
}

/** Each tool with the part of the text that mentions it. */
function inParts(text: string, called: readonly ScoredTool[]): readonly Chosen[] {
  let from = 0
  return called.map(({ tool, at }, index) => {
    const next = called[index + 1]
    const to = next === undefined ? text.length : (boundary(text, at, next.at) ?? text.length)
    const part = text.slice(from, to).trim()
    from = to
    return { tool, text: part }
  })
}
