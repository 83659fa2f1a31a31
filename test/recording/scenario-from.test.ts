/** Scenarios from recordings: readable, valid, and replayed against the simulator. */
import { describe, expect, it } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { scenarioFrom } from '../../src/recording/scenario-from.ts'
import { replayInProcess } from '../../src/run/replay.ts'
import type { StoryReport } from '../../src/run/replay-report.ts'
import { scenarioOfObject } from '../../src/scenario/load/scenario.ts'
import { asClient, exchange, posting, recorder } from './_record.ts'

const { reader } = gatewayApi()
const gateway = 'https://gateway.example/v1'
const start = Date.parse('2026-01-01T00:00:00Z')

interface Submitted {
  readonly id: string
  readonly name: string
}

async function written(exchanges: readonly Exchange[]) {
  const { scenario, left } = await scenarioFrom(exchanges, 'calls.har')
  const loaded = scenarioOfObject(scenario, 'written', reader)
  const { report } = await replayInProcess(loaded)
  return { scenario: scenario as { rules: object[]; steps: object[]; title: string }, left, report }
}

const failuresOf = ({ steps }: StoryReport) =>
  steps.filter(({ outcome }) => outcome !== 'passed').map(({ title, failures }) => [title, failures])

const chat = (content: string, response: Parameters<typeof exchange>[1], more: object = {}) =>
  exchange(
    {
      url: `${gateway}/chat/completions`,
      body: { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more },
    },
    response,
  )
const completion = (content: string) => ({
  body: JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
})
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

describe('rules', () => {
  it('have conditions only for what tells requests apart', async () => {
    const { scenario, report } = await written([
      chat('hello', completion('hi'), { temperature: 0 }),
      chat('goodbye', completion('bye'), { temperature: 0 }),
      chat('goodbye', completion('costs ${this}'), { temperature: 1 }),
    ])
    expect(scenario.title).toBe('Recorded in calls.har, 2026-01-01')
    expect(scenario.rules).toEqual([
      {
        id: 'chat-1',
        when: { operation: 'chat.create', conversation: { lastUser: 'hello' } },
        then: { text: 'hi' },
      },
      {
        id: 'chat-2',
        when: { operation: 'chat.create', conversation: { lastUser: 'goodbye' }, body: { temperature: 0 } },
        then: { text: 'bye' },
      },
      {
        id: 'chat-3',
        when: { operation: 'chat.create', body: { temperature: 1 } },
        then: { text: 'costs $${this}' },
      },
    ])
    expect(failuresOf(report)).toEqual([])
  })

  it('answer the same request with what came each time', async () => {
    const { scenario, report } = await written([
      chat('hello', { status: 503, body: '{"error":{"type":"overloaded_error","message":"busy"}}' }),
      chat('hello', completion('hi')),
    ])
    expect(scenario.rules).toMatchObject([
      {
        then: {
          sequence: [{ error: { type: 'overloaded_error', status: 503, message: 'busy' } }, { text: 'hi' }],
        },
      },
    ])
    expect(failuresOf(report)).toEqual([])
  })

  it('have streams as texts with their pace, tool calls and waits', async () => {
    const frames = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Let me' }),
      chunk({ content: ' check.' }),
      chunk({ content: ' Well,' }),
      chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"at":1}' } }] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]
    const at = [100, 300, 340, 2380, 2400, 2420, 2440, 2440]
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const chunks = frames.map((frame, index) => ({ at: at[index] as number, bytes: frame.length }))
    const { scenario, report } = await written([
      chat('hello', { type: 'text/event-stream', body: frames.join(''), chunks }, { stream: true, tools }),
    ])
    const script = [
      { text: ['Let me', ' check.'] },
      { wait: '2s' },
      { text: ' Well,' },
      { toolCall: { name: 'look', arguments: { at: 1 } } },
    ]
    expect(scenario.rules).toMatchObject([
      { then: { stream: { firstEventAfter: '300ms', eventInterval: '40ms', script } } },
    ])
    expect(scenario.steps).toMatchObject([{ expect: { status: 200, stream: { ended: 'completed' } } }])
    expect(failuresOf(report)).toEqual([])
  })

  it('keep what no script can say as it came', async () => {
    const { scenario, report } = await written([
      chat('hello', { type: 'text/event-stream', body: 'data: {"odd":1}\n\n' }, { stream: true }),
    ])
    expect(scenario.rules).toMatchObject([
      { then: { response: { status: 200, text: 'data: {"odd":1}\n\n' }, offContract: true } },
    ])
    expect(failuresOf(report)).toEqual([])
  })
})

