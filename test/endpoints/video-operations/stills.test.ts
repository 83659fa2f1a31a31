/** The images that the videos of an operation begin and end with. Nothing is fetched. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { VideoMedia } from '../../../src/protocol/media.ts'
import { simulator } from '../../_setup.ts'
import { poll, type Sim, submit } from './_operations.ts'

const encoded = async (background: string): Promise<string> =>
  (
    await sharp({ create: { width: 40, height: 30, channels: 3, background } })
      .png()
      .toBuffer()
  ).toString('base64')
const inText = async (colour = 'red') => ({
  bytesBase64Encoded: await encoded(colour),
  mimeType: 'image/png',
})

async function filmOf(sim: Sim, instance: object, parameters: object = {}): Promise<VideoMedia> {
  const name = await submit(sim, { instances: [{ prompt: '[sim:finished] a fox', ...instance }], parameters })
  const { response } = await poll(sim, name)
  const { status, body } = sim.handle({
    method: 'GET',
    path: new URL(response?.generatedVideos[0]?.uri ?? '').pathname,
    query: '',
    headers: {},
    payload: { kind: 'none' },
  })
  expect([status, body.kind]).toEqual([200, 'media'])
  return (body as { media: VideoMedia }).media
}

describe('a video of an operation', () => {
  const inRequest = 'an image in the request'
  const elsewhere = { gcsUri: 'gs://bucket/a/fox.png' }

  it.each([
    ['no image when none was named', {}, ''],
    [
      'the image of its instance, before one of its references',
      {
        image: elsewhere,
        referenceImages: [{ image: { gcsUri: 'gs://bucket/cat.png' }, referenceType: 'asset' }],
      },
      ', from fox.png',
    ],
    [
      'its first reference',
      { referenceImages: [{ image: elsewhere, referenceType: 'asset' }] },
      ', from fox.png',
    ],
    ['its last frame', { lastFrame: elsewhere }, ', to fox.png'],
  ])('names %s', async (_, instance, named) => {
    const { label } = await filmOf(simulator(), instance)
    expect(label).toBe(`veo-3.0, 1280x720, 8 s${named}`)
  })

  it('names an image in the request, and both of two', async () => {
    const [image, lastFrame] = [await inText('red'), elsewhere]
    expect((await filmOf(simulator(), { image, lastFrame })).label).toMatch(`, from ${inRequest} to fox.png`)
  })
})
