/** Sessions on request: a sandbox of its own for one test, with its seed, clock and scenarios, and an end. */

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { noul, TypeSafeClient } from '@typesafe-ai/sdk'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/client.ts'
import { listen } from '../../src/node.ts'
import { bodyOf, describeIntegrations, get, jsonCall, post, simulator, withRules } from '../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const detailOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { detail?: unknown }).detail
const messageOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error?: { message?: unknown } }).error?.message

describe('scenarios of a session', () => {
  it('cannot reuse the id of a rule of the simulator, because both would be counted as one', async () => {
    const story = withRules(['id: same, when: { operation: chat.create, times: 1 }, then: { text: a }'])
    const sim = simulator(story)
    expect(() => sim.createSession({ name: 'mine', ...story })).toThrow(
      '`scenarios`: the simulator already has a rule "same", which applies to every session: choose another `id`, or create the session with `inheritScenarios: false`.',
    )
    const rejected = await post(sim, '/__sim/sessions', { name: 'mine', ...story })
    expect([rejected.status, await rejected.json()]).toMatchObject([
      409,
      { errors: [{ field: 'scenarios' }] },
    ])
    expect(sim.createSession({ name: 'mine' }).name).toBe('mine')
  })
})

describe('a scenario that is added', () => {
  it('cannot reuse the id of a rule', async () => {
    const slow = { title: 'Slow', rules: [{ id: 'slow', then: { delay: '1m' } }] } as const
    const client = connect('http://gateway.sim', { fetch: simulator({ scenarios: [slow] }).fetch })
    await expect(client.scenarios.add(slow)).rejects.toThrow(
      'This session already has a rule "slow": use another `id`, first remove the other rule, or create the session with `inheritScenarios: false`.',
    )
    const own = await client.createSession({ inheritScenarios: false })
    await own.scenarios.add({ text: JSON.stringify(slow), name: 'slow.yaml' })
    await expect(own.scenarios.add(slow)).rejects.toThrow('already has a rule "slow": use another `id`')
  })
})

