/**
 * Models that the catalogue does not hold, or that are not enabled for a key, in the words of each API. Such
 * requests count towards no rule.
 */
import { expect, it } from 'vitest'
import { jsonCall, simulator } from '../_setup.ts'
import { form } from './_openai-family.ts'
import { fileOf, png, undrawn } from './images/_images.ts'
import { good } from './systemone/_evaluations.ts'

interface Words {
  readonly status: number
  readonly unknown: string
  readonly barred: string
}
type Row = readonly [catalogue: string, path: string, body: (model: string) => object, words: Words]

const barred = 'The model `model-2` is not enabled for this API key. Enabled models: model-1 (setting keys).'
const openai = (catalogue: string): Words => ({
  status: 404,
  unknown:
    'The model `model-9` does not exist or you do not have access to it. Known models: model-1, model-2 ' +
    `(setting models.${catalogue}).`,
  barred,
})
const ofMessages = {
  status: 404,
  unknown: 'model: model-9 (expected model-1, model-2; setting models.messages)',
  barred: 'model: model-2 is not enabled for this API key (setting keys).',
}
const ofImageJobs = {
  status: 403,
  unknown: openai('imageJobs').unknown,
  barred,
}
const messages = [{ role: 'user', content: 'Hi' }]
const [prompt, imgUrl] = ['a fox', 'https://example.com/cat.png']
const edit = (model: string) => form(['image', fileOf(png())], ['prompt', prompt], ['model', model])

it.each<Row>([
  ['chat', '/v1/chat/completions', (model) => ({ model, messages }), openai('chat')],
  ['messages', '/v1/messages', (model) => ({ model, max_tokens: 9, messages }), ofMessages],
  ['images', '/v1/images/generations', (model) => ({ model, prompt }), openai('images')],
  ['images', '/v1/images/edits', edit, openai('images')],
  ['imageJobs', '/v1/tob/diffusion', (model) => ({ model, text: prompt }), ofImageJobs],
  ['imageJobs', '/v1/tob/retexture', (model) => ({ model, imgUrl, remixPrompt: prompt }), ofImageJobs],
  ['imageJobs', '/v1/tob/remove-background', (model) => ({ model, imgUrl }), ofImageJobs],
  ['videos', '/v1/videos', (model) => ({ model, prompt }), openai('videos')],
  ['videos', '/v1/videos/video_1/remix', (model) => ({ model, prompt }), openai('videos')],
  [
    'videoOperations',
    '/v1beta/models/MODEL:predictLongRunning',
    () => ({ instances: [{ prompt }] }),
    openai('videoOperations'),
  ],
  ['systemone', '/v1/systemone', (model) => ({ ...good, model }), openai('systemone')],
])('%s, %s: no unknown model, and 403 for one that is not enabled for the key', async (...row) => {
  const [catalogue, path, bodyFor, words] = row
  const sim = simulator({
    settings: {
      models: { [catalogue]: ['model-1', 'model-2'] },
      keys: { 'sk-test': {}, 'sk-one': { models: ['model-1'] } },
    },
    scenarios: [
      {
        title: 'a rule for one request',
        given: { videos: [{ id: 'video_1' }] },
        rules: [{ id: 'once', when: { times: 1 }, then: { error: { status: 503 } } }],
      },
    ],
  })
  undrawn(sim)
  const ask = async (model: string, key = 'sk-test') => {
    const body = bodyFor(model)
    const headers = { authorization: `Bearer ${key}`, 'anthropic-version': '2023-06-01' }
    const call = body instanceof FormData ? { method: 'POST', headers, body } : jsonCall(body, headers)
    const response = await sim.fetch(`http://gateway.test${path.replace('MODEL', model)}`, call)
    const { type, code, message, param } = ((await response.json()) as { error?: any }).error ?? {}
    return { status: response.status, type, code, message, param }
  }
  const rejected = (status: number, message: string) => ({
    status,
    type: status === 404 ? 'not_found_error' : 'permission_error',
    code: status,
    message,
    param: 'model',
  })
  expect(await ask('model-9')).toEqual(rejected(words.status, words.unknown))
  expect(await ask('model-2', 'sk-one')).toEqual(rejected(403, words.barred))
  expect(sim.unusedRules()).toEqual(['once'])
  expect((await ask('model-1', 'sk-one')).status).toBe(503)
  expect((await ask('model-1', 'sk-one')).status).toBe(200)
})
