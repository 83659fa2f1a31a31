/** The wire schemas of images, with every value that some model accepts. */

import * as z from 'zod'
import { describeFile, filePart, type SentFile, usableImage } from '../../behaviours/uploads/image-file.ts'
import {
  base64Text,
  contractSays,
  describedIn,
  relied,
  stated,
  sumOf,
  unixSeconds,
  unnamed,
} from '../../protocol/contract-reading.ts'
import type { SampleNeeds } from '../../protocol/endpoint.ts'

export const imageSizes = [
  '256x256',
  '512x512',
  '1024x1024',
  '1536x1024',
  '1024x1536',
  '1792x1024',
  '1024x1792',
] as const
const outputFormats = ['png', 'jpeg', 'webp'] as const

// The upstream accepts null for omitted fields.
const common = () => ({
  prompt: z
    .string()
    .min(1)
    .describe(
      'The prompt. Maximum length: 32000 characters for models of kind A, 1000 for kind B, 4000 for kind C.',
    ),
  model: z
    .string()
    .min(1)
    .max(512)
    .nullish()
    .describe(
      'A model of kind A, B or C. Default: a model of kind A if the request has a field that only kind A ' +
        'supports, otherwise a model of kind B.',
    ),
  n: z
    .int()
    .min(1)
    .max(10)
    .nullish()
    .describe('The number of images. Default: 1. Models of kind C, such as dall-e-3, allow only 1.'),
  size: z
    .enum([...imageSizes, 'auto'])
    .nullish()
    .describe(
      'Width x height in pixels. Models of kind A: 1024x1024, 1536x1024, 1024x1536, auto (default); ' +
        'kind B: 256x256, 512x512, 1024x1024; kind C: 1024x1024, 1792x1024, 1024x1792.',
    ),
  quality: z
    .enum(['auto', 'low', 'medium', 'high', 'standard', 'hd'])
    .nullish()
    .describe(
      'The quality. Models of kind A: auto (default), low, medium, high; kind B: auto (default), standard; ' +
        'kind C: auto (default), standard, hd.',
    ),
  background: z
    .enum(['auto', 'transparent', 'opaque'])
    .nullish()
    .describe(
      'The background. Only for models of kind A. `transparent` requires the output format png or webp.',
    ),
  output_format: z
    .enum(outputFormats)
    .nullish()
    .describe('The image format. Only for models of kind A. Default: png.'),
  output_compression: z
    .int()
    .min(0)
    .max(100)
    .nullish()
    .describe('The image quality in percent, for webp and jpeg. Only for models of kind A. Default: 100.'),
  partial_images: z
    .int()
    .min(0)
    .max(3)
    .nullish()
    .describe(
      'The number of partial images before the final image, with `stream`. Only for models of kind A.',
    ),
  response_format: z
    .enum(['url', 'b64_json'])
    .nullish()
    .describe(
      'The response format, for models of kind B and C. Default: url. Models of kind A always return base64.',
    ),
  stream: z
    .boolean()
    .nullish()
    .describe('Whether to stream images as server-sent events. Only for models of kind A.'),
  user: z.string().nullish().describe("The end user's id."),
})

/** POST /v1/images/generations. */
export const generateBody = () =>
  z.looseObject({
    ...common(),
    moderation: z
      .enum(['auto', 'low'])
      .nullish()
      .describe('The strictness of the content filter. Only for models of kind A.'),
    style: z
      .enum(['vivid', 'natural'])
      .nullish()
      .describe('The style. Only for models of kind C. Default: vivid.'),
  })

const expectedFile = {
  image: 'a PNG, WebP or JPEG image',
  mask: 'a PNG with transparent areas',
} as const

const expected = (what: string): string => `expected a file: ${what} as a form part with a filename`

function fault(what: string, part: SentFile): string | undefined {
  const image = usableImage(what, describeFile(part), part)
  return typeof image === 'string' ? image : undefined
}

/** The path of image `index`: a single image is `image`, whatever the name of its form part. */
export const placeOf = (index: number, count: number): number[] => (count === 1 ? [] : [index])

