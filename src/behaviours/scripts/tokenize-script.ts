/**
 * Splits the text of a script into tokens within the limits of the request and counts them; effects on the
 * wire keep their places. Default answers are scripts too.
 */
import {
  type FinishWord,
  neutralFinish,
  type OwnFinishWord,
  type Script,
  type ScriptedCitation,
  type ScriptedLogprob,
  type ScriptItem,
  type Words,
} from '../../protocol/script.ts'
import type { ModelAnswer } from '../answers/conversation.ts'
import {
  firstTokens,
  joinTokenTexts,
  type TokenizedText,
  type Tokens,
  type TokenText,
} from '../tokens/tokens.ts'

/** Items that act on the wire of a stream and write nothing. */
export type WireItem = Extract<ScriptItem, { kind: 'wait' | 'raw' | 'fault' }>

/** A tool call with the JSON text of its arguments, or the input of a custom tool. */
export interface TokenizedCall {
  readonly name: string
  /** The id of the script, if it has one. */
  readonly id: string | undefined
  readonly said: TokenizedText
}

export interface TokenizedWords {
  readonly kind: 'text' | 'reasoning' | 'refusal'
  readonly said: TokenizedText
  /** One per chunk, if the script gives them. */
  readonly logprobs?: readonly ScriptedLogprob[]
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
}

const unlimited: ScriptLimits = { tokens: Number.POSITIVE_INFINITY, stop: [] }

