/**
 * What is told of a scenario, as plain data: pages of text and JSON are made from it. Times are virtual
 * milliseconds.
 */

/** What a client sees of a job, a video or an operation, instant by instant. */
export interface JobHistory {
  /**
   * What made it: the operation and the HTTP status that it answered; `given` for what exists at the
   * beginning.
   */
  readonly madeBy: { readonly operation: string; readonly answered: number | 'broken' } | 'given'
  /** The operation that looks at it. */
  readonly seenBy: string
  /** The instants at which something changes, with what is seen from then on. */
  readonly states: readonly JobState[]
  /** Numbers that move between these instants, as they were seen. */
  readonly moving: readonly {
    readonly field: string
    readonly seen: readonly { readonly at: number; readonly value: number }[]
  }[]
}

export interface JobState {
  /** After the submission; after the start where it was given. */
  readonly at: number
  /** True when it is unknown (404) from here on. */
  readonly gone: boolean
  /** What is seen, by the words of scenario files. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** One event of a stream. */
export interface SeenEvent {
  /** After the call. */
  readonly at: number
  readonly lane: EventLane
  /** What it adds: a piece of text, of arguments, a name, the finish reason. */
  readonly said: string
  /** True for a comment: it is on the wire, and no event. */
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
  /** When the last byte had come, or the client would wait for ever. */
  readonly endedAt: number
  readonly ended: 'done' | 'end' | 'broken' | 'silent' | 'left' | 'hang'
}

export interface ExplainedAnswer {
  /** Which call of the rule gets it, or how likely it is; empty when there is only this one. */
  readonly label: string
  /** Sentences without a subject: "answers 424 …". */
  readonly words: readonly string[]
  readonly jobs: readonly JobHistory[]
  readonly streams: readonly StreamHistory[]
}

export interface ExplainedRule {
  readonly id: string
  readonly operations: readonly string[]
  /** Which calls it is about, in words. */
  readonly calls: string
  /** What looks wrong with it, as `validate` warns. */
  readonly warnings: readonly string[]
  /** Empty when no call ever reaches it. */
  readonly answers: readonly ExplainedAnswer[]
}

export interface Explanation {
  readonly file: string
  readonly title: string
  readonly description: string | undefined
  /** What holds for all of it: seed, clock, keys, what is given. */
  readonly facts: readonly { readonly about: string; readonly words: string }[]
  /** What exists at the beginning and has a timeline of its own. */
  readonly given: readonly { readonly name: string; readonly course: JobHistory }[]
  readonly rules: readonly ExplainedRule[]
  /** Of the operations that were asked about those that no rule speaks of: they get what they always get. */
  readonly unruled: readonly string[]
  /** What the client does, step by step. */
  readonly story: readonly { readonly step: string; readonly words: string }[]
}
