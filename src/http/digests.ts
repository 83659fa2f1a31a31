/** Hashes of bytes in pieces: node's own where there is node, else plain JavaScript, 30 times slower. */
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export interface Digest {
  update(piece: Uint8Array): void
  /** In hexadecimal; nothing can be added after. */
  hex(): string
}

const plain = { md5, sha256 } as const

/** `native: false` does without node's own. */
export function createDigest(
  algorithm: keyof typeof plain,
  { native = true }: { readonly native?: boolean } = {},
): Digest {
  // Looked up at run time: an import would keep this file out of browsers.
  const crypto = native ? globalThis.process?.getBuiltinModule?.('node:crypto') : undefined
  if (crypto !== undefined) {
    const hash = crypto.createHash(algorithm)
    return { update: (piece) => void hash.update(piece), hex: () => hash.digest('hex') }
  }
  const hash = plain[algorithm].create()
  return { update: (piece) => void hash.update(piece), hex: () => bytesToHex(hash.digest()) }
}
