/** Values in many places of a scenario file: durations, timestamps, matchers. */
import * as z from 'zod'
import { readPattern } from '../behaviours/pattern.ts'
import { endOfTime, longestDuration, parseDuration, parseTimestamp, tooLong } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'

/** An optional part. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().describe(description)

/** An optional text that is not empty. */
export const text = (description: string) => optional(z.string().min(1), description)

export const flag = (description: string) => optional(z.boolean(), description)

/** An optional matcher. */
export const matcher = (description: string) => shape(description).optional()

/** An optional map of texts. */
export const texts = (description: string) => optional(z.record(z.string(), z.string()), description)

/** An optional map of matchers. */
export const matchers = (description: string) =>
  optional(z.record(z.string(), shape('A condition on the value.')), description)

/** The place and the message of a rule about several keys. */
export const at = (key: string, error: string) => ({ path: [key], error })

const expectedDuration = 'expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds'

/** A duration as users write it; parsed to milliseconds. `$comment` marks it for the JSON Schema. */
export const duration = (description: string) =>
  z
    .union([z.string(), z.number()], { error: expectedDuration })
    .transform((written, context) => {
      const ms = parseDuration(written)
      if (ms !== undefined && ms <= longestDuration) return ms
      const message = ms === undefined ? expectedDuration : tooLong
      context.addIssue({ code: 'custom', message, input: written })
      return z.NEVER
    })
    .meta({ description, $comment: 'duration' })

const expectedWait =
  "expected a duration with a unit, such as '7s', because a plain number means seconds in HTTP headers and " +
  'milliseconds in scenarios'

/** A wait in an HTTP header. The unit is required: a number means seconds there, milliseconds here. */
export const wait = (description: string) =>
  z
    .string({ error: expectedWait })
    .regex(/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/, expectedWait)
    .refine((written) => (parseDuration(written) ?? 0) <= longestDuration, tooLong)
    .transform((written) => parseDuration(written) ?? 0)
    .meta({ description, examples: ['2s'] })

const expectedTimestamp = 'expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z'

/** A timestamp that stays a string, as in the settings. */
export const isoTimestamp = (description: string) =>
  z
    .string({ error: expectedTimestamp })
    .refine((written) => (parseTimestamp(written) ?? Infinity) <= endOfTime, expectedTimestamp)
    .describe(description)

/** Any JSON; its strings may have templates: `${video}`, `${body.prompt}`. */
export const anyJson = (description: string) => z.unknown().describe(description)

/**
 * A matcher: a scalar is compared for equality, an object is part of the value (or operators), a list is the
 * whole list item by item. `check/when.ts` finds wrong operators.
 */
const shape = (description: string) => z.unknown().meta({ description, $comment: 'shape' })

/** Conditions on a value, all of which must match. */
export const operators = lazy(() =>
  z
    .strictObject({
      equals: optional(z.unknown(), 'Exactly this value.'),
      not: matcher('Any value that does not match.'),
      contains: optional(
        z.union([z.string(), z.number(), z.boolean()]),
        'Part of a string, or item of a list.',
      ),
      startsWith: optional(z.string(), 'Start of a string.'),
      endsWith: optional(z.string(), 'End of a string.'),
      regex: optional(
        z.string().refine((written) => regexFault(written) === undefined, {
          error: ({ input }) => `expected a regular expression: ${regexFault(String(input))}`,
        }),
        'Regular expression (RE2: no look-around, no back-references).',
      ),
      gt: optional(z.number(), 'Greater than.'),
      gte: optional(z.number(), 'At least.'),
      lt: optional(z.number(), 'Less than.'),
      lte: optional(z.number(), 'At most.'),
      exists: flag('Whether the field exists. A field with the value null exists.'),
      anyOf: optional(z.array(shape('A condition.')).min(1), 'Any of these.'),
      some: matcher('At least one item.'),
      length: matcher('Length of a string or list.'),
    })
    .meta({ id: 'Operators', description: 'Conditions on a value, all of which must match.' }),
)

export const operatorWords = lazy((): readonly string[] => Object.keys(operators().shape))

function regexFault(text: string): string | undefined {
  try {
    readPattern(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** More calls than a session can get. */
const mostCalls = 1_000_000_000

/** A position among calls: 1 is the first. */
export const position = (description: string) => z.int().min(1).max(mostCalls).describe(description)
