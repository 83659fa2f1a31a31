/** The wire shapes of long-running video operations. */

import * as z from 'zod'
import { looksLikePath, looksLikeUrl } from '../../behaviours/uploads/file-url.ts'
import {
  base64Text,
  contractSays,
  describedIn,
  relied,
  spare,
  stated,
  unnamed,
} from '../../protocol/contract-reading.ts'

/** Sources of images other than uploads. */
export const imageElsewhere = {
  fits: /^gs:\/\/\S+$/,
  expected: 'expected a gs:// URL, or the `path` of an uploaded file',
}

const encoded = () => z.looseObject({ bytesBase64Encoded: z.string().min(1), mimeType: z.string().min(1) })
const stored = () =>
  z.looseObject({
    gcsUri: z
      .string()
      .refine(
        (name) => imageElsewhere.fits.test(name) || looksLikePath(name) || looksLikeUrl(name),
        imageElsewhere.expected,
      ),
    mimeType: z.string().optional(),
  })
/** An image as base64 or URL. */
export const image = () => z.union([encoded(), stored()])

/** Pixels of a video by `resolution`, the longer side first. */
export const resolutions = { '720p': [1280, 720], '1080p': [1920, 1080], '4k': [3840, 2160] } as const
export type Resolution = keyof typeof resolutions

export const resolution = () => z.enum(['720p', '1080p', '4k'])

const instance = () =>
  z.looseObject({
    prompt: z.string().min(1).optional(),
    image: image().optional(),
    lastFrame: image().optional(),
    video: z.looseObject({}).optional(),
    mask: z.looseObject({}).optional(),
    referenceImages: z
      .array(z.looseObject({ image: image(), referenceType: z.enum(['asset', 'style']) }))
      .min(1)
      .max(3)
      .optional(),
  })

/** The request. `model` is in the path. */
export const submitBody = () =>
  z.looseObject({
    instances: z
      .array(instance())
      .min(1)
      .max(1)
      .describe('Exactly one instance with a prompt, an image, or both.'),
    parameters: z
      .looseObject({
        aspectRatio: z.enum(['16:9', '9:16']).optional(),
        durationSeconds: z.int().min(4).max(8).optional().describe('The duration in seconds. Default: 8.'),
        sampleCount: z.int().min(1).max(4).optional().describe('The number of videos. Default: 1.'),
        resolution: resolution().optional().describe('The resolution. Default: 720p.'),
        seed: z.int().min(0).max(4_294_967_295).optional(),
        negativePrompt: z.string().optional(),
        personGeneration: z.enum(['dont_allow', 'allow_adult', 'allow_all']).optional(),
        enhancePrompt: z.boolean().optional(),
        generateAudio: z.boolean().optional().describe('Whether the videos have sound. Default: true.'),
        fps: z.number().optional(),
        storageUri: z.string().optional(),
        compressionQuality: z.string().optional(),
        resizeMode: z
          .string()
          .optional()
          .describe(
            '`pad` adds black bars around an image; `crop` cuts the image to fill the video. Default: ' +
              '`pad`.',
          ),
        pubsubTopic: z.string().optional(),
      })
      .optional(),
  })

export type SubmitBody = z.output<ReturnType<typeof submitBody>>

/** Operation names: `/v1beta/` and the name are the polling path. */
export const namePattern =
  /^projects\/[^/]+\/locations\/[^/]+\/publishers\/[^/]+\/models\/[^/]+\/operations\/[0-9a-f-]{36}$/

const name = () => z.string().regex(namePattern)

export const submitted = () =>
  describedIn('contract 4.7', z.strictObject({ name: relied(z.string().regex(namePattern)) }))

const text = () => z.string()
const status = () =>
  z.strictObject({ code: z.int(), message: text(), details: z.array(z.record(text(), z.unknown())) })

/** Both dialects together: clients ignore the keys of the other. */
const response = () =>
  z.strictObject({
    generatedVideos: z.array(
      z.strictObject({
        uri: z.url(),
        videoBytes: z.string(),
        mimeType: z.literal('video/mp4'),
        createTime: z.iso.datetime(),
      }),
    ),
    generateVideoResponse: z.strictObject({
      generatedSamples: z.array(
        z.strictObject({
          video: z.strictObject({ uri: z.url(), encodedVideo: text(), encoding: z.literal('video/mp4') }),
        }),
      ),
      raiMediaFilteredCount: z.int().optional(),
      raiMediaFilteredReasons: z.array(text()).optional(),
    }),
  })

const metadata = () =>
  z.strictObject({
    '@type': text(),
    state: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED']),
    createTime: z.iso.datetime(),
    updateTime: z.iso.datetime(),
    progressPercent: z.int().min(0).max(100),
  })

// The contract has one dialect and does not document `metadata`.
const anyOperation = () =>
  z.strictObject({
    name: relied(z.string()),
    metadata: z.looseObject({}).optional(),
    done: z.boolean(),
    error: z
      .strictObject({ code: z.int(), message: text(), details: spare(z.array(z.looseObject({}))) })
      .optional(),
    response: z
      .strictObject({
        '@type': unnamed(z.string()),
        generatedVideos: z.array(
          z.strictObject({
            uri: contractSays(
              z.string(),
              () => text(),
              () => stated(z.url()),
            ).optional(),
            videoBytes: contractSays(z.string(), () => text(), base64Text).optional(),
            mimeType: contractSays(
              z.string(),
              () => text(),
              () => stated(z.string().regex(/^video\//, 'expected a video media type such as video/mp4')),
            ).optional(),
            createTime: stated(z.iso.datetime({ offset: true })).optional(),
          }),
        ),
        generateVideoResponse: unnamed(z.looseObject({})),
      })
      .optional(),
  })

/** A poll: `error` xor `response` once done. */
export const operation = () =>
  describedIn(
    'contract 2.4',
    contractSays(
      z.union([
        z.strictObject({ name: name(), metadata: metadata(), done: z.literal(false) }),
        z.strictObject({ name: name(), metadata: metadata(), done: z.literal(true), response: response() }),
        z.strictObject({ name: name(), metadata: metadata(), done: z.literal(true), error: status() }),
      ]),
      anyOperation,
    ),
  )

/** The path of a model with its project and location. */
export const modelPath =
  '/v1beta/projects/{project_id}/locations/{location}/publishers/{publisher}/models/{model}'
