/** videoOperations.fetch: POST …:fetchPredictOperation, how Vertex clients poll. */
import { expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { rejectionOf, submit } from './_operations.ts'

it('videoOperations.fetch answers what a poll answers', async () => {
  const sim = simulator()
  const operationName = await submit(sim)
  const path = `/v1beta/${operationName.replace(/\/operations\/.*/, '')}:fetchPredictOperation`
  expect(await (await post(sim, path, { operationName })).json()).toMatchObject({
    name: operationName,
    done: false,
  })
  sim.clock.advance('1h')
  expect(await (await post(sim, path, { operationName })).json()).toMatchObject({
    done: true,
    response: { videos: [{ mimeType: 'video/mp4' }] },
  })
})

it('videoOperations.fetch rejects a name that is none, and one of another model', async () => {
  const sim = simulator()
  const operationName = await submit(sim)
  const path =
    '/v1beta/projects/gateway-sim/locations/us-central1/publishers/google/models/veo-9:fetchPredictOperation'
  expect(await rejectionOf(await post(sim, path, { operationName: 'x' }))).toMatchObject({
    status: 400,
    error: { param: 'operationName' },
  })
  expect(await rejectionOf(await post(sim, path, { operationName }))).toMatchObject({
    status: 404,
    error: { param: 'operation_id' },
  })
})
