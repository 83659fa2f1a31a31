/** The wire shapes of image jobs: request bodies and the job object. */

import * as z from 'zod'
import { looksLikePath } from '../../behaviours/uploads/file-url.ts'
import { isFields } from '../../engine/fields.ts'
import { contractSays, describedIn, required, spare, stated } from '../../protocol/contract-reading.ts'
import { show } from '../../protocol/wording.ts'

/** The maximum length of a prompt. */
const maxPromptLength = 8192
/** The maximum length of an image URL. */
const maxUrlLength = 1024

const prompt = (description: string) => z.string().min(1).max(maxPromptLength).describe(description)

const address = (description: string) =>
  z
    .string()
    .min(1, { abort: true })
    // Only the form is checked, because nothing is fetched; uploads: `checkImageName`.
    .refine((value) => isHttpUrl(value) || looksLikePath(value), {
      error: ({ input }) => invalidUrl(input),
    })
    .meta({ format: 'uri', description })

const imgUrl = () => address('The URL of the source image.').max(maxUrlLength)

const model = () => z.string().min(1).max(512).describe('The model id.')

/** Rejected by every operation; declared for a helpful error message. */
const callback = () =>
  z
    .unknown()
    .refine((value) => value === undefined, 'is not supported: remove it and poll GET /v1/tob/job/{jobId}')
    .optional()
    .meta({ not: {}, description: 'Not supported: poll the job instead.' })

const side = () => z.int().min(1)

/** POST /v1/tob/diffusion. Path and `text` come from the upstream, `model` from the contract. */
export const createBody = () =>
  z.object({
    model: model(),
    text: prompt('The prompt. May end with parameters such as `--ar 16:9`.'),
    callback: callback(),
  })

const area = () =>
  z.strictObject({
    width: side().describe('The width of the image that `points` refers to.'),
    height: side().describe('The height of the image that `points` refers to.'),
    points: z
      .array(z.int())
      .min(6, { abort: true })
      // x and y alternate: an odd count leaves the last point without its y.
      .refine((points) => points.length % 2 === 0, {
        error: ({ input }) =>
          `expected an even number of coordinates (x and y alternate), got ${(input as unknown[]).length}`,
      })
      .describe('A polygon of at least three points; x and y alternate.'),
  })

const mask = () =>
  z
    .strictObject({
      areas: z.array(area()).min(1).describe('Polygons to repaint.').optional(),
      url: address('The URL of a mask image. Its white areas are repainted.').optional(),
    })
    .refine(({ areas, url }) => areas !== undefined || url !== undefined, {
      error: 'expected `areas`, `url` or both, got neither',
      when: ({ value }) => isFields(value),
    })
    .meta({ anyOf: [{ required: ['areas'] }, { required: ['url'] }] })

/** POST /v1/tob/upload-paint: unknown properties are rejected, at every level; all fields are required. */
export const uploadPaintBody = () =>
  z.strictObject({
    model: model(),
    imgUrl: imgUrl(),
    mask: mask(),
    canvas: z.strictObject({ width: side(), height: side() }).describe('The size of the result.'),
    imgPos: z
      .strictObject({ width: side(), height: side(), x: z.int(), y: z.int() })
      .describe('The size and position of the source image on the canvas.'),
    remixPrompt: prompt('The new prompt.'),
    callback: callback(),
  })

/** POST /v1/tob/retexture. The contract's example sends all fields: all are required. */
export const retextureBody = () =>
  z.object({
    model: model(),
    imgUrl: imgUrl(),
    remixPrompt: prompt('The new prompt.'),
    callback: callback(),
  })

/** POST /v1/tob/remove-background. */
export const removeBackgroundBody = () => z.object({ model: model(), imgUrl: imgUrl(), callback: callback() })

// The new prompt of an edit is `remixPrompt`, and optional upstream.
const edit = () => ({
  jobId: z.string().min(1).describe('The source job.'),
  imageNo: z.int().min(0).max(3).describe('The index of the image in the source job, from 0.'),
  remixPrompt: prompt('The new prompt. Default: the prompt of the source job.').optional(),
  callback: callback(),
})

/** POST /v1/tob/pan. */
export const panBody = () =>
  z.object({
    ...edit(),
    direction: z.literal([0, 1, 2, 3]).describe('0 down, 1 right, 2 up, 3 left.'),
    scale: z.number().min(1.1).max(3).describe('The factor by which the image grows in `direction`.'),
  })

/** POST /v1/tob/variation. */
export const variationBody = () =>
  z.object({
    ...edit(),
    type: z.literal([0, 1]).describe('0 strong variation, 1 subtle variation.'),
  })

/** The response of every operation. */
export const imageJobResponse = () =>
  describedIn(
    'contract 2.2',
    z.object({
      id: required(stated(z.string().min(1))),
      text: z.string().optional(),
      status: required(z.literal([0, 1, 2, 3])).describe('0 waiting, 1 running, 2 succeeded, 3 failed.'),
      urls: required(
        z.array(contractSays(z.string().min(1).meta({ format: 'uri' }), () => stated(z.url()))).nullable(),
      ),
      comment: required(z.string()).describe('The status text, or the reason for a failure.'),
      cost: z
        .object({
          jobId: spare(z.string()),
          feeCost: z.int().nullable(),
          fastCost: spare(z.number()),
          relaxCost: spare(z.number()),
          costAt: spare(z.string()),
        })
        .nullable()
        .optional(),
      audits: z
        .array(z.string())
        .optional()
        .describe(
          'One string per URL: empty if the image passed moderation, otherwise the reason for blocking it.',
        ),
      seed: z.int().optional(),
    }),
  )

/** The prompt of an unvalidated body, for reserved values and rules. */
export function promptIn({ text, remixPrompt }: Readonly<Record<string, unknown>>): unknown {
  return typeof text === 'string' ? text : remixPrompt
}

/** The message for a string that is neither a URL nor the `path` of an upload. */
export function invalidUrl(value: unknown): string {
  return (
    'expected an http or https URL such as https://example.com/image.png, or the `path` of an ' +
    `uploaded file, got ${show(value)}`
  )
}

/** Whether a string has the form of a web URL. */
export function isHttpUrl(value: string): boolean {
  return /^https?:\/\/[^\s/?#]/i.test(value) && !/\s/.test(value) && URL.canParse(value)
}
