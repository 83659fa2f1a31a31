/**
 * Splits the text of a script into tokens within the limits of the request and counts them; effects on the
 * wire keep their places. Default answers are scripts too.
 */
import {
  type FinishWord,
  neutralFinish,
  type OwnFinishWord,
  type Script,
  type ScriptedCall,
  type ScriptedCitation,
  type ScriptItem,
  type Words,
} from '../../protocol/script.ts'
import type { TokenizedText, Tokens } from '../tokens/tokens.ts'

/** Items that act on the wire of a stream and write nothing. */
export type WireItem = Extract<ScriptItem, { kind: 'wait' | 'raw' | 'fault' }>

/** A tool call with the JSON text of its arguments, or the input of a custom tool. */
export interface TokenizedCall {
  readonly name: string
  /** The id of the script, if it has one. */
  readonly id: string | undefined
  readonly encoded: TokenizedText
}

export interface TokenizedWords {
  readonly kind: 'text' | 'reasoning' | 'refusal'
  readonly encoded: TokenizedText
  /** One per chunk, if the script gives them. */
  readonly logprobs?: readonly number[]
  readonly citations?: readonly ScriptedCitation[]
  /** The signature of reasoning, if the script gives one. */
  readonly signature?: string
}

export type TokenizedPart =
  | TokenizedWords
  | { readonly kind: 'redacted'; readonly data: string | undefined }
  | { readonly kind: 'calls'; readonly calls: readonly TokenizedCall[] }
  | WireItem
  /** The place of the finish reason; no text follows. */
  | { readonly kind: 'finish' }
  /** The place of the usage, in APIs with an event for it; after `finish`. */
  | { readonly kind: 'usage' }

/** Token counts as both API families report them. */
export interface UsageCounts {
  readonly input: number
  /** All tokens written, including reasoning. */
  readonly output: number
  /** The reasoning tokens among them. */
  readonly reasoning: number
  /** The cached tokens of the input. */
  readonly cached: number
}

export interface TokenizedScript {
  /** Has `finish` and `usage` exactly once. */
  readonly parts: readonly TokenizedPart[]
  /** The finish reason of the script, unless a limit has cut the answer. */
  readonly finish: FinishWord | OwnFinishWord | undefined
  /** The stop sequence that the script gives with it. */
  readonly sequence: string | undefined
  /** The limit that cut the answer. */
  readonly cut: { readonly by: 'tokens' } | { readonly by: 'stop'; readonly sequence: string } | undefined
  /** The tokens as counted, before the usage of the script. */
  readonly tokens: { readonly text: number; readonly reasoning: number; readonly all: number }
  /** The script's own usage. */
  readonly usage: Partial<UsageCounts>
  /** True if the stream omits the requested usage. */
  readonly hidesUsage: boolean
  /** The sum of all waits, in virtual milliseconds. */
  readonly waits: number
}

/** The limits of a request for its answer. */
export interface ScriptLimits {
  /** The maximum of output tokens, including reasoning. */
  readonly tokens: number
  readonly stop: readonly string[]
  /** Ends the answer in the middle of the text after the reasoning, unless a limit cuts it earlier. */
  readonly end?: FinishWord | undefined
}

const unlimited: ScriptLimits = { tokens: Number.POSITIVE_INFINITY, stop: [] }

/** The parts of a script and their tokens, until they have used up the limit. */
interface Written {
  readonly tokenizer: Tokens
  readonly limit: number
  readonly parts: TokenizedPart[]
  readonly tokens: { text: number; reasoning: number; all: number }
  isCut: boolean
  waits: number
  /** Whether the places of the finish reason and of the usage are among the parts. */
  isFinished: boolean
  isUsed: boolean
}

