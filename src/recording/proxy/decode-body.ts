/** Undoes the content codings of a body, piece by piece, so that the times of the pieces are kept. */
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

export interface Piece {
  /** Milliseconds since the request was sent. */
  readonly at: number
  readonly bytes: Uint8Array
}

/**
 * The pieces as they read without their coding; of a body that is broken, what can be decoded. Undefined for
 * a coding that is not known, and for what becomes larger than `maxBytes`.
 */
export async function decodePieces(
  pieces: readonly Piece[],
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<readonly Piece[] | undefined> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && word !== 'identity')
  let decoded: readonly Piece[] | undefined = pieces
  for (const coding of codings.reverse()) {
    const first: Uint8Array | undefined = decoded?.find(({ bytes }) => bytes.length > 0)?.bytes
    if (decoded === undefined || first === undefined) return decoded
    const decoder = decoderOf(coding, first)
    decoded = decoder === undefined ? undefined : await throughDecoder(decoded, decoder, maxBytes)
  }
  return decoded
}

function decoderOf(coding: string, first: Uint8Array): Transform | undefined {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(flush)
  // Some servers leave out the two bytes of zlib.
  if (coding === 'deflate')
    return ((first[0] ?? 0) & 15) === 8 ? createInflate(flush) : createInflateRaw(flush)
  if (coding === 'br')
    return createBrotliDecompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    })
  return undefined
}

async function throughDecoder(
  pieces: readonly Piece[],
  decoder: Transform,
  maxBytes: number,
): Promise<readonly Piece[] | undefined> {
  let arrived: Uint8Array[] = []
  let size = 0
  let failed = false
  decoder.on('data', (bytes: Buffer) => {
    size += bytes.length
    if (size > maxBytes) decoder.destroy()
    else arrived.push(bytes)
  })
  const over = new Promise<void>((resolve) => {
    decoder.on('error', () => {
      failed = true
      resolve()
    })
    decoder.on('close', resolve)
  })
  const decoded: Piece[] = []
  for (const { at, bytes } of pieces) {
    if (!failed && size <= maxBytes)
      await Promise.race([new Promise((resolve) => decoder.write(bytes, resolve)), over])
    decoded.push({ at, bytes: Buffer.concat(arrived) })
    arrived = []
  }
  if (!failed && size <= maxBytes) {
    decoder.end()
    await over
  }
  if (size > maxBytes) return undefined
  const last = decoded.pop()
  if (last !== undefined) decoded.push({ at: last.at, bytes: Buffer.concat([last.bytes, ...arrived]) })
  return decoded
}
