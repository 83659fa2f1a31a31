/** The content of the videos under fixtures/: for every second, a sign on a coloured ground, and a bar. */
import { drawLine, type Font, letterSide, loadFont } from '../src/media/image/font.ts'
import { type Colour, createRaster, paint, type Raster } from '../src/media/image/raster.ts'
import { frameRate, signs } from '../src/media/signs.ts'

export { frameRate, loadFont, signs }

const light: Colour = [240, 236, 224]
const amber: Colour = [235, 175, 75]

// Every position is a multiple of 16, the unit of the encoder: flat blocks compress well.
const inUnits = (pixels: number): number => Math.floor(pixels / 16) * 16

interface Moment {
  readonly sign: string
  /** From 0, within the second of the sign. */
  readonly frame: number
}

export function drawScene(font: Font, { sign, frame }: Moment, width: number, height: number): Raster {
  const raster = createRaster(width, height)
  const place = signs.indexOf(sign)
  const ground: Colour = [30 + ((place * 53) % 120), 40 + ((place * 31) % 70), 30 + ((place * 89) % 120)]
  paint(raster, { x: 0, y: 0, width, height }, ground)
  const scale = inUnits((Math.min(width, height) * 0.8) / letterSide)
  const x = inUnits((width - letterSide * scale) / 2)
  const y = inUnits((height - letterSide * scale) / 2)
  drawLine(raster, font, sign, { x, y, scale, colour: light })
  // A bar that fills during the second.
  const top = inUnits(height) - 32
  const filled = Math.max(16, inUnits((width * (frame + 1)) / frameRate))
  paint(raster, { x: 0, y: top, width: filled, height: height - top }, amber)
  return raster
}
