/**
 * The picture that something is made from, by its address: one that the session has made, one that was
 * uploaded, or one that is not here (contract 4.1 and 4.8). Nothing is fetched, and nothing is refused: the
 * endpoints have looked before.
 */
import { tagIn, withoutSession } from '../engine/ids.ts'
import { randomFrom } from '../engine/random.ts'
import { stateOf } from '../engine/resource.ts'
import type { Context } from '../protocol/endpoint.ts'
import {
  imagesKind,
  keepSource,
  type NamedSource,
  type PictureFacts,
  pictureSeed,
  shownName,
} from './image-series.ts'
import { imageJobKind, isReadable, type JobPictureFacts, pictureIndex } from './job-pictures.ts'
import { findUpload } from './uploads/upload.ts'

/** What something is made from. */
export interface Start {
  readonly source: NamedSource
  /**
   * What it is, whatever it is called: the same picture under another address, in another session, on another
   * host.
   */
  readonly says: string
  /** Pixels; undefined for what is not here. */
  readonly size: { readonly width: number; readonly height: number } | undefined
}

/**
 * A picture that stands in the request itself, in base64: kept as the text that it is, since only the edge
 * opens files.
 */
export function sourceInText(text: string, name: string, { world }: Context): Start {
  const says = randomFrom(text).hex(32)
  return {
    source: keepSource(
      { kind: 'held', file: { content: text, sha256: says, size: text.length, name } },
      world,
    ),
    says,
    size: undefined,
  }
}

/**
 * The picture at an address. A file that was uploaded is kept as it is now, whatever is uploaded to its place
 * later.
 */
export function sourceAt(address: string, context: Context, now: number): Start {
  const made = madePicture(address, context, now)
  if (made !== undefined) return startOf(made)
  const found = findUpload(address, context)
  if (typeof found === 'object') {
    const { content, sha256, size, image } = found.bytes
    const source = keepSource(
      { kind: 'held', file: { content, sha256, size, name: shownName(lastPart(found.key)) } },
      context.world,
    )
    return { source, says: sha256, size: image }
  }
  const says = address.slice(Math.max(0, address.search(own)))
  return {
    source: { kind: 'absent', name: nameOf(address, context) },
    says: withoutSession(says, context.world.tag),
    size: undefined,
  }
}

type Made = Extract<NamedSource, { kind: 'made' }>

function startOf(source: Made): Start {
  const { pictures } = source
  return {
    source,
    says: pictureSeed(pictures, source.index),
    size: { width: pictures.width, height: pictures.height },
  }
}

/**
 * `/media/image-jobs/{jobId}/{image}` and `/media/images/{imageId}/{image}`, on any host and behind any
 * prefix.
 */
const own = /\/media\/(image-jobs|images)\/([^/?#]+)\/([^/?#]+)(?:[?#]|$)/

/** The picture of the session that is read at an address now; undefined when none is. */
function madePicture(address: string, context: Context, now: number): Made | undefined {
  const [, group, written = '', image = ''] = own.exec(address) ?? []
  if (group === undefined) return undefined
  const id = decoded(written)
  return group === 'images' ? pictureOfReply(id, image, context, now) : pictureOfJob(id, image, context, now)
}

function pictureOfJob(id: string, image: string, context: Context, now: number): Made | undefined {
  const job = context.world.store.find<JobPictureFacts>(imageJobKind, id)
  if (typeof job !== 'object') return undefined
  const { gone, state } = stateOf(job, now)
  const index = pictureIndex(image, job.facts)
  return !gone && index !== undefined && isReadable(job.facts, index, state)
    ? { kind: 'made', pictures: job.facts.pictures, index }
    : undefined
}

function pictureOfReply(
  id: string,
  image: string,
  { world, settings }: Context,
  now: number,
): Made | undefined {
  const found = world.store.find<PictureFacts>(imagesKind, id)
  if (typeof found !== 'object' || now >= found.bornAt + settings.images.urlExpiresAfter) return undefined
  const { count, format } = found.facts.pictures
  const index = Array.from({ length: count }, (_, place) => place).find(
    (place) => `${place}.${format}` === image,
  )
  return index === undefined ? undefined : { kind: 'made', pictures: found.facts.pictures, index }
}

/**
 * An address in a few words: its host and the last part of its path. Of one that was ours the last part
 * alone: where we are reached says nothing.
 */
function nameOf(address: string, { world }: Context): string {
  const [, host = '', path = ''] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/i.exec(address) ?? []
  if (host === '') return shownName(withoutSession(lastPart(address.replace(/[?#].*$/, '')), world.tag))
  const last = decoded(lastPart(path))
  if (own.test(address) && tagIn(decoded(own.exec(address)?.[2] ?? '')) === world.tag)
    return shownName(withoutSession(last, world.tag))
  return shownName(withoutSession(last === '' ? host : `${host}/${last}`, world.tag))
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
