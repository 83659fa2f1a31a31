/** Replays against servers: simulators that serve, and a gateway that is none. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import type { SimulatorOptions } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { probe } from '../../src/run/remote.ts'
import { keyNamesOf, type RemoteOptions, replayRemote } from '../../src/run/replay.ts'
import { replayReport, type StoryReport } from '../../src/run/replay-report.ts'
import { type Scenario, scenarioOfObject } from '../../src/scenario/load/scenario.ts'
import { simulator } from '../_setup.ts'
import { errors, paced, streamed } from './_replay.ts'

const scenario = (steps: readonly unknown[], more: object = {}): Scenario =>
  scenarioOfObject({ title: 'A story', seed: 'fox-7', ...more, steps }, 'story.yaml', gatewayApi().reader)

const submit = {
  call: 'videos.create',
  with: { model: 'video-1', prompt: 'a sunset' },
  save: { video: 'body.id' },
}
const look = { call: 'videos.retrieve', with: { video_id: '${video}' } }
const failing = {
  rules: [
    {
      id: 'it-fails',
      when: { operation: 'videos.create', nth: 2 },
      then: {
        timeline: [
          { at: '0s', status: 'pending' },
          { at: '8s', status: 'failed', error: { code: 'moderation_blocked', message: 'no' } },
        ],
      },
    },
  ],
}
const second = [
  submit,
  { ...submit, save: { second: 'body.id' } },
  { advance: '10s' },
  { call: 'videos.retrieve', with: { video_id: '${second}' }, expect: { body: { status: 'failed' } } },
  { ...look, expect: { body: { status: 'in_progress' } } },
]

async function against(
  url: string,
  story: Scenario,
  more: Partial<RemoteOptions> = {},
): Promise<StoryReport> {
  const limit = more.limit ?? 10_000
  return replayRemote(story, await probe(url, limit), {
    keys: { first: undefined, byName: new Map() },
    cwd: '.',
    ...more,
    limit,
  })
}

async function served(options: SimulatorOptions): Promise<string> {
  const listening = await listen(simulator(options))
  onTestFinished(() => listening.close())
  return listening.url
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const noControl: Answer = (_request, response) => respond(response, 404, {})

/** A gateway that answers as it is told; it is no simulator. */
async function gateway(answer: Answer, control = noControl): Promise<string> {
  const server = createServer((request, response) => {
    const act = request.url?.includes('__sim') === true ? control : answer
    let body = ''
    request.on('data', (chunk) => (body += chunk)).on('end', () => act(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const read = async (url: string): Promise<unknown> => (await fetch(url)).json()
const respond = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const key = { keys: { first: 'sk-real', byName: new Map<string, string>() } }

describe('a simulator that serves the scenario', () => {
  it.each(['manual', 'auto'] as const)(
    'has its %s clock advanced, in a new session for each replay',
    async (clock) => {
      const story = scenario([...second.slice(0, 2), { advance: '1m' }, second[3]], failing)
      const url = await served({ clock, scenarios: [story] })
      for (const _ of [1, 2]) {
        const report = await against(url, story)
        expect(errors(report)).toEqual([])
        expect(report).toMatchObject({
          against: `${url} (gateway-sim, ${clock} clock)`,
          counts: { passed: 4, skipped: 0 },
        })
        expect(report.end - report.start).toBe(60_000)
      }
    },
  )

  it('receives streams event by event', async () => {
    const url = await served({ clock: 'manual', ...paced })
    const stream = { events: [{ elapsed: 300 }, { elapsed: 340 }], ended: 'completed' }
    expect(errors(await against(url, scenario([{ ...streamed(), expect: { stream } }])))).toEqual([])
  })

  it('on a real clock is polled until it shows the state that `advance` would reach', async () => {
    const url = `${await served({ clock: 'real', speed: 200 })}/s/mine`
    const report = await against(
      url,
      scenario([submit, { advance: '1m' }, { ...look, expect: { body: { status: 'completed' } } }]),
    )
    expect(errors(report)).toEqual([])
    expect(report.steps[2]?.exchanges.length).toBeGreaterThan(0)
    expect(report.steps[1]?.notes).toEqual([
      'this server cannot advance time: later GET requests repeat until they match; other requests wait 1m',
    ])
  })

  it('on a real clock creates a session with a manual clock, unless the base URL names a session', async () => {
    const url = await served({ clock: 'real' })
    const put = [
      { call: 'files.createUploadUrl', with: { path: 'a/b.txt' }, save: { to: 'body.upload_url' } },
      { advance: '2h' },
      { fetch: '${to}', method: 'PUT', content: { text: 'hi' }, expect: { status: 403 } },
    ]
    const moved = await against(url, scenario(put))
    expect(errors(moved)).toEqual([])
    expect(moved).toMatchObject({
      against: `${url} (gateway-sim, scenario loaded, manual clock)`,
      counts: { passed: 3, skipped: 0 },
    })

    const waited = await against(
      `${url}/s/mine`,
      scenario([
        ...put,
        { call: 'models.list' },
        { call: 'models.list', waitFor: { status: 200 } },
        { call: 'models.list' },
      ]),
      { limit: 5000 },
    )
    const reason =
      'the step must wait 2h, but this server cannot advance time and --timeout is only 5s: pass --timeout 2h'
    expect(waited.steps.map((step) => step.reason)).toEqual([
      undefined,
      undefined,
      reason,
      reason,
      undefined,
      undefined,
    ])
    expect(waited).toMatchObject({ outcome: 'passed', counts: { passed: 4, failed: 0, skipped: 2 } })
  })
})

describe('a simulator with a list of API keys', () => {
  it('ends a `waitFor` at its first rejection, and states which keys it accepts', async () => {
    const url = await served({
      clock: 'manual',
      scenarios: [scenario([], { title: 'Another story', keys: { 'sk-alice': {} } })],
    })
    const list = scenario([{ call: 'videos.list', waitFor: { status: 200 } }])
    const report = await against(url, list)
    expect(report.steps[0]?.exchanges.length).toBe(1)
    expect(errors(report)).toEqual([
      expect.stringMatching(
        /^1 waitFor: expected a match or a temporary rejection, got 401 "Incorrect API key provided: .* The `keys` setting \(or `keys` in a scenario\) lists 1 valid API key\."$/,
      ),
    ])
    const keys = { first: 'sk-alice', byName: new Map<string, string>() }
    expect((await against(url, list, { keys })).outcome).toBe('passed')
  })
})

describe('a simulator that does not know the scenario', () => {
  it('receives its rules, keys, given resources, seed and clock in a new session', async () => {
    const url = await served({ clock: 'real', seed: 'another' })
    const story = scenario(
      [
        ...second,
        { call: 'imageJobs.retrieve', with: { jobId: 'job-1' }, expect: { body: { status: 2 } } },
        { call: 'models.list', key: 'sk-invalid', expect: { status: 401 } },
      ],
      {
        ...failing,
        clock: { mode: 'real', start: '2027-05-05T00:00:00Z' },
        keys: { 'sk-alice': {} },
        given: { imageJobs: [{ id: 'job-1', status: 'succeeded' }] },
      },
    )
    for (const keys of [{ keys: { first: undefined, byName: new Map() } }, key]) {
      const report = await against(url, story, keys)
      expect(errors(report)).toEqual([])
      expect(report).toMatchObject({
        against: `${url} (gateway-sim, scenario loaded, manual clock)`,
        start: Date.parse('2027-05-05T00:00:00Z'),
        counts: { passed: 7, skipped: 0 },
      })
      expect(await read(`${report.base}/__sim/sessions/${report.base.split('/').at(-1)}`)).toMatchObject({
        seed: 'fox-7',
      })
    }
  })

  it('reports why it rejects the scenario, and runs the steps that any gateway can run', async () => {
    const url = await served({ clock: 'manual', settings: { memory: { items: 4 } } })
    const jobs = [1, 2, 3, 4, 5].map((at) => ({ id: `job-${at}`, status: 'succeeded' }))
    const report = await against(
      url,
      scenario([{ call: 'imageJobs.retrieve', with: { jobId: 'job-1' } }, submit], {
        given: { imageJobs: jobs },
      }),
    )
    expect(report.steps.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      [
        'skipped',
        expect.stringMatching(
          /^the expectations depend on .*: the gateway-sim server rejected the scenario: .*given\.imageJobs.*5 things/,
        ),
      ],
      ['passed', undefined],
    ])
  })

  it('does not receive it in a session that the base URL names', async () => {
    const report = await against(`${await served({ clock: 'manual' })}/s/mine`, scenario(second, failing))
    expect(report.steps.map(({ step, outcome, reason }) => [step, outcome, reason])).toEqual([
      ['1', 'passed', undefined],
      [
        '2',
        'skipped',
        'the response depends on rule it-fails: omit /s/… from --base-url: replay then loads the scenario into a new session',
      ],
      ['3', 'passed', undefined],
      ['4', 'skipped', 'the step needs ${second}, which no earlier step has saved'],
      ['5', 'passed', undefined],
    ])
    expect(report.outcome).toBe('passed')
  })

  it('has tested nothing if every request is skipped', async () => {
    const report = await against(
      `${await served({ clock: 'manual' })}/s/mine`,
      scenario([{ advance: '10s' }, { call: 'videos.list', expect: { status: 503 } }], {
        rules: [{ when: { operation: 'videos.list' }, then: { error: { status: 503 } } }],
      }),
    )
    expect(report).toMatchObject({ outcome: 'empty', counts: { passed: 1, failed: 0, skipped: 1 } })
    const { sections, summary } = replayReport([report, report])
    expect(sections[0]?.notes).toEqual(['All requests were skipped.'])
    expect(summary).toBe(
      '2 scenarios: 0 passed, 0 failed, 2 skipped entirely; 2 of 4 steps passed, 2 skipped',
    )
  })
})

it('a simulator whose control API rejects replay ends it with the reason', async () => {
  const url = await served({ clock: 'auto', settings: { control: { token: 'a-token-of-mine' } } })
  await expect(probe(url, 10_000)).rejects.toMatchObject({ status: 401 })
  await expect(probe(url, 10_000, { token: 'another' })).rejects.toThrow('the token is invalid')
})

describe('any gateway', () => {
  it('receives the given key; steps with other keys are skipped', async () => {
    const seen: (string | undefined)[] = []
    const url = await gateway((request, response) => {
      seen.push(request.headers.authorization)
      respond(response, 200, { object: 'list', data: [], first_id: null, last_id: null, has_more: false })
    })
    const calls = scenario(
      [
        { call: 'videos.list' },
        { call: 'videos.list', key: 'sk-bob' },
        { call: 'videos.list', key: 'sk-carol' },
        { fetch: '/v1/videos', key: 'sk-alice' },
        { fetch: '/v1/videos', key: 'sk-carol' },
        { fetch: 'https://elsewhere.example/file' },
      ],
      { keys: { 'sk-alice': {}, 'sk-bob': {}, 'sk-carol': {} } },
    )
    const report = await against(url, calls, {
      keys: { first: 'sk-real', byName: new Map([['sk-bob', 'sk-real-bob']]) },
    })
    expect(seen).toEqual(['Bearer sk-real', 'Bearer sk-real-bob', 'Bearer sk-real'])
    expect(report.steps.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['passed', undefined],
      ['passed', undefined],
      ['skipped', 'missing API key for sk-carol: pass --api-key sk-carol=KEY'],
      ['passed', undefined],
      ['skipped', 'missing API key for sk-carol: pass --api-key sk-carol=KEY'],
      [
        'skipped',
        'replay fetches only URLs on this server (/v1/…) and URLs saved from its responses (${name})',
      ],
    ])
    const shown = report.steps.flatMap(({ exchanges }) =>
      exchanges.map(({ sent: { init: _, ...one }, ...exchange }) => ({ ...exchange, sent: one })),
    )
    expect(JSON.stringify(shown)).not.toContain('sk-real')
  })

  it('receives keys by name, including the default key and keys that only steps name', async () => {
    const seen: string[] = []
    const url = await gateway((request, response) => {
      const { authorization, 'x-api-key': own } = request.headers
      seen.push(`${request.url} ${authorization ?? `x-api-key ${own}`}`)
      respond(response, 400, { error: { code: 400, message: 'no', details: [], trace_id: 't' } })
    })
    const rejected = { expect: { status: 400, offContract: true } }
    const bare = scenario([
      { call: 'models.list', ...rejected },
      { call: 'models.list', key: 'sk-alice', ...rejected },
      { fetch: '/v1/models', key: 'sk-alice', ...rejected },
      { fetch: '/v1/messages', method: 'POST', key: 'sk-alice', ...rejected },
      { call: 'models.list', key: '', ...rejected },
    ])
    expect(keyNamesOf(bare)).toEqual(['sk-scenario', 'sk-alice'])
    const byName = new Map([
      ['sk-scenario', 'real-default'],
      ['sk-alice', 'real-alice'],
    ])
    const report = await against(url, bare, { keys: { first: undefined, byName } })
    expect(report.counts.skipped).toBe(0)
    expect(seen).toEqual([
      '/v1/models Bearer real-default',
      '/v1/models Bearer real-alice',
      '/v1/models Bearer real-alice',
      '/v1/messages x-api-key real-alice',
      '/v1/models x-api-key undefined',
    ])
  })

  it('is the only server that receives a key: URLs on other servers are fetched without a key', async () => {
    const seen: (string | undefined)[] = []
    const elsewhere = await gateway((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'text/plain' }).end('a file')
    })
    const url = await gateway((_request, response) => {
      respond(response, 200, { object: 'list', data: [], at: `${elsewhere}/file` })
    })
    const report = await against(
      url,
      scenario(
        [
          { call: 'models.list', save: { at: 'body.at' }, expect: { offContract: true } },
          { fetch: '${at}', key: 'sk-scenario', expect: { text: 'a file' } },
        ],
        { rules: [{ when: { operation: 'chat.create' }, then: {} }] },
      ),
      key,
    )
    expect(report.steps[1]?.outcome).toBe('passed')
    expect(seen).toEqual([undefined])
  })

  it('has its video operations polled by the names that it returns', async () => {
    const name = 'projects/p-1/locations/eu/publishers/other/models/veo-1/operations/op-7'
    const seen: string[] = []
    const url = await gateway((request, response, body) => {
      seen.push(`${request.method} ${request.url} ${request.method === 'GET' ? '' : body}`.trim())
      respond(response, 200, { name, done: seen.length > 3 })
    })
    const submits = {
      call: 'videoOperations.submit',
      with: { model: 'veo-1', instances: [{ prompt: 'a fox' }] },
      save: { name: 'body.name' },
      expect: { offContract: true },
    }
    const poll = (expect: object) => ({
      call: 'videoOperations.retrieve',
      with: { name: '${name}' },
      expect: { ...expect, offContract: true },
    })
    const story = scenario([
      submits,
      poll({}),
      { advance: '20ms' },
      poll({ body: { done: true } }),
      { ...poll({}), with: { name: 'operations/op-7', project_id: 'p-2' } },
    ])
    const report = await against(url, story, key)
    expect(errors(report).filter((line) => !/contract|offContract/.test(line))).toEqual([
      '5 with.name: expected a name that contains locations/… and publishers/… and models/…, got "operations/op-7"',
    ])
    expect(seen.slice(1)).toEqual(Array.from({ length: 3 }, () => `GET /v1beta/${name}`))
  })

  it('does not fail if a wait is longer than --timeout: the step is skipped', async () => {
    const url = await gateway((_request, response) => {
      respond(response, 200, { object: 'list', data: [] })
    })
    const report = await against(
      url,
      scenario([{ advance: '1h' }, { fetch: '/files/1.png', expect: { status: 404 } }]),
      { ...key, limit: 20 },
    )
    expect(report.steps[1]).toMatchObject({
      outcome: 'skipped',
      reason:
        'the step must wait 1h, but this server cannot advance time and --timeout is only 20ms: pass --timeout 1h',
    })
  })

  it('is polled after an `advance` until the response matches, with progress messages', async () => {
    let looks = 0
    const video = (status: string, progress: number) => ({
      ...{ id: 'video_1', object: 'video', model: 'video-1', status, progress, created_at: 1 },
      ...{ completed_at: null, expires_at: null, remixed_from_video_id: null, error: null },
      ...{ size: '720x1280', seconds: '4' },
    })
    const url = await gateway((request, response) => {
      if (request.method === 'POST') return respond(response, 200, video('pending', 0))
      looks++
      respond(
        response,
        200,
        looks < 3
          ? video('in_progress', 10 * looks)
          : { ...video('completed', 100), completed_at: 5, expires_at: 9 },
      )
    })
    const heard: string[] = []
    const report = await against(
      url,
      scenario([
        submit,
        { advance: '20ms' },
        { ...look, expect: { body: { status: 'completed' }, took: 0 } },
      ]),
      { ...key, onProgress: (step, words) => void heard.push(`${step} ${words}`) },
    )
    expect(errors(report)).toEqual([])
    expect(looks).toBe(3)
    expect(heard).toEqual([
      '3 1 request, body.status is "in_progress"',
      '3 2 requests, body.status is "in_progress"',
    ])
    expect(report.steps[0]?.notes).toEqual([
      'fields that are not in the contract: body.completed_at, body.expires_at, body.remixed_from_video_id',
    ])
    expect(report.steps[2]?.notes).toEqual(['`took` and `elapsed` are checked only in virtual time'])
  })

  it('fails with the place of each contract violation: responses, events, envelopes, types', async () => {
    const page: Answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    const url = await gateway((request, response, body) => {
      const path = request.url ?? ''
      if (path === '/v1/videos')
        return respond(response, 200, { id: 'video_1', object: 'video', status: 'queued', progress: '0' })
      if (path === '/v1/videos/none') return respond(response, 404, { message: 'not here' })
      if (path === '/v1/models')
        return void response.writeHead(200, { 'content-type': 'text/plain' }).end('gpt')
      if (!body.includes('"stream":true')) return respond(response, 200, {})
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}\n\ndata: {"id"\n\ndata: [DONE]\n\n',
      )
    }, page)
    const report = await against(
      url,
      scenario([
        { call: 'videos.create', with: { prompt: 'x' } },
        { call: 'videos.retrieve', with: { video_id: 'none' }, expect: { status: 404 } },
        { call: 'models.list' },
        {
          call: 'chat.create',
          with: { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
        },
        { call: 'videos.create', with: { prompt: 'x' }, expect: { offContract: true } },
      ]),
      key,
    )
    expect(report.outcome).toBe('failed')
    const told = errors(report)
    for (const line of [
      /^1 contract body\.status: expected one of .*"pending".*, got "queued"$/,
      /^1 contract body\.progress: expected a number, got "0"$/,
      /^2 contract body: expected an `error` object .*, got an object with message$/,
      /^3 contract headers.content-type: expected application\/json, got text\/plain$/,
      /^4 contract stream\.events\[0\].*content: expected .*, got 7$/,
      /^4 contract stream.events\[1\]: expected JSON, got "\{\\"id\\""$/,
    ])
      expect(told).toContainEqual(expect.stringMatching(line))
    expect(told.filter((line) => line.startsWith('5'))).toEqual([])
  })

  it('is reported as hanging or disconnected if it hangs or disconnects', async () => {
    const url = await gateway((request, response) => {
      const path = request.url ?? ''
      if (path === '/v1/models') return void request.socket.destroy()
      if (path === '/v1/videos')
        return void response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
          .write('{"object":', () => request.socket.destroy())
      // Nothing: the client waits.
    })
    const report = await against(
      url,
      scenario([
        { call: 'models.list', expect: { broken: 'reset' } },
        { call: 'videos.list', expect: { broken: 'truncated' } },
        { ...look, with: { video_id: 'video_1' }, expect: { broken: 'hang' } },
      ]),
      { ...key, limit: 300 },
    )
    expect(errors(report)).toEqual([])
  })
})
