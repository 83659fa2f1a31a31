/**
 * Submits a video from a prompt and an optional first image, or as a remix of a completed video. Responds
 * immediately; the video follows its timeline. Nothing is fetched.
 */
import type * as z from 'zod'
import { fileName } from '../../behaviours/image-series.ts'
import { type ResolvedSource, sourceAt, sourceInText } from '../../behaviours/source-url.ts'
import { namedImage } from '../../behaviours/uploads/upload.ts'
import { digest } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import type { FormField } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { invalid } from '../../protocol/validate.ts'
import { clip } from '../../protocol/wording.ts'
import { sampleVideo, videosKind } from './kind.ts'
import {
  createBody,
  createdVideo,
  defaultModel,
  defaultSeconds,
  defaultSize,
  type durations,
  expectedImage,
  invalidImageUrl,
  isImageUrl,
  remixBody,
  remixedVideo,
} from './schema.ts'
import { shownFacts, viewOf } from './video.ts'

/** A session keeps thousands of videos. */
const maxPromptLength = 4000

/** POST /v1/videos. */
export const createVideo = defineEndpoint({
  operation: 'videos.create',
  method: 'POST',
  path: '/v1/videos',
  summary: 'Create a video',
  accepts: ['form', 'json'],
  job: { submits: videosKind },
  sampleCall: () => ({ model: 'video-1', prompt: 'a question' }),
  readForm: readCreateForm,
  body: createBody,
  response: createdVideo,
  // The video depends on the image, not on its URL.
  contentIgnores: ['input_reference'],
  promptOf: ({ prompt }) => prompt,
  check: ({ body, key }, settings) => checkModel(body.model ?? defaultModel, key, 'videos', settings),
  act(call, context) {
    const { body } = call
    const model = body.model ?? defaultModel
    checkReference(body.input_reference, context)
    const reference = resolveReference(body.input_reference, context, call.now)
    const seed = call.content.fork('video').hex(16)
    const facts = {
      model,
      prompt: clip(body.prompt, maxPromptLength),
      seconds: String(body.seconds ?? defaultSeconds) as (typeof durations)[number],
      size: body.size ?? defaultSize,
      seed: reference === undefined ? seed : digest(`${seed} ${reference.identity}`).slice(0, 16),
      remixedFrom: undefined,
      ...(reference === undefined ? {} : { reference: reference.name }),
    } as const
    return videosKind.submit(call, context, facts)
  },
})

/** POST /v1/videos/{video_id}/remix: one change to a completed video. */
export const remixVideo = defineEndpoint({
  operation: 'videos.remix',
  method: 'POST',
  path: '/v1/videos/{video_id}/remix',
  summary: 'Remix a completed video',
  accepts: ['json'],
  job: {
    about: videosKind,
    concerns: { kind: videosKind, id: ({ video_id: id }) => id },
    submits: videosKind,
  },
  sampleCall: () => ({ video_id: sampleVideo, prompt: 'a question' }),
  body: remixBody,
  response: remixedVideo,
  idsIn: { params: ['video_id'] },
  promptOf: ({ prompt }) => prompt,
  check({ body, key }, settings) {
    // The model of the source was checked when this key submitted the source.
    if (body.model != null) checkModel(body.model, key, 'videos', settings)
  },
  act(call, context) {
    const view = viewOf(videosKind.look(call.params.video_id, call.key.value, call, context))
    const source = view.video
    const shown = shownFacts(view)
    if (view.status !== 'completed') {
      throw new ApiError(
        'invalid_request_error',
        `Only a completed video can be remixed: \`${source.id}\` is ${view.status} ` +
          `(progress: ${view.progress}).`,
        { param: 'video_id' },
      )
    }
    const { body } = call
    const model = body.model ?? shown.model
    const facts = {
      ...shown,
      model,
      prompt: clip(body.prompt, maxPromptLength),
      // Not from the id in the path, which differs between sessions.
      seed: digest(`remix ${source.facts.seed} ${model} ${body.prompt}`).slice(0, 16),
      remixedFrom: source.id,
    }
    return videosKind.submit(call, context, facts, source)
  },
})

type Reference = z.output<ReturnType<typeof createBody>>['input_reference']

const member = /^input_reference\[(image_url|file_id)\]$/

/**
 * The last value of each name; `input_reference` is a file, a text, or the object that
 * `input_reference[image_url]` and
 * `input_reference[file_id]` write member by member. More than one reference becomes a list, which validation
 * rejects.
 */
function readCreateForm(fields: readonly FormField[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  const references: unknown[] = []
  const members: Record<string, string> = {}
  for (const field of fields) {
    const name = member.exec(field.name)?.[1]
    if (name !== undefined && 'value' in field) members[name] = field.value
    else if (field.name === 'input_reference') references.push('file' in field ? field.file : field.value)
    else body[field.name] = 'file' in field ? field.file : field.value
  }
  if (Object.keys(members).length > 0) references.push(members)
  if (references.length > 0) body['input_reference'] = references.length === 1 ? references[0] : references
  return body
}

/** The referenced image after validation, or undefined. */
function resolveReference(
  reference: Reference,
  context: Context,
  now: number,
): Omit<ResolvedSource, 'size'> | undefined {
  if (reference == null) return undefined
  if (typeof reference === 'string') return resolveName(reference, context, now)
  if ('sha256' in reference) {
    const { sha256 } = reference
    return { name: fileName(sha256), identity: sha256 }
  }
  return resolveName(String(reference.image_url ?? reference.file_id), context, now)
}

function resolveName(name: string, context: Context, now: number): ResolvedSource {
  const inText = /^data:[^,]*,/.exec(name)
  return inText === null ? sourceAt(name, context, now) : sourceInText(name.slice(inText[0].length))
}

/** Throws a 400 for an invalid URL, a missing file, or a file that cannot start a video. */
function checkReference(reference: Reference, context: Context): void {
  if (reference == null) return
  if (typeof reference === 'string') return checkName(reference, 'input_reference', context)
  if ('sha256' in reference) return
  const { image_url: address, file_id: id } = reference
  if (address !== undefined) checkName(address, 'input_reference.image_url', context)
  // File ids are not checked, except paths of uploads.
  if (id !== undefined) checkName(id, 'input_reference.file_id', context, true)
}

function checkName(name: string, field: string, context: Context, isId = false): void {
  const named = namedImage(name, context)
  if (named.kind === 'wrong') throw invalid([{ field, message: named.problem }], undefined)
  if (named.kind === 'uploaded' && named.image.format === 'gif')
    throw invalid([{ field, message: `expected ${expectedImage}, got an uploaded GIF` }], undefined)
  if (named.kind === 'elsewhere' && !isId && !isImageUrl(name))
    throw invalid([{ field, message: invalidImageUrl(name) }], undefined)
}
