/** Bytes: what they are, joined, and as base64. */

/**
 * Whether a value is a `Uint8Array`. `instanceof` fails for another realm's: under jsdom the global
 * `Uint8Array` is not the one that node's own modules and threads use.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}

/** The bytes as base64 with padding (RFC 4648 section 4), on one line. Browsers have no `Buffer`. */
export function base64(bytes: Uint8Array): string {
  if (globalThis.Buffer !== undefined)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  let latin = ''
  for (const byte of bytes) latin += String.fromCharCode(byte)
  return btoa(latin)
}

/** The bytes of a base64 text. Throws for a text that is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const latin = atob(text)
  const bytes = new Uint8Array(latin.length)
  for (let at = 0; at < latin.length; at++) bytes[at] = latin.charCodeAt(at)
  return bytes
}

/** The concatenation of all parts; a single part is returned as it is, not copied. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The size of a text in UTF-8. */
export function utf8Length(text: string): number {
  return globalThis.Buffer === undefined ? new TextEncoder().encode(text).length : Buffer.byteLength(text)
}
