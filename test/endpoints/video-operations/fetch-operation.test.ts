/** videoOperations.fetch: POST …:fetchPredictOperation, how Vertex clients poll. */
import { expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { submit } from './_operations.ts'

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
