/** What images show, told from their pixels by a decoder that is not ours. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { flatPng } from '../../../src/media/codecs/png-writer.ts'
import { maxSteps } from '../../../src/media/image/render-image.ts'
import { createMedia } from '../../../src/media/media.ts'
import type { ImageMedia, ImageSource, Transform } from '../../../src/protocol/media.ts'
import { drawn, imageMedia, sent, transformsOn } from '../_images.ts'

const renderer = createMedia({ cacheBytes: 10_000_000 })
const fileOf = async (media: ImageMedia): Promise<Uint8Array> => (await renderer.render(media)).bytes

interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Buffer
}

async function pixelsOf(file: Uint8Array | ImageMedia): Promise<Pixels> {
  const { data, info } = await sharp(file instanceof Uint8Array ? file : await fileOf(file))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

const at = ({ width, rgba }: Pixels, x: number, y: number): number[] => [
  ...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]

/** A part of 96 x 64 pixels. */
const partOf = ({ width, rgba }: Pixels, left: number, top: number): Pixels => ({
  width: 96,
  height: 64,
  rgba: Buffer.concat(
    Array.from({ length: 64 }, (_, row) =>
      rgba.subarray(((row + top) * width + left) * 4, ((row + top) * width + left + 96) * 4),
    ),
  ),
})

/** The mean difference of two images' bytes. */
function distance(a: Pixels, b: Pixels): number {
  expect([b.width, b.height]).toEqual([a.width, a.height])
  return (
    a.rgba.reduce((sum, value, index) => sum + Math.abs(value - (b.rgba[index] as number)), 0) / a.rgba.length
  )
}

/** Where two images differ: how many pixels inside of a rectangle, and how many outside. */
function differences(
  a: Pixels,
  b: Pixels,
  [left, top, right, bottom]: readonly [number, number, number, number],
): { inside: number; outside: number } {
  const found = { inside: 0, outside: 0 }
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++) {
      if (at(a, x, y).join() !== at(b, x, y).join())
        found[x >= left && x < right && y >= top && y < bottom ? 'inside' : 'outside']++
    }
  }
  return found
}

describe('words', () => {
  const worded = (prompt: string, change: Partial<ImageMedia> = {}): ImageMedia =>
    imageMedia({ width: 256, height: 256, caption: { prompt, facts: ['gpt-image-1', '1 of 2'] }, ...change })

  it.each([
    ['a red fox', 'a red cat'],
    ['狐', '猫'],
    ['🦊', '🐱'],
    ['الثعلب', 'القطة'],
    ['\ud800', 'plain'],
  ])('tell %j from %j', async (one, other) => {
    expect(distance(await pixelsOf(worded(one)), await pixelsOf(worded(other)))).toBeGreaterThan(0)
  })

  it.each([
    ['markup', '<svg/onload=alert(1)>&amp;"\'</text>'],
    ['controls', '\u0000\u0001\n\r\t\u007f\u0085\u2028\ufeff\u202e'],
    ['lone surrogates', '\ud800\udc00\ud800 \udfff'],
    ['one endless word', 'x'.repeat(32_000)],
    ['nothing', ''],
    ['spaces', ' \u3000 '],
    ['the last character there is', '\u{10ffff}\u{1ffff}'],
    ['marks over marks', `a${'\u0301'.repeat(5000)}`],
  ])('of %s are drawn like any other', async (_, prompt) => {
    expect(await pixelsOf(worded(prompt))).toMatchObject({ width: 256, height: 256 })
  })
})