it('what it lacks is listed: refused keys, unknown paths, lost responses, polls of unknown jobs', async () => {
  const { scenario, left, report } = await written([
    chat('hello', { status: 401, body: '{"error":{"message":"bad key"}}' }),
    exchange({ url: `${gateway}/other` }, completion('')),
    { ...chat('hello', completion('')), response: undefined },
    exchange({ url: `${gateway}/videos/video_1` }, completion('')),
    chat('hello', completion('hi')),
  ])
  expect(left.map((sentence) => sentence.replace(/^[^:]*: /, ''))).toEqual([
    'GET /v1/other is not an operation',
    'the response was not recorded',
    'the submission of this job was not recorded',
    'the gateway rejected the API key',
  ])
  expect(scenario.steps).toHaveLength(1)
  expect(failuresOf(report)).toEqual([])
})

describe('jobs', () => {
  it('have their polls as a timeline, and steps that poll them', async () => {
    const id = 'video_1'
    const state = (status: string, progress: number) => ({
      body: JSON.stringify({ id, object: 'video', status, progress, size: '720x1280' }),
    })
    const url = `${gateway}/videos/${id}`
    const poll = (at: number, status: string, progress: number) =>
      exchange({ url }, state(status, progress), { at: start + at })
    const submitted = { url: `${gateway}/videos`, body: { model: 'video-1', prompt: 'a cat' } }
    const { scenario, report } = await written([
      exchange(submitted, state('pending', 0)),
      poll(2000, 'pending', 0),
      poll(4000, 'in_progress', 30),
      poll(90_000, 'completed', 100),
      exchange({ method: 'DELETE', url }, { body: '{}' }, { at: start + 99_000 }),
    ])
    expect(scenario.rules).toEqual([
      {
        id: 'videos-1',
        when: { operation: 'videos.create' },
        then: {
          timeline: [
            { at: '0s', status: 'pending', progress: 0, size: '720x1280' },
            { at: '4s', status: 'in_progress', progress: 30 },
            { at: '1m30s', status: 'completed', progress: 100 },
          ],
        },
      },
    ])
    expect(scenario.steps).toEqual([
      {
        call: 'videos.create',
        with: { model: 'video-1', prompt: 'a cat' },
        expect: { status: 200 },
        save: { job: 'body.id' },
      },
      {
        call: 'videos.retrieve',
        with: { video_id: '${job}' },
        interval: '1s',
        timeout: '2m30s',
        waitFor: { body: { status: 'completed' } },
      },
      { call: 'videos.delete', with: { video_id: '${job}' }, expect: { status: 200 } },
    ])
    expect(failuresOf(report)).toEqual([])
  })

  it('have no status that is not in the contract: what is written is valid, and says so', async () => {
    const state = (status: string, progress: number) => ({
      body: JSON.stringify({ id: 'video_1', object: 'video', status, progress }),
    })
    const submitted = { url: `${gateway}/videos`, body: { model: 'video-1', prompt: 'a cat' } }
    const { scenario, left, report } = await written([
      exchange(submitted, state('pending', 0)),
      exchange({ url: `${gateway}/videos/video_1` }, state('succeeded', 100), { at: start + 9000 }),
    ])
    expect(left).toEqual([
      expect.stringMatching(/: the job status "succeeded", which is not in the contract$/),
    ])
    expect(scenario.steps.at(-1)).toEqual({ call: 'videos.retrieve', with: { video_id: '${job}' } })
    expect(failuresOf(report)).toEqual([])
  })
})

