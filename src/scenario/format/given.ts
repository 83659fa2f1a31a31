/** What exists when a scenario begins: jobs, videos and operations in any state, uploaded files. */
import * as z from 'zod'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { timelineSchema } from './timeline.ts'
import { duration } from './values.ts'

/** Bytes of a file: exactly one of its keys. */
export const content = z
  .strictObject({
    text: z.string().optional().describe('Its text.'),
    base64: z.base64().optional().describe('Its bytes.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A file on disk in the folder of the scenario file or below, or in one of --allow-files; ' +
          'relative to it.',
      ),
    picture: z
      .strictObject({
        width: z.int().min(1).max(4096).describe('Pixels.'),
        height: z.int().min(1).max(4096).describe('Pixels.'),
        transparent: z.boolean().optional().describe('Whether its background is transparent.'),
      })
      .optional()
      .describe('A generated PNG.'),
  })
  .refine(
    (given) => Object.keys(given).length === 1,
    'expected exactly one of `text`, `base64`, `file` and `picture`',
  )
  .meta({ id: 'Content', description: 'Bytes of a file.' })

const course = (kind: ScriptedKind) => ({
  age: duration('How long ago it was created; by default long enough to have reached its status.').optional(),
  timeline: timelineSchema([kind]).optional(),
  offContract: z.boolean().optional().describe('Breaks the contract on purpose.'),
  content: z
    .union([content, z.array(content).min(1)])
    .optional()
    .describe(
      [
        'What it has made, instead of what is drawn: a video, or a list of pictures or videos in their order',
        '(the last one stands for all further ones).',
      ].join(' '),
    ),
})

const resources = (kind: ScriptedKind) =>
  z
    .array(kind.given.extend(course(kind)))
    .min(1)
    .optional()
    .describe(`The ${kind.name} that exist.`)

const file = z.strictObject({
  path: z.string().min(1).describe('Its path, as in an upload URL: `images/cat.png`.'),
  provider: z
    .string()
    .min(1)
    .optional()
    .describe('The storage provider; by default the first one in the settings.'),
  type: z.string().min(1).optional().describe('Its media type; derived from the path when left out.'),
  content,
  age: duration('How long ago it was uploaded.').optional(),
})

export function givenSchema(kinds: readonly ScriptedKind[]) {
  const lists = Object.fromEntries(kinds.map((kind) => [kind.name, resources(kind)]))
  return z
    .strictObject({
      ...lists,
      files: z.array(file).min(1).optional().describe('Uploaded files.'),
    })
    .meta({ description: 'What exists in every session when it starts.' }) as unknown as z.ZodType<GivenSpec>
}

export type GivenFileSpec = z.output<typeof file>

/** What every kind has in addition to its own fields. */
export type GivenResourceSpec = z.output<z.ZodObject<ReturnType<typeof course>>> & {
  readonly [field: string]: unknown
}

/** Which kinds there are depends on the endpoints. */
export type GivenSpec = { readonly files?: readonly GivenFileSpec[] } & {
  readonly [kind: string]: readonly GivenResourceSpec[] | undefined
}

export type ContentSpec = z.output<typeof content>