/** A script in chunks, within the limits of the request. Items of image scripts are ignored. */
export function tokenizeScript(
  script: Script,
  tokens: Tokens,
  limits: ScriptLimits = unlimited,
): TokenizedScript {
  const { ends, lastText, usage, hidesUsage } = readEnd(script)
  // A script with its own usage, or with the finish reason `length`, ignores the limit.
  const endsByLength = ends !== undefined && neutralFinish(ends.reason) === 'length'
  const fits = endsByLength || (usage.output ?? unlimited.tokens) <= limits.tokens
  const stopped = limits.stop.length === 0 ? undefined : scriptUpToStop(script, limits.stop)
  const written = new WrittenParts(tokens, fits ? unlimited.tokens : limits.tokens)
  let at = 0
  for (const item of stopped?.script ?? script) {
    // A finish reason before the last text moves after it.
    if (item.kind !== 'finish' || at > lastText) written.add(item)
    // Nothing after the cut is sent or happens.
    if (written.isCut) break
    at++
  }
  written.end()
  const cut = written.isCut ? ({ by: 'tokens' } as const) : stopped?.cut
  return {
    parts: written.parts,
    finish: cut === undefined ? ends?.reason : undefined,
    sequence: ends?.sequence,
    cut,
    tokens: { ...written.tokens, all: Math.min(written.tokens.all, limits.tokens) },
    usage,
    hidesUsage,
    waits: written.waits,
  }
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

/** The answer of a model as a script. */
export function scriptOf(answer: ModelAnswer): Script {
  return answer.kind === 'calls'
    ? answer.calls.map(({ name, input }) => ({
        kind: 'toolCalls',
        calls: [{ name, input: { text: input.toWellFormed() } }],
      }))
    : [{ kind: answer.kind, text: answer.text.toWellFormed() }]
}

/**
 * A default answer in chunks. A planned end is in the middle of the text after the reasoning, unless a limit
 * cuts it earlier.
 */
export function tokenizeAnswer(
  script: Script,
  tokens: Tokens,
  limits: ScriptLimits,
  planned: FinishWord | undefined,
): TokenizedScript {
  if (planned === undefined) return tokenizeScript(script, tokens, limits)
  // Counting stops at the limit, because the text may be much longer.
  const { all, reasoning } = tokenizeScript(script, tokens, {
    ...unlimited,
    tokens: 2 * limits.tokens,
  }).tokens
  const half = reasoning + Math.max(1, (all - reasoning) >> 1)
  if (half >= limits.tokens) return tokenizeScript(script, tokens, limits)
  const said = tokenizeScript(script, tokens, { ...limits, tokens: half })
  return said.cut?.by === 'stop' ? said : { ...said, cut: undefined, finish: planned }
}

/** The overhead of a tool call besides its name and input, in tokens. */
const perCall = 4

/** The parts of a script and their tokens, until they have used up the limit. */
class WrittenParts {
  readonly parts: TokenizedPart[] = []
  readonly tokens = { text: 0, reasoning: 0, all: 0 }
  isCut = false
  waits = 0
  readonly #tokenizer: Tokens
  readonly #limit: number
  #finished = false
  #used = false

  constructor(tokenizer: Tokens, limit: number) {
    this.#tokenizer = tokenizer
    this.#limit = limit
  }

  add(item: ScriptItem): void {
    switch (item.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        this.#words(item)
        break
      case 'redacted':
        this.parts.push({ kind: 'redacted', data: item.data })
        break
      case 'toolCalls':
        this.#calls(item.calls)
        break
      case 'usage':
        if (this.#finished) this.#mark('usage')
        break
      case 'finish':
        this.#mark('finish')
        break
      case 'wait':
      case 'raw':
      case 'fault':
        if (item.kind === 'wait') this.waits += item.ms
        this.parts.push(item)
        break
      case 'noUsage':
      case 'partial':
      case 'image':
        break
    }
  }

  /** Adds the places of finish reason and usage, unless the script has them. */
  end(): void {
    if (!this.#finished) this.parts.push({ kind: 'finish' })
    if (!this.#used) this.parts.push({ kind: 'usage' })
  }

  #mark(kind: 'finish' | 'usage'): void {
    const isFirst = kind === 'finish' ? !this.#finished : !this.#used
    if (isFirst) this.parts.push({ kind })
    if (kind === 'finish') this.#finished = true
    else this.#used = true
  }

  #words(item: Extract<ScriptItem, { kind: TokenizedWords['kind'] }>): void {
    const said = this.#say(item)
    if (item.kind !== 'refusal') this.tokens[item.kind] += said.tokens
    const part: TokenizedWords = { ...item, said }
    if (said.cut) {
      // The cited text is incomplete, so its citation is dropped.
      const { citations: _, logprobs: __, ...short } = part
      this.parts.push(short)
    } else this.parts.push(part)
  }

  #calls(calls: Extract<ScriptItem, { kind: 'toolCalls' }>['calls']): void {
    const made: TokenizedCall[] = []
    for (const { name, id, input } of calls) {
      this.tokens.all += perCall + this.#tokenizer.count(name)
      this.isCut ||= this.tokens.all > this.#limit
      // A limit cuts the arguments in the middle, as real models do: clients must check the finish reason.
      if (!this.isCut) made.push({ name, id, said: this.#say(input) })
      if (this.isCut) break
    }
    if (made.length > 0) this.parts.push({ kind: 'calls', calls: made })
  }

  #say({ text, chunks }: Words): TokenizedText {
    const left = this.#limit - this.tokens.all
    const said =
      chunks === undefined ? this.#tokenizer.say(text, left) : sayChunks(chunks, left, this.#tokenizer)
    // The tokens of a character that the limit splits count, although the character is not sent.
    this.tokens.all += said.tokens
    this.isCut = said.cut
    return said
  }
}

// Given chunks are unchanged, even if they split a character: JSON can encode each half. A chunk may have
// many tokens, so the chunk at the limit is split.
function sayChunks(chunks: readonly string[], limit: number, tokens: Tokens): TokenizedText {
  const tokenTexts: TokenText[] = []
  let used = 0
  for (const chunk of chunks) {
    const count = tokens.count(chunk)
    if (used + count > limit) {
      const rest = joinTokenTexts(firstTokens(tokens.tokenTexts(chunk), limit - used))
      if (rest !== '') tokenTexts.push(tokenTextOf(rest, tokens.count(rest)))
      return { text: joinTokenTexts(tokenTexts), tokens: limit, cut: true, tokenTexts }
    }
    tokenTexts.push(tokenTextOf(chunk, count))
    used += count
  }
  return { text: joinTokenTexts(tokenTexts), tokens: used, cut: false, tokenTexts }
}

const tokenTextOf = (text: string, tokens: number): TokenText => ({
  text,
  quoted: JSON.stringify(text),
  tokens,
})

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
