/** Kinds of values that several settings share. */

import * as z from 'zod'
import { longestDuration, parseDuration, tooLong } from '../../engine/duration.ts'

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

/** A whole number of at least `min`. */
export const count = (defaultValue: number, description: string, min = 1) =>
  z.number().int().min(min).default(defaultValue).describe(description)

export const ids = () => z.array(z.string().min(1), 'expected a list such as [gpt-4o]')

export const modelIds = (defaultModels: string[], description: string) =>
  ids().default(defaultModels).describe(description)

export const anyModels = (description: string) => ids().optional().describe(`${description} Default: any.`)

export const kibibyte = 1024
export const mebibyte = 1024 * kibibyte
