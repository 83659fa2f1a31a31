/**
 * What a rule says, as it is written and once it has been checked. The types of what `format/` validates;
 * knows nothing of meaning.
 */
import type { RefusalType } from '../protocol/errors.ts'
import type { FinishWord } from '../protocol/script.ts'
import type { WrittenWhen } from './compile/conditions.ts'

type WrittenDuration = string | number
type Fields = Readonly<Record<string, unknown>>
type WrittenWords = string | readonly string[]

export type WrittenFault = string | ({ readonly kind: string; readonly chance?: number } & Fields)

export interface WrittenCall {
  readonly name: string
  readonly arguments: Fields | WrittenWords
  readonly id?: string
}

export type WrittenItem =
  | { readonly text: WrittenWords }
  | { readonly reasoning: WrittenWords }
  | { readonly refusal: WrittenWords }
  | { readonly toolCall: WrittenCall }
  | { readonly toolCalls: readonly WrittenCall[] }
  | {
      readonly usage: {
        readonly input?: number
        readonly output?: number
        readonly reasoning?: number
        readonly cached?: number
      }
    }
  | { readonly finish: FinishWord }
  | { readonly wait: WrittenDuration }
  | { readonly raw: string }
  | { readonly fault: WrittenFault }
  | { readonly partial: number }
  | { readonly picture: number }

export interface WrittenStream {
  readonly firstAfter?: WrittenDuration
  readonly every?: WrittenDuration
  readonly tokensPerSecond?: number
  readonly jitter?: WrittenDuration
  readonly script?: readonly WrittenItem[]
}

export type WrittenTimeline = readonly ({
  readonly at: WrittenDuration
  readonly unset?: readonly string[]
  readonly gone?: true
} & Fields)[]

export type WrittenDelay =
  | WrittenDuration
  | { readonly from: WrittenDuration; readonly to: WrittenDuration }
  | { readonly median: WrittenDuration; readonly sigma: number; readonly max?: WrittenDuration }

export interface WrittenError {
  readonly type?: RefusalType
  readonly status?: number
  readonly code?: number
  readonly message?: string
  readonly param?: string
  readonly retryAfter?: WrittenDuration
  readonly before?: 'auth' | 'validation'
}

export type WrittenJob =
  | 'continues'
  | 'stuck'
  | 'at-once'
  | {
      readonly failAt?: number
      readonly code?: string
      readonly message?: string
      readonly vanishAt?: number
      readonly regressAt?: number
      readonly blocked?: readonly number[]
    }

export interface WrittenAnswer {
  readonly error?: WrittenError
  readonly job?: WrittenJob
  readonly timeline?: WrittenTimeline
  readonly reply?: { readonly status?: number; readonly body?: unknown; readonly text?: string }
  readonly patch?: Fields
  readonly unset?: readonly string[]
  readonly headers?: Readonly<Record<string, string | number | null>>
  readonly text?: string
  readonly stream?: WrittenStream
  readonly delay?: WrittenDelay
  readonly upstream?: {
    readonly status?: number
    readonly usage?: 'missing' | 'invalid'
    readonly fields?: Fields
  }
  readonly fault?: WrittenFault | readonly WrittenFault[]
  readonly setState?: Readonly<Record<string, string>>
  readonly offContract?: boolean
}

export interface WrittenThen extends WrittenAnswer {
  readonly sequence?: readonly WrittenAnswer[]
  readonly end?: 'last' | 'cycle' | 'pass'
  readonly weighted?: readonly { readonly weight: number; readonly then: WrittenAnswer }[]
}

export interface WrittenRuleWhen extends WrittenWhen {
  readonly operation?: string | readonly string[]
  readonly nth?: number | readonly number[]
  readonly first?: number
  readonly after?: number
  readonly every?: number
  readonly times?: number
}

export interface WrittenRule {
  readonly id?: string
  readonly when?: WrittenRuleWhen
  readonly then: WrittenThen
}
