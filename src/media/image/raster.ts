/** Pixels in memory, and rectangles painted on them. */

/** Pixels as bytes: red, green, blue, alpha. Colours are not multiplied by alpha. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** Transparent pixels. */
export function createRaster(width: number, height: number): Raster {
  return { width, height, rgba: new Uint8Array(width * height * 4) }
}

/** Paints a rectangle that lies within the raster: opaque, or transparent if there is no colour. */
export function paint({ width, rgba }: Raster, at: Rectangle, colour: Colour | undefined): void {
  const pixel = colour === undefined ? [0, 0, 0, 0] : [...colour, 255]
  const row = new Uint8Array(at.width * 4)
  for (let i = 0; i < row.length; i += 4) row.set(pixel, i)
  for (let y = at.y; y < at.y + at.height; y++) rgba.set(row, (y * width + at.x) * 4)
}
