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
    file: z.string().min(1).optional().describe('A file on disk, from the directory of the scenario file.'),
    picture: z
      .strictObject({
        width: z.int().min(1).max(4096).describe('Pixels.'),
        height: z.int().min(1).max(4096).describe('Pixels.'),
        transparent: z.boolean().optional().describe('Whether it shows through.'),
      })
      .optional()
      .describe('A PNG that is made for this.'),
  })
  .refine(
    (given) => Object.keys(given).length === 1,
    'expected exactly one of `text`, `base64`, `file` and `picture`',
  )
  .meta({ id: 'Content', description: 'Bytes of a file.' })

const course = (kind: ScriptedKind) => ({
  age: duration('How long ago it was made; as long as its status takes by default when left out.').optional(),
  timeline: timelineSchema([kind]).optional(),
  offContract: z.boolean().optional().describe('Breaks the contract on purpose.'),
})

const resources = (kind: ScriptedKind) =>
  z
    .array(kind.given.extend(course(kind)))
    .min(1)
    .optional()
    .describe(`The ${kind.name} that exist.`)

const file = z.strictObject({
  path: z.string().min(1).describe('Its path, as an upload URL names it: `images/cat.png`.'),
  provider: z
    .string()
    .min(1)
    .optional()
    .describe('The storage provider; the first one of the settings when left out.'),
  type: z.string().min(1).optional().describe('Its media type; by its path when left out.'),
  content,
  age: duration('How long ago it was uploaded.').optional(),
})

export function givenSchema(kinds: readonly ScriptedKind[]) {
  const lists = Object.fromEntries(kinds.map((kind) => [kind.name, resources(kind)]))
  return z
    .strictObject({
      ...lists,
      files: z.array(file).min(1).optional().describe('The files that were uploaded.'),
    })
    .meta({ description: 'What exists when it starts, in every session.' }) as unknown as z.ZodType<GivenSpec>
}

export type GivenFileSpec = z.output<typeof file>

/** What every kind has, beside the fields of its own. */
export type GivenResourceSpec = z.output<z.ZodObject<ReturnType<typeof course>>> & {
  readonly [field: string]: unknown
}

/** Which kinds there are depends on the endpoints. */
export type GivenSpec = { readonly files?: readonly GivenFileSpec[] } & {
  readonly [kind: string]: readonly GivenResourceSpec[] | undefined
}

export type ContentSpec = z.output<typeof content>
