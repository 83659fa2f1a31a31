/** The pixels of a PNG of any depth and kind of colour. */
import type { DecodedPng } from 'fast-png'
import { createRaster, type Raster } from '../image/raster.ts'
import type { OpenPng } from './png.ts'

/** Whatever is transparent in the file, however little, is so in the raster. */
export function pngRaster({ image, transparentColour }: OpenPng): Raster {
  return image.palette === undefined
    ? plainRaster(image, transparentColour)
    : paletteRaster(image, image.palette)
}

function paletteRaster(image: DecodedPng, palette: NonNullable<DecodedPng['palette']>): Raster {
  const { width, height } = image
  const raster = createRaster(width, height)
  const valueAt = valueReader(image)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      // A number beyond the palette is black, as in other decoders.
      const [red, green, blue, alpha = 255] = palette[valueAt(x, y)] ?? [0, 0, 0]
      raster.rgba.set([red, green, blue, alpha] as number[], at)
    }
  }
  return raster
}

function plainRaster(image: DecodedPng, transparentColour: OpenPng['transparentColour']): Raster {
  const { width, height, channels, depth, data } = image
  const raster = createRaster(width, height)
  const { rgba } = raster
  const valueAt =
    channels === 1
      ? valueReader(image)
      : (x: number, y: number): number => data[(y * width + x) * channels] as number
  const max = 2 ** depth - 1
  const byteOf = (value: number): number => (depth === 8 ? value : Math.floor((value * 255) / max + 0.5))
  const alphaOf = (value: number): number => (depth === 8 ? value : Math.floor((value * 255) / max))
  const [redKey, greenKey, blueKey] = transparentColour ?? []
  const inColour = channels > 2
  const hasAlpha = channels === 2 || channels === 4
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const red = valueAt(x, y)
      const from = (y * width + x) * channels
      const [green, blue] = inColour ? [data[from + 1] as number, data[from + 2] as number] : [red, red]
      const isClear = red === redKey && (!inColour || (green === greenKey && blue === blueKey))
      rgba[at] = byteOf(red)
      rgba[at + 1] = byteOf(green)
      rgba[at + 2] = byteOf(blue)
      rgba[at + 3] = hasAlpha ? alphaOf(data[from + channels - 1] as number) : isClear ? 0 : 255
    }
  }
  return raster
}

/** Reads the values of an image of one channel (grey, or the number of a colour). */
function valueReader({ data, depth, width }: DecodedPng): (x: number, y: number) => number {
  // Values of less than a byte are packed, several to a byte; each row begins with a new byte.
  const perByte = depth < 8 ? 8 / depth : 1
  const rowLength = Math.ceil(width / perByte)
  const mask = depth < 8 ? 2 ** depth - 1 : Number.MAX_SAFE_INTEGER
  return (x, y) => {
    const value = data[y * rowLength + Math.floor(x / perByte)] as number
    return perByte === 1 ? value : (value >> (8 - depth - (x % perByte) * depth)) & mask
  }
}
