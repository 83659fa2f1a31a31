/**
 * A second of film that shows one picture: H.264 for what stands ready nowhere. The picture is coded by
 * itself (Intra 16 x 16 from the mean of what is around, CAVLC), and those behind it say that nothing has
 * changed. Whole numbers throughout: the same bytes on every machine. Numbers of sections and tables are
 * those of ISO/IEC 14496-10.
 */
import { onWhite, type Raster } from '../image/raster.ts'
import { type Bits, createBits, putBlock } from './cavlc.ts'

export interface Still {
  /**
   * The picture parameter set that the pictures refer to, and which goes into the film beside the others'
   * own.
   */
  readonly picture: Uint8Array
  /** The pictures, as units without a length. */
  readonly frames: readonly Uint8Array[]
  /** What a decoder makes of it: light, blueness and redness in rows, as wide as whole blocks. */
  readonly seen: readonly [Plane, Plane, Plane]
}

/** The number of the picture parameter set; that of the seconds which stand ready is 0. */
const setId = 1

/** A second of a picture as large as the film that `sequence`, the parameter set of the sequence, is of. */
export function stillOf(raster: Raster, sequence: Uint8Array, frameRate: number): Still {
  const numberBits = readNumberBits(sequence)
  const across = Math.ceil(raster.width / 16)
  const down = Math.ceil(raster.height / 16)
  const first = createBits(0x65)
  putSliceHeader(first, 7, 0, numberBits)
  const planes = planesOf(raster, across, down)
  putPicture(first, planes, across, down)
  const frames = [first.unit()]
  for (let number = 1; number < frameRate; number++) {
    const next = createBits(0x41)
    putSliceHeader(next, 5, number, numberBits)
    // Every block is skipped: as in the picture before.
    next.unsigned(across * down)
    frames.push(next.unit())
  }
  return { picture: pictureSet(), frames, seen: planes }
}

/**
 * How many bits the number of a picture takes in this sequence (7.3.2.1.1). What a still relies on else is
 * checked.
 */
function readNumberBits(sequence: Uint8Array): number {
  // Behind the header: the profile, its constraints, the level. No byte of 3 has been put in before these
  // fields end.
  let at = 32
  const bit = (): number => ((sequence[at >> 3] as number) >> (7 - (at++ & 7))) & 1
  const unsigned = (): number => {
    let size = 0
    while (bit() === 0) size++
    let value = 1
    for (let i = 0; i < size; i++) value = value * 2 + bit()
    return value - 1
  }
  const [id, number, order] = [unsigned(), unsigned() + 4, unsigned()]
  if (sequence[1] !== 77 || id !== 0 || order !== 2)
    throw new Error('render-media: the film is of another sequence than stills are made for')
  return number
}

// 7.3.2.2: no arithmetic coding, the quality of below, and a word in each slice on whether edges of blocks
// are smoothed.
function pictureSet(): Uint8Array {
  const bits = createBits(0x68)
  bits.unsigned(setId)
  bits.unsigned(0)
  bits.put(0, 2)
  for (let i = 0; i < 3; i++) bits.unsigned(0)
  bits.put(0, 3)
  bits.signed(quantizer - 26)
  bits.signed(0)
  bits.signed(0)
  bits.put(0b100, 3)
  return bits.unit()
}

// 7.3.3. A picture of type 7 starts anew, one of type 5 refers to the one before.
function putSliceHeader(bits: Bits, type: 5 | 7, number: number, numberBits: number): void {
  bits.unsigned(0)
  bits.unsigned(type)
  bits.unsigned(setId)
  bits.put(number, numberBits)
  // A number of the picture that starts anew and two words on earlier ones; or that references are the usual
  // ones, which stay.
  if (type === 7) bits.unsigned(0)
  bits.put(0, type === 7 ? 2 : 3)
  bits.signed(0)
  // Edges are not smoothed: what is decoded is what was reckoned with here.
  bits.unsigned(1)
}

/** A colour plane: how light or how coloured each point is, 0 to 255. */
export interface Plane {
  /** Points in a row, a multiple of a block's. */
  readonly stride: number
  readonly points: Uint8Array
}

