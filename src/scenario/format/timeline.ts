/** Timelines as scenario files write them: what a job, video or operation shows, and when. */
import * as z from 'zod'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { duration, position } from './values.ts'

/** The fields that every entry has, whatever it is about. */
export const entryWords = ['at', 'poll', 'unset', 'default', 'gone'] as const

const ramp = z
  .strictObject({
    from: z.number().describe('The value at the start.'),
    to: z.number().describe('The value at the end.'),
    over: duration('How long it takes.'),
  })
  .meta({ id: 'Ramp', description: 'A number that changes linearly.' })

/**
 * One entry: the fields of every kind; which of them fit the rule's operation is checked afterwards
 * (`check/timeline.ts`).
 */
export function timelineSchema(kinds: readonly ScriptedKind[]) {
  const fields: Record<string, z.ZodType> = {}
  for (const name of new Set(kinds.flatMap(({ entry }) => Object.keys(entry.shape)))) {
    const versions = kinds.flatMap(({ entry }) =>
      entry.shape[name] === undefined ? [] : [plain(entry.shape[name] as z.ZodType)],
    )
    const whole = kinds.some(({ ramps }) => ramps.includes(name)) ? [...versions, ramp] : versions
    const description = kinds.flatMap(
      ({ entry }) => (entry.shape[name] as z.ZodType | undefined)?.description ?? [],
    )
    fields[name] = (whole.length === 1 ? (whole[0] as z.ZodType) : z.union(whole))
      .optional()
      .describe([...new Set(description)].join(' '))
  }
  const entry = z.strictObject({
    at: duration('Time since the submission.').optional(),
    poll: position('Instead of `at`: from this poll on, counted from 1 and whenever it comes.').optional(),
    // Not in the type, because they depend on the kinds.
    ...(fields as object),
    unset: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('Fields that replies do not have from here on, until an entry sets them.'),
    default: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('Fields to reset to their defaults; also those that were taken away with `unset`.'),
    gone: z
      .boolean()
      .optional()
      .describe('Unknown (404) from here on; `false` brings it back, as any later entry does.'),
  })
  return z.array(entry).min(1).meta({
    description:
      'What it shows and when, instead of its default course. An entry holds until a later one overrides it.',
  })
}

type Entry = z.output<ReturnType<typeof timelineSchema>>[number]
export type TimelineSpec = readonly (Entry & { readonly [field: string]: unknown })[]

function plain(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema
}
