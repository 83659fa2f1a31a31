/**
 * Splits the text of a script into tokens, as many as the call allows, and counts them; what happens on the
 * wire stays in between.
 */
import {
  type FinishWord,
  neutralFinish,
  type OwnFinishWord,
  type Script,
  type ScriptedCall,
  type ScriptedCitation,
  type ScriptedLogprob,
  type ScriptItem,
  type Words,
} from '../../protocol/script.ts'
import { firstTokens, joinPieces, type Piece, type Tokens, tokenCount } from '../tokens/tokens.ts'

/** Items that act on the wire of a stream and write nothing. */
export type WireItem = Extract<ScriptItem, { kind: 'wait' | 'raw' | 'fault' }>

/** A tool call. Its pieces make up the JSON text of its arguments, or the input of a custom tool. */
export interface TokenizedCall {
  readonly name: string
  /** The id of the script, if it has one. */
  readonly id: string | undefined
  readonly input: string
  readonly pieces: readonly Piece[]
}

export type TokenizedPart =
  | {
      readonly kind: 'text' | 'reasoning' | 'refusal'
      readonly text: string
      readonly pieces: readonly Piece[]
      /** One for each piece, where the script gives them. */
      readonly logprobs?: readonly ScriptedLogprob[]
      readonly citations?: readonly ScriptedCitation[]
      /** Of reasoning, when the script gives one. */
      readonly signature?: string
    }
  | { readonly kind: 'redacted'; readonly data: string | undefined }
  | { readonly kind: 'calls'; readonly calls: readonly TokenizedCall[] }
  | WireItem
  /** Where the stream gives its finish reason; no text follows. */
  | { readonly kind: 'finish' }
  /** Where the stream reports its usage, in APIs with an event for it; after `finish`. */
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
  /** The finish reason, when the script gives one and nothing has cut it off. */
  readonly finish: FinishWord | OwnFinishWord | undefined
  /** The stop sequence that the script gives with it. */
  readonly sequence: string | undefined
  /** What ended the answer before the script did. */
  readonly cut: CutParts['cut']
  /** The tokens as counted, before the usage of the script. */
  readonly tokens: { readonly text: number; readonly reasoning: number; readonly all: number }
  /** The script's own usage. */
  readonly usage: Partial<UsageCounts>
  /** True when a stream does not report the usage that was asked for. */
  readonly hidesUsage: boolean
  /** All waits together, in virtual milliseconds. */
  readonly waits: number
}

/** A script in pieces, as far as the limits of the call allow. Items of image scripts are ignored. */
export function tokenizeScript(
  script: Script,
  tokens: Tokens,
  limits: ScriptLimits | undefined,
): TokenizedScript {
  const read = readScript(script, tokens)
  const { finish, sequence, usage } = read
  // A script that says its own usage knows whether it fits, and one that ends by `length` where the limit is.
  const limit = limits?.tokens ?? Number.POSITIVE_INFINITY
  const fits = (usage.output ?? Number.POSITIVE_INFINITY) <= limit || neutralFinish(finish) === 'length'
  const { parts: kept, cut } =
    limits === undefined
      ? { parts: read.parts, cut: undefined }
      : cutParts(read.parts, fits ? { ...limits, tokens: undefined } : limits, tokens)
  const counted = countOf(kept, tokens)
  const has = (kind: 'finish' | 'usage'): boolean => kept.some((part) => part.kind === kind)
  return {
    parts: [
      ...kept,
      ...(has('finish') ? [] : [{ kind: 'finish' } as const]),
      ...(has('usage') ? [] : [{ kind: 'usage' } as const]),
    ],
    finish: cut === undefined ? finish : undefined,
    sequence,
    cut,
    // The tokens of a character that the limit splits count, though it is held back.
    tokens: { ...counted, all: cut?.by === 'tokens' ? limit : Math.min(counted.all, limit) },
    usage,
    hidesUsage: script.some(({ kind }) => kind === 'noUsage'),
    waits: kept.reduce((sum, part) => sum + (part.kind === 'wait' ? part.ms : 0), 0),
  }
}

