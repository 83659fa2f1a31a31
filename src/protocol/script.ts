/**
 * An answer piece by piece, whatever the API: each renders its own events from it, and its own plain body.
 */
import type { PlannedFault } from './plan-fault.ts'

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

export type ScriptItem =
  | ({ readonly kind: 'text' | 'reasoning' | 'refusal' } & Words)
  /** One call, or several whose pieces take turns where the API allows it. */
  | { readonly kind: 'toolCalls'; readonly calls: readonly ScriptedCall[] }
  /** Tokens instead of those that were counted. */
  | {
      readonly kind: 'usage'
      readonly input?: number | undefined
      readonly output?: number | undefined
      readonly reasoning?: number | undefined
      readonly cached?: number | undefined
    }
  /** Why it ends, instead of what follows from the content. */
  | { readonly kind: 'finish'; readonly reason: FinishWord }
  /** Virtual milliseconds until what comes next. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Written to the wire as it is. */
  | { readonly kind: 'raw'; readonly text: string }
  /** Happens at this place. */
  | { readonly kind: 'fault'; readonly fault: PlannedFault }
  /** Images: a partial image, and the finished one; 0-based. */
  | { readonly kind: 'partial'; readonly picture: number }
  | { readonly kind: 'picture'; readonly picture: number }

export type Script = readonly ScriptItem[]

/** Neutral words for why an answer ends; each API has its own. */
export const finishWords = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishWord = (typeof finishWords)[number]