describe('sim.session', () => {
  it('has its own seed, clock and start, independent of the simulator’s', async () => {
    const sim = simulator()
    const start = '2030-05-01T00:00:00Z'
    const session = sim.createSession({ name: 'mine', seed: 'x', clock: 'auto', start })
    expect(session.clock.state()).toMatchObject({ mode: 'auto', now: '2030-05-01T00:00:00.000Z' })
    expect(sim.clock.state()).toMatchObject({ mode: 'manual', now: '2026-01-01T00:00:00.000Z' })
    const said = async (path: string) => (await bodyOf(post(sim, path, chat))).choices
    const elsewhere = simulator({ seed: 'x' })
    expect(await said('/s/mine/v1/chat/completions')).toEqual(
      (await bodyOf(post(elsewhere, '/v1/chat/completions', chat))).choices,
    )
    expect(await said('/s/mine/v1/chat/completions')).not.toEqual(await said('/v1/chat/completions'))
  })

  it('has its own scenarios: rules before the simulator’s, given resources, keys and limits', async () => {
    const own = withRules(
      ['id: own, when: { operation: chat.create, times: 1 }, then: { text: own }'],
      `seed: fox
clock: { mode: manual, start: 2031-01-01T00:00:00Z }
keys: { sk-alice: {} }
limits: { activeImageJobs: 1 }
given: { videos: [{ id: video_given, key: sk-alice }] }
`,
    )
    const sim = simulator(withRules(['id: shared, when: { operation: chat.create }, then: { text: shared }']))
    const session = sim.createSession({ name: 'mine', ...own })
    expect([session.apiKey, session.clock.state().now]).toEqual(['sk-alice', '2031-01-01T00:00:00.000Z'])
    const say = async (path: string, headers: Record<string, string>) =>
      (await bodyOf(post(sim, path, chat, headers))).choices[0]?.message.content
    const alice = { authorization: 'Bearer sk-alice' }
    expect([
      await say('/s/mine/v1/chat/completions', alice),
      await say('/s/mine/v1/chat/completions', alice),
      await say('/v1/chat/completions', {}),
    ]).toEqual(['own', 'shared', 'shared'])
    expect((await get(sim, '/s/mine/v1/videos/video_given', alice)).status).toBe(200)
    expect((await get(sim, '/v1/videos/video_given')).status).toBe(404)
    expect((await get(sim, '/s/mine/v1/models')).status).toBe(401)
    expect((await get(sim, '/v1/models')).status).toBe(200)
    const submit = async () =>
      (await post(sim, '/s/mine/v1/tob/diffusion', { model: 'image-job-v7', text: 'a fox' }, alice)).status
    expect([await submit(), await submit()]).toEqual([200, 429])
    expect(session.scenarios.list()).toMatchObject([
      { of: 'session', title: 'story', rules: [{ id: 'own', matched: 2, answered: 1 }] },
      { of: 'simulator', title: 'story', rules: [{ id: 'shared', matched: 1, answered: 1 }] },
    ])
    session.reset()
    expect(await say('/s/mine/v1/chat/completions', alice)).toBe('own')
  })

  it('takes the next free name, and rejects a used one', () => {
    const sim = simulator()
    const names = [{}, {}, { name: 'a' }].map((request) => sim.createSession(request).name)
    expect(names).toEqual(['s1', 's2', 'a'])
    expect(() => sim.createSession({ name: 'a' })).toThrow(
      'The session "a" already exists: choose another name, or first dispose of the existing session',
    )
  })

  it.each([
    [{ name: 'a b' }, 'name: expected 1 to 64 letters, digits, dots, dashes or underscores, got "a b"'],
    [{ clock: 'fast' }, 'clock: expected one of "real", "manual", "auto", got "fast"'],
    [{ start: 'yesterday' }, 'start: expected an ISO 8601 timestamp'],
    [{ sed: 'x' }, 'sed: unknown key "sed": did you mean seed?'],
    [{ scenarios: [{ title: 'x', rules: [{ then: { txt: 'x' } }] }] }, 'rules[0].then.txt'],
  ])('rejects %j', (request, message) => {
    const sim = simulator()
    expect(() => sim.createSession(request as never)).toThrow(message)
    expect(sim.core.sessions.all()).toEqual([])
  })

  it('can be disposed of: streams break off, later requests and polls are rejected with what to do', async () => {
    const sim = simulator()
    const session = sim.createSession({ name: 'mine' })
    const video = await bodyOf(post(sim, '/s/mine/v1/videos', { model: 'sora-2', prompt: 'x' }))
    const stream = await post(sim, '/s/mine/v1/chat/completions', { ...chat, stream: true })
    const reading = stream.text()
    {
      await using held = session
      expect(held.name).toBe('mine')
    }
    await expect(reading).rejects.toMatchObject({
      cause: new Error('the session "mine" was disposed of while this request was open'),
    })
    const gone =
      'The session "mine" no longer exists: it was disposed of, or it was the least recently used of too many (setting memory.sessions). If it belonged to a test, the test had ended while its client was still sending requests. To create it again, use sim.createSession({ name: "mine" }) or POST /__sim/sessions.'
    expect([
      await messageOf(await post(sim, '/s/mine/v1/chat/completions', chat)),
      await messageOf(await get(sim, `/v1/videos/${video.id}`)),
      await detailOf(await get(sim, '/s/mine/__sim/clock')),
    ]).toEqual([gone, expect.stringContaining('the id was created in another session'), gone])
    expect(() => session.clock.now()).toThrow('no longer exists')
    session.dispose()
    expect(sim.createSession({ name: 'mine' }).journal()).toEqual([])
    expect((await post(sim, '/s/mine/v1/chat/completions', chat)).status).toBe(200)
  })

  it('that is evicted is rejected if it was created explicitly, and otherwise created again', async () => {
    const sim = simulator({ settings: { memory: { sessions: 2 } } })
    sim.createSession({ name: 'asked' })
    await get(sim, '/s/called/v1/models')
    await get(sim, '/s/third/v1/models')
    expect(await messageOf(await get(sim, '/s/asked/v1/models'))).toContain(
      'The session "asked" no longer exists',
    )
    await get(sim, '/s/fourth/v1/models')
    expect((await get(sim, '/s/called/v1/models')).status).toBe(200)
    expect(sim.warnings).toEqual([expect.stringContaining('the session "asked" was evicted')])
  })
})

