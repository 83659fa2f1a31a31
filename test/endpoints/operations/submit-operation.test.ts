/**
 * operations.submit: POST /v1beta/models/{model}:predictLongRunning (contract 4.7, wire-formats section 6).
 */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, post, simulator } from '../../_setup.ts'
import { readVideoFacts } from '../_video-file.ts'
import { body, poll, refusalOf, submit, submitPath } from './_operations.ts'

const reference = { image: { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }, referenceType: 'asset' }

describe('operations.submit refuses', () => {
  it.each([
    ['no instances', {}, '`instances`: is required: expected an array.', 'instances'],
    [
      'an empty list of instances',
      { instances: [] },
      '`instances`: expected at least 1 item(s), got 0.',
      'instances',
    ],
    [
      'two instances',
      { instances: [{ prompt: 'a' }, { prompt: 'b' }] },
      '`instances`: expected at most 1 item(s), got 2.',
      'instances',
    ],
    [
      'an instance of nothing',
      { instances: [{}] },
      '`instances[0]`: expected a `prompt`, an `image`, or both, got neither.',
      'instances[0]',
    ],
    [
      'an empty prompt',
      { instances: [{ prompt: '' }] },
      '`instances[0].prompt`: expected at least 1 character(s), got an empty string.',
      'instances[0].prompt',
    ],
    [
      'no sample',
      body('x', { sampleCount: 0 }),
      '`parameters.sampleCount`: expected at least 1, got 0.',
      'parameters.sampleCount',
    ],
    [
      'five samples',
      body('x', { sampleCount: 5 }),
      '`parameters.sampleCount`: expected at most 4, got 5.',
      'parameters.sampleCount',
    ],
    [
      'a film of 3 seconds',
      body('x', { durationSeconds: 3 }),
      '`parameters.durationSeconds`: expected at least 4, got 3.',
      'parameters.durationSeconds',
    ],
    [
      'half a second',
      body('x', { durationSeconds: 4.5 }),
      '`parameters.durationSeconds`: expected a whole number, got 4.5.',
      'parameters.durationSeconds',
    ],
    [
      'a film of 9 seconds',
      body('x', { durationSeconds: 9 }),
      '`parameters.durationSeconds`: expected at most 8, got 9.',
      'parameters.durationSeconds',
    ],
    [
      'another shape',
      body('x', { aspectRatio: '4:3' }),
      '`parameters.aspectRatio`: expected one of "16:9", "9:16", got "4:3".',
      'parameters.aspectRatio',
    ],
    [
      'four reference images',
      { instances: [{ prompt: 'x', referenceImages: Array(4).fill(reference) }] },
      '`instances[0].referenceImages`: expected at most 3 item(s), got 4.',
      'instances[0].referenceImages',
    ],
    [
      'a reference image of no kind',
      { instances: [{ prompt: 'x', referenceImages: [{ ...reference, referenceType: 'mood' }] }] },
      '`instances[0].referenceImages[0].referenceType`: expected one of "asset", "style", got "mood".',
      'instances[0].referenceImages[0].referenceType',
    ],
    [
      'a reference image that is stored elsewhere',
      {
        instances: [
          {
            prompt: 'x',
            referenceImages: [
              { image: { gcsUri: 'https://x', mimeType: 'image/png' }, referenceType: 'asset' },
            ],
          },
        ],
      },
      '`instances[0].referenceImages[0].image.gcsUri`: expected a gs:// address, or the `path` of an ' +
        'uploaded file, got "https://x".',
      'instances[0].referenceImages[0].image.gcsUri',
    ],
  ])('%s', async (_, sent, message, param) => {
    expect(await refusalOf(await post(simulator(), submitPath, sent))).toMatchObject({
      status: 400,
      error: { code: 400, status: 'INVALID_ARGUMENT', message, param },
    })
  })

  it('a call without a key, naming both headers that may hold it', async () => {
    const sim = simulator()
    const refused = await sim.fetch(`http://gateway.test${submitPath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body()),
    })
    expect(await refusalOf(refused)).toMatchObject({
      status: 401,
      error: {
        status: 'UNAUTHENTICATED',
        message:
          'No API key: send `authorization: Bearer <API_KEY>` or `x-goog-api-key: <API_KEY>` (no such ' +
          'header was sent).',
      },
    })
  })

  it('an unknown model, and one that is not enabled for the key', async () => {
    const sim = simulator({
      settings: { models: { operations: ['veo-3*'] }, keys: { 'sk-test': { models: ['veo-3.1'] } } },
    })
    expect(await refusalOf(await post(sim, '/v1beta/models/veo-2:predictLongRunning', body()))).toMatchObject(
      { status: 404, error: { status: 'NOT_FOUND', param: 'model' } },
    )
    expect(await refusalOf(await post(sim, submitPath, body()))).toMatchObject({
      status: 403,
      error: { status: 'PERMISSION_DENIED', param: 'model' },
    })
    expect((await post(sim, '/v1beta/models/veo-3.1:predictLongRunning', body())).status).toBe(200)
  })

  it('the reserved model that does not exist, and other reserved models', async () => {
    const sim = simulator()
    expect((await post(sim, '/v1beta/models/no-such-model:predictLongRunning', body())).status).toBe(404)
    expect((await post(sim, '/v1beta/models/sim-overloaded:predictLongRunning', body())).status).toBe(503)
  })

  it.each([
    ['rate-limit', 429, 'RESOURCE_EXHAUSTED'],
    ['server-error', 500, 'INTERNAL'],
    ['overloaded', 503, 'UNAVAILABLE'],
  ])('in the words of Google clients beside the number: %s', async (word, status, name) => {
    const refused = await refusalOf(await post(simulator(), submitPath, body(`[sim:${word}] a fox`)))
    expect(refused).toMatchObject({ status, error: { code: status, status: name } })
  })
})

describeIntegrations('operations.submit answers', (integration) => {
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
    expect(answer.name).toMatch(
      new RegExp(
        [
          '^projects/gateway-sim/locations/us-central1/publishers/google',
          'models/veo-3\\.0/operations/[0-9a-f-]{36}$',
        ].join('/'),
      ),
    )
    expect(await (await call(`${url}/v1beta/${answer.name}`, { headers })).json()).toMatchObject({
      name: answer.name,
      done: false,
    })
  })
})

describe('operations.submit answers', () => {
  it.each([
    ['a prompt alone', { prompt: 'a fox' }],
    ['a picture alone', { image: reference.image }],
    ['a stored picture', { image: { gcsUri: 'gs://bucket/fox.png', mimeType: 'image/png' } }],
    ['one reference image', { prompt: 'a fox', referenceImages: [reference] }],
    [
      'three reference images',
      { prompt: 'a fox', referenceImages: [reference, { ...reference, referenceType: 'style' }, reference] },
    ],
    ['a first and a last frame', { prompt: 'a fox', image: reference.image, lastFrame: reference.image }],
    [
      'a film to go on from, and a mask',
      {
        prompt: 'a fox',
        video: { gcsUri: 'gs://bucket/fox.mp4', mimeType: 'video/mp4' },
        mask: { image: reference.image, maskMode: 'insert' },
      },
    ],
  ])('to an instance of %s', async (_, instance) => {
    expect((await post(simulator(), submitPath, { instances: [instance] })).status).toBe(200)
  })

  it.each([
    ['one sample', { sampleCount: 1 }],
    ['four samples', { sampleCount: 4 }],
    ['4 seconds', { durationSeconds: 4 }],
    ['8 seconds', { durationSeconds: 8 }],
    [
      'everything that clients send',
      {
        aspectRatio: '16:9',
        durationSeconds: 6,
        sampleCount: 1,
        resolution: '1080p',
        storageUri: 'gs://bucket/',
        fps: 24,
        seed: 7,
        personGeneration: 'allow_adult',
        negativePrompt: 'rain',
        enhancePrompt: true,
        generateAudio: true,
        compressionQuality: 'optimized',
        resizeMode: 'pad',
        pubsubTopic: 'projects/p/topics/t',
        more: 1,
      },
    ],
  ])('to %s', async (_, parameters) => {
    expect((await post(simulator(), submitPath, body('a fox', parameters))).status).toBe(200)
  })
})

describe('operations.submit unfolds', () => {
  it.each([
    ['16:9, 8 s and one of them', undefined, 1280, 720, 8, 1],
    ['upright', { aspectRatio: '9:16' }, 720, 1280, 8, 1],
    ['lying', { aspectRatio: '16:9' }, 1280, 720, 8, 1],
    ['of 5 seconds', { durationSeconds: 5 }, 1280, 720, 5, 1],
    ['three of them', { sampleCount: 3 }, 1280, 720, 8, 3],
    ['of 720 lines', { resolution: '720p', durationSeconds: 4 }, 1280, 720, 4, 1],
    ['of 1080 lines', { resolution: '1080p', durationSeconds: 4 }, 1920, 1080, 4, 1],
    [
      'of 1080 lines, upright',
      { resolution: '1080p', aspectRatio: '9:16', durationSeconds: 4 },
      1080,
      1920,
      4,
      1,
    ],
    ['of 2160 lines', { resolution: '4k', durationSeconds: 4 }, 3840, 2160, 4, 1],
    [
      'of 2160 lines, upright',
      { resolution: '4k', aspectRatio: '9:16', durationSeconds: 4 },
      2160,
      3840,
      4,
      1,
    ],
  ])('into films: %s', async (_, parameters, width, height, seconds, count) => {
    const sim = simulator()
    const name = await submit(sim, body('[sim:at-once] a fox', parameters))
    const films = (await poll(sim, name)).response?.generatedVideos ?? []
    expect(films.map(({ videoBytes }) => readVideoFacts(Buffer.from(videoBytes, 'base64')))).toEqual(
      Array(count).fill([width, height, seconds]),
    )
  })

  it('into films with sound, unless none was asked for', async () => {
    const heard = async (parameters: object): Promise<boolean> => {
      const sim = simulator()
      const name = await submit(sim, body('[sim:at-once] a fox', { durationSeconds: 4, ...parameters }))
      return Buffer.from(
        (await poll(sim, name)).response?.generatedVideos[0]?.videoBytes ?? '',
        'base64',
      ).includes('mp4a')
    }
    expect(await Promise.all([{}, { generateAudio: true }, { generateAudio: false }].map(heard))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('takes the parts of its name from the settings', async () => {
    const sim = simulator({
      settings: { operations: { place: { project: 'p', location: 'l', publisher: 'acme' } } },
    })
    expect(await submit(sim)).toMatch(
      /^projects\/p\/locations\/l\/publishers\/acme\/models\/veo-3\.0\/operations\//,
    )
  })

  it('is finished in the first poll with [sim:at-once]', async () => {
    const sim = simulator()
    expect((await poll(sim, await submit(sim, body('[sim:at-once] a fox')))).done).toBe(true)
  })
})
