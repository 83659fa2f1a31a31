/** A file cut into parts, as streams of sound send it. */

/**
 * Parts end on whole samples of 16 bits and on whole groups of base64: clients decode each part by itself, or
 * join the texts first.
 */
const unit = 6

/** Part `index` (from 0) of `of`, which together are the file. Parts of a short file may be empty. */
export function partOf(
  bytes: Uint8Array,
  { index, of }: { readonly index: number; readonly of: number },
): Uint8Array {
  const start = (part: number): number =>
    part >= of ? bytes.length : Math.floor((bytes.length * part) / of / unit) * unit
  return bytes.subarray(start(index), start(index + 1))
}
