/**
 * Where uploaded files are found: the bucket and the path in their addresses, and `scheme://…` for other
 * APIs.
 */
import type { SessionTag } from '../../engine/ids.ts'
import type { World } from '../../engine/world.ts'
import type { Settings } from '../../protocol/settings.ts'

/** Names one file of a session: two providers may have files of the same path. */
export interface FileName {
  /** As the provider's scheme: `cos`. */
  readonly scheme: string
  /** Normalised: no slash in front, no empty segments. */
  readonly key: string
}

/** What the path parameter `bucket` of an address says. */
export interface Bucket {
  readonly scheme: string
  readonly tag: SessionTag
  readonly region: string
}

const storage = '/storage'

/** The path pattern of every file. */
export const filePath = `${storage}/{bucket}/{key}` as const

/** The bucket of a session: its tag leads a client that sends no key to its own world. */
export function bucketName({ scheme, tag, region }: Bucket): string {
  return `${scheme}-${tag}-${region}`
}

/** What a bucket's name says, or undefined for a name of another make. */
export function readBucket(name: string): Bucket | undefined {
  const [, scheme, tag, region] = /^([a-z]{1,16})-([0-9a-f]{8})-([A-Za-z0-9-]{1,64})$/.exec(name) ?? []
  return scheme === undefined || tag === undefined || region === undefined
    ? undefined
    : { scheme, tag, region }
}

/** The path of a file in addresses, percent-encoded. */
export function fileAddress(bucket: string, key: string): string {
  return `${storage}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
}

/** `cos://a/b.png`: how other APIs name the file (contract 2.5). */
export function storagePath({ scheme, key }: FileName, settings: Settings): string {
  return `${scheme}://${settings.files.bucket === undefined ? '' : `${settings.files.bucket}/`}${key}`
}

/**
 * Whether a text may be the `path` of an upload, by its form alone: which schemes there are, the settings say
 * (`readReference`).
 */
export function looksLikePath(text: string): boolean {
  return /^(?!https?:)[a-z]{1,16}:\/\/[^/]/.test(text)
}

/** Whether a text may be the address of an upload (`visit_url`, `upload_url`), by its form alone. */
export function looksLikeAddress(text: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?(?:\/[^?#]*)?\/storage\/[^/?#]+\/[^?#]/.test(text)
}

/**
 * The file that a `path` or an address (`visit_url`, `upload_url`) means; undefined for one that leads
 * elsewhere. The host of an address does not matter. An address of another session is told apart by its tag.
 */
export function readReference(
  reference: string,
  world: World,
  settings: Settings,
): (FileName & { readonly foreign: boolean }) | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/([^]*)$/.exec(reference) ?? []
  if (Object.values(settings.files.providers).includes(scheme)) {
    const front = settings.files.bucket === undefined ? '' : `${settings.files.bucket}/`
    return rest.startsWith(front) && rest.length > front.length
      ? { scheme, key: rest.slice(front.length), foreign: false }
      : undefined
  }
  const [, name = '', written = ''] =
    /^(?:https?:\/\/[^/?#]*)?(?:\/[^?#]*)?\/storage\/([^/?#]+)\/([^?#]+)/.exec(reference) ?? []
  const bucket = readBucket(name)
  const key = decoded(written)
  return bucket === undefined || key === undefined
    ? undefined
    : { scheme: bucket.scheme, key, foreign: bucket.tag !== world.tag }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
