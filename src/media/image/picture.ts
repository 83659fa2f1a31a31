/** The placeholder for a generated image: mirrored blocks on a ground, in two colours of the seed. */
import { type Random, randomFrom } from '../../engine/random.ts'
import { type Colour, createRaster, paint, type Raster } from './raster.ts'

interface Picture {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Without a ground. */
  readonly transparent: boolean
  readonly seed: string
}

/** Blocks per row and column. */
const blocks = 5
const middle = 2

/** Corners are always ground, and the middle is always a block. */
export function drawPicture({ width, height, transparent, seed }: Picture): Raster {
  const random = randomFrom(`picture ${seed}`)
  const raster = createRaster(width, height)
  const ground = colourFrom(random, 20, 110)
  const colour = colourFrom(random, 140, 240)
  if (!transparent) paint(raster, { x: 0, y: 0, width, height }, ground)
  const drawBlock = (column: number, row: number): void => {
    const x = edge(column, width)
    const y = edge(row, height)
    paint(raster, { x, y, width: edge(column + 1, width) - x, height: edge(row + 1, height) - y }, colour)
  }
  for (let row = 0; row < blocks; row++) {
    for (let column = 0; column <= middle; column++) {
      const isMiddle = row === middle && column === middle
      const isCorner = row % (blocks - 1) === 0 && column === 0
      if (!isMiddle && (isCorner || random.chance(1, 2))) continue
      drawBlock(column, row)
      drawBlock(blocks - 1 - column, row)
    }
  }
  addGrain(raster)
  return raster
}

const edge = (block: number, side: number): number => Math.floor((block * side) / blocks)

function colourFrom(random: Random, min: number, max: number): Colour {
  return [random.integer(min, max), random.integer(min, max), random.integer(min, max)]
}

// Makes about one pixel in 64 lighter. Clients distinguish an image from a stub by its size in bytes, and
// flat colours take only a few.
function addGrain({ rgba }: Raster): void {
  let noise = 1
  for (let at = 0; at < rgba.length; at += 4 + 4 * (noise >>> 25)) {
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0
    if (rgba[at + 3] === 0) continue
    for (let channel = at; channel < at + 3; channel++)
      rgba[channel] = Math.min(255, (rgba[channel] as number) + 32)
  }
}
