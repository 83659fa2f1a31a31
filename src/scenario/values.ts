/** Values in many places of a scenario file: durations, timestamps, matchers. */
import * as z from 'zod'
import { readPattern } from '../behaviours/pattern.ts'
import { endOfTime, longestDuration, parseDuration, parseTimestamp, tooLong } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'

/** An optional part. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().describe(description)

const expectedDuration = 'expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds'

/** A duration as users write it; parsed to milliseconds. `$comment` marks it for the JSON Schema. */
export const duration = (description: string) =>
  durationAs((ms) => ms).meta({ description, $comment: 'duration' })

const durationAs = <T>(read: (ms: number, written: string | number) => T) =>
  z.union([z.string(), z.number()], { error: expectedDuration }).transform((written, context) => {
    const ms = parseDuration(written)
    if (ms !== undefined && ms <= longestDuration) return read(ms, written)
    const message = ms === undefined ? expectedDuration : tooLong
    context.addIssue({ code: 'custom', message, input: written })
    return z.NEVER
  })

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
    // Aborts: an error about `moment` must name both the timestamp and the duration.
    .refine((written) => (parseTimestamp(written) ?? Infinity) <= endOfTime, {
      error: expectedTimestamp,
      abort: true,
    })
    .describe(description)

/** A timestamp; parsed to milliseconds since the epoch. */
export const timestamp = (description: string) =>
  isoTimestamp(description).transform((written) => parseTimestamp(written) as number)

/** A timestamp, or a duration after the start of the session. Explanations of a call repeat `written`. */
export const moment = () =>
  z.union([
    isoTimestamp('A timestamp.').transform((written) => ({ at: parseTimestamp(written) as number, written })),
    durationAs((after, written) => ({ after, written })).meta({
      description: 'Time elapsed since the start of the session.',
      $comment: 'duration',
    }),
  ])
export type Moment = z.output<ReturnType<typeof moment>>

/** Any JSON; its strings may have templates: `${video}`, `${body.prompt}`. */
export const anyJson = (description: string) => z.unknown().describe(description)

/**
 * A matcher: a scalar is compared for equality, an object is part of the value (or operators), a list is the
 * whole list item by item. `check/matcher.ts` finds wrong operators.
 */
export const shape = (description: string) => z.unknown().meta({ description, $comment: 'shape' })

/** Conditions on a value, all of which must match. */
export const operators = lazy(() =>
  z
    .strictObject({
      equals: optional(z.unknown(), 'Exactly this value. Objects and lists must match completely.'),
      not: shape('A value that does not match this condition.').optional(),
      contains: optional(
        z.union([z.string(), z.number(), z.boolean()]),
        'A string that contains this text, or a list that contains this item.',
      ),
      startsWith: optional(z.string(), 'A string that starts with this text.'),
      endsWith: optional(z.string(), 'A string that ends with this text.'),
      regex: optional(
        z.string().refine(isRegex, {
          error: ({ input }) => `expected a regular expression: ${regexFault(String(input))}`,
        }),
        'A string that matches this regular expression (RE2: no look-around, no back-references).',
      ),
      gt: optional(z.number(), 'A number greater than this value.'),
      gte: optional(z.number(), 'A number greater than or equal to this value.'),
      lt: optional(z.number(), 'A number less than this value.'),
      lte: optional(z.number(), 'A number less than or equal to this value.'),
      exists: optional(z.boolean(), 'Whether the field exists. A field with the value null exists.'),
      anyOf: optional(
        z.array(shape('A condition.')).min(1),
        'A value that matches at least one of these conditions.',
      ),
      some: shape('A list with at least one item that matches this condition.').optional(),
      length: shape('A string or a list whose length matches this condition.').optional(),
    })
    .meta({ id: 'Operators', description: 'Conditions on a value, all of which must match.' }),
)

export const operatorWords = lazy((): readonly string[] => Object.keys(operators().shape))

function isRegex(text: string): boolean {
  return regexFault(text) === undefined
}

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

/** A number of calls. */
export const calls = (least: number, description: string) =>
  z.int().min(least).max(mostCalls).describe(description)

/** A position among calls: 1 is the first. */
export const position = (description: string) => calls(1, description)
