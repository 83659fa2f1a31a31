/** videoOperations.submit: POST /v1beta/models/{model}:predictLongRunning. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, post, simulator } from '../../_setup.ts'
import { readVideoFacts } from '../_video-file.ts'
import { body, poll, rejectionOf, submit, submitPath } from './_operations.ts'

const reference = { image: { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }, referenceType: 'asset' }

describe('videoOperations.submit rejects', () => {
  it('an instance of nothing', async () => {
    const message = '`instances[0]`: expected a `prompt`, an `image` or both, got neither.'
    expect(await rejectionOf(await post(simulator(), submitPath, { instances: [{}] }))).toMatchObject({
      status: 400,
      error: { code: 400, status: 'INVALID_ARGUMENT', message, param: 'instances[0]' },
    })
  })

  it('a call without a key, naming both headers that may hold it', async () => {
    const sim = simulator()
    const rejected = await sim.fetch(`http://gateway.test${submitPath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body()),
    })
    const message =
      'No API key: send `authorization: Bearer <API_KEY>` or `x-goog-api-key: <API_KEY>` (got no such ' +
      'header).'
    expect(await rejectionOf(rejected)).toMatchObject({
      status: 401,
      error: { status: 'UNAUTHENTICATED', message },
    })
  })

  it.each([
    ['rate-limit', 429, 'RESOURCE_EXHAUSTED'],
    ['server-error', 500, 'INTERNAL'],
    ['overloaded', 503, 'UNAVAILABLE'],
  ])('in the words of Google clients beside the number: %s', async (word, status, name) => {
    const rejected = await rejectionOf(await post(simulator(), submitPath, body(`[sim:${word}] a fox`)))
    expect(rejected).toMatchObject({ status, error: { code: status, status: name } })
  })
})

describeIntegrations('videoOperations.submit answers', (integration) => {
  it('only a name, under which the operation is polled', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const headers = { 'x-goog-api-key': 'k', 'content-type': 'application/json' }
    const response = await call(`${url}${submitPath.replace(':', '%3A')}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body()),
    })
    const answer = (await response.json()) as { name: string }
    expect(Object.keys(answer)).toEqual(['name'])
    const place = 'projects/gateway-sim/locations/us-central1/publishers/google'
    expect(answer.name).toMatch(new RegExp(`^${place}/models/veo-3\\.0/operations/[0-9a-f-]{36}$`))
    expect(await (await call(`${url}/v1beta/${answer.name}`, { headers })).json()).toMatchObject({
      name: answer.name,
      done: false,
    })
  })
})

describe('videoOperations.submit answers', () => {
  const { image } = reference
  const stored = { gcsUri: 'gs://bucket/fox.png', mimeType: 'image/png' }
  const film = { gcsUri: 'gs://bucket/fox.mp4', mimeType: 'video/mp4' }

  it.each<[string, object]>([
    ['an image alone', { image }],
    ['a stored image', { image: stored }],
    ['three reference images', { prompt: 'a fox', referenceImages: [reference, reference, reference] }],
    ['a first and a last frame', { prompt: 'a fox', image, lastFrame: image }],
    ['a film to go on from, and a mask', { prompt: 'a fox', video: film, mask: { image } }],
  ])('to an instance of %s', async (_, instance) => {
    expect((await post(simulator(), submitPath, { instances: [instance] })).status).toBe(200)
  })

  it('to everything that clients send', async () => {
    const parameters = {
      ...{ aspectRatio: '16:9', durationSeconds: 6, sampleCount: 1, resolution: '1080p', fps: 24, seed: 7 },
      ...{ storageUri: 'gs://bucket/', personGeneration: 'allow_adult', negativePrompt: 'rain' },
      ...{ enhancePrompt: true, generateAudio: true, compressionQuality: 'optimized', resizeMode: 'pad' },
      ...{ pubsubTopic: 'projects/p/topics/t', more: 1 },
    }
    expect((await post(simulator(), submitPath, body('a fox', parameters))).status).toBe(200)
  })
})

describe('videoOperations.submit unfolds', () => {
  const lines = (resolution: string, more: object = {}) => ({ resolution, durationSeconds: 4, ...more })
  const upright = { aspectRatio: '9:16' }
  it.each<[string, Record<string, unknown> | undefined, number, number, number, number?]>([
    ['16:9, 8 s and one of them', undefined, 1280, 720, 8],
    ['upright', upright, 720, 1280, 8],
    ['lying', { aspectRatio: '16:9' }, 1280, 720, 8],
    ['of 5 seconds', { durationSeconds: 5 }, 1280, 720, 5],
    ['three of them', { sampleCount: 3 }, 1280, 720, 8, 3],
    ['of 720 lines', lines('720p'), 1280, 720, 4],
    ['of 1080 lines', lines('1080p'), 1920, 1080, 4],
    ['of 1080 lines, upright', lines('1080p', upright), 1080, 1920, 4],
    ['of 2160 lines', lines('4k'), 3840, 2160, 4],
    ['of 2160 lines, upright', lines('4k', upright), 2160, 3840, 4],
  ])('into films: %s', async (_, parameters, width, height, seconds, count = 1) => {
    const sim = simulator()
    const name = await submit(sim, body('[sim:finished] a fox', parameters))
    const films = (await poll(sim, name)).response?.generatedVideos ?? []
    expect(films.map(({ videoBytes }) => readVideoFacts(Buffer.from(videoBytes, 'base64')))).toEqual(
      Array(count).fill([width, height, seconds]),
    )
  })

  it('into films with sound, unless none was asked for', async () => {
    const heard = async (parameters: object): Promise<boolean> => {
      const sim = simulator()
      const name = await submit(sim, body('[sim:finished] a fox', { durationSeconds: 4, ...parameters }))
      const [film] = (await poll(sim, name)).response?.generatedVideos ?? []
      return Buffer.from(film?.videoBytes ?? '', 'base64').includes('mp4a')
    }
    const asked = [{}, { generateAudio: true }, { generateAudio: false }]
    expect(await Promise.all(asked.map(heard))).toEqual([true, true, false])
  })
})
