/**
 * The resources that exist when a session starts: jobs, videos and operations in any state, and uploaded
 * files.
 */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { duration, flag, optional, position, text } from '../values.ts'

export const ramp = lazy(() =>
  z
    .strictObject({
      from: z.number().describe('The value at the start.'),
      to: z.number().describe('The value at the end.'),
      over: duration('Duration of a ramp.'),
    })
    .meta({ id: 'Ramp', description: 'A number that changes linearly over time.' }),
)

/** The fields that `check/jobs.ts` checks against the kind, unless the response is marked `offContract`. */
const unchecked = () => z.unknown().meta({ $comment: 'unchecked' })

/** One entry: the fields of every kind. Their types are for editors; the schema accepts any value. */
export function timelineSchema(kinds: readonly ScriptedKind[]) {
  const fields: Record<string, z.ZodType> = {}
  for (const name of new Set(kinds.flatMap(({ entry }) => Object.keys(entry().shape)))) {
    const versions = kinds.flatMap(({ entry }) => (entry().shape[name] as z.ZodType | undefined) ?? [])
    const ramps = kinds.some((kind) => kind.ramps.includes(name)) ? [ramp()] : []
    const descriptions = versions.flatMap(({ description }) => description ?? [])
    fields[name] = optional(
      z.union([...versions.map(plain), ...ramps, unchecked()]),
      [...new Set(descriptions)].join(' '),
    )
  }
  const entry = z.strictObject({
    at: duration('Time since the submission.').optional(),
    poll: position('First poll with this state, from 1. Replaces `at`.').optional(),
    // Not in the type, because they depend on the kinds.
    ...(fields as object),
    unset: optional(z.array(z.string()).min(1), 'Fields to omit from now on.'),
    reset: optional(z.array(z.string()).min(1), 'Fields to reset to their defaults.'),
    notFound: flag('404 from now on, until the next entry.'),
  })
  return z
    .array(entry)
    .min(1)
    .superRefine((entries, context) => {
      const before = { at: 0, poll: 0 }
      for (const [index, { at, poll }] of entries.entries()) {
        const message = errorOfMoment({ at, poll }, before)
        if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message })
        before.at = at ?? before.at
        before.poll = poll ?? before.poll
      }
    })
    .meta({ description: 'Job states over time. Each applies until a later one overrides it.' })
}

interface Moment {
  readonly at: number | undefined
  readonly poll: number | undefined
}

/** Entries are in the order of their times, or of the polls that return them. */
function errorOfMoment({ at, poll }: Moment, before: { at: number; poll: number }): string | undefined {
  if ((at === undefined) === (poll === undefined))
    return 'expected either `at` (time since the submission) or `poll` (the number of a poll)'
  if (at !== undefined && at < before.at)
    return `\`at\` is earlier than in the previous entry (${before.at} ms): sort the entries by time`
  if (poll !== undefined && poll < before.poll)
    return `\`poll\` is lower than in the previous entry (${before.poll}): sort the entries by poll`
  return undefined
}

type Entry = z.output<ReturnType<typeof timelineSchema>>[number]
export type TimelineSpec = readonly (Entry & { readonly [field: string]: unknown })[]

function plain(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema
}

/** The bytes of a file: exactly one of the keys. */
export const content = lazy(() =>
  z
    .strictObject({
      text: optional(z.string(), 'String.'),
      base64: optional(z.base64(), 'Bytes in base64.'),
      file: text('File beside the scenario or in `--allow-files`.'),
      image: optional(
        z.strictObject({
          width: z.int().min(1).max(4096).describe('The width in pixels.'),
          height: z.int().min(1).max(4096).describe('The height in pixels.'),
          transparent: flag('Whether the background is transparent.'),
        }),
        'Generated PNG; also `transparent`.',
      ),
    })
    .refine(
      (given) => Object.keys(given).length === 1,
      'expected exactly one of `text`, `base64`, `file` and `image`',
    )
    .meta({ id: 'Content', description: 'The bytes of a file.' }),
)

const course = (kind: ScriptedKind) => ({
  age: duration('Time since the submission. Default: from the status.').optional(),
  timeline: timelineSchema([kind]).optional(),
  offContract: flag('Allows violations of the contract.'),
})

const resources = (kind: ScriptedKind) =>
  optional(z.array(kind.given().extend(course(kind))).min(1), `The ${kind.noun}s that exist at the start.`)

const file = () =>
  z.strictObject({
    path: z.string().min(1).describe('Path in the upload URL.'),
    provider: text('Storage provider. Default: the first in the settings.'),
    contentType: text('Default: from the path.'),
    content: content(),
    age: duration('Time since the upload.').optional(),
  })

export function givenSchema(kinds: readonly ScriptedKind[]) {
  const lists = Object.fromEntries(kinds.map((kind) => [kind.name, resources(kind)]))
  const files = optional(z.array(file()).min(1), 'Uploaded files.')
  return z.strictObject({ ...lists, files }).describe('Initial resources.') as unknown as z.ZodType<GivenSpec>
}

export type GivenFileSpec = z.output<ReturnType<typeof file>>

/** The fields that every kind has in addition to its own. */
export type GivenResourceSpec = z.output<z.ZodObject<ReturnType<typeof course>>> & {
  readonly [field: string]: unknown
}

/** The kinds depend on the endpoints. */
export type GivenSpec = { readonly files?: readonly GivenFileSpec[] } & {
  readonly [kind: string]: readonly GivenResourceSpec[] | undefined
}

export type ContentSpec = z.output<ReturnType<typeof content>>
