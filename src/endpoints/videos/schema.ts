/** The wire shapes of videos. */

import * as z from 'zod'
import { looksLikePath } from '../../behaviours/uploads/file-url.ts'
import { describeFile, filePart, type SentFile, usableImage } from '../../behaviours/uploads/image-file.ts'
import { contractSays, describedIn, relied, stated, unixSeconds } from '../../protocol/contract-reading.ts'

/** The upstream's default; the contract names none. */
export const defaultModel = 'sora-2'
export const defaultSeconds = '4'
export const defaultSize = '720x1280'

/** The contract names the first two; the other two are the upstream's. */
export const sizes = ['720x1280', '1280x720', '1024x1792', '1792x1024'] as const
export const durations = ['4', '8', '12'] as const

const size = () => z.enum(sizes)
const seconds = () => z.enum(durations)

const error = () => z.strictObject({ code: z.string(), message: z.string(), type: z.string() })

const common = () => ({
  id: relied(z.string().startsWith('video_')),
  object: z.literal('video'),
  created_at: unixSeconds().describe('Unix seconds.'),
  model: z.string(),
  status: relied(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  progress: stated(z.int().min(0).max(100)),
  seconds: contractSays(
    seconds(),
    () => z.string(),
    () =>
      stated(
        z.string().regex(/^\d{1,3}(?:\.\d+)?$/, 'expected a number of seconds as a string, such as "4"'),
      ),
  ),
  size: contractSays(size(), () => z.enum(['720x1280', '1280x720'])),
  error: error().nullable(),
})

/** The response to a submission, without the three fields that are set later. */
export const createdVideo = () => describedIn('contract 2.3', z.strictObject(common()))

/** The response to a remix: a submission that names its source. */
export const remixedVideo = () =>
  describedIn('contract 2.3', z.strictObject({ ...common(), remixed_from_video_id: z.string() }))

/** The response to a status query, and an item of a list. Fields without a value yet are null. */
export const videoStatus = () =>
  describedIn(
    'contract 2.3',
    z.strictObject({
      ...common(),
      completed_at: unixSeconds().nullable().describe('Unix seconds.'),
      expires_at: unixSeconds().nullable().describe('The expiry time of the content in Unix seconds.'),
      remixed_from_video_id: z.string().nullable(),
    }),
  )

export const videoList = () =>
  describedIn(
    'wire-formats 5',
    z.strictObject({
      object: z.literal('list'),
      data: z.array(videoStatus()),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    }),
  )

const file = () => filePart().describe('A PNG, JPEG or WebP file as a form part.')

// Other fields are dropped: only a file has a digest.
const link = () =>
  z
    .object({ image_url: z.string().optional(), file_id: z.string().optional() })
    .describe('Either `image_url` (https or data:image/…) or `file_id`.')

const inputReference = () =>
  z
    .union([file(), link(), z.string().describe('The URL of an image: https or data:image/….')])
    .superRefine((reference, context) => {
      const reject = (message: string | undefined, path: string[] = []): void => {
        if (message !== undefined) context.addIssue({ code: 'custom', message, path, input: reference })
      }
      if (typeof reference === 'string') return reject(checkImageUrl(reference))
      if ('sha256' in reference) return reject(checkImageFile(reference))
      const { image_url: address, file_id: id } = reference
      if ((address === undefined) === (id === undefined))
        reject(`expected either image_url or file_id, got ${address === undefined ? 'neither' : 'both'}`)
      else if (id === '') reject('expected the id of a file, got an empty string', ['file_id'])
      else if (address !== undefined) reject(checkImageUrl(address), ['image_url'])
    })

function checkImageUrl(address: string): string | undefined {
  if (isImageUrl(address) || looksLikePath(address)) return undefined
  return invalidImageUrl(address)
}

/** Whether a string has the form of an image URL: http(s), or data: with base64. */
export function isImageUrl(address: string): boolean {
  return (
    /^https?:\/\/[^\s/]+/i.test(address) ||
    /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]/i.test(address)
  )
}

/** The message for a string that is not the URL of an image. */
export function invalidImageUrl(address: string): string {
  const shown = address.length > 60 ? `${address.slice(0, 57)}…` : address
  return (
    'expected an image: a file part, an http(s) URL, the `path` of an uploaded file or ' +
    `data:image/(png|jpeg|webp);base64,…, got the string ${JSON.stringify(shown)}`
  )
}

export const expectedImage = 'a PNG, JPEG or WebP image'

function checkImageFile(file: SentFile): string | undefined {
  const image = usableImage(expectedImage, describeFile(file), file)
  if (typeof image === 'string') return image
  return image.format === 'gif'
    ? `expected ${expectedImage}, got ${describeFile(file)}, whose content is a GIF`
    : undefined
}

/**
 * The body of a submission. The contract does not mark required fields: `prompt` is required, as upstream;
 * `model` is optional, because clients omit it (default: `defaultModel`). Unknown fields are allowed.
 */
export const createBody = () =>
  z.looseObject({
    model: z.string().min(1).max(512).nullish().describe('The video model. Default: sora-2.'),
    prompt: z.string().min(1).describe('The prompt.'),
    seconds: z
      .union([seconds(), z.literal([4, 8, 12])])
      .nullish()
      .describe('The duration in seconds. Default: 4.'),
    size: size().nullish().describe('Width x height in pixels. Default: 720x1280.'),
    input_reference: inputReference().nullish().describe('An image that guides the video.'),
  })

/** The body of a remix. The contract lists `model`; clients omit it. */
export const remixBody = () =>
  z.looseObject({
    model: z
      .string()
      .min(1)
      .max(512)
      .nullish()
      .describe('The video model. Default: the model of the source video.'),
    prompt: z.string().min(1).describe('The change to the source video.'),
  })

export const contentQuery = () =>
  z.object({
    variant: z.string().optional().describe('Only `video`; a rule can send other files.'),
  })

export const listQuery = () =>
  z.object({
    after: z.string().optional().describe('The id of the last video on the previous page.'),
    limit: z.coerce.number().int().min(1).max(100).default(20).describe('The page size.'),
    order: z.enum(['asc', 'desc']).default('desc').describe('The sort direction, by submission time.'),
  })
