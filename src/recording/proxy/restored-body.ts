/** Reads a request that may name links of ours, to send it with the real ones. */
import type { IncomingMessage } from 'node:http'
import type { Links } from './links.ts'

const maxBytes = 4 * 1024 * 1024

/**
 * The body to send instead of the one that arrives: undefined if it can have no links, or is too large.
 * Rejects if the client breaks off.
 */
export async function restoredBody(
  request: IncomingMessage,
  links: Links,
  base: string,
): Promise<Uint8Array | undefined> {
  const { 'content-type': type = '', 'content-length': length, 'content-encoding': coding } = request.headers
  const size = Number(length ?? Number.NaN)
  // A body whose length is not known beforehand may never end.
  if (!(size > 0 && size <= maxBytes) || coding !== undefined || !/json|^multipart\//i.test(type))
    return undefined
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const body = Buffer.concat(pieces)
  const restored = links.restoreRequest(body.toString('latin1'), base)
  return restored === undefined ? body : Buffer.from(restored, 'latin1')
}
