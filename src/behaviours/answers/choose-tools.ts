/** Chooses the tools that a model would call for a text. */
import { type SaidPart, SaidText } from '../prompt/said-words.ts'
import { conceptsIn } from '../prompt/subjects.ts'
import type { Tool } from './conversation.ts'
import {
  minScore,
  parameterNames,
  requestedScore,
  type ScoredTool,
  scoreTool,
  type ToolWords,
} from './score-tools.ts'

/** The maximum number of tools that one answer calls. */
const maxCalls = 8
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
    '(?:failed|unable|could not) (?:to )?(?:parse|validate)|' +
    String.raw`your (?:last |previous )?(?:answer|response|output|reply)\b)`,
  'i',
)
const declined = /\b(?:do not|don['’]t|without|never)\b[^.!?\n]{0,30}\b(?:tools?|functions?)\b/i
export const declinesTools = (prompt: string): boolean => declined.test(prompt) || corrects.test(prompt)

/**
 * The tools to call for a text, in the order in which it mentions them; empty when none fits. Several are
 * called only when each has a part of the text to itself. `goesOn` says that the text continues what came
 * before, so that "delete it" asks for a tool that deletes.
 */
export function chooseTools(tools: readonly ToolWords[], text: string, goesOn = false): readonly Chosen[] {
  if (tools.length === 0) return []
  const said = new SaidText(text)
  const whole = said.part()
  // What the whole does not name, no part names.
  const scored = tools.map((tool) => scoreTool(tool, whole, goesOn))
  const named = tools.filter((_, at) => (scored[at] as ScoredTool).named.length > 0)
  const parts = named.length > 0 ? partsByTool(named, said, goesOn) : []
  if (parts.length > 1) return parts
  const best =
    bestOf(scored, whole) ??
    (said.quotes ? bestTool(tools, said.part(0, text.length, true), goesOn) : undefined)
  return best === undefined ? [] : [...supplierOf(best, tools, said), { tool: best.tool, text }]
}

const between = new RegExp(
  String.raw`(?<=[.!?;])\s+|\n|,?\s+(?:and|plus|as well as)\s+(?:also\s+|then\s+)?|` +
    String.raw`,\s+|[，。；、和与]`,
  'gu',
)
/** What makes a part of a text worth a call of its own. */
export const hasValue =
  /\d|["“'`@/]|(?<=[^.!?\s]\s+)\p{Lu}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice)\b/u
const maxClauses = 24

/** The parts of a text that ask for a tool, each with what follows it. */
function partsByTool(tools: readonly ToolWords[], said: SaidText, goesOn: boolean): readonly Chosen[] {
  const { text } = said
  const ends = [...text.matchAll(between)].slice(0, maxClauses).map(({ index, 0: gap }) => index + gap.length)
  const parts: { tool: Tool; requested: boolean; text: string }[] = []
  let lead = ''
  for (const [at, end] of [...ends, text.length].entries()) {
    const start = ends[at - 1] ?? 0
    const clause = text.slice(start, end)
    const best =
      ends.length === 0 ? undefined : bestTool(tools, said.part(start, end), goesOn || parts.length > 0)
    const last = parts.at(-1)
    const isOwn =
      best !== undefined &&
      best.named.length > 0 &&
      // "a.json and b.json" are one list.
      (best.score >= requestedScore || /\S\s+\S/.test(clause)) &&
      parts.length < maxCalls &&
      !(last?.tool === best.tool && !(hasValue.test(last.text) && hasValue.test(clause)))
    if (isOwn) parts.push({ tool: best.tool, requested: best.score >= requestedScore, text: lead + clause })
    else if (last === undefined) lead += clause
    else last.text += clause
    if (isOwn) lead = ''
  }
  const requested = parts.filter((part) => part.requested)
  return (requested.length > 0 ? requested : parts).map((part) => ({
    tool: part.tool,
    text: part.text.replace(/[\s,;]+(?:and|plus|as well as)?\s*$/u, ''),
  }))
}

function bestTool(tools: readonly ToolWords[], said: SaidPart, goesOn: boolean): ScoredTool | undefined {
  return bestOf(
    tools.map((tool) => scoreTool(tool, said, goesOn)),
    said,
  )
}

function bestOf(all: readonly ScoredTool[], said: SaidPart): ScoredTool | undefined {
  if (said.concepts.size === 0 && said.actions.length === 0) return undefined
  let best: ScoredTool | undefined
  for (const scored of all) {
    if (
      scored.score >= minScore &&
      (best === undefined ||
        scored.score > best.score ||
        (scored.score === best.score && scored.at < best.at))
    )
      best = scored
  }
  return best
}

/** "The weather at my current location" asks for the location first. */
function supplierOf(best: ScoredTool, tools: readonly ToolWords[], said: SaidText): readonly Chosen[] {
  const { text } = said
  if (!/\b(?:my|our|current)\b/i.test(text) || !requiresSomething(best.tool)) return []
  const { concepts } = said.part()
  const open = conceptsIn(parameterNames(best.tool)).filter((word) => {
    const at = concepts.get(word)
    return at !== undefined && /\b(?:my|our|current) (?:\w+ )?$/i.test(text.slice(Math.max(0, at - 30), at))
  })
  const supplier = tools.find(
    ({ tool, thingWords }) =>
      tool !== best.tool && !requiresSomething(tool) && thingWords.some((word) => open.includes(word)),
  )
  return supplier === undefined ? [] : [{ tool: supplier.tool, text, supplies: true }]
}

const requiresSomething = ({ parameters }: Tool): boolean => {
  const { required } = (parameters ?? {}) as { required?: unknown }
  return Array.isArray(required) && required.length > 0
}
