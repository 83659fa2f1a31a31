/** How well a text fits a tool: what it is about, and what is to be done. */
import { actionsOf, isArithmetic, isChanging, isLooking, type SaidAction } from '../prompt/actions.ts'
import type { SaidPart } from '../prompt/said-words.ts'
import { conceptsIn, subjects } from '../prompt/subjects.ts'
import type { Tool } from './conversation.ts'

/**
 * The minimum score of a tool that is called unasked: a word of its name, a subject of its description, or
 * two ordinary words.
 */
export const minScore = 2
const nameScore = 3
export const requestedScore = 1000

export interface ScoredTool {
  readonly tool: Tool
  readonly score: number
  /** The words of the tool's name that the text has, and what it does. */
  readonly named: readonly string[]
  /** The position of the first mention. */
  readonly at: number
}

/** What the name and the description of a tool say, read once for all parts of a prompt. */
export interface ToolWords {
  readonly tool: Tool
  readonly does: Doing
  /** What the name says beside the verb. */
  readonly things: readonly string[]
  readonly thingWords: readonly string[]
  readonly described: readonly string[]
  /** Whether the name is no ordinary word, as get_weather: a prompt that has it asks for the tool. */
  readonly isOwnWord: boolean
  readonly calculates: boolean
}

export function readToolWords(tool: Tool): ToolWords {
  const parts = nameParts(tool.name)
  const does = actionsOfTool(tool, parts)
  const things = parts.filter((part) => !does.words.has(part))
  return {
    tool,
    does,
    things,
    thingWords: conceptsIn(things.join(' ')),
    described: conceptsIn(`${tool.description}\n${parameterNames(tool)} ${parameterValues(tool)}`),
    isOwnWord: /[_-]|\p{Ll}\p{Lu}/u.test(tool.name),
    calculates: does.actions.some(isArithmetic) && isCalculation(tool, things),
  }
}

/** Whether a tool looks something up, by its name or description. */
export const looksUp = (tool: Tool): boolean =>
  actionsOfTool(tool, nameParts(tool.name)).actions.some(isLooking)

/** How well a text fits a tool: words of its name and what it does count most, then its description. */
export function scoreTool(words: ToolWords, said: SaidPart, goesOn: boolean): ScoredTool {
  const { tool, does, things } = words
  const asked = words.isOwnWord ? said.text.indexOf(tool.name) : -1
  if (asked >= 0) return { tool, score: requestedScore, named: [tool.name], at: asked }
  if (words.calculates) return scoreCalculation(words, said)
  const { named, score: ofThings, at } = scoreThings(words, said)
  const described = scoreDescription(words, said, named)
  const fit = fitOfAction(does.actions, things, said)
  // A description whose verb does not fit says less than a name.
  const doing = fit.fit < 0 && does.words.size === 0 ? { fit: 0 } : fit
  const verb = doing.said
  const isClear = verb !== undefined && doing.fit === 4
  // "Get rid of evt_771", "What is on 2025-03-14?"
  const handed =
    named.length === 0 &&
    (isClear || (fit.fit > 0 && verb === undefined)) &&
    hasValueFor(words, said, verb !== undefined && isChanging(verb.action))
  const counts =
    named.length > 0 ||
    described > 1 ||
    handed ||
    (isClear &&
      (things.length === 0 || (goesOn && (described > 0 || said.refersBack) && !vague.test(verb.word))))
  if (!counts) return { tool, score: described + (isClear && described > 0 ? 1 : 0), named: [], at: 0 }
  return {
    tool,
    score: ofThings + described + doing.fit + (handed ? 2 : 0),
    named: isClear ? [...named, verb.action] : handed ? ['value'] : named,
    at: Math.min(at, verb?.at ?? Infinity),
  }
}