/**
 * Light, blueness and redness by BT.709 within 16 to 235 and 16 to 240, the colours for two by two points
 * together; whole blocks, with the edge repeated.
 */
function planesOf(raster: Raster, across: number, down: number): [Plane, Plane, Plane] {
  const { width, height } = raster
  const rgb = onWhite(raster)
  const [light, blue, red] = [
    new Uint8Array(across * down * 256),
    new Uint8Array(across * down * 64),
    new Uint8Array(across * down * 64),
  ]
  const stride = across * 16
  for (let y = 0; y < down * 16; y += 2) {
    for (let x = 0; x < stride; x += 2) {
      let [reds, greens, blues] = [0, 0, 0]
      for (let i = 0; i < 4; i++) {
        const [column, row] = [x + (i & 1), y + (i >> 1)]
        const from = (Math.min(row, height - 1) * width + Math.min(column, width - 1)) * 3
        const [r, g, b] = [rgb[from] as number, rgb[from + 1] as number, rgb[from + 2] as number]
        // Shares in 65,536ths: 0.2126, 0.7152 and 0.0722 of 219/255.
        light[row * stride + column] = (11_966 * r + 40_254 * g + 4_064 * b + 16 * 65_536 + 32_768) >> 16
        reds += r
        greens += g
        blues += b
      }
      const to = (y >> 1) * (stride >> 1) + (x >> 1)
      // Of four points together, so in 262,144ths: the distance from the light, of 224/255, up to a half each
      // way.
      blue[to] = (-6_596 * reds - 22_189 * greens + 28_785 * blues + 128 * 262_144 + 131_072) >> 18
      red[to] = (28_785 * reds - 26_146 * greens - 2_639 * blues + 128 * 262_144 + 131_072) >> 18
    }
  }
  return [
    { stride, points: light },
    { stride: stride >> 1, points: blue },
    { stride: stride >> 1, points: red },
  ]
}

/**
 * How coarse coefficients are (0 to 51). What follows holds for this one: 24 is fine enough that loss is hard
 * to see, and its scale is a power of two.
 */
const quantizer = 24
/**
 * What a coefficient is multiplied with before 19 bits are dropped, and what gives it back (tables of 8.5.9
 * for 24): for places that are even in both directions, in one, in none.
 */
const forward = [13_107, 8_066, 5_243] as const
const back = [160, 208, 256] as const
const dropped = 19

/** The places of a block of 4 x 4 from low to high frequency (8.5.6). */
const zigzag = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15] as const

interface FinePlace {
  readonly place: number
  /** In how many directions the place is odd. */
  readonly kind: 0 | 1 | 2
}

/** All but the first of them. */
const finePlaces: readonly FinePlace[] = zigzag
  .slice(1)
  .map((place) => ({ place, kind: ((place & 1) + ((place >> 2) & 1)) as 0 | 1 | 2 }))

/** The blocks of 4 x 4 within one of 16 x 16 in the order of the stream (6.4.3), as column and row. */
const blockOrder = Array.from({ length: 16 }, (_, i): readonly [number, number] => [
  (i & 1) | ((i >> 1) & 2),
  ((i >> 1) & 1) | ((i >> 2) & 2),
])

/**
 * Writes the blocks of the picture, 16 x 16 points each (7.3.5). The planes become what a decoder will see.
 */
