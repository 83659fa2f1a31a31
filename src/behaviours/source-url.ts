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
import { givenContent, imageIndex, imageJobKind, isReadable, type JobImageFacts } from './image-jobs.ts'
import {
  captionName,
  type ImageSeriesFacts,
  imageSeed,
  imagesKind,
  imageUrlLifetime,
  type SourceRef,
  storeSource,
} from './image-series.ts'
import { findUpload } from './uploads/upload.ts'

/** A source image. */
export interface ResolvedSource {
  readonly source: SourceRef
  /** The identity of the image, independent of its URL, session and host. */
  readonly identity: string
  /** Pixels; undefined for an external image. */
  readonly size: { readonly width: number; readonly height: number } | undefined
}

/** A base64 image in the request. It is stored as a string: only the edge decodes files. */
export function sourceInText(text: string, name: string, { sandbox }: Context): ResolvedSource {
  const identity = randomFrom(text).hex(32)
  return {
    source: storeSource(
      { kind: 'inline', file: { content: text, sha256: identity, size: text.length, name } },
      sandbox,
    ),
    identity,
    size: undefined,
  }
}

/**
 * The image at a URL. An uploaded file is stored in its current version; later uploads to the same path do
 * not change it.
 */
export function sourceAt(address: string, context: Context, now: number): ResolvedSource {
  const generated = generatedImageAt(address, context, now)
  if (generated !== undefined)
    return 'bytes' in generated ? resolveFile(generated, context) : resolveGenerated(generated)
  const found = findUpload(address, context)
  if (typeof found === 'object')
    return resolveFile({ bytes: found.bytes, name: lastPart(found.key) }, context)
  const says = address.slice(Math.max(0, address.search(mediaUrl)))
  return {
    source: { kind: 'absent', name: nameOf(address, context) },
    identity: withoutSession(says, context.sandbox.tag),
    size: undefined,
  }
}

type GeneratedImage = Extract<SourceRef, { kind: 'generated' }>

/** The current version of a file in the session. */
interface NamedFile {
  readonly bytes: HeldBytes
  readonly name: string
}

function resolveFile({ bytes, name }: NamedFile, { sandbox }: Context): ResolvedSource {
  const { content, sha256, size, image } = bytes
  const file = { content, sha256, size, name: captionName(name) }
  return { source: storeSource({ kind: 'inline', file }, sandbox), identity: sha256, size: image }
}

function resolveGenerated(source: GeneratedImage): ResolvedSource {
  const { series } = source
  return {
    source,
    identity: imageSeed(series, source.index),
    size: { width: series.width, height: series.height },
  }
}

/**
 * `/media/image-jobs/{jobId}/{image}` and `/media/images/{imageId}/{image}`, on any host and behind any
 * prefix.
 */
const mediaUrl = /\/media\/(image-jobs|images)\/([^/?#]+)\/([^/?#]+)(?:[?#]|$)/

/** The image of the session that is readable at a URL now, or undefined. */
function generatedImageAt(
  address: string,
  context: Context,
  now: number,
): GeneratedImage | NamedFile | undefined {
  const [, group, written = '', image = ''] = mediaUrl.exec(address) ?? []
  if (group === undefined) return undefined
  const id = decodedOr(written)
  return group === 'images' ? imageOfResponse(id, image, context, now) : imageOfJob(id, image, context, now)
}

function imageOfJob(
  id: string,
  image: string,
  context: Context,
  now: number,
): GeneratedImage | NamedFile | undefined {
  const job = context.sandbox.store.find<JobImageFacts>(imageJobKind, id)
  if (typeof job !== 'object') return undefined
  const { notFound, state } = stateOf(job, now)
  const index = imageIndex(image, job.facts)
  if (notFound || index === undefined || !isReadable(job.facts, index, state)) return undefined
  const bytes = givenContent(job.facts.contents, index)
  return bytes === undefined ? { kind: 'generated', series: job.facts.images, index } : { bytes, name: image }
}

function imageOfResponse(
  id: string,
  image: string,
  { sandbox }: Context,
  now: number,
): GeneratedImage | undefined {
  const found = sandbox.store.find<ImageSeriesFacts>(imagesKind, id)
  if (found === undefined || now >= found.bornAt + imageUrlLifetime) return undefined
  const index = imageIndex(image, found.facts)
  return index === undefined ? undefined : { kind: 'generated', series: found.facts.images, index }
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
