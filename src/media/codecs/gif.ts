/** The first picture of a GIF (GIF89a specification, W3C), as pixels. */
import { clearRaster, type Raster } from '../image/raster.ts'

/** The rows of an interlaced picture: where each pass begins, and how far it steps. */
const passes = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const
const inOrder = [[0, 1]] as const
const maxCodes = 4096

/**
 * On its canvas, which is clear where the picture does not reach, and where a file ends too early. Throws for
 * one without a picture; undefined for a picture of more than `mostPixels`. Whoever calls it bounds the
 * canvas first.
 */
export function readGif(bytes: Uint8Array, maxPixels: number): Raster | undefined {
  const byte = (at: number): number => bytes[at] ?? 0
  const word = (at: number): number => byte(at) | (byte(at + 1) << 8)
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 2 << (flags & 7))
  let table = { at: 13, colours: colours(byte(10)) }
  let at = table.at + table.colours * 3
  let clear = -1
  // Until an image descriptor comes: extensions, of which one says which number is clear.
  for (; byte(at) !== 0x2c; at = blocksEnd(bytes, at + 2)) {
    if (byte(at) !== 0x21) throw new Error('image-gif: there is no picture in it')
    if (byte(at + 1) === 0xf9) clear = (byte(at + 3) & 1) === 1 ? byte(at + 6) : -1
  }
  const [left, top, width, height, flags] = [
    word(at + 1),
    word(at + 3),
    word(at + 5),
    word(at + 7),
    byte(at + 9),
  ]
  // A picture may say other sides than its canvas.
  if (width * height > maxPixels) return undefined
  at += 10
  if (colours(flags) > 0) {
    table = { at, colours: colours(flags) }
    at += table.colours * 3
  }
  const numbers = new Uint8Array(width * height)
  const count = unpack(bytes, at + 1, byte(at), numbers)

  const raster = clearRaster(word(6), word(8))
  let from = 0
  for (const [first, step] of (flags & 0x40) === 0 ? inOrder : passes) {
    for (let row = first; row < height; row += step) {
      for (let column = 0; column < width && from < count; column++, from++) {
        const number = numbers[from] as number
        const [x, y] = [left + column, top + row]
        if (number === clear || x >= raster.width || y >= raster.height) continue
        const to = (y * raster.width + x) * 4
        // A number beyond the table is black, as in other decoders.
        if (number < table.colours)
          for (let part = 0; part < 3; part++) raster.rgba[to + part] = byte(table.at + number * 3 + part)
        raster.rgba[to + 3] = 255
      }
    }
  }
  return raster
}

/** Behind the blocks that begin there: each is a length and as many bytes, the last one is empty. */
function blocksEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] as number)
  return at + 1
}

/**
 * Unpacks (LZW) the blocks that begin there, and says how many numbers there were: what is broken ends there.
 */
function unpack(bytes: Uint8Array, start: number, codeBits: number, numbers: Uint8Array): number {
  if (codeBits < 2 || codeBits > 8) throw new Error('image-gif: its numbers have a size that no GIF may have')
  const clearCode = 1 << codeBits
  const prefix = new Uint16Array(maxCodes)
  const suffix = new Uint8Array(maxCodes)
  const run = new Uint8Array(maxCodes + 1)
  let [next, width, previous, first, count] = [clearCode + 2, codeBits + 1, -1, 0, 0]
  let [pending, held] = [0, 0]
  const end = Math.min(bytes.length, blocksEnd(bytes, start) - 1)
  for (let at = start, left = 0; at < end; at++) {
    if (left === 0) {
      left = bytes[at] as number
      continue
    }
    left--
    pending |= (bytes[at] as number) << held
    held += 8
    while (held >= width) {
      const code = pending & ((1 << width) - 1)
      pending >>>= width
      held -= width
      if (code === clearCode) {
        ;[next, width, previous] = [clearCode + 2, codeBits + 1, -1]
        continue
      }
      // What no encoder says yet: without this, an entry could lead to itself, and its run would have no end.
      if (code === clearCode + 1 || code > next || (code === next && previous < 0)) return count
      let length = 0
      let link = code
      if (code === next) {
        run[length++] = first
        link = previous
      }
      for (; link >= clearCode; link = prefix[link] as number) run[length++] = suffix[link] as number
      first = link
      run[length++] = first
      while (length > 0 && count < numbers.length) numbers[count++] = run[--length] as number
      if (count === numbers.length) return count
      if (previous >= 0 && next < maxCodes) {
        prefix[next] = previous
        suffix[next++] = first
        if (next === 1 << width && width < 12) width++
      }
      previous = code
    }
  }
  return count
}
