/** What the entries of files with accepted findings have in common. */
import * as z from 'zod'

export const acceptedFields = () => ({
  reason: z
    .string()
    .refine((reason) => /[^\s.…]/.test(reason), { error: 'expected the reason for accepting the finding' })
    .describe('The reason for accepting the finding.'),
  expires: z.iso
    .date({ error: 'expected a date such as 2026-12-31' })
    .optional()
    .describe('The last day on which the finding is accepted.'),
})

interface Expiring {
  readonly expires?: string | undefined
}

/** Whether an entry no longer counts. `today` is a date such as `2026-01-31`. */
export const isExpired = ({ expires }: Expiring, today: string | undefined): boolean =>
  expires !== undefined && today !== undefined && today > expires
