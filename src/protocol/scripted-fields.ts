/** Fields that scripts of several kinds of resources write alike. */
import * as z from 'zod'
import { endOfTime, parseInstant } from '../engine/instant.ts'

const sayInstant = 'expected Unix seconds, or an ISO 8601 instant with its zone such as 2026-01-01T00:00:00Z'

/** An instant that the contract counts in Unix seconds; ISO 8601 may be written in its place. */
export const unixInstant = () =>
  z.union(
    [
      z
        .int()
        .min(0)
        .max(Math.floor(endOfTime / 1000)),
      z.string().refine((written) => (parseInstant(written) ?? Infinity) <= endOfTime, sayInstant),
    ],
    { error: sayInstant },
  )

/** What `unixInstant` stands for: Unix seconds. Anything else stays what it is. */
export function unixSeconds(written: unknown): unknown {
  const at = typeof written === 'string' ? parseInstant(written) : undefined
  return at === undefined ? written : Math.floor(at / 1000)
}
