/** Values found in many places of a scenario file: durations, times, shapes. */
import * as z from 'zod'
import { readPattern } from '../behaviours/pattern/read-pattern.ts'
import { endOfTime, longestDuration, parseDuration, parseTimestamp, tooLong } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'

/** A part that may be left out. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().describe(description)

const expectedDuration = 'expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds'

/** A duration as people write it; becomes milliseconds. `$comment` marks it for the JSON Schema. */
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
  "expected a duration with its unit such as '7s' " +
  '(a bare number is seconds in the header, and milliseconds everywhere here)'

/** A wait of an HTTP header: with its unit, because a bare number means seconds there, milliseconds here. */
export const wait = (description: string) =>
  z
    .string({ error: expectedWait })
    .regex(/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/, expectedWait)
    .refine((written) => (parseDuration(written) ?? 0) <= longestDuration, tooLong)
    .transform((written) => parseDuration(written) ?? 0)
    .meta({ description, examples: ['2s'] })

const expectedTimestamp = 'expected an ISO 8601 timestamp with its zone such as 2026-01-01T00:00:00Z'

/** A time that stays the text it is: settings take it as such. */
export const isoTimestamp = (description: string) =>
  z
    .string({ error: expectedTimestamp })
    // Aborts, so that a message about `moment` names the time and the duration alike.
    .refine((written) => (parseTimestamp(written) ?? Infinity) <= endOfTime, {
      error: expectedTimestamp,
      abort: true,
    })
    .describe(description)

/** A time; becomes milliseconds since the epoch. */
export const timestamp = (description: string) =>
  isoTimestamp(description).transform((written) => parseTimestamp(written) as number)

/** A time, or a duration after the start of the session. Explanations of a call repeat `written`. */
export const moment = () =>
  z.union([
    isoTimestamp('A time.').transform((written) => ({ at: parseTimestamp(written) as number, written })),
    durationAs((after, written) => ({ after, written })).meta({
      description: 'A duration after the start.',
      $comment: 'duration',
    }),
  ])
export type Moment = z.output<ReturnType<typeof moment>>

/** Any JSON; its texts may hold templates: `${video}`, `${body.prompt}`. */
export const anyJson = (description: string) => z.unknown().describe(description)

/**
 * What a value must be like: a scalar is equal, an object is a part of the value (or operators), a list is
 * the whole list item by item. `check/matcher.ts` finds wrong operators, for it knows what a request can
 * hold.
 */
export const shape = (description: string) => z.unknown().meta({ description, $comment: 'shape' })

/** Conditions on a value; all of them must hold. */
export const operators = lazy(() =>
  z
    .strictObject({
      equals: optional(z.unknown(), 'Exactly this value, which may be an object or a list.'),
      not: shape('Does not match this.').optional(),
      contains: optional(
        z.union([z.string(), z.number(), z.boolean()]),
        'Text that contains this, or a list with this item.',
      ),
      startsWith: optional(z.string(), 'Text that starts with this.'),
      endsWith: optional(z.string(), 'Text that ends with this.'),
      regex: optional(
        z.string().refine(isRegex, {
          error: ({ input }) => `expected a JavaScript regular expression: ${regexFault(String(input))}`,
        }),
        'Text that matches this JavaScript regular expression (flag u, no backreferences).',
      ),
      gt: optional(z.number(), 'A number greater than this.'),
      gte: optional(z.number(), 'A number that is at least this.'),
      lt: optional(z.number(), 'A number less than this.'),
      lte: optional(z.number(), 'A number that is at most this.'),
      exists: optional(z.boolean(), 'Whether the field exists; null counts as existing.'),
      anyOf: optional(z.array(shape('Matches this.')).min(1), 'Matches one of these.'),
      some: shape('A list with an item that matches this.').optional(),
      length: shape('Text or a list whose length matches this.').optional(),
    })
    .meta({ id: 'Operators', description: 'Conditions on a value; all of them must hold.' }),
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

/** More calls than a session can see. */
const mostCalls = 1_000_000_000

/** How many calls. */
export const calls = (least: number, description: string) =>
  z.int().min(least).max(mostCalls).describe(description)

/** A position among calls: 1 is the first. */
export const position = (description: string) => calls(1, description)