describe('a picture on its way', () => {
  it.each([
    ['png', 6],
    ['png', 1],
    ['webp', 4],
    ['jpeg', 4],
  ] as const)('as %s comes nearer to the whole one with each of %i steps', async (format, steps) => {
    for (const seed of ['a', 'b', 'c']) {
      const caption = { prompt: 'a red fox', facts: ['1 of 1'] }
      const media = imageMedia({ width: 200, height: 120, format, seed, quality: 90, caption })
      const whole = await pixelsOf(media)
      const distances: number[] = []
      for (let step = 0; step < steps; step++)
        distances.push(distance(await pixelsOf({ ...media, partial: { step, steps } }), whole))
      expect(
        distances.every(
          (value, step) => value > 0 && (step === 0 || value < (distances[step - 1] as number)),
        ),
        distances.join(' '),
      ).toBe(true)
    }
  })
})

describe('a picture made from another', () => {
  const wolf = imageMedia({ seed: 'wolf', caption: { prompt: 'a wolf', facts: [] } })
  const mask = sent(flatPng({ width: 96, height: 64, transparent: true, colour: [0, 0, 0] }))
  // Where `flatPng` is clear.
  const middle = [24, 16, 72, 48] as const

  it('by an edit keeps every pixel that the mask covers', async () => {
    const { inside, outside } = differences(
      await pixelsOf(wolf),
      await pixelsOf(imageMedia({ from: { kind: 'edit', source: drawn(wolf), mask } })),
      middle,
    )
    expect(outside).toBe(0)
    expect(inside).toBeGreaterThan(48 * 32 * 0.9)
  })

  it('by an edit without a mask is drawn anew where the source is clear', async () => {
    const file = flatPng({ width: 96, height: 64, transparent: true, colour: [200, 10, 60] })
    const edited = await pixelsOf(imageMedia({ from: { kind: 'edit', source: sent(file) } }))
    const { inside, outside } = differences(await pixelsOf(file), edited, middle)
    expect({ inside, outside }).toEqual({ inside: 48 * 32, outside: 0 })
    expect(at(edited, 48, 32)[3]).toBe(255)
  })

  it('by an edit in which nothing is marked is drawn anew in a part, another one for another seed', async () => {
    const file = sent(flatPng({ width: 96, height: 64, transparent: false, colour: [200, 10, 60] }))
    const [source, one, other] = await Promise.all([
      pixelsOf(imageMedia({ from: { kind: 'extend', source: file, direction: 1 } })),
      ...['one', 'other'].map((seed) => pixelsOf(imageMedia({ seed, from: { kind: 'edit', source: file } }))),
    ])
    for (const edited of [one, other] as Pixels[]) {
      const { inside, outside } = differences(source as Pixels, edited, [0, 0, 0, 0])
      expect(inside).toBe(0)
      expect(outside).toBeGreaterThan(96 * 64 * 0.1)
      expect(outside).toBeLessThan(96 * 64 * 0.5)
    }
    expect(distance(one as Pixels, other as Pixels)).toBeGreaterThan(0)
  })

  it('by painting has the source where it was put and the areas painted over it', async () => {
    const painted = await pixelsOf(
      imageMedia({
        width: 192,
        height: 128,
        from: {
          kind: 'paint',
          source: drawn(wolf),
          at: { x: 24, y: 16, width: 48, height: 32 },
          canvas: { width: 96, height: 64 },
          areas: [[30, 20, 40, 20, 40, 30, 30, 30]],
        },
      }),
    )
    const source = await pixelsOf(wolf)
    // The canvas is doubled, so the source is at its own size.
    const shifted = differences(source, partOf(painted, 48, 32), [12, 8, 32, 28])
    expect(shifted.outside).toBe(0)
    expect(shifted.inside).toBeGreaterThan(20 * 20 * 0.9)
  })

  it.each(['edit', 'paint'] as const)(
    'by work %s is as it is without a mask when the mask cannot be read',
    async (name) => {
      const { mask: _, ...from } = transformsOn(drawn(wolf))[name] as Extract<
        Transform,
        { kind: 'edit' | 'paint' }
      >
      const unreadable = sent(new TextEncoder().encode('no picture'))
      expect(
        distance(
          await pixelsOf(imageMedia({ from })),
          await pixelsOf(imageMedia({ from: { ...from, mask: unreadable } })),
        ),
      ).toBe(0)
    },
  )

  it.each([
    ['one of our own', drawn(wolf)],
    ['a file', sent(flatPng({ width: 50, height: 50, transparent: false, colour: [9, 99, 199] }))],
    ['an edit', drawn(imageMedia({ from: { kind: 'edit', source: drawn(wolf), mask } }))],
  ] as const)('by cutting out, of %s, is clear in the corners and solid in the middle', async (_, source) => {
    const cut = await pixelsOf(imageMedia({ transparent: true, from: { kind: 'cut-out', source } }))
    const places = [at(cut, 0, 0), at(cut, 95, 0), at(cut, 0, 63), at(cut, 95, 63), at(cut, 48, 32)]
    expect(places.map(([, , , alpha]) => alpha)).toEqual([0, 0, 0, 0, 255])
  })

  it('by varying is near to it when subtle, and further away when strong', async () => {
    for (const seed of ['a', 'b', 'c', 'd']) {
      const source = imageMedia({ seed: `source ${seed}` })
      const [own, subtle, strong] = (await Promise.all([
        pixelsOf(source),
        ...(['subtle', 'strong'] as const).map((strength) =>
          pixelsOf(imageMedia({ seed, from: { kind: 'vary', source: drawn(source), strength } })),
        ),
      ])) as [Pixels, Pixels, Pixels]
      const [near, far] = [distance(own, subtle), distance(own, strong)]
      expect(near).toBeGreaterThan(0)
      expect(far).toBeGreaterThan(2 * near)
    }
  })

  it('by recolouring has other colours in the same places, also when it was grey', async () => {
    const grey = sent(flatPng({ width: 96, height: 64, transparent: true, colour: [120, 120, 120] }))
    const coloured = await pixelsOf(
      imageMedia({ transparent: true, from: { kind: 'recolour', source: grey } }),
    )
    const [red = 0, green = 0, blue = 0, alpha] = at(coloured, 2, 2)
    expect(alpha).toBe(255)
    // What was one colour still is.
    expect(at(coloured, 93, 61)).toEqual(at(coloured, 2, 2))
    expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeGreaterThan(3)
    expect(
      distance(
        await pixelsOf(imageMedia({ seed: 'wolf' })),
        await pixelsOf(imageMedia({ from: { kind: 'recolour', source: drawn(wolf) } })),
      ),
    ).toBeGreaterThan(5)
  })

  it('has exactly its own size whatever the source has', async () => {
    for (const source of [
      sent(flatPng({ width: 7, height: 300, transparent: false, colour: [1, 2, 3] })),
      drawn(imageMedia({ width: 1, height: 1 })),
    ]) {
      for (const from of Object.values(transformsOn(source)))
        expect(await pixelsOf(imageMedia({ width: 100, height: 30, from }))).toMatchObject({
          width: 100,
          height: 30,
        })
    }
  })

  it('of another that is made from another and so on is drawn up to a bound, and refused beyond', async () => {
    const chain = (levels: number, first: string): ImageMedia =>
      levels === 0
        ? imageMedia({ seed: first })
        : imageMedia({
            seed: 'x',
            from: { kind: 'vary', source: drawn(chain(levels - 1, first)), strength: 'subtle' },
          })
    expect(
      distance(await pixelsOf(chain(maxSteps, 'one')), await pixelsOf(chain(maxSteps, 'another'))),
    ).toBeGreaterThan(0)
    await expect(renderer.render(chain(maxSteps + 1, 'one'))).rejects.toThrow(
      new RangeError('media: expected an image of at most 64 steps'),
    )
  })

  it.each(['recolour', 'vary', 'cut-out', 'edit'] as const)(
    'by %s says on its own plate what its source stands in for',
    async (kind) => {
      const work = {
        edit: { kind: 'edit' },
        vary: { kind: 'vary', strength: 'strong' },
        recolour: { kind: 'recolour' },
        'cut-out': { kind: 'cut-out' },
      }[kind]
      const worded = (facts: readonly string[], from?: object): Promise<Pixels> => {
        const media = imageMedia({ width: 512, height: 384, caption: { prompt: 'in blue', facts } })
        return pixelsOf(from === undefined ? media : { ...media, from: from as Transform })
      }
      // Within the plate, which is the same on every image of this size.
      const plateOf = ({ width, rgba }: Pixels): Buffer =>
        Buffer.concat(
          Array.from({ length: 40 }, (_, row) =>
            rgba.subarray(((324 + row) * width + 30) * 4, ((324 + row) * width + 480) * 4),
          ),
        )
      const plates = async (source: ImageSource, says: string): Promise<[Buffer, Buffer]> => [
        plateOf(await worded(['v7'], { ...work, source })),
        plateOf(await worded(['v7', says])),
      ]
      for (const [source, says] of [
        [{ kind: 'absent', name: 'a.example/fox.png' }, 'not at hand: a.example/fox.png'],
        [sent(new TextEncoder().encode('no picture')), 'the picture that was sent: not a picture'],
      ] as const) {
        const [made, expected] = await plates(source, says)
        expect(made.equals(expected)).toBe(true)
      }
      const [there, without] = [
        plateOf(await worded(['v7'], { ...work, source: drawn(wolf) })),
        plateOf(await worded(['v7'])),
      ]
      expect(there.equals(without)).toBe(true)
    },
  )
})