/** Kinds of values that a tool takes by the names of its parameters, and how they look in a text. */
const valueKinds: readonly (readonly [RegExp, RegExp])[] = [
  [/e?mail|recipient|^to$/im, /@/],
  [/ur[il]|link|website/i, /https?:|www\./],
  [/date|day/i, /\b\d{4}-\d{2}-\d{2}\b/],
]
const codeKeys =
  /(?:id|isbn|iban|sku|ean|upc|vin|code|number|reference|ref|key|account|serial)$|[a-z](?:Id|Number|Code)$/m
const anyCode = /(?=[\w-]*\d)[\w-]{4,}/
// "COVID-19" is a word of a question, not the id of anything.
const longCode = /\b\d{6,}\b|\b[A-Z]{2}\d{2}[A-Z\d]{8,}\b/

/** Whether a text has a value of a kind that the tool asks for. */
function hasValueFor({ tool }: ToolWords, { text }: SaidPart, changes: boolean): boolean {
  const keys = requiredNames(tool.parameters)
  return (
    (codeKeys.test(keys) && (changes ? anyCode : longCode).test(text)) ||
    valueKinds.some(([key, value]) => key.test(keys) && value.test(text))
  )
}

function scoreDescription(
  { tool, does, described }: ToolWords,
  said: SaidPart,
  named: readonly string[],
): number {
  let score = 0
  for (const word of described) {
    if (!said.concepts.has(word) || named.includes(word)) continue
    if (actionsOf(word)?.some((action) => does.actions.includes(action))) continue
    score += subjects.has(word) ? 2 : 1
    // "SKU B-2207": a parameter with its value.
    const at = conceptsIn(parameterNames(tool)).includes(word) ? said.text.toLowerCase().indexOf(word) : -1
    if (at >= 0 && /^\w*\s*(?:[:#=]|is|number)?\s*["'“]?[A-Z\d]/.test(said.text.slice(at + word.length)))
      score += 1
  }
  return score
}

// Verbs that ask for an answer as often as for a tool.
const vague = /^(?:get|show|give|tell|see|check|view|display|make|describe|explain|put|post)/

/** The words of the name that are said, beside the verb. */
function scoreThings({ things, thingWords }: ToolWords, said: SaidPart): Omit<ScoredTool, 'tool'> {
  const named: string[] = []
  let at = Infinity
  let score = 0
  for (const word of thingWords) {
    const found = said.concepts.get(word)
    if (found === undefined) continue
    named.push(word)
    at = Math.min(at, found)
    score += nameScore
  }
  for (const thing of things) {
    // A prompt that names one file asks for no list of them.
    const isOne = thing.endsWith('s') && said.words.has(thing.slice(0, -1))
    if (thing.length < 4 || isOne || !said.has(thing)) continue
    // "my orders" fits list_orders better than get_order, "the forecast" get_forecast better than
    // get_weather.
    const isFound = named.length > 0 && !plainThings.test(thing)
    score += isFound ? 1 : nameScore
    if (!isFound) named.push(thing)
  }
  for (const code of said.codes) {
    const thing = named.length === 0 ? things.find((one) => isShortFor(code, one)) : undefined
    if (thing === undefined) continue
    named.push(thing)
    score += nameScore
  }
  return { named, score, at }
}

// Words that say little in a description, and much in a name.
const plainThings = /^(?:user|item|list|text|object)s?$/
/** ORD-1234 is an order, INV7 an invoice, TCK-3 a ticket, evt_9 an event. */
function isShortFor(code: string, thing: string): boolean {
  if (code[0] !== thing[0]) return false
  let at = 0
  for (const letter of thing) if (letter === code[at]) at++
  return at === code.length
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

// Words that name a thing in one name and an action in another: order_status, email_customer.
const isVerb = (part: string): boolean =>
  actionsOf(part) !== undefined &&
  !/^(?:order|e?mail|message|text|record|exchange|total|product|sum|square|post)$/.test(part)

/** What a tool does: by the verb of its name, else by the first word of its description. */
function actionsOfTool(tool: Tool, parts: readonly string[]): Doing {
  // A name such as transfer_to_billing says where to, not what.
  if (parts[1] === 'to' && /^(?:transfer|hand|handoff|delegate|route|escalate|go)$/.test(parts[0] as string))
    return { actions: [], words: new Set([parts[0] as string]) }
  const verb = [parts.find((part) => isVerb(part)), parts[0], parts.at(-1)].find(
    (part) => part !== undefined && actionsOf(part) !== undefined,
  )
  if (verb !== undefined) {
    // "Lock or unlock a door": lock_door does both.
    const [, also = ''] = /^\w+,? (?:or|and) (\w+)/.exec(tool.description) ?? []
    const more = also === '' ? [] : (actionsOf(also.toLowerCase()) ?? [])
    return { actions: [...(actionsOf(verb) as readonly string[]), ...more], words: new Set([verb]) }
  }
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

function scoreCalculation({ tool, things, does: { actions } }: ToolWords, said: SaidPart): ScoredTool {
  const wanted = said.actions.filter(({ action }) => isArithmetic(action))
  const found = said.counts ? wanted.find(({ action }) => actions.includes(action)) : undefined
  return found === undefined
    ? { tool, score: 0, named: [], at: 0 }
    : {
        tool,
        score: 3 * nameScore + things.filter((thing) => said.has(thing)).length,
        named: [found.action],
        at: found.at,
      }
}

/**
 * How the actions of a tool fit what is said, and the word that fits. A tool that changes something does not
 * answer a question, and one that cancels does not update.
 */
function fitOfAction(
  actions: readonly string[],
  things: readonly string[],
  said: SaidPart,
): { fit: number; said?: SaidAction } {
  if (actions.length === 0) return { fit: 0 }
  const exact = said.actions.filter(
    ({ action, asVerb, word }) => actions.includes(action) && (asVerb || !things.includes(word)),
  )
  const verb = exact.find(({ asVerb }) => asVerb)
  if (verb !== undefined) return { fit: 4, said: verb }
  const verbs = said.actions.filter(({ action, asVerb }) => asVerb && !isArithmetic(action))
  const looks = actions.some(isLooking)
  const changes = actions.some(isChanging)
  if (verbs.length > 0 && !verbs.some(({ action }) => isLooking(action))) {
    const [first] = exact
    return first !== undefined && verbs.every(({ action }) => !isChanging(action))
      ? { fit: 2, said: first }
      : { fit: looks ? -1 : changes ? -6 : 0 }
  }
  if (exact[0] !== undefined) return { fit: 2, said: exact[0] }
  if (verbs.length === 0 && !said.asks) return { fit: 0 }
  return { fit: looks ? 1 : changes ? -6 : 0 }
}

const propertiesOf = ({ parameters }: Tool): Readonly<Record<string, unknown>> => {
  if (parameters === null || typeof parameters !== 'object') return {}
  const { properties } = parameters as { properties?: unknown }
  return properties !== null && typeof properties === 'object' ? (properties as Record<string, unknown>) : {}
}

/** The names of what a tool must be given, those inside objects too. */
export function requiredNames(schema: unknown, depth = 0): string {
  const { required, properties } = (schema ?? {}) as { required?: unknown; properties?: unknown }
  if (!Array.isArray(required) || depth > 3) return ''
  const inner = Object.values((properties ?? {}) as object).map((part) => requiredNames(part, depth + 1))
  return [...required.map(String), ...inner.filter((names) => names !== '')].join('\n')
}

export const parameterNames = (tool: Tool): string => Object.keys(propertiesOf(tool)).join(' ')

/** The values that parameters may have, of those that name them. */
const parameterValues = (tool: Tool): string =>
  Object.values(propertiesOf(tool))
    .flatMap((schema) => {
      const { enum: values } = (schema ?? {}) as { enum?: unknown }
      return Array.isArray(values) ? values.slice(0, 20).filter((value) => typeof value === 'string') : []
    })
    .join(' ')
    .slice(0, 1000)

const hasNumbers = (tool: Tool): boolean =>
  Object.values(propertiesOf(tool)).some((schema) =>
    /"type":(?:\[[^\]]*)?"(?:number|integer)"/.test(JSON.stringify(schema) ?? ''),
  )
