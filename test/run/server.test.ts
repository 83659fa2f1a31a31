/** Replays against a server, in real time. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { replayOnServer, type ServerOptions } from '../../src/run/replay.ts'
import { replayReport, type StoryReport } from '../../src/run/replay-report.ts'
import { type Scenario, scenarioOfObject } from '../../src/scenario/load/scenario.ts'
import { errors } from './_replay.ts'

const scenario = (steps: readonly unknown[], more: object = {}): Scenario =>
  scenarioOfObject({ title: 'A story', seed: 'fox-7', ...more, steps }, 'story.yaml', gatewayApi().reader)

const submit = {
  call: 'videos.create',
  with: { model: 'video-1', prompt: 'a sunset' },
  save: { video: 'body.id' },
}
const look = { call: 'videos.retrieve', with: { video_id: '${video}' } }
const against = (url: string, story: Scenario, more: Partial<ServerOptions> = {}): Promise<StoryReport> =>
  replayOnServer(story, { base: url, apiKey: () => 'sk-very-real', limit: 10_000, cwd: '.', ...more })

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A gateway with these responses. */
async function gateway(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    // `replay` asks whether the server is a simulator.
    if (request.url === '/__sim/health') return void response.writeHead(404).end()
    request.on('data', (chunk) => (body += chunk)).on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const respond = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const list = { object: 'list', data: [], first_id: null, last_id: null, has_more: false }

it('a gateway gets the given key; steps of rules, other keys and other servers are skipped', async () => {
  const seen: (string | undefined)[] = []
  const url = await gateway((request, response) => {
    seen.push(request.headers.authorization)
    respond(response, 200, list)
  })
  const calls = scenario(
    [
      { call: 'videos.list' },
      { call: 'videos.list', key: 'sk-bob' },
      { fetch: '/v1/videos', key: 'sk-alice' },
      { fetch: 'https://elsewhere.example/file' },
      { call: 'files.createUploadUrl', with: { path: 'a/b.txt' }, save: { to: 'body.upload_url' } },
      { fetch: '${to}' },
    ],
    {
      keys: { 'sk-alice': {}, 'sk-bob': {} },
      rules: [{ when: { operation: 'files.createUploadUrl' }, then: { error: { status: 503 } } }],
    },
  )
  const report = await against(url, calls)
  expect(seen).toEqual(['Bearer sk-very-real', 'Bearer sk-very-real'])
  expect(report.steps.map(({ reason }) => reason)).toEqual([
    undefined,
    'the step has the API key sk-bob: --api-key replaces only sk-alice',
    undefined,
    'replay fetches only URLs on this server (/v1/…) and URLs saved from its responses (${name})',
    'the scenario has a rule for files.createUploadUrl: omit --base-url, or pass the URL of a gateway-sim server',
    'the step needs ${to}, which no earlier step has saved',
  ])
  const shown = report.steps.flatMap(({ exchanges }) =>
    exchanges.map(({ sent: { init: _, ...one }, ...exchange }) => ({ ...exchange, sent: one })),
  )
  expect(JSON.stringify(shown)).not.toContain('sk-very-real')
})

it('has tested nothing if every request is skipped', async () => {
  const report = await against(
    'http://127.0.0.1:1',
    scenario([{ advance: '10s' }, { call: 'videos.list', expect: { status: 503 } }], {
      rules: [{ when: { operation: 'videos.list' }, then: { error: { status: 503 } } }],
    }),
  )
  expect(report).toMatchObject({ outcome: 'empty', counts: { passed: 1, failed: 0, skipped: 1 } })
  const { sections, summary } = replayReport([report, report])
  expect(sections[0]?.notes).toEqual(['All requests were skipped.'])
  expect(summary).toBe('2 scenarios: 0 passed, 0 failed, 2 skipped entirely; 2 of 4 steps passed, 2 skipped')
})

it('only the server receives the key: URLs on other servers are fetched without it', async () => {
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
    scenario([
      { call: 'models.list', save: { at: 'body.at' }, expect: { offContract: true } },
      { fetch: '${at}', key: 'sk-scenario', expect: { text: 'a file' } },
    ]),
  )
  expect(report.steps[1]?.outcome).toBe('passed')
  expect(seen).toEqual([undefined])
})

it('a gateway has its video operations polled by the names that it returns', async () => {
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
    {
      ...poll({ body: { done: true } }),
      call: 'videoOperations.fetch',
      with: { operationName: '${name}' },
    },
    { ...poll({}), with: { name: 'operations/op-7', project_id: 'p-2' } },
  ])
  const report = await against(url, story)
  expect(errors(report).filter((line) => !/contract|offContract/.test(line))).toEqual([
    '5 with.name: expected a name that contains locations/… and publishers/… and models/…, got "operations/op-7"',
  ])
  const fetched = `POST /v1beta/${name.replace('/operations/op-7', '')}:fetchPredictOperation`
  expect(seen.slice(1)).toEqual([
    `GET /v1beta/${name}`,
    `${fetched} {"operationName":"${name}"}`,
    `${fetched} {"operationName":"${name}"}`,
  ])
})

it('a gateway is polled after an `advance` until the response matches, with progress messages', async () => {
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
    scenario([submit, { advance: '20ms' }, { ...look, expect: { body: { status: 'completed' }, took: 0 } }]),
    { onProgress: (step, words) => void heard.push(`${step} ${words}`) },
  )
  expect(errors(report)).toEqual([])
  expect(looks).toBe(3)
  expect(heard).toEqual([
    '1 videos.create',
    '3 videos.retrieve',
    '3 1 request, body.status is "in_progress"',
    '3 2 requests, body.status is "in_progress"',
  ])
  expect(report.steps[0]?.notes).toEqual([
    'fields that are not in the contract: body.completed_at, body.expires_at, body.remixed_from_video_id',
  ])
})

it('a step fails with the place of each contract violation: responses, events, envelopes, types', async () => {
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
  })
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

it('a gateway is reported as hanging or disconnected if it hangs or disconnects', async () => {
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
    { limit: 300 },
  )
  expect(errors(report)).toEqual([])
})
