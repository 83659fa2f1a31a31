/** What exists when a scenario begins: jobs, videos and operations in any state, uploaded files. */
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadScenario, type ScenarioInput, type Simulator, type SimulatorOptions } from '../../src/index.ts'
import { describeIntegrations, get, post, simulator } from '../_setup.ts'
import { under } from './_gateway.ts'

const key = 'sk-test'
const begun = (
  given: Record<string, unknown[]>,
  options: SimulatorOptions = {},
  head: Pick<ScenarioInput, 'keys' | 'models'> = { keys: { [key]: {}, 'sk-other': {} } },
) => simulator({ ...options, scenarios: [{ title: 'what exists', ...head, given }] })
const bodyOf = async (response: Promise<Response>): Promise<any> => (await response).json()
const job = (sim: Simulator, id: string): Promise<any> => bodyOf(get(sim, `/v1/tob/job/${id}`))
const video = (sim: Simulator, id: string): Promise<any> => bodyOf(get(sim, `/v1/videos/${id}`))
const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`
const operation = (sim: Simulator, id: string, model = 'veo-3.0-generate-001'): Promise<any> =>
  bodyOf(
    get(
      sim,
      `/v1beta/projects/gateway-sim/locations/us-central1/publishers/google/models/${model}/operations/${id}`,
    ),
  )
const start = 1_767_225_600

describe('a given image job', () => {
  it('succeeded one default duration ago by default, with images that can be read and varied', async () => {
    const sim = begun({ imageJobs: [{ id: 'job-1' }] })
    const seen = await job(sim, 'job-1')
    expect(seen).toMatchObject({
      id: 'job-1',
      status: 2,
      comment: 'JobStatusSuccess',
      cost: { jobId: 'job-1', costAt: '2026-01-01T00:00:00.000Z' },
      audits: ['', '', '', ''],
    })
    expect(seen.urls).toHaveLength(4)
    expect((await sim.fetch(seen.urls[3])).headers.get('content-type')).toBe('image/png')
    expect((await post(sim, '/v1/tob/variation', { jobId: 'job-1', imageNo: 3, type: 0 })).status).toBe(200)
  })

  // Its status by the milliseconds since the beginning.
  it.each([
    ['that is queued', { status: 'waiting' }, { 0: 0, 10000: 1, 40000: 2 }],
    ['that is queued, by status number', { status: 0 }, { 0: 0, 10000: 1, 40000: 2 }],
    ['that failed', { status: 'failed' }, { 0: 3, 40000: 3 }],
    ['that runs: it is halfway, and takes as long again', { status: 'running' }, { 19999: 1, 20000: 2 }],
    ['that runs: with the progress of its age', { status: 'running', age: '35s' }, { 4999: 1, 5000: 2 }],
  ])('%s is in its current state and continues', async (_, fields, seen) => {
    const sim = begun({ imageJobs: [{ id: 'a', ...fields }] })
    const from = sim.clock.now()
    for (const [at, status] of Object.entries(seen)) {
      sim.clock.advance(from + Number(at) - sim.clock.now())
      expect([at, (await job(sim, 'a')).status]).toEqual([at, status])
    }
  })

  it('has the fields of the scenario', async () => {
    const fields = {
      comment: 'JobStatusReject',
      audits: ['nudity'],
      urls: ['https://example.com/1.png'],
      cost: { fastCost: 2 },
      text: 'a cat --ar 2:1',
      seed: 7,
    }
    const sim = begun({ imageJobs: [{ id: 'a', ...fields }] })
    expect(await job(sim, 'a')).toEqual({
      id: 'a',
      status: 2,
      ...fields,
      cost: { jobId: 'a', feeCost: null, fastCost: 2, relaxCost: 0, costAt: '2026-01-01T00:00:00.000Z' },
    })
  })

  it('that failed without a message has the default message, and cannot be varied', async () => {
    const sim = begun({ imageJobs: [{ id: 'a', status: 'failed' }] })
    expect(await job(sim, 'a')).toMatchObject({
      status: 3,
      comment: 'JobStatusFail',
      urls: [],
      cost: { feeCost: 0 },
    })
    expect(await bodyOf(post(sim, '/v1/tob/variation', { jobId: 'a', imageNo: 0, type: 0 }))).toMatchObject({
      error: { code: 2004, message: expect.stringContaining('got 3 (JobStatusFail)') },
    })
  })

  it('belongs to every API key if the scenario has no `keys`', async () => {
    const { call } = under([], { given: { imageJobs: [{ id: 'job-1' }], videos: [{ id: 'video_1' }] } })
    for (const key of ['sk-one', 'sk-two']) {
      expect(
        (await call('GET', '/v1/tob/job/job-1', undefined, { authorization: `Bearer ${key}` })).status,
      ).toBe(200)
      expect(
        (await call('GET', '/v1/videos', undefined, { authorization: `Bearer ${key}` })).body.data,
      ).toHaveLength(1)
    }
    expect(
      (
        await call(
          'POST',
          '/v1/tob/variation',
          { jobId: 'job-1', imageNo: 0, type: 1 },
          { authorization: 'Bearer sk-two' },
        )
      ).status,
    ).toBe(200)
  })

  it('belongs to the first API key of the scenario, or to the given one', async () => {
    const sim = begun({ imageJobs: [{ id: 'mine' }, { id: 'theirs', key: 'sk-other' }] })
    expect((await get(sim, '/v1/tob/job/mine')).status).toBe(200)
    expect((await get(sim, '/v1/tob/job/theirs')).status).toBe(404)
    expect((await get(sim, '/v1/tob/job/theirs', { authorization: 'Bearer sk-other' })).status).toBe(200)
  })

  it('counts as active', async () => {
    const sim = begun(
      {
        imageJobs: [
          { id: 'a', status: 'running' },
          { id: 'b', status: 'succeeded' },
        ],
      },
      { settings: { limits: { activeImageJobs: 1 } } },
    )
    const submitted = await post(sim, '/v1/tob/diffusion', { model: 'v7', text: 'a cat' })
    expect([submitted.status, submitted.headers.get('retry-after')]).toEqual([429, '20'])
  })

  it('follows its own timeline, which began at the given time', async () => {
    const timeline = [
      { at: '0s', status: 'waiting' },
      { at: '5s', status: 'running', comment: 'warming up' },
      { at: '20s', notFound: true },
    ]
    const sim = begun({
      imageJobs: [{ id: 'a', age: '10s', text: 'a cat', comment: 'in a queue', timeline }],
    })
    expect(await job(sim, 'a')).toMatchObject({ status: 1, comment: 'warming up', text: 'a cat' })
    sim.clock.advance('10s')
    expect((await get(sim, '/v1/tob/job/a')).status).toBe(404)
  })
})

describe('a given video', () => {
  it('is completed by default, and can be downloaded and remixed', async () => {
    const sim = begun({ videos: [{ id: 'video_1', size: '1280x720', seconds: '8', prompt: 'a fox' }] })
    expect(await video(sim, 'video_1')).toEqual({
      id: 'video_1',
      object: 'video',
      created_at: start - 60,
      model: 'sora-2',
      status: 'completed',
      progress: 100,
      seconds: '8',
      size: '1280x720',
      error: null,
      completed_at: start,
      expires_at: start + 86_400,
      remixed_from_video_id: null,
    })
    expect((await get(sim, '/v1/videos/video_1/content')).status).toBe(200)
    expect(await bodyOf(post(sim, '/v1/videos/video_1/remix', { prompt: 'at night' }))).toMatchObject({
      size: '1280x720',
      seconds: '8',
      remixed_from_video_id: 'video_1',
    })
  })

  const ago = (seconds: number) => start - seconds
  it.each([
    [
      'with an age was completed that long ago, and its content may have expired',
      { age: '2d' },
      { created_at: ago(172_800), completed_at: ago(172_740), expires_at: ago(86_340) },
      [404, 'expired at 2025-12-31T00:01:00.000Z'],
    ],
    [
      'with an age too short for its status has just reached it',
      { age: '5s' },
      { status: 'completed', created_at: ago(5), completed_at: start },
      [200, ''],
    ],
    [
      'with an error has failed, at its progress',
      { progress: 60, error: { code: 'moderation_blocked', message: 'no' } },
      {
        status: 'failed',
        progress: 60,
        completed_at: null,
        error: { code: 'moderation_blocked', message: 'no', type: 'video_generation_user_error' },
      },
      [400, 'has no content because it failed'],
    ],
  ] as const)('%s', async (_, fields, expected, [status, message]) => {
    const sim = begun({ videos: [{ id: 'video_1', ...fields }] })
    expect(await video(sim, 'video_1')).toMatchObject(expected)
    const content = await get(sim, '/v1/videos/video_1/content')
    expect([content.status, status === 200 ? '' : await content.text()]).toEqual([
      status,
      expect.stringContaining(message),
    ])
  })

  it.each([
    ['half-way', { status: 'in_progress' }, 50, '30s'],
    ['at its progress', { status: 'in_progress', progress: 33 }, 33, '40200ms'],
    ['just made', { status: 'in_progress', progress: 33, age: 0 }, 33, '40200ms'],
    ['made long ago', { status: 'in_progress', progress: 80, age: '1d' }, 80, '12s'],
    ['pending', { status: 'pending', age: '1h' }, 0, '60s'],
  ])('in progress (%s) continues', async (_, fields, progress, rest) => {
    const sim = begun({ videos: [{ id: 'video_1', ...fields }] })
    expect(await video(sim, 'video_1')).toMatchObject({ status: fields.status, progress })
    sim.clock.advance(rest)
    expect(await video(sim, 'video_1')).toMatchObject({ status: 'completed', progress: 100 })
  })

  it('appears in the list of its API key', async () => {
    const sim = begun({
      videos: [{ id: 'video_new' }, { id: 'video_old', age: '1h' }, { id: 'video_theirs', key: 'sk-other' }],
    })
    const { data } = await bodyOf(get(sim, '/v1/videos'))
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['video_new', 'video_old'])
  })

  it('without an id gets one from the session, the same in every run', async () => {
    const ids = async (): Promise<string[]> =>
      (await bodyOf(get(begun({ videos: [{}, {}] }), '/v1/videos'))).data.map(({ id }: { id: string }) => id)
    const [first, second] = await ids()
    expect(first).toMatch(/^video_[0-9a-f]{32}$/)
    expect(first).not.toBe(second)
    expect(await ids()).toEqual([first, second])
  })
})

describe('a given operation', () => {
  it('has succeeded by default, with videos that can be read', async () => {
    const sim = begun({ videoOperations: [{ id: uuid(1), sampleCount: 2 }] })
    const seen = await operation(sim, uuid(1))
    expect(seen).toMatchObject({
      done: true,
      metadata: {
        state: 'SUCCEEDED',
        progressPercent: 100,
        createTime: '2025-12-31T23:59:00.000Z',
        updateTime: '2026-01-01T00:00:00.000Z',
      },
    })
    expect(seen.response.generatedVideos).toHaveLength(2)
    expect((await sim.fetch(seen.response.generatedVideos[1].uri)).headers.get('content-type')).toBe(
      'video/mp4',
    )
  })

  it.each([
    ['PENDING', { done: false, metadata: { state: 'PENDING', progressPercent: 0 } }],
    ['RUNNING', { done: false, metadata: { state: 'RUNNING', progressPercent: 50 } }],
    ['FAILED', { done: true, metadata: { state: 'FAILED' }, error: { code: 13, details: [] } }],
  ])('in state %s shows it', async (status, expected) => {
    expect(await operation(begun({ videoOperations: [{ id: uuid(1), status }] }), uuid(1))).toMatchObject(
      expected,
    )
  })

  it('with an error has failed, with its google.rpc code', async () => {
    const sim = begun({
      videoOperations: [
        {
          id: uuid(1),
          model: 'veo-2',
          error: { code: 'RESOURCE_EXHAUSTED', message: 'no quota left', details: [{ '@type': 'x' }] },
        },
      ],
    })
    expect(await operation(sim, uuid(1), 'veo-2')).toMatchObject({
      done: true,
      metadata: { state: 'FAILED' },
      error: { code: 8, message: 'no quota left', details: [{ '@type': 'x' }] },
    })
  })
})

describeIntegrations('a given file', (integration) => {
  it('is readable at its URL, and named by its path, in every session', async () => {
    const files = [
      { path: 'images/cat.png', content: { image: { width: 64, height: 32 } } },
      { path: '/notes/a.txt', content: { text: 'hello' }, age: '1h' },
      { path: 'b.bin', provider: 'OSS', contentType: 'application/x-b', content: { base64: 'AAEC' } },
    ]
    const { fetch, url } = await integration.open(begun({ files }))
    for (const session of ['default', 'another']) {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-sim-session': session,
      }
      const address = async (
        path: string,
        storage_provider = 'COS',
      ): Promise<{ path: string; visit_url: string }> =>
        (
          await fetch(`${url}/v1/files/upload_url`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ path, storage_provider }),
          })
        ).json() as never
      const text = await fetch((await address('notes/a.txt')).visit_url)
      expect([
        await text.text(),
        text.headers.get('content-type'),
        text.headers.get('last-modified'),
      ]).toEqual(['hello', 'text/plain; charset=utf-8', 'Wed, 31 Dec 2025 23:00:00 GMT'])
      const bytes = await fetch((await address('b.bin', 'OSS')).visit_url)
      expect([...new Uint8Array(await bytes.arrayBuffer()), bytes.headers.get('content-type')]).toEqual([
        0,
        1,
        2,
        'application/x-b',
      ])
      for (const imgUrl of Object.values(await address('images/cat.png')).filter((value) =>
        value.endsWith('cat.png'),
      )) {
        const edit = await fetch(`${url}/v1/tob/remove-background`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ model: 'v7', imgUrl }),
        })
        expect([imgUrl, edit.status]).toEqual([imgUrl, 200])
      }
    }
  })
})

describe('given files', () => {
  it('are read from disk, relative to the scenario', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'given-'))
    await writeFile(join(directory, 'cat.bin'), Uint8Array.of(7, 8))
    await writeFile(
      join(directory, 'story.yaml'),
      'title: a file\ngiven:\n  files:\n    - { path: cat.bin, content: { file: cat.bin } }\n',
    )
    const sim = simulator({ scenarios: [await loadScenario(join(directory, 'story.yaml'))] })
    const { visit_url } = await bodyOf(post(sim, '/v1/files/upload_url', { path: 'cat.bin' }))
    expect([...new Uint8Array(await (await sim.fetch(visit_url)).arrayBuffer())]).toEqual([7, 8])
  })

  it.each(['../secret.txt', '/etc/hostname', 'link.txt', 'folder/../../secret.txt'])(
    'stay in the folder of the scenario: %s is rejected',
    async (file) => {
      const root = await mkdtemp(join(tmpdir(), 'given-'))
      const directory = join(root, 'stories')
      await mkdir(directory)
      await writeFile(join(root, 'secret.txt'), 'secret')
      await symlink(join(root, 'secret.txt'), join(directory, 'link.txt'))
      await writeFile(
        join(directory, 'story.yaml'),
        `title: a file\ngiven:\n  files:\n    - { path: a, content: { file: ${file} } }\n`,
      )
      const scenario = await loadScenario(join(directory, 'story.yaml'))
      expect(() => simulator({ scenarios: [scenario] })).toThrow(
        `expected a file in the folder of the scenario or a subfolder, got "${file}": copy the file there, ` +
          'or allow its folder (--allow-files DIR, createSimulator({ allowFiles: [DIR] }))',
      )
      // The folder of another is no folder above it, and one that is not there allows nothing.
      for (const allowed of [join(root, 'stories'), join(root, 'secret'), join(root, 'none')])
        expect(() => simulator({ scenarios: [scenario], allowFiles: [allowed] })).toThrow('expected a file')
      if (file.startsWith('/')) return
      const allowed = simulator({ scenarios: [scenario], allowFiles: [join(root, 'none'), root] })
      expect(() => allowed.createSession({ scenarios: [scenario] })).not.toThrow()
    },
  )

  it('are reported with their place if missing', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'given-'))
    await writeFile(
      join(directory, 'story.yaml'),
      'title: a file\ngiven:\n  files:\n    - path: cat.bin\n      content: { file: dog.bin }\n    - ' +
        'path: d\n      content: { file: . }\n',
    )
    const scenario = await loadScenario(join(directory, 'story.yaml'))
    expect(() => simulator({ scenarios: [scenario] })).toThrow(
      /story\.yaml:5:\d+: .*there is no file "dog\.bin" in the folder of the scenario[^]*story\.yaml:7:\d+: .*expected a file, got the directory "\."/,
    )
  })

  it.each([
    ['a path outside the folder', { path: '../a' }, /given\.files\[0\]\.path: expected no empty segment/],
    [
      'an unknown provider',
      { provider: 'S3' },
      /given\.files\[0\]\.provider: expected one of "COS", "OSS" \(setting files\.providers\), got "S3"/,
    ],
    [
      'a type that is invalid in a header',
      { contentType: 'text/é' },
      /given\.files\[0\]\.contentType: expected up to 1000 printable/,
    ],
    [
      'more bytes than a session holds',
      { content: { text: 'x'.repeat(2000) } },
      /given\.files\[0\]\.content: expected at most 1000 bytes/,
    ],
  ])('with %s are rejected at load', (_, fields, expected) => {
    expect(() =>
      begun(
        { files: [{ path: 'a.txt', content: { text: 'a' }, ...fields }] },
        { settings: { limits: { fileBytes: 1000 } } },
      ),
    ).toThrow(expected)
  })
})

describe('ids of given resources', () => {
  it.each([
    ['imageJobs', { id: 'a/b' }, 'expected 1 to 64 characters without slashes or spaces'],
    ['imageJobs', { id: '..' }, 'expected 1 to 64 characters without slashes or spaces'],
    ['imageJobs', { id: 'x'.repeat(65) }, 'expected 1 to 64 characters without slashes or spaces'],
    ['videos', { id: 'v1' }, 'expected `video_` and 1 to 122 letters'],
    ['videoOperations', { id: 'op-1' }, 'expected a lower-case UUID'],
  ])('of %s %o are rejected', (kind, fields, expected) => {
    expect(() => begun({ [kind]: [fields] })).toThrow(expected)
  })
})

describe('given resources', () => {
  it('exist separately in each session, and again after a reset', async () => {
    const sim = begun({ videos: [{ id: 'video_1' }] })
    expect(
      (
        await sim.fetch('http://gateway.test/s/one/v1/videos/video_1', {
          method: 'DELETE',
          headers: { authorization: `Bearer ${key}` },
        })
      ).status,
    ).toBe(200)
    expect((await get(sim, '/s/one/v1/videos/video_1')).status).toBe(404)
    expect((await get(sim, '/s/two/v1/videos/video_1')).status).toBe(200)
    sim.resetAll()
    expect((await get(sim, '/s/one/v1/videos/video_1')).status).toBe(200)
  })

  it('must fit the limits of a session', () => {
    const files = [{ path: 'a', content: { text: 'x' } }]
    expect(() =>
      begun({ videos: [{}, {}, {}], imageJobs: [{}], files }, { settings: { memory: { items: 4 } } }),
    ).toThrow(/5 things are given, but a session keeps at most 4 \(setting memory\.items\)/)
  })

  it('advance poll by poll in `auto`, each separately', async () => {
    const sim = begun(
      {
        imageJobs: [
          { id: 'a', status: 'waiting' },
          { id: 'b', status: 'waiting' },
        ],
      },
      { clock: 'auto' },
    )
    const seen: number[] = []
    for (let poll = 0; poll < 5; poll++) seen.push((await job(sim, 'a')).status)
    expect(seen).toEqual([0, 1, 1, 2, 2])
    expect((await job(sim, 'b')).status).toBe(0)
  })
})
