/** Steps as a scenario file writes them: the types of what `steps.ts` validates. */

type WrittenDuration = string | number

/** A shape as `values.ts` describes it: what a value must be like. */
export type Shape = unknown

/** Bytes of a file: exactly one of its keys. */
export interface StepContent {
  readonly text?: string | undefined
  readonly base64?: string | undefined
  /** A path, from the directory of the scenario file. */
  readonly file?: string | undefined
  readonly picture?:
    | { readonly width: number; readonly height: number; readonly transparent?: boolean | undefined }
    | undefined
}

export interface EventExpectation {
  readonly at?: number | 'last' | undefined
  readonly event?: string | undefined
  readonly data?: Shape
  readonly after?: Shape
}

export interface StreamExpectation {
  readonly text?: Shape
  readonly reasoning?: Shape
  readonly refusal?: Shape
  readonly toolCalls?: readonly { readonly name?: Shape; readonly arguments?: Shape }[] | undefined
  readonly finish?: Shape
  readonly usage?: Shape
  readonly count?: Shape
  readonly events?: readonly EventExpectation[] | undefined
  readonly error?: Shape
  readonly ended?: StreamEnd | undefined
}

/** How a stream ended (`steps.ts`). */
export const streamEnds = ['done', 'end', 'broken', 'silent', 'left'] as const
export type StreamEnd = (typeof streamEnds)[number]

/** How a call failed below HTTP (`steps.ts`). */
export const breaks = ['reset', 'hang', 'truncated'] as const
export type Break = (typeof breaks)[number]

export interface Expectation {
  readonly status?: Shape
  readonly headers?: Readonly<Record<string, Shape>> | undefined
  readonly body?: Shape
  readonly text?: Shape
  readonly bytes?: Shape
  readonly stream?: StreamExpectation | undefined
  readonly took?: Shape
  readonly broken?: Break | undefined
  readonly fired?: readonly Shape[] | undefined
  readonly offContract?: boolean | undefined
}

interface Named {
  readonly name?: string | undefined
}

export interface CallStep extends Named {
  /** An operation: `videos.create`. */
  readonly call: string
  readonly with?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly key?: string | undefined
  readonly form?: boolean | undefined
  readonly stopAfter?: number | undefined
  readonly until?: Expectation | undefined
  readonly every?: WrittenDuration | undefined
  readonly limit?: WrittenDuration | undefined
  readonly expect?: Expectation | undefined
  readonly save?: Readonly<Record<string, string>> | undefined
}

export interface FetchStep extends Named {
  readonly fetch: string
  readonly method?: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly key?: string | undefined
  readonly content?: StepContent | undefined
  readonly expect?: Expectation | undefined
  readonly save?: Readonly<Record<string, string>> | undefined
}

export interface AdvanceStep extends Named {
  readonly advance: WrittenDuration | { readonly to: string } | { readonly until: 'next' | 'idle' }
  readonly expect?: Expectation | undefined
}

export interface ParallelStep extends Named {
  readonly parallel: readonly Step[]
}

export type Step = CallStep | FetchStep | AdvanceStep | ParallelStep
