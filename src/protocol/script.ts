/** A response chunk by chunk, independent of the API: each API renders events and a plain body from it. */
import type { PlannedFault } from './chunks.ts'

/** Text that is sent in `chunks` if given (joined, they are `text`), else in tokens. */
export interface Words {
  readonly text: string
  readonly chunks?: readonly string[]
}

/** One tool call. `input` is the JSON text of its arguments, or the input of a custom tool. */
export interface ScriptedCall {
  readonly name: string
  readonly input: Words
  /** Default: generated. */
  readonly id?: string
}

/** A citation of a text: a URL with a title, or the format of one API, which has a `type`. */
export type ScriptedCitation = Readonly<Record<string, unknown>>

export type ScriptItem =
  | ({ readonly kind: 'refusal' } & Words)
  | ({
      readonly kind: 'text'
      /** The log probability of each chunk; sent only if the request asks for them. */
      readonly logprobs?: readonly number[]
      readonly citations?: readonly ScriptedCitation[]
    } & Words)
  | ({
      readonly kind: 'reasoning'
      /** Default: generated. */
      readonly signature?: string
    } & Words)
  /** Redacted reasoning, in APIs that show it. */
  | { readonly kind: 'redacted'; readonly data?: string }
  /** One tool call, or several whose chunks alternate if the API allows it. */
  | { readonly kind: 'toolCalls'; readonly calls: readonly ScriptedCall[] }
  /** Token counts that replace the real ones. */
  | {
      readonly kind: 'usage'
      readonly input?: number | undefined
      readonly output?: number | undefined
      readonly reasoning?: number | undefined
      readonly cached?: number | undefined
    }
  /** A stream omits the requested usage. */
  | { readonly kind: 'noUsage' }
  /** The finish reason, instead of the derived one; `sequence` is the stop sequence. */
  | { readonly kind: 'finish'; readonly reason: FinishWord | OwnFinishWord; readonly sequence?: string }
  /** Virtual milliseconds until the next step. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Sent exactly as written. */
  | { readonly kind: 'raw'; readonly text: string }
  /** A fault at this place. */
  | { readonly kind: 'fault'; readonly fault: PlannedFault }
  /** Images: a partial image, and a finished one; 0-based. */
  | { readonly kind: 'partial'; readonly image: number }
  | { readonly kind: 'image'; readonly image: number }

export type Script = readonly ScriptItem[]

/** Neutral finish reasons; each API has its own values. */
export const finishWords = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishWord = (typeof finishWords)[number]

/** Finish reasons of single APIs, with the neutral reason for other APIs. */
export const ownFinishWords = {
  function_call: 'tool_calls',
  end_turn: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  pause_turn: 'stop',
  refusal: 'content_filter',
  model_context_window_exceeded: 'length',
} as const satisfies Readonly<Record<string, FinishWord>>
export type OwnFinishWord = keyof typeof ownFinishWords

/** The neutral reason for the value of an API, or undefined. */
export function neutralFinish(word: string | undefined): FinishWord | undefined {
  if (word === undefined) return undefined
  if ((finishWords as readonly string[]).includes(word)) return word as FinishWord
  return Object.hasOwn(ownFinishWords, word) ? ownFinishWords[word as OwnFinishWord] : undefined
}
