/**
 * The content of a video: for every second, a sign on a coloured ground, and moving shapes. The videos under
 * fixtures/ and the thumbnails are drawn from the same scenes.
 */
import { randomFrom } from '../../engine/random.ts'
import type { VideoMedia } from '../../protocol/media.ts'
import type { Colour, Raster, Rectangle } from '../image/raster.ts'

/** Frames per second of every video. */
export const frameRate = 24

/** The signs of seconds, chosen to be easy to distinguish. */
export const signs = 'ACEFHJKLMNPRTUXY'

/**
 * A scene in pixels of the video, from back to front. Every number is a multiple of 16, the unit of the
 * encoder, except for shapes that reach the lower edge.
 */
interface Scene {
  readonly ground: Colour
  readonly plates: readonly (Rectangle & { readonly colour: Colour })[]
}

// Five columns and seven rows each. A row has five bits, the leftmost column first.
const letters: Readonly<Record<string, readonly number[]>> = {
  A: [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
  C: [0b01111, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b01111],
  E: [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
  F: [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000],
  H: [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
  J: [0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100],
  K: [0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001],
  L: [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
  M: [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001],
  N: [0b10001, 0b11001, 0b10101, 0b10011, 0b10001, 0b10001, 0b10001],
  P: [0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000],
  R: [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001],
  T: [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
  U: [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
  X: [0b10001, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001, 0b10001],
  Y: [0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100],
}

// Dark enough for a light sign. Neighbours have clearly different colours.
const grounds: readonly Colour[] = [
  [150, 40, 45],
  [30, 90, 150],
  [40, 110, 60],
  [110, 50, 140],
  [150, 85, 20],
  [20, 110, 115],
  [125, 35, 95],
  [85, 95, 25],
  [45, 55, 130],
  [135, 60, 60],
  [25, 85, 85],
  [95, 70, 120],
  [105, 75, 40],
  [55, 85, 110],
  [75, 40, 40],
  [60, 75, 65],
]
const light: Colour = [240, 236, 224]
const amber: Colour = [235, 175, 75]

/**
 * The signs of a video, one per second; neighbours differ. If the video begins like another video, the first
 * half comes from that video.
 */
export function signsOf({ seed, seconds, begins }: Pick<VideoMedia, 'seed' | 'seconds' | 'begins'>): string {
  const half = begins === undefined ? '' : drawSigns('', Math.floor(seconds / 2), begins)
  return drawSigns(half, seconds, seed)
}

/** Extends signs to one per second. */
function drawSigns(before: string, seconds: number, seed: string): string {
  const random = randomFrom(`film ${seed}`)
  let drawn = before
  for (let second = before.length; second < seconds; second++) {
    // Skips the previous sign, so that no sign appears twice in a row.
    const place =
      second === 0
        ? random.integer(0, signs.length - 1)
        : random.integer(1, signs.length - 1) + signs.indexOf(drawn.charAt(second - 1))
    drawn += signs.charAt(place % signs.length)
  }
  return drawn
}

/** Frame `frame` (from 0) of the second with `sign`. Sides are multiples of 8. */
export function sceneOf(sign: string, frame: number, width: number, height: number): Scene {
  const place = signs.indexOf(sign)
  const cell = inUnits(Math.min(width / 9, height / 11))
  const left = inUnits((width - 5 * cell) / 2)
  const top = inUnits((height - 7 * cell) / 2)
  const strokes = (letters[sign] ?? []).flatMap((bits, row) =>
    runsOf(bits).map(([from, to]) => ({
      x: left + from * cell,
      y: top + row * cell,
      width: (to - from) * cell,
      height: cell,
      colour: light,
    })),
  )
  return {
    ground: grounds[place] ?? [0, 0, 0],
    plates: [
      ...strokes,
      // A bar that fills during the second.
      {
        x: 0,
        y: inUnits(height) - 32,
        width: Math.max(16, inUnits((width * (frame + 1)) / frameRate)),
        height: height - inUnits(height) + 32,
        colour: amber,
      },
      { ...squareAt(place, frame, width, inUnits(height) - 48), width: 48, height: 48, colour: amber },
    ],
  }
}

/** Draws a scene, `scale` times smaller (a divisor of 16). */
export function drawScene(scene: Scene, width: number, height: number, scale = 1): Raster {
  const raster = {
    width: width / scale,
    height: height / scale,
    rgba: new Uint8Array((width / scale) * (height / scale) * 4),
  }
  paint(raster, { x: 0, y: 0, width: raster.width, height: raster.height }, scene.ground)
  for (const { x, y, width: wide, height: high, colour } of scene.plates)
    paint(raster, { x: x / scale, y: y / scale, width: wide / scale, height: high / scale }, colour)
  return raster
}

function paint({ width, rgba }: Raster, at: Rectangle, [red, green, blue]: Colour): void {
  const row = new Uint8Array(at.width * 4)
  for (let i = 0; i < row.length; i += 4) row.set([red, green, blue, 255], i)
  for (let y = at.y; y < at.y + at.height; y++) rgba.set(row, (y * width + at.x) * 4)
}

// A square that moves back or forth along one of the four sides: each sign has a different motion.
function squareAt(place: number, frame: number, width: number, height: number): { x: number; y: number } {
  const step = place & 4 ? frameRate - 1 - frame : frame
  const along = (length: number): number => inUnits(((length - 48) * step) / (frameRate - 1))
  switch (place & 3) {
    case 0:
      return { x: along(width), y: 16 }
    case 1:
      return { x: inUnits(width) - 64, y: along(height) }
    case 2:
      return { x: along(width), y: height - 64 }
    default:
      return { x: 16, y: along(height) }
  }
}

/** The runs of ones in five bits, as start and end columns. */
function runsOf(bits: number): [number, number][] {
  const runs: [number, number][] = []
  for (let column = 0; column < 5; column++) {
    if (((bits >> (4 - column)) & 1) === 0) continue
    const last = runs.at(-1)
    if (last !== undefined && last[1] === column) last[1]++
    else runs.push([column, column + 1])
  }
  return runs
}

const inUnits = (pixels: number): number => Math.floor(pixels / 16) * 16
