/**
 * What is said in an answer, piece by piece, whatever the API: each family renders its own frames from it,
 * and its own plain body.
 */
import type { PlannedFault } from './plan-fault.ts'

/** Said in these pieces when `chunks` is given (together they are `text`); in tokens otherwise. */
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
  /** One call, or several whose pieces take turns where the API can say it so. */
  | { readonly kind: 'toolCalls'; readonly calls: readonly ScriptedCall[] }
  /** Tokens in the place of those that were counted. */
  | {
      readonly kind: 'usage'
      readonly input?: number | undefined
      readonly output?: number | undefined
      readonly reasoning?: number | undefined
      readonly cached?: number | undefined
    }
  /** Why it ends, in the place of what follows from what was said. */
  | { readonly kind: 'finish'; readonly reason: FinishWord }
  /** Virtual milliseconds until what comes next. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Written to the wire as it is. */
  | { readonly kind: 'raw'; readonly text: string }
  /** Happens where it stands. */
  | { readonly kind: 'fault'; readonly fault: PlannedFault }
  /** Images: a step of a picture, and the whole picture; 0-based. */
  | { readonly kind: 'partial'; readonly picture: number }
  | { readonly kind: 'picture'; readonly picture: number }

export type Script = readonly ScriptItem[]

/** Neutral words for why an answer ends; each family has its own. */
export const finishWords = ['stop', 'length', 'tool_calls', 'content_filter'] as const
export type FinishWord = (typeof finishWords)[number]