describe('what is remembered of sources', () => {
  const sizes = [imageMedia({ width: 300, height: 80 }), imageMedia({ width: 90, height: 200 })]
  const noImage = sent(new TextEncoder().encode('no picture'))
  const gone: ImageSource = { kind: 'sent', content: undefined, sha256: '00'.repeat(32) }
  const file = sent(flatPng({ width: 40, height: 30, transparent: true, colour: [9, 99, 199] }))

  it.each([
    ['a file that is no picture', [noImage]],
    ['a file whose bytes are gone', [gone]],
    [
      'a file whose bytes were gone',
      [
        gone,
        { ...gone, content: flatPng({ width: 40, height: 30, transparent: true, colour: [9, 99, 199] }) },
      ],
    ],
    ['a file', [file]],
    [
      'one of our own, as it is and without its words',
      [drawn(imageMedia({ seed: 'wolf', caption: { prompt: 'a wolf', facts: [] } }))],
    ],
    ['an edit', [drawn(imageMedia({ from: { kind: 'edit', source: file } }))]],
  ] as const)('makes no difference to what is made from %s later', async (_, sources) => {
    const media = sources.flatMap((source) =>
      sizes.flatMap((size) => Object.values(transformsOn(source, source)).map((from) => ({ ...size, from }))),
    )
    const together = createMedia({ cacheBytes: 0 })
    for (const description of media) {
      const remembering = (await together.render(description)).bytes
      expect(
        Buffer.compare(remembering, (await createMedia({ cacheBytes: 0 }).render(description)).bytes),
        JSON.stringify(description),
      ).toBe(0)
    }
  })
})