describe('in strict mode, where requests must not create sessions', () => {
  it('an unknown one is rejected with what to do', async () => {
    const sim = simulator({ strict: true })
    expect((await get(sim, '/v1/models')).status).toBe(200)
    const rejected = await get(sim, '/s/mine/v1/models')
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      400,
      'Session "mine" does not exist, and `strict` prevents requests from creating it: create it with sim.createSession({ name: "mine" }) or POST /__sim/sessions.',
    ])
    sim.createSession({ name: 'mine' })
    expect((await get(sim, '/s/mine/v1/models')).status).toBe(200)
  })

  it('one is created by its own path, and by a control request that names it in a header', async () => {
    const sim = simulator({ strict: true })
    const create = (path: string, name: string, headers = {}) => post(sim, path, { name }, headers)
    expect((await create('/s/mine/__sim/sessions', 'mine')).status).toBe(201)
    expect((await create('/__sim/sessions', 'other', { 'x-sim-session': 'other' })).status).toBe(201)
    expect((await get(sim, '/s/mine/v1/models')).status).toBe(200)
  })
})

describe('a control request that needs no session', () => {
  it.each([
    ['sessions', 200],
    ['sessions/mine', 404],
    ['ready', 200],
    ['journal/1/explain', 404],
  ])('creates none: GET /s/mine/__sim/%s answers %i', async (path, status) => {
    const sim = simulator()
    expect((await get(sim, `/s/mine/__sim/${path}`)).status).toBe(status)
    expect(sim.core.sessions.find('mine')).toBeUndefined()
  })

  it('is rejected for an invalid session name', async () => {
    expect(await detailOf(await get(simulator(), '/s/a%20b/__sim/sessions'))).toContain('is not allowed')
  })

  it('still explains the end of a session', async () => {
    const sim = simulator()
    sim.createSession({ name: 'mine' }).dispose()
    expect(await detailOf(await get(sim, '/s/mine/__sim/journal/1/explain'))).toContain('it was disposed of')
  })
})

describeIntegrations('POST /__sim/sessions', (integration) => {
  it('creates a session, lists it, and disposes of it', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const scenarios = [{ text: 'title: x\nrules:\n  - then: { text: hi }\n' }]
    const made = await call(`${url}/__sim/sessions`, jsonCall({ name: 'mine', clock: 'auto', scenarios }))
    expect([made.status, await made.json()]).toMatchObject([
      201,
      {
        name: 'mine',
        baseUrl: `${url}/s/mine`,
        apiKey: 'sk-sim-mine-test',
        headers: { 'x-sim-session': 'mine' },
        clock: { mode: 'auto' },
        explicit: true,
      },
    ])
    // Its address does not depend on the session that the call has named.
    expect(await bodyOf(call(`${url}/s/other/__sim/sessions/mine`))).toMatchObject({
      baseUrl: `${url}/s/mine`,
    })
    expect((await call(`${url}/s/mine/v1/chat/completions`, jsonCall(chat))).status).toBe(200)
    expect(await bodyOf(call(`${url}/__sim/sessions/mine`, { method: 'DELETE' }))).toEqual({
      deleted: 'mine',
    })
    expect((await call(`${url}/__sim/sessions/mine`)).status).toBe(404)
  })

  it('reads no files of the server', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const given = { files: [{ path: 'a.txt', content: { file: '/etc/hostname' } }] }
    const response = await call(`${url}/__sim/sessions`, jsonCall({ scenarios: [{ title: 'x', given }] }))
    expect([response.status, response.headers.get('content-type'), await detailOf(response)]).toEqual([
      400,
      'application/problem+json',
      '`given.files[0].content.file`: a scenario sent to the control API cannot load files from the server: use `text`, `base64` or `image`.',
    ])
  })
})

