/** A file in parts, as streams of sound send it. */

/**
 * Whole samples of 16 bits, and whole groups of base64: clients decode each part by itself, or put the texts
 * together first.
 */
const unit = 6

/**
 * Part `index` of `of` parts, which together are the file. Parts are alike in length; of a short file some
 * may be empty.
 */
export function partOf(
  bytes: Uint8Array,
  { index, of }: { readonly index: number; readonly of: number },
): Uint8Array {
  const from = (at: number): number =>
    at >= of ? bytes.length : Math.floor((bytes.length * at) / of / unit) * unit
  return bytes.subarray(from(index), from(index + 1))
}