it.each([
  {
    operation: 'imageJobs.create',
    path: '/v1/tob/diffusion',
    body: { model: 'image-job-v7', text: 'a cat' },
    pollOf: ({ id }: Submitted) => `/v1/tob/job/${id}`,
  },
  {
    operation: 'videos.create',
    path: '/v1/videos',
    body: { model: 'sora-2', prompt: 'a cat' },
    pollOf: ({ id }: Submitted) => `/v1/videos/${id}`,
  },
  {
    operation: 'videoOperations.submit',
    path: '/v1beta/models/veo-3.0-generate-001:predictLongRunning',
    body: { instances: [{ prompt: 'a cat' }] },
    pollOf: ({ name }: Submitted) => `/v1beta/${name}`,
  },
])('a job of $operation shows at each time what the recorded one showed', async (job) => {
  const { path, body, pollOf } = job
  const seenAt = async (sim: Simulator, fetch: Simulator['fetch']) => {
    const submission = await fetch(`http://sim${path}`, posting(body))
    const submitted = (await submission.json()) as Submitted
    const states: object[] = []
    for (let n = 0; n < 18; n++) {
      const state = await (await fetch(`http://sim${pollOf(submitted)}`, { headers: asClient })).text()
      const own = submitted.id ?? submitted.name.slice(submitted.name.lastIndexOf('/') + 1)
      states.push(
        JSON.parse(
          state.replaceAll(own, 'ID').replace(/"seed":\d+|"(?:updateTime|costAt)":"[^"]*"/, '"own":0'),
        ) as object,
      )
      sim.clock.advance('6s')
    }
    return states
  }
  const real = createSimulator({ clock: 'manual' })
  const { fetch, exchanges } = recorder(real)
  const recorded = await seenAt(real, fetch)
  const { scenario, left } = await written(exchanges)
  expect(left).toEqual([])
  const double = createSimulator({ clock: 'manual', scenarios: [scenario as never] })
  expect(await seenAt(double, double.fetch)).toEqual(recorded)
})

it('without rules, the steps hold at the gateway that was recorded, whatever its models say', async () => {
  const streamed = { type: 'text/event-stream', body: `${chunk({ content: 'once' })}data: [DONE]\n\n` }
  const calls = [
    chat('hello', completion('what a model said once')),
    chat('hello', streamed, { stream: true }),
    chat('hello', { status: 404, body: '{"error":{"message":"no such model"}}' }, { model: 'none' }),
  ]
  const { scenario } = await scenarioFrom(calls, 'calls.har', { stepsOnly: true })
  expect(Object.keys(scenario)).toEqual(['title', 'steps'])
  expect(scenario['steps']).toMatchObject([
    { expect: { status: 200 } },
    { expect: { status: 200, stream: { ended: 'completed' } } },
    { expect: { status: 404 } },
  ])
  expect(JSON.stringify(scenario)).not.toContain('once')
})

it('what a simulator did in a session of every API is valid and holds', async () => {
  const real = createSimulator({ clock: 'auto' })
  const { fetch, exchanges } = recorder(real)
  const headers = asClient
  const post = async (path: string, body: object) => {
    const text = await (await fetch(`http://real${path}`, posting(body))).text()
    return JSON.parse(text.startsWith('{') ? text : '{}') as Record<string, string>
  }
  const messages = [{ role: 'user', content: 'What is it?' }]
  await post('/v1/chat/completions', { model: 'gpt-4o', messages })
  await post('/v1/chat/completions', { model: 'gpt-4o', messages, stream: true })
  await post('/v1/chat/completions', { model: 'gpt-4o', messages: 'wrong' })
  await post('/v1/messages', { model: 'claude-sonnet-4-20250514', max_tokens: 40, messages })
  await post('/v1/messages', { model: 'claude-sonnet-4-20250514', max_tokens: 40, messages, stream: true })
  await fetch('http://real/v1/models', { headers })
  const jobs = [
    await post('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a cat' }),
    await post('/v1/tob/remove-background', {
      model: 'image-job-v7',
      imgUrl: 'https://pictures.example/a.png',
    }),
  ]
  for (const { id } of jobs)
    for (let n = 0; n < 5; n++) await fetch(`http://real/v1/tob/job/${id}`, { headers })
  const { name } = await post('/v1beta/models/veo-3.0-generate-001:predictLongRunning', {
    instances: [{ prompt: 'x' }],
  })
  for (let n = 0; n < 2; n++) await fetch(`http://real/v1beta/${name}`, { headers })
  const { left, report } = await written(exchanges)
  expect(left).toEqual([])
  expect(failuresOf(report)).toEqual([])
})
