import { describe, expect, it } from 'vitest'
import { get, simulator } from '../../_setup.ts'

const models = async (settings: object, headers?: Record<string, string>): Promise<unknown> =>
  (await get(simulator({ settings }), '/v1/models', headers)).json()
const list = (...ids: string[]): unknown => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created: 1_735_689_600, owned_by: 'gateway-sim' })),
  models: ids.map((name) => ({ name, description: 'A gateway-sim model', release_date: '2025-01-01' })),
})

describe('models.list', () => {
  it('shows a few examples when every model works', async () => {
    expect(await models({})).toEqual(
      list('gpt-4o', 'gpt-4o-mini', 'gpt-5', 'image-job-v7', 'video-1', 'jev-latest'),
    )
  })

  it('shows what the catalogue names, each once, patterns left out', async () => {
    expect(
      await models({ models: { chat: ['a', 'b-*'], imageJobs: ['v7', 'a'], videos: ['film'] } }),
    ).toEqual(list('a', 'v7', 'film'))
  })

  it('shows what the key may use', async () => {
    const settings = { models: { chat: ['a', 'b'] }, keys: { 'sk-b': { models: ['b'] }, 'sk-all': {} } }
    expect(await models(settings, { authorization: 'Bearer sk-b' })).toEqual(list('b'))
    expect(await models(settings, { authorization: 'Bearer sk-all' })).toEqual(list('a', 'b'))
  })
})
