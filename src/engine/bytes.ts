/** Recognises bytes of any realm. */

/**
 * Whether a value is a `Uint8Array`. `instanceof` fails for another realm's: under jsdom the global
 * `Uint8Array` is not the one that node's own modules and threads use.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}
