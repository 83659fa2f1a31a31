/** A stream as its laws see it: the events in order, parsed, with the request that asked for it. */
import { type Fields, isFields } from '../../engine/fields.ts'

export interface JudgedEvent {
  /** The name in its `event:` line. */
  readonly event: string | undefined
  readonly data: string
  /** Its data as JSON; undefined where it is none, as in an end marker. */
  readonly fields: Fields | undefined
}

export interface JudgedStream {
  /** The body of the request, as far as it was readable. */
  readonly request: Fields
  readonly events: readonly JudgedEvent[]
  /** Whether it came to its end: nobody cut it off, and no error ended it. */
  readonly whole: boolean
}

/** The type of an event: the SDKs read it from the data, and the line beside it must say the same. */
export const typeOf = ({ fields }: JudgedEvent): unknown => fields?.['type']

/** Whether an event reports an error, by which a stream ends. */
export const isError = ({ fields }: JudgedEvent): boolean =>
  fields !== undefined && (isFields(fields['error']) || fields['type'] === 'error')

/** Event 3, as people count. */
export const nth = (index: number): string => `event ${index + 1}`
