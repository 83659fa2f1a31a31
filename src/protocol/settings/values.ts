/** Kinds of values that several settings share. */

import * as z from 'zod'
import { longestDuration, parseDuration, tooLong } from '../../engine/duration.ts'
import { lazy } from '../../engine/fields.ts'

/** A duration as people write it (`5s`, `1h30m`) or in milliseconds; parsed to milliseconds. */
export const duration = (defaultValue: string, description: string) =>
  z
    .union([z.string(), z.number()])
    .default(defaultValue)
    .transform((written, context) => {
      const ms = parseDuration(written)
      if (ms !== undefined && ms <= longestDuration) return ms
      const expected = ms === undefined ? 'expected a duration such as 5s, 350ms or 1h30m' : tooLong
      context.addIssue({
        code: 'custom',
        message: `${expected}, got ${JSON.stringify(written)}`,
        input: written,
      })
      return z.NEVER
    })
    .describe(description)

export const count = (defaultValue: number, description: string, min = 0) =>
  z.number().int().min(min).default(defaultValue).describe(description)

/** A number with a default; `min` and `max` are inclusive. */
export const amount = (defaultValue: number, description: string, [min, max]: readonly [number, number?]) =>
  (max === undefined ? z.number().min(min) : z.number().min(min).max(max))
    .default(defaultValue)
    .describe(description)

export const flag = (defaultValue: boolean, description: string) =>
  z.boolean().default(defaultValue).describe(description)

export const words = (defaultValue: string[], description: string) =>
  z.array(z.string()).default(defaultValue).describe(description)

export const modelIds = lazy(() => z.array(z.string().min(1)).optional())

export const unknownParameters = (description: string) =>
  z.enum(['allow', 'reject']).default('allow').describe(description)

export const kibibyte = 1024
export const mebibyte = 1024 * kibibyte
