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
  type ScriptItem,
  type Words,
} from '../../protocol/script.ts'
import { type Piece, tokenCount } from '../tokens/pieces.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { type CutParts, cutParts, perCall, type ScriptLimits } from './cut-script.ts'
import type { TokenizedCall, TokenizedPart } from './tokenized-script.ts'

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
