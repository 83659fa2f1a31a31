/** The options by which several faults name their place. */
import * as z from 'zod'

/** After how many events of a stream something happens. */
export const afterEvents = (count: number, description = 'How many events arrive before it.') =>
  z.int().min(0).default(count).describe(description)

/** After how many bytes of a body something happens. */
export const afterBytes = (
  description = 'How many bytes of the body arrive before it, instead of the other option.',
) => z.int().min(0).optional().describe(description)

/** After which share of a body something happens. */
export const afterShare = (share: number) =>
  z.number().min(0).max(1).default(share).describe('The share of the body (0 to 1) that arrives before it.')
