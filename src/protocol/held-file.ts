/** Files whose bytes exist: uploads, and files of scenarios. */
import { isBytes } from '../engine/bytes.ts'
import type { HeldBytes } from './call.ts'
import type { Body, PlainResponse } from './response.ts'

const typesByExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pdf: 'application/pdf',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}

/** The bytes of an image or video determine its type, not the name. */
export function fileType(bytes: HeldBytes, name = ''): string {
  if (bytes.image !== undefined) return `image/${bytes.image.format}`
  const { content } = bytes
  if (isBytes(content) && String.fromCharCode(...content.subarray(4, 8)) === 'ftyp') return 'video/mp4'
  return namedType(name) ?? 'application/octet-stream'
}

/** The type of a file by its name; undefined for an unknown extension. */
export function namedType(name: string): string | undefined {
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(typesByExtension, ending) ? typesByExtension[ending] : undefined
}

/** The file as a response, with the type of its bytes and name. */
export function heldFile(bytes: HeldBytes, name: string, type = fileType(bytes, name)): HeldResponse {
  const { content, md5 } = bytes
  return { status: 200, headers: {}, body: { kind: 'bytes', content, type, etag: `"${md5}"` } }
}

type HeldResponse = PlainResponse & { readonly body: Extract<Body, { readonly kind: 'bytes' }> }