interface ReadScript extends Pick<TokenizedScript, 'finish' | 'sequence' | 'usage'> {
  /** Has `finish` and `usage` where the script has them behind its last words, at most once. */
  readonly parts: readonly TokenizedPart[]
}

function readScript(script: Script, tokens: Tokens): ReadScript {
  const lastText = script.findLastIndex(({ kind }) => isText(kind))
  const parts: TokenizedPart[] = []
  const usage: { -readonly [Name in keyof UsageCounts]?: number } = {}
  let ends: Extract<ScriptItem, { kind: 'finish' }> | undefined
  let finished = false
  let used = false
  for (const [at, item] of script.entries()) {
    switch (item.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal': {
        const { chunks: _, ...said } = item
        parts.push({ ...said, pieces: piecesOf(item, tokens) })
        break
      }
      case 'redacted':
        parts.push({ kind: 'redacted', data: item.data })
        break
      case 'toolCalls':
        parts.push({ kind: 'calls', calls: item.calls.map((call) => speakCall(call, tokens)) })
        break
      case 'usage': {
        const { kind: _, ...given } = item
        for (const [name, count] of Object.entries(given))
          if (count !== undefined) usage[name as keyof UsageCounts] = count
        if (finished && !used) {
          used = true
          parts.push({ kind: 'usage' })
        }
        break
      }
      case 'finish':
        ends = item
        if (at > lastText && !finished) {
          finished = true
          parts.push({ kind: 'finish' })
        }
        break
      case 'wait':
      case 'raw':
      case 'fault':
        parts.push(item)
        break
      case 'noUsage':
      case 'partial':
      case 'picture':
        break
    }
  }
  return { parts, finish: ends?.reason, sequence: ends?.sequence, usage }
}

function countOf(parts: readonly TokenizedPart[], tokens: Tokens): TokenizedScript['tokens'] {
  const count = { text: 0, reasoning: 0, all: 0 }
  for (const part of parts) {
    if (part.kind === 'calls') {
      for (const { name, pieces } of part.calls)
        count.all += perCall + tokens.count(name) + tokenCount(pieces)
    } else if ('pieces' in part) {
      const size = tokenCount(part.pieces)
      count.all += size
      if (part.kind !== 'refusal') count[part.kind] += size
    }
  }
  return count
}

/**
 * The counts with the numbers of the script in their place. Numbers that the script leaves out are kept
 * consistent: reasoning is part of the output, cached tokens are part of the input.
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

const isText = (kind: ScriptItem['kind']): boolean =>
  kind === 'text' || kind === 'reasoning' || kind === 'redacted' || kind === 'refusal' || kind === 'toolCalls'

function speakCall({ name, id, input }: ScriptedCall, tokens: Tokens): TokenizedCall {
  return { name, id, input: input.text, pieces: piecesOf(input, tokens) }
}

// Given chunks stay as they are, even when cut inside a character: JSON can encode each half.
function piecesOf({ text, chunks }: Words, tokens: Tokens): readonly Piece[] {
  return chunks === undefined
    ? tokens.pieces(text)
    : chunks.map((chunk) => ({ text: chunk, quoted: JSON.stringify(chunk), tokens: tokens.count(chunk) }))
}

/** What a call allows an answer to say. */
export interface ScriptLimits {
  /** Tokens of everything that is written, reasoning too; undefined when nothing limits them. */
  readonly tokens: number | undefined
  readonly stop: readonly string[]
}

interface CutParts {
  readonly parts: readonly TokenizedPart[]
  /** Why they end where they do; undefined when nothing cut them. */
  readonly cut: { readonly by: 'tokens' } | { readonly by: 'stop'; readonly sequence: string } | undefined
}

/** The overhead of a call beside its name and input, in tokens. */
const perCall = 4