/** A script in chunks, within the limits of the request. Items of image scripts are ignored. */
export function tokenizeScript(
  script: Script,
  tokenizer: Tokens,
  limits: ScriptLimits = unlimited,
): TokenizedScript {
  if (limits.end !== undefined) return endInMiddle(script, tokenizer, limits, limits.end)
  const { ends, lastText, usage, hidesUsage } = readEnd(script)
  // A script with its own usage, or with the finish reason `length`, ignores the limit.
  const endsByLength = ends !== undefined && neutralFinish(ends.reason) === 'length'
  const fits = endsByLength || (usage.output ?? unlimited.tokens) <= limits.tokens
  const stopped = limits.stop.length === 0 ? undefined : scriptUpToStop(script, limits.stop)
  const tokens = { text: 0, reasoning: 0, all: 0 }
  const parts: TokenizedPart[] = []
  const written: Written = {
    tokenizer,
    limit: fits ? unlimited.tokens : limits.tokens,
    parts,
    tokens,
    isCut: false,
    waits: 0,
    isFinished: false,
    isUsed: false,
  }
  let at = 0
  for (const item of stopped?.script ?? script) {
    // A finish reason before the last text moves after it.
    if (item.kind !== 'finish' || at > lastText) write(written, item)
    // Nothing after the cut is sent or happens.
    if (written.isCut) break
    at++
  }
  if (!written.isFinished) parts.push({ kind: 'finish' })
  if (!written.isUsed) parts.push({ kind: 'usage' })
  const cut = written.isCut ? ({ by: 'tokens' } as const) : stopped?.cut
  return {
    parts,
    finish: cut === undefined ? ends?.reason : undefined,
    sequence: ends?.sequence,
    cut,
    tokens: { ...tokens, all: Math.min(tokens.all, limits.tokens) },
    usage,
    hidesUsage,
    waits: written.waits,
  }
}

function endInMiddle(
  script: Script,
  tokenizer: Tokens,
  { tokens, stop }: ScriptLimits,
  finish: FinishWord,
): TokenizedScript {
  // Counting stops at the limit, because the text may be much longer.
  const { all, reasoning } = tokenizeScript(script, tokenizer, { ...unlimited, tokens: 2 * tokens }).tokens
  const half = reasoning + Math.max(1, (all - reasoning) >> 1)
  if (half >= tokens) return tokenizeScript(script, tokenizer, { tokens, stop })
  const encoded = tokenizeScript(script, tokenizer, { tokens: half, stop })
  return encoded.cut?.by === 'stop' ? encoded : { ...encoded, cut: undefined, finish }
}

interface ScriptEnd extends Pick<TokenizedScript, 'usage' | 'hidesUsage'> {
  readonly ends: Extract<ScriptItem, { kind: 'finish' }> | undefined
  /** The index of the last item with content. */
  readonly lastText: number
}

/** The finish reason of a script, at any place. */
function readEnd(script: Script): ScriptEnd {
  const usage: { -readonly [Name in keyof UsageCounts]?: number } = {}
  let ends: ScriptEnd['ends']
  let lastText = -1
  let hidesUsage = false
  let at = 0
  for (const item of script) {
    switch (item.kind) {
      case 'usage': {
        const { kind: _, ...given } = item
        for (const [name, count] of Object.entries(given))
          if (count !== undefined) usage[name as keyof UsageCounts] = count
        break
      }
      case 'finish':
        ends = item
        break
      case 'noUsage':
        hidesUsage = true
        break
      case 'text':
      case 'reasoning':
      case 'redacted':
      case 'refusal':
      case 'toolCalls':
        lastText = at
        break
    }
    at++
  }
  return { ends, lastText, usage, hidesUsage }
}

