/** The URLs of uploaded files: their bucket and path, and `scheme://…` for other APIs. */

import { percentDecoded } from '../../engine/fields.ts'
import type { SessionTag } from '../../engine/random.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { Settings } from '../../protocol/settings.ts'

/** The name of a file in a session: two providers may have files of the same path. */
export interface FileName {
  /** The scheme of the provider: `cos`. */
  readonly scheme: string
  /** Normalised: no leading slash, no empty segments. */
  readonly key: string
}

/** The parts of a bucket name. */
export interface Bucket {
  readonly scheme: string
  readonly tag: SessionTag
  readonly region: string
}

const storage = '/storage'

/** The path pattern of every file. */
export const filePath = `${storage}/{bucket}/{key}` as const

/** The bucket of a session. Its tag leads a client without a key to its own session. */
export function bucketName({ scheme, tag, region }: Bucket): string {
  return `${scheme}-${tag}-${region}`
}

/** Parses a bucket name; undefined for any other name. */
export function readBucket(name: string): Bucket | undefined {
  const [, scheme, tag, region] = /^([a-z]{1,16})-([0-9a-f]{8})-([A-Za-z0-9-]{1,64})$/.exec(name) ?? []
  return scheme === undefined || tag === undefined || region === undefined
    ? undefined
    : { scheme, tag, region }
}

/** The path of a file in addresses, percent-encoded. */
export function filePathInUrl(bucket: string, key: string): string {
  return `${storage}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
}

/** `cos://a/b.png`: how other APIs name the file. */
export const storagePath = ({ scheme, key }: FileName): string => `${scheme}://${key}`

/**
 * Whether a text looks like the `path` of an upload; which schemes exist is up to the settings
 * (`readReference`).
 */
export function looksLikePath(text: string): boolean {
  return /^(?!https?:)[a-z]{1,16}:\/\/[^/]/.test(text)
}

/** Whether a text looks like the address of an upload (`visit_url`, `upload_url`). */
export function looksLikeUrl(text: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?(?:\/[^?#]*)?\/storage\/[^/?#]+\/[^?#]/.test(text)
}

/**
 * The file that a `path` or an address (`visit_url`, `upload_url`) names; undefined for one that leads
 * elsewhere. The host of an address does not matter; `foreign` is true for another session's.
 */
export function readReference(
  reference: string,
  sandbox: Sandbox,
  settings: Settings,
): (FileName & { readonly foreign: boolean }) | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/([^]*)$/.exec(reference) ?? []
  if (Object.values(settings.files.providers).includes(scheme))
    return rest === '' ? undefined : { scheme, key: rest, foreign: false }
  const [, name = '', written = ''] =
    /^(?:https?:\/\/[^/?#]*)?(?:\/[^?#]*)?\/storage\/([^/?#]+)\/([^?#]+)/.exec(reference) ?? []
  const bucket = readBucket(name)
  const key = percentDecoded(written)
  return bucket === undefined || key === undefined
    ? undefined
    : { scheme: bucket.scheme, key, foreign: bucket.tag !== sandbox.tag }
}
