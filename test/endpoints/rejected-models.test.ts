/**
 * Models that the catalogue does not hold, or that are not enabled for a key, in the words of OpenAI's API.
 */
import { expect, it } from 'vitest'
import { post, simulator } from '../_setup.ts'
import { rejection } from './_openai-family.ts'
import { undrawn } from './images/_images.ts'
import { good } from './systemone/_evaluations.ts'

it.each([
  ['chat', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['images', '/v1/images/generations', { prompt: 'a fox' }],
  ['videos', '/v1/videos', { prompt: 'a fox' }],
  ['systemone', '/v1/systemone', good],
] as const)(
  '%s: 404 for a model that does not exist, 403 for one that is not enabled for the key',
  async (catalogue, path, body) => {
    const sim = simulator({
      settings: {
        models: { [catalogue]: ['model-1', 'model-2'] },
        keys: { 'sk-test': {}, 'sk-one': { models: ['model-1'] } },
      },
    })
    undrawn(sim)
    const ask = async (model: string, key = 'sk-test'): Promise<[number, unknown]> => {
      const response = await post(sim, path, { ...body, model }, { authorization: `Bearer ${key}` })
      return [response.status, await response.json()]
    }
    const unknown =
      'The model `model-9` does not exist or you do not have access to it. Known models: model-1, model-2 (setting ' +
      `models.${catalogue}).`
    expect(await ask('model-9')).toEqual([404, rejection('not_found_error', 404, unknown, 'model')])
    const barred =
      'The model `model-2` is not enabled for this API key. Enabled models: model-1 (setting keys).'
    expect(await ask('model-2', 'sk-one')).toEqual([403, rejection('permission_error', 403, barred, 'model')])
    expect((await ask('model-1', 'sk-one'))[0]).toBe(200)
  },
)