/** POST /v1/images/edits, in the form that `readEditForm` returns. */
export const editBody = () =>
  z.looseObject({
    ...common(),
    image: z
      .array(filePart(expected(expectedFile.image)), expected(expectedFile.image))
      .min(1)
      .superRefine((parts, context) => {
        for (const [index, given] of parts.entries()) {
          const message = fault(expectedFile.image, given)
          if (message !== undefined)
            context.addIssue({ code: 'custom', message, input: given, path: placeOf(index, parts.length) })
        }
      })
      .describe(
        'The images to edit. Models of kind A: up to 16 PNG, WebP or JPEG images below 50 MB each; kind B: ' +
          'one square PNG below 4 MB.',
      ),
    mask: filePart(expected(expectedFile.mask))
      .superRefine((given, context) => {
        const message = fault(expectedFile.mask, given)
        if (message !== undefined) context.addIssue({ code: 'custom', message, input: given })
      })
      .describe('A PNG with transparent areas.')
      .nullish()
      .describe(
        'A PNG below 4 MB with the width and height of the first image. Its transparent areas are edited.',
      ),
    input_fidelity: z
      .enum(['high', 'low'])
      .nullish()
      .describe(
        'How closely to follow the input images. Only for models of kind A, except mini variants. ' +
          'Default: low.',
      ),
  })

export type GenerateRequest = z.output<ReturnType<typeof generateBody>>
export type EditRequest = z.output<ReturnType<typeof editBody>>

/** The fields of both requests; fields of only one are undefined in the other. */
export interface ImageRequest extends z.output<z.ZodObject<ReturnType<typeof common>>> {
  readonly moderation?: GenerateRequest['moderation']
  readonly style?: GenerateRequest['style']
  readonly input_fidelity?: EditRequest['input_fidelity']
}

const usage = () =>
  stated(
    z
      .strictObject({
        input_tokens: z.int().min(0),
        input_tokens_details: z.strictObject({ image_tokens: z.int().min(0), text_tokens: z.int().min(0) }),
        output_tokens: z.int().min(0),
        total_tokens: z.int().min(0),
      })
      .refine(...sumOf('total_tokens', 'input_tokens', 'output_tokens'))
      .describe(
        'The token usage, with separate counts for input images and the prompt. Only from models of kind A.',
      ),
  )

const image = () => contractSays(z.string().min(1), () => z.string(), base64Text)

const responseFacts = () => ({
  background: z.enum(['transparent', 'opaque']),
  output_format: z.enum(outputFormats),
  quality: z.enum(['low', 'medium', 'high']),
  size: z.enum(['1024x1024', '1024x1536', '1536x1024']),
})

/** Fields other than `created` and `data` exist only for A. */
export const imagesResponse = () =>
  describedIn(
    'contract 2.8',
    z.strictObject({
      created: unixSeconds().describe('Unix seconds.'),
      data: relied(
        z
          .array(
            z.strictObject({
              url: contractSays(
                z.string().min(1).meta({ format: 'uri' }),
                () => z.string(),
                () => stated(z.url()),
              ).optional(),
              b64_json: unnamed(image()).optional(),
              revised_prompt: unnamed(z.string().min(1))
                .optional()
                .describe('The prompt as revised by the model. Only from models of kind C.'),
            }),
          )
          .min(1),
      ),
      background: responseFacts().background.optional(),
      output_format: responseFacts().output_format.optional(),
      quality: responseFacts().quality.optional(),
      size: responseFacts().size.optional(),
      usage: usage().optional(),
    }),
  )

/** One event of a stream; `kind` is `image_generation` or `image_edit`. */
export const imageEvent = (kind: 'image_generation' | 'image_edit') => {
  const every = {
    b64_json: relied(image()),
    created_at: unixSeconds().describe('Unix seconds.'),
    ...responseFacts(),
  }
  return describedIn(
    'wire-formats 4',
    z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal(`${kind}.partial_image`),
        ...every,
        partial_image_index: z.int().min(0),
      }),
      z.strictObject({ type: z.literal(`${kind}.completed`), ...every, usage: usage() }),
    ]),
  )
}

/** A request that shows a script of images. */
export const sampleCall = ({ partials }: SampleNeeds): Readonly<Record<string, unknown>> => ({
  model: 'gpt-image-1',
  prompt: 'a question',
  stream: true,
  ...(partials ? { partial_images: 3 } : {}),
})