describe('a file that was sent', () => {
  const whole = { at: { x: 0, y: 0, width: 96, height: 64 }, canvas: { width: 96, height: 64 }, areas: [] }
  const shown = (file: Uint8Array): Promise<Pixels> =>
    pixelsOf(imageMedia({ from: { kind: 'paint', source: sent(file), ...whole } }))
  const original = { width: 96, height: 64, channels: 3 } as const
  const noise = Buffer.from(
    Array.from({ length: 96 * 64 * 3 }, (_, index) => (index * index * 31 + index * 7) % 256),
  )

  const raw = () => sharp(noise, { raw: original })

  it.each([
    ['png', async () => raw().png().toBuffer()],
    ['png with a palette', async () => raw().png({ palette: true, colours: 16 }).toBuffer()],
    ['png, interlaced', async () => raw().png({ progressive: true }).toBuffer()],
    ['png, grey', async () => raw().greyscale().png().toBuffer()],
    ['webp, lossless', async () => raw().webp({ lossless: true }).toBuffer()],
  ] as const)('as %s is shown pixel for pixel', async (_, make) => {
    const file = new Uint8Array(await make())
    expect(distance(await pixelsOf(file), await shown(file))).toBe(0)
  })

  it.each([undefined, 6])(
    'as JPEG is shown as its pixels lie, whatever it says of how it was held (%s)',
    async (orientation) => {
      const file = new Uint8Array(
        await raw()
          .withMetadata(orientation === undefined ? {} : { orientation })
          .jpeg()
          .toBuffer(),
      )
      expect(distance(await pixelsOf(file), await shown(file))).toBeLessThan(3)
    },
  )

  it('as JPEG is shown when a decoder has to go over it a few times more, and not when it has to do so for hours', async () => {
    const file = Buffer.from(await raw().jpeg({ progressive: true }).toBuffer())
    // Its first scan, behind which tables for the next one stand: again and again it says the same.
    const start = file.indexOf(Buffer.from([0xff, 0xda]))
    const end = file.indexOf(Buffer.from([0xff, 0xc4]), start)
    const longer = (scans: number): Uint8Array =>
      new Uint8Array(
        Buffer.concat([
          file.subarray(0, end),
          ...Array<Buffer>(scans).fill(file.subarray(start, end)),
          file.subarray(end),
        ]),
      )
    const plain = await shown(longer(0))
    expect(distance(plain, await shown(longer(50)))).toBe(0)
    expect(distance(plain, await shown(longer(150)))).toBeGreaterThan(0)
  })

  const png = flatPng({ width: 96, height: 64, transparent: false, colour: [1, 2, 3] })
  const ofSides = (side: number): Uint8Array => {
    const file = png.slice()
    new DataView(file.buffer).setUint32(16, side)
    new DataView(file.buffer).setUint32(20, side)
    return file
  }
  it.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    ['no picture', () => new TextEncoder().encode('hello')],
    ['nothing', () => new Uint8Array(0)],
    ['cut', () => png.subarray(0, png.length - 30)],
    ['larger by its header than it may be', () => ofSides(100_000)],
    ['larger by its header than its pixels', () => ofSides(4096)],
    ['a broken JPEG', async () => new Uint8Array(await raw().jpeg().toBuffer()).fill(0x55, 161, 400)],
    ['a broken WebP', async () => new Uint8Array(await raw().webp().toBuffer()).fill(0x55, 41)],
    ['a GIF', async () => new Uint8Array(await raw().gif().toBuffer())],
  ])('that is %s has a placeholder, and the next one is drawn', async (_, make) => {
    const placeholder = await shown(await make())
    expect(placeholder).toMatchObject({ width: 96, height: 64 })
    // It has more than one colour.
    expect(
      new Set(
        Array.from({ length: 96 * 64 }, (_, pixel) =>
          at(placeholder, pixel % 96, Math.floor(pixel / 96)).join(),
        ),
      ).size,
    ).toBeGreaterThan(10)
    const good = new Uint8Array(await raw().jpeg().toBuffer())
    expect(distance(await pixelsOf(good), await shown(good))).toBeLessThan(3)
  })

  it('that is no longer there has a placeholder with its name', async () => {
    const of = (source: ImageSource): ImageMedia =>
      imageMedia({ width: 256, height: 256, from: { kind: 'edit', source } })
    const absent = (name: string): Promise<Pixels> => pixelsOf(of({ kind: 'absent', name }))
    expect(distance(await absent('a.example/fox.png'), await absent('b.example/cat.png'))).toBeGreaterThan(1)
  })
})
