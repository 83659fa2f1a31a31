/** Splits the text of a script into tokens and counts them; what happens on the wire stays in between. */
import type { FinishWord, Script, ScriptedCall, ScriptItem, Words } from '../../protocol/script.ts'
import { type Piece, tokenCount } from '../tokens/pieces.ts'
import type { Tokens } from '../tokens/tokens.ts'

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
    }
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
  /** The finish reason, when the script gives one. */
  readonly finish: FinishWord | undefined
  /** The tokens as counted, before the usage of the script. */
  readonly tokens: { readonly text: number; readonly reasoning: number; readonly all: number }
  /** The script's own usage. */
  readonly usage: Partial<UsageCounts>
  /** All waits together, in virtual milliseconds. */
  readonly waits: number
}

// The overhead of a call beside its name and input.
const perCall = 4

/** A script in pieces. Items of image scripts are ignored. */
export function tokenizeScript(script: Script, tokens: Tokens): TokenizedScript {
  const lastText = script.findLastIndex(({ kind }) => isText(kind))
  const parts: TokenizedPart[] = []
  const count = { text: 0, reasoning: 0, all: 0 }
  const usage: { -readonly [Name in keyof UsageCounts]?: number } = {}
  let finish: FinishWord | undefined
  let finished = false
  let used = false
  let waits = 0
  for (const [at, item] of script.entries()) {
    switch (item.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal': {
        const pieces = piecesOf(item, tokens)
        const size = tokenCount(pieces)
        count.all += size
        if (item.kind !== 'refusal') count[item.kind] += size
        parts.push({ kind: item.kind, text: item.text, pieces })
        break
      }
      case 'toolCalls': {
        const calls = item.calls.map((call) => speakCall(call, tokens))
        for (const { name, pieces } of calls) count.all += perCall + tokens.count(name) + tokenCount(pieces)
        parts.push({ kind: 'calls', calls })
        break
      }
      case 'usage': {
        const { input, output, reasoning, cached } = item
        if (input !== undefined) usage.input = input
        if (output !== undefined) usage.output = output
        if (reasoning !== undefined) usage.reasoning = reasoning
        if (cached !== undefined) usage.cached = cached
        if (finished && !used) {
          used = true
          parts.push({ kind: 'usage' })
        }
        break
      }
      case 'finish':
        finish = item.reason
        if (at > lastText && !finished) {
          finished = true
          parts.push({ kind: 'finish' })
        }
        break
      case 'wait':
        waits += item.ms
        parts.push(item)
        break
      case 'raw':
      case 'fault':
        parts.push(item)
        break
      case 'partial':
      case 'picture':
        break
    }
  }
  if (!finished) parts.push({ kind: 'finish' })
  if (!used) parts.push({ kind: 'usage' })
  return { parts, finish, tokens: count, usage, waits }
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
  kind === 'text' || kind === 'reasoning' || kind === 'refusal' || kind === 'toolCalls'

function speakCall({ name, id, input }: ScriptedCall, tokens: Tokens): TokenizedCall {
  return { name, id, input: input.text, pieces: piecesOf(input, tokens) }
}

// Given chunks stay as they are, even when cut inside a character: JSON can encode each half.
function piecesOf({ text, chunks }: Words, tokens: Tokens): readonly Piece[] {
  return chunks === undefined
    ? tokens.pieces(text)
    : chunks.map((chunk) => ({ text: chunk, quoted: JSON.stringify(chunk), tokens: tokens.count(chunk) }))
}