describe.each(['in-process', 'over HTTP'])('the options of each SDK, %s', (way) => {
  const opened = async () => {
    const sim = simulator({ clock: 'auto' })
    const session = sim.createSession({ name: 'mine' })
    const listening = await listen(sim)
    onTestFinished(() => listening.close())
    return { sim, session, options: way === 'in-process' ? session : session.on(listening.url) }
  }

  it('point the real clients to the session', async () => {
    const { sim, session, options } = await opened()
    const prompt = 'Reply with exactly: pong'
    const messages = [{ role: 'user' as const, content: prompt }]
    const haiku = 'claude-3-5-haiku-20241022'
    const pongs = [
      (await new OpenAI(options.sdk.openai()).chat.completions.create({ model: 'gpt-4o', messages }))
        .choices[0]?.message.content,
      (
        await new Anthropic(options.sdk.anthropic()).messages.create({
          model: haiku,
          max_tokens: 64,
          messages,
        })
      ).content,
      (await generateText({ model: createOpenAI(options.sdk.aiSdkOpenai()).chat('gpt-4o'), messages })).text,
      (await generateText({ model: createAnthropic(options.sdk.aiSdkAnthropic())(haiku), messages })).text,
      (await new ChatOpenAI({ model: 'gpt-4o', ...options.sdk.langchainOpenai() }).invoke(prompt)).text,
      (
        await new ChatAnthropic({ model: 'claude-sonnet-4-5', ...options.sdk.langchainAnthropic() }).invoke(
          prompt,
        )
      ).text,
    ]
    expect(pongs).toMatchObject(['pong', [{ text: 'pong' }], 'pong', 'pong', 'pong', 'pong'])
    const { answers } = await new TypeSafeClient(options.sdk.systemone()).systemOne({
      state: { a: 'b' },
      questions: { q: noul() },
    })
    expect(answers.q.type).toBe('noul')
    const { name } = await new GoogleGenAI(options.sdk.google()).models.generateVideos({
      model: 'veo-3.0-generate-001',
      source: { prompt: 'a fox' },
    })
    expect(name).toContain('/operations/')
    const conversations = ['chat.create', 'messages.create']
    expect(session.journal().map(({ operation }) => operation)).toEqual([
      ...[...conversations, ...conversations, ...conversations],
      ...['systemone.evaluate', 'videoOperations.submit'],
    ])
    expect(sim.journal()).toEqual([])
  })

  it('and plain fetch', async () => {
    const { session, options } = await opened()
    const own = way === 'in-process' ? session.fetch : fetch
    expect((await own(`${options.baseUrl}/v1/models`, { headers: options.headers })).status).toBe(200)
    if (way === 'in-process')
      expect((await session.fetch('/v1/models', { headers: session.headers })).status).toBe(200)
    expect(new Set(session.journal().map((entry) => entry.session))).toEqual(new Set(['mine']))
  })
})

describe('a title', () => {
  it.each([
    ['makes an image', 'makes-an-image'],
    ['  «Zürich»: retries (503)!', 'zurich-retries-503'],
    [`${'long '.repeat(20)}title`, 'long-long-long-long-long-long-long-long-long-long-long-l'],
    ['default', 'default-2'],
    ['画像を作る', 's1'],
  ])('%j names the session %j', (title, name) => {
    expect(simulator().createSession({ title }).name).toBe(name)
  })

  it('of several sessions gives each its own name, in every place', async () => {
    const sim = simulator()
    const client = connect('http://gateway.sim', { fetch: sim.fetch })
    const title = 'Makes an image'
    const remote = await client.createSession({ title })
    expect([remote.name, sim.createSession({ title }).name]).toEqual(['makes-an-image', 'makes-an-image-2'])
    await remote.dispose()
    expect((await client.createSession({ title })).name).toBe('makes-an-image')
    expect(sim.createSession({ title, name: 'mine' }).name).toBe('mine')
  })
})
