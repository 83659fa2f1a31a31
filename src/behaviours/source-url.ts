/**
 * A source image by its URL: generated in the session, uploaded, or external. Nothing is fetched, and nothing
 * is rejected here.
 */

import { percentDecoded } from '../engine/fields.ts'
import { lastPart } from '../engine/pointer.ts'
import { randomFrom, tagIn, withoutSession } from '../engine/random.ts'
import { stateOf } from '../engine/resource.ts'
import type { HeldBytes } from '../protocol/call.ts'
import type { Context } from '../protocol/endpoint.ts'
import { imageIndex, imageJobKind, isReadable, type JobImageFacts } from './image-jobs.ts'
import {
  captionName,
  fileName,
  type ImageSeries,
  type ImageSeriesFacts,
  imageSeed,
  imagesKind,
  imageUrlLifetime,
} from './image-series.ts'
import { findUpload } from './uploads/upload.ts'

/** A source image. */
export interface ResolvedSource {
  /** For captions: the job and the number of the image, the checksum of a file, or a short form of a URL. */
  readonly name: string
  /** The identity of the image, independent of its URL, session and host. */
  readonly identity: string
  /** Pixels; undefined for an external image. */
  readonly size: { readonly width: number; readonly height: number } | undefined
}

/** A base64 image in the request. Only the edge decodes files, so its size is unknown. */
export function sourceInText(text: string): ResolvedSource {
  const identity = randomFrom(text).hex(32)
  return { name: 'an image in the request', identity, size: undefined }
}

/** The image at a URL, or the current version of an uploaded file. */
export function sourceAt(address: string, context: Context, now: number): ResolvedSource {
  const generated = generatedImageAt(address, context, now)
  if (generated !== undefined) return generated
  const found = findUpload(address, context)
  if (typeof found === 'object') return resolveFile(found.bytes)
  const target = address.slice(Math.max(0, address.search(mediaUrl)))
  return {
    name: nameOf(address, context),
    identity: withoutSession(target, context.sandbox.tag),
    size: undefined,
  }
}

function resolveFile({ sha256, image }: HeldBytes): ResolvedSource {
  return { name: fileName(sha256), identity: sha256, size: image }
}

function resolveGenerated(
  owner: string,
  series: ImageSeries,
  index: number,
  { sandbox }: Context,
): ResolvedSource {
  return {
    name: captionName(withoutSession(`${owner}, image ${index}`, sandbox.tag)),
    identity: imageSeed(series, index),
    size: { width: series.width, height: series.height },
  }
}

/**
 * `/media/image-jobs/{jobId}/{image}` and `/media/images/{imageId}/{image}`, on any host and behind any
 * prefix.
 */
const mediaUrl = /\/media\/(image-jobs|images)\/([^/?#]+)\/([^/?#]+)(?:[?#]|$)/

/** The image of the session that is readable at a URL now, or undefined. */
function generatedImageAt(address: string, context: Context, now: number): ResolvedSource | undefined {
  const [, group, written = '', image = ''] = mediaUrl.exec(address) ?? []
  if (group === undefined) return undefined
  const id = decodedOr(written)
  return group === 'images' ? imageOfResponse(id, image, context, now) : imageOfJob(id, image, context, now)
}

function imageOfJob(id: string, image: string, context: Context, now: number): ResolvedSource | undefined {
  const job = context.sandbox.store.find<JobImageFacts>(imageJobKind, id)
  if (typeof job !== 'object') return undefined
  const { notFound, state } = stateOf(job, now)
  const index = imageIndex(image, job.facts)
  if (notFound || index === undefined || !isReadable(job.facts, index, state)) return undefined
  return resolveGenerated(`job ${id}`, job.facts.images, index, context)
}

function imageOfResponse(
  id: string,
  image: string,
  context: Context,
  now: number,
): ResolvedSource | undefined {
  const found = context.sandbox.store.find<ImageSeriesFacts>(imagesKind, id)
  if (found === undefined || now >= found.bornAt + imageUrlLifetime) return undefined
  const index = imageIndex(image, found.facts)
  return index === undefined ? undefined : resolveGenerated(id, found.facts.images, index, context)
}

/**
 * A short form of a URL: its host and the last part of its path. For URLs of the simulator only the last
 * part, because the host differs between runs.
 */
function nameOf(address: string, { sandbox }: Context): string {
  const [, host = '', path = ''] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/i.exec(address) ?? []
  if (host === '') return captionName(withoutSession(lastPart(address.replace(/[?#].*$/, '')), sandbox.tag))
  const last = decodedOr(lastPart(path))
  if (mediaUrl.test(address) && tagIn(decodedOr(mediaUrl.exec(address)?.[2] ?? '')) === sandbox.tag)
    return captionName(withoutSession(last, sandbox.tag))
  return captionName(withoutSession(last === '' ? host : `${host}/${last}`, sandbox.tag))
}

const decodedOr = (text: string): string => percentDecoded(text) ?? text
