/**
 * The resources that exist when a session starts: jobs, videos and operations in any state, and uploaded
 * files.
 */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { duration, optional, position } from '../values.ts'

export const ramp = lazy(() =>
  z
    .strictObject({
      from: z.number().describe('The value at the start.'),
      to: z.number().describe('The value at the end.'),
      over: duration('The duration of the change.'),
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
    poll: position('The number of the first poll that returns this entry, from 1. Replaces `at`.').optional(),
    // Not in the type, because they depend on the kinds.
    ...(fields as object),
    unset: optional(z.array(z.string()).min(1), 'Fields to omit until a later entry sets them.'),
    reset: optional(
      z.array(z.string()).min(1),
      'Fields to reset to their default values. This undoes `unset`.',
    ),
    notFound: optional(z.boolean(), 'Whether polls get a 404 until the next entry.'),
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
    .meta({
      description:
        'The states of the job over time, instead of its default timeline. Each entry applies until a ' +
        'later entry overrides it.',
    })
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
      text: optional(z.string(), 'The text.'),
      base64: optional(z.base64(), 'The bytes, in Base64.'),
      file: optional(
        z.string().min(1),
        'A path relative to the folder of the scenario file. The file must be in that folder or in a ' +
          'folder allowed with --allow-files.',
      ),
      image: optional(
        z.strictObject({
          width: z.int().min(1).max(4096).describe('The width in pixels.'),
          height: z.int().min(1).max(4096).describe('The height in pixels.'),
          transparent: optional(z.boolean(), 'Whether the background is transparent.'),
        }),
        'A generated PNG.',
      ),
    })
    .refine(
      (given) => Object.keys(given).length === 1,
      'expected exactly one of `text`, `base64`, `file` and `image`',
    )
    .meta({ id: 'Content', description: 'The bytes of a file.' }),
)

const course = (kind: ScriptedKind) => ({
  age: duration(
    'The age of the job at the start. Default: long enough to reach the given status.',
  ).optional(),
  timeline: timelineSchema([kind]).optional(),
  offContract: optional(z.boolean(), 'Allows fields that violate the contract.'),
  content: optional(
    z.union([content(), z.array(content()).min(1)]),
    'The results: a video, or a list of images or videos in order. The last item is reused for all ' +
      'remaining results. Default: generated results.',
  ),
})

const resources = (kind: ScriptedKind) =>
  optional(z.array(kind.given().extend(course(kind))).min(1), `The ${kind.noun}s that exist at the start.`)

const file = () =>
  z.strictObject({
    path: z.string().min(1).describe('The path, as in an upload URL: `images/cat.png`.'),
    provider: optional(
      z.string().min(1),
      'The storage provider. Default: the first provider in the settings.',
    ),
    contentType: optional(z.string().min(1), 'The media type. Default: derived from the path.'),
    content: content(),
    age: duration('The age of the file at the start.').optional(),
  })

export function givenSchema(kinds: readonly ScriptedKind[]) {
  const lists = Object.fromEntries(kinds.map((kind) => [kind.name, resources(kind)]))
  return z
    .strictObject({
      ...lists,
      files: optional(z.array(file()).min(1), 'Uploaded files.'),
    })
    .meta({
      description: 'The resources that exist when a session starts.',
    }) as unknown as z.ZodType<GivenSpec>
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
