/** The explanation of a scenario as plain data. Times are virtual milliseconds. */

/** What a client sees of a job, a video or an operation over time. */
export interface JobHistory {
  /** The call that created it, with its HTTP status; `given` if it exists at the start. */
  readonly madeBy: { readonly operation: string; readonly answered: number | 'broken' } | 'given'
  /** The operation that polls it. */
  readonly seenBy: string
  /** The states, in order. */
  readonly states: readonly JobState[]
  /** What polls bring about, whenever they come. */
  readonly onPoll: readonly JobPoll[]
  /** Samples of numbers that change in between. */
  readonly moving: readonly {
    readonly field: string
    readonly seen: readonly { readonly at: number; readonly value: number }[]
  }[]
}

/** What is so from a poll on, counted from 1. */
export interface JobPoll {
  readonly poll: number
  /** The fields that it sets. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly gone: boolean | undefined
  /** Fields that it takes away. */
  readonly unset: readonly string[]
  /** Fields that are as by default from then on. */
  readonly reset: readonly string[]
}

export interface JobState {
  /** After the submission; if it was given, after the start. */
  readonly at: number
  /** Whether it is unknown (404) from here on. */
  readonly gone: boolean
  /** The fields, with the names of scenario files. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** One event of a stream. */
export interface SeenEvent {
  /** After the call. */
  readonly at: number
  readonly lane: EventLane
  /** Its content: a piece of text or arguments, a name, the finish reason. */
  readonly said: string
  /** Whether it is a comment rather than an event. */
  readonly comment?: true
}

export const eventLanes = [
  'start',
  'reasoning',
  'text',
  'refusal',
  'tool',
  'picture',
  'ping',
  'raw',
  'error',
  'usage',
  'end',
] as const
export type EventLane = (typeof eventLanes)[number]

/** What a client sees of a stream. */
export interface StreamHistory {
  readonly operation: string
  readonly status: number | 'broken'
  readonly events: readonly SeenEvent[]
  /** When the last byte arrived, or the client begins to wait for ever. */
  readonly endedAt: number
  readonly ended: 'done' | 'end' | 'broken' | 'silent' | 'left' | 'hang'
}

export interface ExplainedAnswer {
  /** Which calls of the rule get it, or how likely it is; empty if it is the only one. */
  readonly label: string
  /** Sentences without a subject: "answers 424 …". */
  readonly words: readonly string[]
  readonly jobs: readonly JobHistory[]
  readonly streams: readonly StreamHistory[]
}

export interface ExplainedRule {
  readonly id: string
  readonly operations: readonly string[]
  /** Which calls it matches. */
  readonly calls: string
  /** The warnings of `validate`. */
  readonly warnings: readonly string[]
  /** Empty if no call ever reaches it. */
  readonly answers: readonly ExplainedAnswer[]
}

export interface Explanation {
  readonly file: string
  readonly title: string
  readonly description: string | undefined
  /** Seed, clock, keys, given resources. */
  readonly facts: readonly { readonly about: string; readonly words: string }[]
  /** Given resources with their own timelines. */
  readonly given: readonly { readonly name: string; readonly course: JobHistory }[]
  readonly rules: readonly ExplainedRule[]
  /** The selected operations without a rule. */
  readonly unruled: readonly string[]
  /** The steps of the client. */
  readonly story: readonly { readonly step: string; readonly words: string }[]
}
