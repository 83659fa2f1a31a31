/**
 * Reserved model ids beside the models that the settings know: they stand in no catalogue and in no key's
 * list.
 */
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { get, post, simulator } from '../_setup.ts'

const restricted: NonNullable<SimulatorOptions['settings']> = {
  models: {
    chat: ['gpt-4o'],
    messages: ['claude-3-opus-20240229'],
    imageJobs: ['v7'],
    videos: ['video-1'],
    videoOperations: ['veo-3.0'],
    systemone: ['jev-latest'],
  },
  keys: {
    'sk-test': { models: ['gpt-4o', 'claude-3-opus-20240229', 'v7', 'video-1', 'veo-3.0', 'jev-latest'] },
  },
}

const submissions = [
  ['imageJobs.create', '/v1/tob/diffusion', (model: string) => ({ model, text: 'a cat' }), 403],
  [
    'imageJobs.retexture',
    '/v1/tob/retexture',
    (model: string) => ({ model, imgUrl: 'https://example.com/cat.png', remixPrompt: 'in blue' }),
    403,
  ],
  ['videos.create', '/v1/videos', (model: string) => ({ model, prompt: 'a fox' }), 404],
] as const

const talks = [
  [
    'chat.create',
    '/v1/chat/completions',
    (model: string) => ({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  ],
  [
    'messages.create',
    '/v1/messages',
    (model: string) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
  ],
] as const

const version = { 'anthropic-version': '2023-06-01' }

describe('a reserved model works with any list of models', () => {
  it.each(submissions)('in %s', async (_, path, body, unknown) => {
    const sim = simulator({ settings: restricted })
    expect((await post(sim, path, body('sim-finished'))).status).toBe(200)
    expect((await post(sim, path, body('other'))).status).toBe(unknown)
  })

  it.each(talks)('in %s', async (_, path, body) => {
    const sim = simulator({ settings: restricted })
    expect((await post(sim, path, body('sim-length'), version)).status).toBe(200)
    expect((await post(sim, path, body('other'), version)).status).toBe(404)
  })

  it('in videoOperations.submit, where the path holds the model', async () => {
    const sim = simulator({ settings: restricted })
    const submit = (model: string) =>
      post(sim, `/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt: 'a fox' }] })
    const { name } = (await (await submit('sim-finished')).json()) as { name: string }
    expect(await (await get(sim, `/v1beta/${name}`)).json()).toMatchObject({ done: true })
    expect((await submit('other')).status).toBe(404)
  })

  it('also when the second request gets the default response', async () => {
    const sim = simulator({ settings: restricted })
    const call = () =>
      post(sim, '/v1/systemone', {
        model: 'sim-rate-limit-once',
        state: 'It is late.',
        questions: { late: { type: 'noul', instructions: 'Is it late?' } },
      })
    expect([(await call()).status, (await call()).status]).toEqual([429, 200])
  })

  it('also for follow-ups of its job or video', async () => {
    const sim = simulator({ settings: restricted })
    const { id: job } = (await (
      await post(sim, '/v1/tob/diffusion', { model: 'sim-finished', text: 'a cat' })
    ).json()) as { id: string }
    expect((await post(sim, '/v1/tob/variation', { jobId: job, imageNo: 0, type: 0 })).status).toBe(200)
    const { id: video } = (await (
      await post(sim, '/v1/videos', { model: 'sim-finished', prompt: 'a fox' })
    ).json()) as { id: string }
    expect(await (await post(sim, `/v1/videos/${video}/remix`, { prompt: 'at night' })).json()).toMatchObject(
      { model: 'sim-finished', status: 'pending' },
    )
  })
})

it('a reserved model stands for an image model of any kind: its fields are not checked before it', async () => {
  const body = { model: 'sim-moderation-blocked', prompt: 'a fox', size: '256x256', response_format: 'url' }
  const response = await post(simulator(), '/v1/images/generations', body)
  expect(await response.json()).toMatchObject({ error: { type: 'moderation_blocked' } })
})

it('no-such-model does not exist for any list of models, unless a rule answers it', async () => {
  const rules = [{ id: 'r', when: { model: 'no-such-model', times: 1 }, then: { text: 'here' } }]
  const sim = simulator({ settings: restricted, scenarios: [{ title: 'a rule', rules }] })
  const chat = () =>
    post(sim, '/v1/chat/completions', { model: 'no-such-model', messages: [{ role: 'user', content: 'Hi' }] })
  expect([(await chat()).status, (await chat()).status]).toEqual([200, 404])
  expect((await post(sim, '/v1/tob/diffusion', { model: 'no-such-model', text: 'a cat' })).status).toBe(403)
})

describe('a similar model id', () => {
  it.each([
    ['a misspelled value', 'sim-at-onze'],
    ['a value of other operations', 'sim-length'],
    ['a value without its number', 'sim-fail-at-'],
  ])('is unknown: %s', async (_, model) => {
    expect(
      (await post(simulator({ settings: restricted }), '/v1/videos', { model, prompt: 'a fox' })).status,
    ).toBe(404)
  })
})
