/** operations.submit: POST /v1beta/models/{model}:predictLongRunning (contract 4.7, wire-formats section 6). */
import { describe, expect, it } from 'vitest'
import { describeDoors, post, simulator } from '../../_setup.ts'
import { body, poll, refusalOf, submit, submitPath } from './_operations.ts'

describe('operations.submit refuses', () => {
  it.each([
    [{}, '`instances`: is required: expected an array.', 'instances'],
    [{ instances: [] }, '`instances`: expected at least 1 item(s), got 0.', 'instances'],
    [{ instances: [{ prompt: 'a' }, { prompt: 'b' }] }, '`instances`: expected at most 1 item(s), got 2.', 'instances'],
    [{ instances: [{}] }, '`instances[0]`: expected a `prompt`, an `image`, or both, got neither.', 'instances[0]'],
    [{ instances: [{ prompt: '' }] }, '`instances[0].prompt`: expected at least 1 character(s), got an empty string.', 'instances[0].prompt'],
    [body('x', { sampleCount: 0 }), '`parameters.sampleCount`: expected at least 1, got 0.', 'parameters.sampleCount'],
    [body('x', { sampleCount: 5 }), '`parameters.sampleCount`: expected at most 4, got 5.', 'parameters.sampleCount'],
    [body('x', { durationSeconds: 3 }), '`parameters.durationSeconds`: expected at least 4, got 3.', 'parameters.durationSeconds'],
    [body('x', { durationSeconds: 9 }), '`parameters.durationSeconds`: expected at most 8, got 9.', 'parameters.durationSeconds'],
    [body('x', { aspectRatio: '4:3' }), '`parameters.aspectRatio`: expected one of "16:9", "9:16", got "4:3".', 'parameters.aspectRatio'],
    [{ instances: [{ prompt: 'x', referenceImages: [{ image: { gcsUri: 'https://x', mimeType: 'image/png' }, referenceType: 'asset' }] }] }, '`instances[0].referenceImages[0].image.gcsUri`: expected a gs:// address, got "https://x".', 'instances[0].referenceImages[0].image.gcsUri'],
  ])('%#', async (sent, message, param) => {
    expect(await refusalOf(await post(simulator(), submitPath, sent))).toMatchObject({ status: 400, error: { code: 400, status: 'INVALID_ARGUMENT', message, param } })
  })

  it('a call without a key, naming both headers that may hold it', async () => {
    const sim = simulator()
    const refused = await sim.fetch(`http://gateway.test${submitPath}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body()) })
    expect(await refusalOf(refused)).toMatchObject({ status: 401, error: { status: 'UNAUTHENTICATED', message: 'No API key: send `authorization: Bearer <API_KEY>` or `x-goog-api-key: <API_KEY>` (no such header was sent).' } })
  })

  it('an unknown model, and one that is not enabled for the key', async () => {
    const sim = simulator({ settings: { catalog: { operations: ['veo-3*'] }, keys: { 'sk-test': { models: ['veo-3.1'] } } } })
    expect(await refusalOf(await post(sim, '/v1beta/models/veo-2:predictLongRunning', body()))).toMatchObject({ status: 404, error: { status: 'NOT_FOUND', param: 'model' } })
    expect(await refusalOf(await post(sim, submitPath, body()))).toMatchObject({ status: 403, error: { status: 'PERMISSION_DENIED', param: 'model' } })
    expect((await post(sim, '/v1beta/models/veo-3.1:predictLongRunning', body())).status).toBe(200)
  })

  it('the reserved model that does not exist, and other reserved models', async () => {
    const sim = simulator()
    expect((await post(sim, '/v1beta/models/no-such-model:predictLongRunning', body())).status).toBe(404)
    expect((await post(sim, '/v1beta/models/sim-overloaded:predictLongRunning', body())).status).toBe(503)
  })
})

describeDoors('operations.submit answers', (door) => {
  it('only a name, under which the operation is polled', async () => {
    const { fetch: call, url } = await door.open(simulator())
    const headers = { 'x-goog-api-key': 'k', 'content-type': 'application/json' }
    const response = await call(`${url}${submitPath.replace(':', '%3A')}`, { method: 'POST', headers, body: JSON.stringify(body()) })
    const answer = (await response.json()) as { name: string }
    expect(Object.keys(answer)).toEqual(['name'])
    expect(answer.name).toMatch(/^projects\/gateway-sim\/locations\/us-central1\/publishers\/google\/models\/veo-3\.0\/operations\/[0-9a-f-]{36}$/)
    expect(await (await call(`${url}/v1beta/${answer.name}`, { headers })).json()).toMatchObject({ name: answer.name, done: false })
  })
})

describe('operations.submit unfolds', () => {
  it('accepts a picture instead of a prompt, and reference images', async () => {
    const sim = simulator()
    const image = { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }
    expect((await post(sim, submitPath, { instances: [{ image }] })).status).toBe(200)
    expect((await post(sim, submitPath, { instances: [{ prompt: 'x', lastFrame: image, referenceImages: [{ image, referenceType: 'style' }] }] })).status).toBe(200)
  })

  it('takes the parts of its name from the settings', async () => {
    const sim = simulator({ settings: { operations: { place: { project: 'p', location: 'l', publisher: 'acme' } } } })
    expect(await submit(sim)).toMatch(/^projects\/p\/locations\/l\/publishers\/acme\/models\/veo-3\.0\/operations\//)
  })

  it('is finished in the first poll with [sim:at-once]', async () => {
    const sim = simulator()
    expect((await poll(sim, await submit(sim, body('[sim:at-once] a fox')))).done).toBe(true)
  })
})