function putPicture(bits: Bits, planes: readonly [Plane, Plane, Plane], across: number, down: number): void {
  const [light, ...colours] = planes
  const around = {
    light: counts(across * 4, down * 4),
    colours: colours.map(() => counts(across * 2, down * 2)),
  }
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const whole = codePart(light, column, row, 4)
      const parts = colours.map((plane) => codePart(plane, column, row, 2))
      const fine = whole.fine.some((levels) => levels.some((level) => level !== 0))
      const colour = parts.some((part) => part.fine.some((levels) => levels.some((level) => level !== 0)))
        ? 2
        : parts.some((part) => part.means.some((level) => level !== 0))
          ? 1
          : 0
      // Intra 16 x 16 from the mean (2), with what is there of colours and of fine coefficients (table 7-11);
      // colours from their means; no other quality.
      bits.unsigned(1 + 2 + 4 * colour + (fine ? 12 : 0))
      bits.unsigned(0)
      bits.signed(0)
      putBlock(
        bits,
        zigzag.map((place) => whole.means[place] as number),
        around.light.near(column * 4, row * 4),
      )
      for (const [x, y] of blockOrder)
        around.light.set(
          column * 4 + x,
          row * 4 + y,
          fine
            ? putBlock(
                bits,
                whole.fine[y * 4 + x] as number[],
                around.light.near(column * 4 + x, row * 4 + y),
              )
            : 0,
        )
      if (colour > 0) for (const part of parts) putBlock(bits, part.means, 'colour')
      for (const [i, part] of parts.entries()) {
        const near = around.colours[i] as Counts
        for (let at = 0; at < 4; at++) {
          const [x, y] = [column * 2 + (at & 1), row * 2 + (at >> 1)]
          near.set(x, y, colour === 2 ? putBlock(bits, part.fine[at] as number[], near.near(x, y)) : 0)
        }
      }
    }
  }
}

/** How many coefficients each block of 4 x 4 has, and what that says of the next one (9.2.1). */
interface Counts {
  near(x: number, y: number): number
  set(x: number, y: number, count: number): void
}

function counts(width: number, height: number): Counts {
  const all = new Uint8Array(width * height)
  return {
    near(x, y) {
      const left = x > 0 ? (all[y * width + x - 1] as number) : undefined
      const above = y > 0 ? (all[(y - 1) * width + x] as number) : undefined
      return left === undefined ? (above ?? 0) : above === undefined ? left : (left + above + 1) >> 1
    },
    set(x, y, count) {
      all[y * width + x] = count
    },
  }
}

/**
 * What is written of a block's light or colour: the means of its parts of 4 x 4, row by row, and of each part
 * the finer coefficients.
 */
interface Part {
  readonly means: Int32Array
  readonly fine: readonly number[][]
}

/** Transforms a block of `size` by `size` parts, and puts what a decoder makes of it in its place. */
function codePart(plane: Plane, column: number, row: number, size: 2 | 4): Part {
  const { points, stride } = plane
  const corner = row * size * 4 * stride + column * size * 4
  const guesses =
    size === 4
      ? Array<number>(16).fill(meanAround(plane, corner, column > 0, row > 0, 16, 16))
      : coloursAround(plane, corner, column > 0, row > 0)
  const sums = new Int32Array(guesses.length)
  const block = new Int32Array(16)
  const fine = guesses.map((guess, part) => {
    const start = corner + (part >> (size >> 1)) * 4 * stride + (part & (size - 1)) * 4
    for (let i = 0; i < 16; i++) block[i] = (points[start + (i >> 2) * stride + (i & 3)] as number) - guess
    twice(block, transform)
    sums[part] = block[0] as number
    return finePlaces.map(({ place, kind }) => quantized(block[place] as number, forward[kind], dropped))
  })
  // The means are transformed once more, and have a coarser step.
  const means = (size === 4 ? twice(sums, crossed).map((sum) => sum >> 1) : crossedPairs(sums)).map((sum) =>
    quantized(sum, forward[0], dropped + 1),
  )
  const decoded =
    size === 4
      ? twice(means.slice(), crossed).map((sum) => sum * 40)
      : crossedPairs(means).map((sum) => sum * 80)
  for (const [part, levels] of fine.entries()) {
    const start = corner + (part >> (size >> 1)) * 4 * stride + (part & (size - 1)) * 4
    block[0] = decoded[part] as number
    for (let i = 0; i < 15; i++)
      block[(finePlaces[i] as FinePlace).place] =
        (levels[i] as number) * back[(finePlaces[i] as FinePlace).kind]
    twice(block, restored)
    for (let i = 0; i < 16; i++)
      points[start + (i >> 2) * stride + (i & 3)] = Math.min(
        255,
        Math.max(0, (guesses[part] as number) + (((block[i] as number) + 32) >> 6)),
      )
  }
  return { means, fine }
}