function write(written: Written, item: ScriptItem): void {
  const { parts, tokens, tokenizer, limit } = written
  switch (item.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal': {
      const encoded = tokenizer.say(item, limit - tokens.all)
      // The tokens of a character that the limit splits count, although the character is not sent.
      tokens.all += encoded.tokens
      if (item.kind !== 'refusal') tokens[item.kind] += encoded.tokens
      written.isCut = encoded.cut
      const part: TokenizedWords = { ...item, encoded }
      // The cited text is incomplete, so its citation is dropped.
      const { citations: _, logprobs: __, ...short } = part
      parts.push(encoded.cut ? short : part)
      break
    }
    case 'redacted':
      parts.push({ kind: 'redacted', data: item.data })
      break
    case 'toolCalls':
      writeCalls(written, item.calls)
      break
    case 'usage':
      if (written.isFinished && !written.isUsed) parts.push({ kind: 'usage' })
      written.isUsed ||= written.isFinished
      break
    case 'finish':
      if (!written.isFinished) parts.push({ kind: 'finish' })
      written.isFinished = true
      break
    case 'wait':
    case 'raw':
    case 'fault':
      if (item.kind === 'wait') written.waits += item.ms
      parts.push(item)
      break
    case 'noUsage':
    case 'partial':
    case 'image':
      break
  }
}

/** The overhead of a tool call besides its name and input, in tokens. */
const perCall = 4

function writeCalls(written: Written, calls: readonly ScriptedCall[]): void {
  const { tokens, tokenizer, limit } = written
  const made: TokenizedCall[] = []
  for (const { name, id, input } of calls) {
    tokens.all += perCall + tokenizer.count(name)
    written.isCut = tokens.all > limit
    if (written.isCut) break
    // A limit cuts the arguments in the middle, as real models do: clients must check the finish reason.
    const encoded = tokenizer.say(input, limit - tokens.all)
    tokens.all += encoded.tokens
    made.push({ name, id, encoded })
    written.isCut = encoded.cut
    if (written.isCut) break
  }
  if (made.length > 0) written.parts.push({ kind: 'calls', calls: made })
}

// A stop sequence may span two texts of the script, because clients join them.
function scriptUpToStop(
  script: Script,
  sequences: readonly string[],
): { readonly script: Script; readonly cut: TokenizedScript['cut'] } {
  const found = stopIn(script.map((item) => (item.kind === 'text' ? item.text : '')).join(''), sequences)
  if (found === undefined) return { script, cut: undefined }
  let left = found.at
  for (const [index, item] of script.entries()) {
    if (item.kind !== 'text') continue
    if (left < item.text.length) {
      const last = { kind: 'text', ...wordsUpTo(item, left) } as const
      return { script: [...script.slice(0, index), last], cut: { by: 'stop', sequence: found.sequence } }
    }
    left -= item.text.length
  }
  return { script, cut: undefined }
}

function wordsUpTo({ text, chunks }: Words, length: number): Words {
  if (chunks === undefined) return { text: text.slice(0, length) }
  const kept: string[] = []
  let left = length
  for (const chunk of chunks) {
    if (left <= 0) break
    kept.push(chunk.slice(0, left))
    left -= chunk.length
  }
  return { text: text.slice(0, length), chunks: kept }
}

/**
 * The counts with the numbers of the script. Omitted numbers stay consistent: reasoning is part of the
 * output, cached tokens are part of the input.
 */
export function scriptedCounts(counted: UsageCounts, given: Partial<UsageCounts>): UsageCounts {
  const input = given.input ?? counted.input
  const output = given.output ?? counted.output - counted.reasoning + (given.reasoning ?? counted.reasoning)
  return {
    input,
    output,
    reasoning: given.reasoning ?? Math.min(counted.reasoning, output),
    cached: given.cached ?? Math.min(counted.cached, input),
  }
}

interface FoundStop {
  readonly at: number
  readonly sequence: string
}

/**
 * The end of a text at the stop sequence that is complete first, or the longer one of two. Empty sequences
 * are ignored.
 */
function stopIn(text: string, sequences: readonly string[]): FoundStop | undefined {
  let first: FoundStop | undefined
  for (const sequence of sequences) {
    const at = sequence === '' ? -1 : text.indexOf(sequence)
    if (at < 0) continue
    const end = at + sequence.length
    const best = first === undefined ? Number.POSITIVE_INFINITY : first.at + first.sequence.length
    if (end < best || (end === best && at < (first?.at ?? 0))) first = { at, sequence }
  }
  return first
}