/** The parts up to the cut. What stands behind it is never said, nor does it happen. */
function cutParts(parts: readonly TokenizedPart[], limits: ScriptLimits, tokens: Tokens): CutParts {
  const stopped = cutAtStop(parts, limits.stop, tokens)
  const kept = limits.tokens === undefined ? undefined : cutAtTokens(stopped.parts, limits.tokens, tokens)
  return kept === undefined ? stopped : { parts: kept, cut: { by: 'tokens' } }
}

type WordsPart = Extract<TokenizedPart, { readonly pieces: readonly Piece[] }>

// A sequence may begin in one text of the script and end in another: the client reads them as one.
function cutAtStop(parts: readonly TokenizedPart[], sequences: readonly string[], tokens: Tokens): CutParts {
  if (sequences.length === 0) return { parts, cut: undefined }
  const said = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const found = stopIn(said, sequences)
  if (found === undefined) return { parts, cut: undefined }
  let before = 0
  for (const [index, part] of parts.entries()) {
    if (part.kind !== 'text') continue
    const end = before + part.text.length
    if (found.at < end) {
      const text = part.text.slice(0, found.at - before)
      return {
        parts: [...parts.slice(0, index), shortened(part, piecesUpTo(part.pieces, text.length, tokens))],
        cut: { by: 'stop', sequence: found.sequence },
      }
    }
    before = end
  }
  return { parts, cut: undefined }
}

/** The parts that fit into a limit; undefined when all do. */
function cutAtTokens(
  parts: readonly TokenizedPart[],
  limit: number,
  tokens: Tokens,
): readonly TokenizedPart[] | undefined {
  let left = limit
  for (const [index, part] of parts.entries()) {
    const before = parts.slice(0, index)
    if (part.kind === 'calls') {
      const calls: TokenizedCall[] = []
      for (const call of part.calls) {
        left -= perCall + tokens.count(call.name)
        if (left >= 0) calls.push(callWithin(call, left, tokens))
        left -= tokenCount(call.pieces)
        if (left < 0) return calls.length === 0 ? before : [...before, { kind: 'calls', calls }]
      }
    } else if ('pieces' in part) {
      const size = tokenCount(part.pieces)
      if (size > left) return [...before, shortened(part, piecesWithin(part.pieces, left, tokens))]
      left -= size
    }
  }
  return undefined
}

// The arguments of a call are cut in the middle, as in reality: the client must notice by the finish reason.
function callWithin(call: TokenizedCall, limit: number, tokens: Tokens): TokenizedCall {
  const pieces = piecesWithin(call.pieces, limit, tokens)
  return { ...call, pieces, input: joinPieces(pieces) }
}

// What was to be cited is no longer said as a whole.
function shortened({ kind, signature }: WordsPart, pieces: readonly Piece[]): WordsPart {
  return { kind, text: joinPieces(pieces), pieces, ...(signature === undefined ? {} : { signature }) }
}

/** A piece that a script gives may hold many tokens: the one that does not fit is split. */
function piecesWithin(pieces: readonly Piece[], limit: number, tokens: Tokens): readonly Piece[] {
  const kept = firstTokens(pieces, limit)
  const next = pieces[kept.length]
  if (next === undefined) return kept
  const rest = firstTokens(tokens.pieces(next.text), limit - tokenCount(kept))
  return rest.length === 0 ? kept : [...kept, pieceOf(joinPieces(rest), tokens)]
}

function piecesUpTo(pieces: readonly Piece[], length: number, tokens: Tokens): readonly Piece[] {
  const kept: Piece[] = []
  let left = length
  for (const piece of pieces) {
    if (left <= 0) break
    kept.push(piece.text.length <= left ? piece : pieceOf(piece.text.slice(0, left), tokens))
    left -= piece.text.length
  }
  return kept
}

const pieceOf = (text: string, tokens: Tokens): Piece => ({
  text,
  quoted: JSON.stringify(text),
  tokens: tokens.count(text),
})

export interface FoundStop {
  readonly at: number
  readonly sequence: string
}

/**
 * Where a text stops: at the sequence that is complete first, the longer one if two are complete at once.
 * Empty sequences stop nothing.
 */
export function stopIn(text: string, sequences: readonly string[]): FoundStop | undefined {
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
