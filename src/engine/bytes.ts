/** Bytes, whoever made them. */

/**
 * Whether a value is bytes. `instanceof` would not know those of another realm: under jsdom the global
 * `Uint8Array` is not the one that node's own parts and threads give.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}
