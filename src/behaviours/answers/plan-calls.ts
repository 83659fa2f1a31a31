/** The calls that a prompt asks for, in their order: which tool, and the words it is asked in. */

import { eachListed } from '../prompt/lists.ts'
import { stepsOf } from '../prompt/steps.ts'
import { type Chosen, chooseTools, hasValue } from './choose-tools.ts'
import type { Conversation, Tool } from './conversation.ts'
import { endsAs } from './ending-tools.ts'
import { readToolWords, requiredNames, type ToolWords } from './score-tools.ts'

/** The calls of one step, which can be made together. */
export type PlannedStep = readonly Chosen[]

const goesOn = new RegExp(
  String.raw`^(?:(?:and|ok(?:ay)?|so|now|then|but|also)[,\s]+)*(?:(?:what|how) about|same|the same|` +
    String.raw`do|again|repeat|(?:in|for|with|at)\b|also\b)|\bagain\b|\bthe same\b|^(?:and|also)\b`,
  'i',
)

/** The steps of the last prompt that tools are to do. */
export function planCalls(tools: readonly Tool[], conversation: Conversation): readonly PlannedStep[] {
  const { lastUser, previousUser, lastTool } = conversation
  // Tools that end a task wait for the others.
  const working = tools.filter((tool) => endsAs(tool) < 3)
  const offered = working.length > 0 ? working : tools
  const words = offered.map(readToolWords)
  const texts = stepsOf(lastUser)
  let before = offered.find(({ name }) => name === lastTool)
  if (before === undefined && previousUser !== undefined && goesOn.test(lastUser))
    before = chooseTools(words, previousUser).at(-1)?.tool
  const steps: PlannedStep[] = []
  for (const [index, text] of texts.entries()) {
    const chosen = chosenFor(words, text, before, index)
    before = chosen.at(-1)?.tool ?? before
    steps.push(...inOrder(chosen))
  }
  const asked = steps.filter((step) => step.length > 0)
  if (asked.length > 1) return asked.map(eachOnItsOwn)
  // One thing is asked for, so all words are about it.
  const [only] = asked
  const whole = only === undefined && texts.length > 1 ? chooseTools(words, lastUser) : (only ?? [])
  const [single] = whole
  return whole.length === 0
    ? []
    : [eachOnItsOwn(whole.length === 1 ? [{ ...(single as Chosen), text: lastUser }] : whole)]
}

function chosenFor(
  tools: readonly ToolWords[],
  text: string,
  before: Tool | undefined,
  index: number,
): readonly Chosen[] {
  const [first = text, ...more] = text.split(/(?<=[.!?])\s+(?=(?:also|and|plus)\b)/i)
  if (more.length > 0) {
    const chosen = chosenFor(tools, first, before, index)
    const last = chosen.at(-1)?.tool ?? before
    return [...chosen, ...more.flatMap((part) => chosenFor(tools, part, last, index + 1))]
  }
  const chosen = chooseTools(tools, text, index > 0)
  if (chosen.length === 0)
    return before !== undefined && text.length < 200 && goesOn.test(text) ? [{ tool: before, text }] : []
  // "… and is it cold there?" asks nothing new of the tool before.
  return index === 0 ? chosen : chosen.filter(({ tool }) => tool !== before || hasValue.test(text))
}

/** Tools that supply what others need come first, those that hand in come last. */
function inOrder(chosen: readonly Chosen[]): readonly PlannedStep[] {
  const handsIn = ({ tool }: Chosen): boolean => chosen.length > 1 && endsAs(tool) > 1
  const waits = (one: Chosen): boolean =>
    lacksId(one) && chosen.some((other) => other.tool !== one.tool && !lacksId(other))
  const own = chosen.filter(({ supplies }) => supplies !== true)
  return [
    chosen.filter(({ supplies }) => supplies === true),
    own.filter((one) => !handsIn(one) && !waits(one)),
    own.filter((one) => !handsIn(one) && waits(one)),
    own.filter(handsIn),
  ]
}

/** Whether a tool must be given an id that its words do not have: only another tool can give it. */
const lacksId = ({ tool, text }: Chosen): boolean =>
  /(?:^|_)(?:id|isbn)$|[a-z]Id$/m.test(requiredNames(tool.parameters)) && !/(?=[\w-]*\d)[\w-]{3,}/.test(text)

/** "The weather in Paris and London" asks a tool that takes one place twice. */
function eachOnItsOwn(step: PlannedStep): PlannedStep {
  return step.flatMap((chosen) => {
    const kind = takesOne(chosen.tool.parameters)
    const texts = kind === undefined ? [] : eachListed(chosen.text, kind)
    return texts.length > 1 ? texts.map((text) => ({ ...chosen, text })) : [chosen]
  })
}

const anyWords = /^(?:query|q|text|prompt|question|input|content|message|body|expression|sql|code|topic)$/i

/** The kind of thing of which a tool takes one; undefined when it takes several, or a phrase. */
function takesOne(parameters: unknown): 'text' | 'number' | undefined {
  if (parameters === null || typeof parameters !== 'object') return undefined
  const { properties, required } = parameters as { properties?: unknown; required?: unknown }
  if (properties === null || typeof properties !== 'object') return undefined
  const open = Object.entries(properties as Record<string, unknown>).flatMap(([name, schema]) => {
    const { type, enum: values } = (schema ?? {}) as { type?: unknown; enum?: unknown }
    if (values !== undefined) return []
    return type === 'array' || type === 'string' || type === 'number' || type === 'integer'
      ? [{ name, type }]
      : []
  })
  const needed = Array.isArray(required) ? open.filter(({ name }) => required.includes(name)) : []
  const candidates = needed.length > 0 ? needed : open
  const texts = candidates.filter(({ type }) => type === 'string')
  if (candidates.some(({ type }) => type === 'array')) return undefined
  const [only] = texts
  if (texts.length === 1 && only !== undefined) return anyWords.test(only.name) ? undefined : 'text'
  return texts.length === 0 && candidates.length === 1 ? 'number' : undefined
}
