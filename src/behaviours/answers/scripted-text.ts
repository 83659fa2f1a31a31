/** A script as an API that talks will say it: its words in pieces, counted, and what happens between them. */
import type { FinishWord, Script, ScriptedCall, ScriptItem, Words } from '../../protocol/script.ts'
import { type Piece, tokenCount } from '../tokens/pieces.ts'
import type { Tokens } from '../tokens/tokens.ts'

/** What happens on the wire of a stream and says nothing. */
export type WireItem = Extract<ScriptItem, { kind: 'wait' | 'raw' | 'fault' }>

/** A tool call; its pieces together are the JSON text of its arguments, or what a custom tool takes. */
export interface TokenizedCall {
  readonly name: string
  /** As the script gives it. */
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
  /** Where the stream says why it ends; nothing is said after it. */
  | { readonly kind: 'finish' }
  /** Where the stream says its usage, if its API says it in an event of its own. Stands after `finish`. */
  | { readonly kind: 'usage' }

/** Tokens, as both families count them. */
export interface UsageCounts {
  readonly input: number
  /** Everything that was said or thought. */
  readonly output: number
  /** Of these, what was thought. */
  readonly reasoning: number
  /** Of the input, what was cached. */
  readonly cached: number
}

export interface TokenizedScript {
  /** `finish` and `usage` stand in it exactly once. */
  readonly parts: readonly TokenizedPart[]
  /** Why it ends, when the script says so. */
  readonly finish: FinishWord | undefined
  /** What was counted, before the script's own usage. */
  readonly tokens: { readonly text: number; readonly reasoning: number; readonly all: number }
  /** The script's own usage. */
  readonly usage: Partial<UsageCounts>
  /** All waits together, in virtual milliseconds. */
  readonly waits: number
}

// A call costs some tokens beside its name and its input.
const perCall = 4

/** A script in pieces. Items of pictures say nothing here. */
export function tokenizeScript(script: Script, tokens: Tokens): TokenizedScript {
  const lastSaid = script.findLastIndex(({ kind }) => isSaid(kind))
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
        if (at > lastSaid && !finished) {
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
 * What was counted, with the script's own numbers in its place. A number that the script leaves out follows
 * the ones that it gives: what was thought is a part of the output, and what was cached a part of the input.
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

const isSaid = (kind: ScriptItem['kind']): boolean =>
  kind === 'text' || kind === 'reasoning' || kind === 'refusal' || kind === 'toolCalls'

function speakCall({ name, id, input }: ScriptedCall, tokens: Tokens): TokenizedCall {
  return { name, id, input: input.text, pieces: piecesOf(input, tokens) }
}

// Exact pieces stay as they are, be they cut inside a character: JSON can say each half.
function piecesOf({ text, chunks }: Words, tokens: Tokens): readonly Piece[] {
  return chunks === undefined
    ? tokens.pieces(text)
    : chunks.map((chunk) => ({ text: chunk, quoted: JSON.stringify(chunk), tokens: tokens.count(chunk) }))
}
