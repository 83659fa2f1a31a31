/** The images that the videos of an operation begin and end with. Nothing is fetched. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { VideoMedia } from '../../../src/protocol/media.ts'
import { simulator } from '../../_setup.ts'
import { type Sim, submit } from './_operations.ts'

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
const sent = (content: string) => ({ kind: 'sent', content, sha256: expect.any(String) })

async function filmOf(sim: Sim, instance: object, parameters: object = {}): Promise<VideoMedia> {
  const name = await submit(sim, { instances: [{ prompt: '[sim:finished] a fox', ...instance }], parameters })
  const { status, body } = sim.handle({
    method: 'GET',
    path: `/media/operations/${name.slice(-36)}/0.mp4`,
    query: '',
    headers: {},
    payload: { kind: 'none' },
  })
  expect([status, body.kind]).toEqual([200, 'media'])
  return (body as { media: VideoMedia }).media
}

describe('a video of an operation', () => {
  it('shows no image when none was named', async () => {
    expect(await filmOf(simulator(), {})).not.toHaveProperty('images')
  })

  it('begins with the image of its instance, before one of its references', async () => {
    const [image, reference] = [await inText('red'), await inText('blue')]
    const referenceImages = [{ image: reference, referenceType: 'asset' }]
    expect((await filmOf(simulator(), { image, referenceImages })).images).toEqual({
      first: sent(image.bytesBase64Encoded),
      fit: 'contain',
    })
    expect((await filmOf(simulator(), { referenceImages })).images).toEqual({
      first: sent(reference.bytesBase64Encoded),
      fit: 'contain',
    })
  })

  it('ends with the last frame', async () => {
    const [image, lastFrame] = [await inText('red'), await inText('blue')]
    expect((await filmOf(simulator(), { image, lastFrame })).images).toEqual({
      first: sent(image.bytesBase64Encoded),
      last: sent(lastFrame.bytesBase64Encoded),
      fit: 'contain',
    })
    expect((await filmOf(simulator(), { lastFrame })).images).toEqual({
      last: sent(lastFrame.bytesBase64Encoded),
      fit: 'contain',
    })
  })

  it.each([
    [undefined, 'contain'],
    ['pad', 'contain'],
    ['crop', 'cover'],
    ['CROP', 'cover'],
  ])('shows with resizeMode %s of it what %s says', async (resizeMode, fit) => {
    const { images } = await filmOf(simulator(), { image: await inText() }, { resizeMode })
    expect(images?.fit).toBe(fit)
  })

  it('shows a stand-in for what is stored elsewhere', async () => {
    const { images } = await filmOf(simulator(), { image: { gcsUri: 'gs://bucket/a/fox.png' } })
    expect(images?.first).toEqual({ kind: 'absent', name: 'fox.png' })
  })

  it('is the same in two sessions, and another for another image', async () => {
    const [one, twin, other] = await Promise.all(
      ['red', 'red', 'blue'].map(async (colour) => filmOf(simulator(), { image: await inText(colour) })),
    )
    expect(twin).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it('is made although its image is no base64 and no image', async () => {
    for (const bytesBase64Encoded of ['%%%', 'AAAA']) {
      const sim = simulator()
      const name = await submit(sim, {
        instances: [{ prompt: '[sim:finished] a fox', image: { bytesBase64Encoded, mimeType: 'image/png' } }],
        parameters: { durationSeconds: 4 },
      })
      expect((await sim.fetch(`http://gateway.test/media/operations/${name.slice(-36)}/0.mp4`)).status).toBe(
        200,
      )
    }
  })
})
