/** Edited pictures, looked at (contract 4.5): what the mask leaves alone is as it was. */
import { describe, expect, it } from 'vitest'
import { form } from '../_openai-family.ts'
import { apart, type Pixels, partOf, patterned, pixelsIn } from '../_pixels.ts'
import { fileOf, imagesSession } from './_images.ts'

const said: [string, string] = ['prompt', 'with a red hat']
const small: [string, string] = ['size', '256x256']
const source = patterned(256)
const mask = patterned(256, 256, (x) => x >= 128)
const left = { x: 0, y: 0, width: 128, height: 256 }
const right = { ...left, x: 128 }

async function keepsTheLeft(picture: Pixels): Promise<void> {
  const original = await pixelsIn(source)
  expect([picture.width, picture.height]).toEqual([256, 256])
  expect(partOf(picture, left).equals(partOf(original, left))).toBe(true)
  expect(apart(partOf(picture, right), partOf(original, right))).toBeGreaterThan(10)
}

/** The numbers of the pixels that are not alike. */
function changedAt(a: Buffer, b: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at < a.length; at += 4) if (a.readUInt32LE(at) !== b.readUInt32LE(at)) numbers.push(at / 4)
  return numbers
}

describe('an edit', () => {
  it('with a mask keeps every pixel that the mask covers, and draws the rest anew, as base64', async () => {
    const { edit } = imagesSession()
    const { body } = await edit(
      form(['image', fileOf(source)], ['mask', fileOf(mask)], said, small, ['response_format', 'b64_json']),
    )
    await keepsTheLeft(await pixelsIn(Buffer.from(body.data[0].b64_json, 'base64')))
  })

  it('with a mask does the same by address, in several pictures', async () => {
    const { edit, read } = imagesSession()
    const { body } = await edit(
      form(['image', fileOf(source)], ['mask', fileOf(mask)], said, small, ['n', '2']),
    )
    const pictures = (await Promise.all(
      body.data.map(async ({ url }: { url: string }) =>
        pixelsIn(new Uint8Array(await (await read(url)).arrayBuffer())),
      ),
    )) as Pixels[]
    for (const picture of pictures) await keepsTheLeft(picture)
    expect(partOf(pictures[0] as Pixels, right).equals(partOf(pictures[1] as Pixels, right))).toBe(false)
  })

  it('without a mask draws anew where the picture itself is clear', async () => {
    const { edit } = imagesSession()
    const clear = patterned(256, 256, (x) => x >= 128)
    const { body } = await edit(form(['image', fileOf(clear)], said, small, ['response_format', 'b64_json']))
    const picture = await pixelsIn(Buffer.from(body.data[0].b64_json, 'base64'))
    expect(partOf(picture, left).equals(partOf(await pixelsIn(clear), left))).toBe(true)
  })

  it('of an image without marks redraws some part of it, and another part of another image', async () => {
    const { edit } = imagesSession()
    const [file, whole] = [patterned(1024), await pixelsIn(patterned(1024))]
    const { body } = await edit(
      form(['image', fileOf(file)], said, ['model', 'gpt-image-1'], ['size', '1024x1024'], ['n', '2']),
    )
    const pictures = (await Promise.all(
      body.data.map(({ b64_json }: { b64_json: string }) => pixelsIn(Buffer.from(b64_json, 'base64'))),
    )) as Pixels[]
    // Below stand the words.
    const upper = { x: 0, y: 0, width: 1024, height: 720 }
    const changed = pictures.map((picture) => changedAt(partOf(picture, upper), partOf(whole, upper)))
    for (const pixels of changed) {
      expect(pixels.length / (1024 * 720)).toBeGreaterThan(0.1)
      expect(pixels.length / (1024 * 720)).toBeLessThan(0.5)
    }
    expect(changed[0]).not.toEqual(changed[1])
    for (const picture of pictures)
      expect(
        apart(
          partOf(picture, { ...upper, y: 720, height: 304 }),
          partOf(whole, { ...upper, y: 720, height: 304 }),
        ),
      ).toBeGreaterThan(10)
  })

  it('in a stream comes nearer to what it will be', async () => {
    const { streamed } = imagesSession()
    const events = await streamed(
      form(
        ['image', fileOf(patterned(1024))],
        ['mask', fileOf(patterned(1024, 1024, (x) => x >= 512))],
        said,
        ['model', 'gpt-image-1'],
        ['size', '1024x1024'],
        ['stream', 'true'],
        ['partial_images', '2'],
      ),
    )
    const pictures = await Promise.all(
      events.map(async ({ data }) => (await pixelsIn(Buffer.from(data.b64_json, 'base64'))).rgba),
    )
    const final = pictures[2] as Buffer
    expect(apart(pictures[0] as Buffer, final)).toBeGreaterThan(apart(pictures[1] as Buffer, final))
  })
})