function quantized(value: number, factor: number, bits: number): number {
  // A third of a step is rounded up, as encoders do for pictures of their own.
  const size = (Math.abs(value) * factor + Math.floor((1 << bits) / 3)) >> bits
  return value < 0 ? -size : size
}

/**
 * 8.3.3.3: the mean of the points above and to the left, as far as there are any; 128 where there are none.
 */
function meanAround(
  { points, stride }: Plane,
  corner: number,
  hasLeft: boolean,
  hasAbove: boolean,
  width: number,
  height: number,
): number {
  let [sum, count] = [0, 0]
  if (hasAbove) for (let i = 0; i < width; i++, count++) sum += points[corner - stride + i] as number
  if (hasLeft) for (let i = 0; i < height; i++, count++) sum += points[corner - 1 + i * stride] as number
  return count === 0 ? 128 : Math.floor((sum + (count >> 1)) / count)
}

/** 8.3.4: the same for the four parts of a colour, of which those off the diagonal look to one side first. */
function coloursAround(plane: Plane, corner: number, hasLeft: boolean, hasAbove: boolean): number[] {
  return [0, 1, 2, 3].map((part) => {
    const [x, y] = [(part & 1) * 4, (part >> 1) * 4]
    const above = hasAbove ? sumOf(plane, corner - plane.stride + x, 1) : undefined
    const left = hasLeft ? sumOf(plane, corner - 1 + y * plane.stride, plane.stride) : undefined
    const wanted = part === 1 ? [above ?? left] : part === 2 ? [left ?? above] : [above, left]
    const sums = wanted.filter((sum) => sum !== undefined)
    return sums.length === 0
      ? 128
      : sums.length === 1
        ? ((sums[0] as number) + 2) >> 2
        : ((sums[0] as number) + (sums[1] as number) + 4) >> 3
  })
}

function sumOf({ points }: Plane, start: number, step: number): number {
  return (
    (points[start] as number) +
    (points[start + step] as number) +
    (points[start + 2 * step] as number) +
    (points[start + 3 * step] as number)
  )
}

/** Changes the four values from `at` on, `step` apart. */
type Along = (block: Int32Array, at: number, step: number) => void

/** Along the rows, then along the columns of a block of 4 x 4, in its place. */
function twice(block: Int32Array, along: Along): Int32Array {
  for (let i = 0; i < 4; i++) along(block, i * 4, 1)
  for (let i = 0; i < 4; i++) along(block, i, 4)
  return block
}

const put = (
  block: Int32Array,
  at: number,
  step: number,
  a: number,
  b: number,
  c: number,
  d: number,
): void => {
  block[at] = a
  block[at + step] = b
  block[at + 2 * step] = c
  block[at + 3 * step] = d
}

/** The transform that 8.5.12 takes back. */
const transform: Along = (block, at, step) => {
  const [a, b, c, d] = [
    block[at] as number,
    block[at + step] as number,
    block[at + 2 * step] as number,
    block[at + 3 * step] as number,
  ]
  put(block, at, step, a + b + c + d, 2 * (a - d) + b - c, a - b - c + d, a - d - 2 * (b - c))
}

/** 8.5.12.2, but for the last shift. */
const restored: Along = (block, at, step) => {
  const [a, b, c, d] = [
    block[at] as number,
    block[at + step] as number,
    block[at + 2 * step] as number,
    block[at + 3 * step] as number,
  ]
  const [even, odd, fall, rise] = [a + c, a - c, (b >> 1) - d, b + (d >> 1)]
  put(block, at, step, even + rise, odd + fall, odd - fall, even - rise)
}

/** 8.5.10, which is its own inverse but for the scale. */
const crossed: Along = (block, at, step) => {
  const [a, b, c, d] = [
    block[at] as number,
    block[at + step] as number,
    block[at + 2 * step] as number,
    block[at + 3 * step] as number,
  ]
  put(block, at, step, a + b + c + d, a + b - c - d, a - b - c + d, a - b + c - d)
}

/** 8.5.11.1: the same for a colour's two by two. */
const crossedPairs = ([a = 0, b = 0, c = 0, d = 0]: Int32Array): Int32Array =>
  Int32Array.of(a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d)
