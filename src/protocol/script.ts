/** An answer chunk by chunk, whatever the API: each renders events and a plain body from it. */
import type { PlannedFault } from './chunks.ts'

/** Text that is sent in `chunks` where they are given (together they are `text`), else in tokens. */
export interface Words {
  readonly text: string
  readonly chunks?: readonly string[]
}

/** One tool call. `input` is the JSON text of its arguments, or what a custom tool takes. */
export interface ScriptedCall {
  readonly name: string
  readonly input: Words
  /** Minted when left out. */
  readonly id?: string
}

/** The log probability of one chunk of a text; what is left out is made up. */
export interface ScriptedLogprob {
  readonly logprob: number
  readonly token?: string | undefined
  readonly bytes?: readonly number[] | undefined
  readonly top_logprobs?: readonly ScriptedLogprob[] | undefined
}

/** What a text cites: an address with its title, or in the words of one API, which has a `type`. */
export type ScriptedCitation = Readonly<Record<string, unknown>>

export type ScriptItem =
  | ({ readonly kind: 'refusal' } & Words)
  | ({
      readonly kind: 'text'
      /** One for each chunk; shown to a call that asks for them. */
      readonly logprobs?: readonly ScriptedLogprob[]
      readonly citations?: readonly ScriptedCitation[]
    } & Words)
  | ({
      readonly kind: 'reasoning'
      /** Made up when left out. */
      readonly signature?: string
    } & Words)
  /** Reasoning that is kept from the client, in APIs that show that there was some. */
  | { readonly kind: 'redacted'; readonly data?: string }
  /** One call, or several whose chunks take turns where the API allows it. */
  | { readonly kind: 'toolCalls'; readonly calls: readonly ScriptedCall[] }
  /** Tokens instead of those that were counted. */
  | {
      readonly kind: 'usage'
      readonly input?: number | undefined
      readonly output?: number | undefined
      readonly reasoning?: number | undefined
      readonly cached?: number | undefined
    }
  /** A stream does not report the usage that was asked for. */
  | { readonly kind: 'noUsage' }
  /** Why it ends, instead of what follows from the content; `sequence` is what stopped it. */
  | { readonly kind: 'finish'; readonly reason: FinishWord | OwnFinishWord; readonly sequence?: string }
  /** Virtual milliseconds until what comes next. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Written to the wire as it is. */
  | { readonly kind: 'raw'; readonly text: string }
  /** Happens at this place. */
  | { readonly kind: 'fault'; readonly fault: PlannedFault }
  /** Images: a partial image, and the finished one; 0-based. */
  | { readonly kind: 'partial'; readonly image: number }
  | { readonly kind: 'image'; readonly image: number }

export type Script = readonly ScriptItem[]

/** What is written to a stream as it stands, and what happens in between: a stream by hand. */
export type Frames = readonly Extract<ScriptItem, { kind: 'raw' | 'wait' | 'fault' }>[]

/** Neutral words for why an answer ends; each API has its own. */
export const finishWords = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishWord = (typeof finishWords)[number]

/** The words of single APIs (wire-formats 2.3, 3.2), with the neutral one for APIs that do not know them. */
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

/** The neutral word for the word of an API; undefined where there is none. */
export function neutralFinish(word: string | undefined): FinishWord | undefined {
  if (word === undefined) return undefined
  return (
    finishWords.find((one) => one === word) ??
    (Object.hasOwn(ownFinishWords, word) ? ownFinishWords[word as OwnFinishWord] : undefined)
  )
}
