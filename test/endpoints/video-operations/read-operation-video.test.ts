/** videoOperations.readVideo: the film behind a result's uri. */
import { expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { body, rejectionOf, submit } from './_operations.ts'

it('videoOperations.readVideo rejects unfinished operations, missing samples and other names', async () => {
  const sim = simulator()
  const id = (await submit(sim)).slice(-36)
  const read = (name: string): Promise<Response> =>
    sim.fetch(`http://gateway.test/media/operations/${id}/${name}`)
  expect((await read('0.mp4')).status).toBe(404)
  sim.clock.advance('1h')
  expect((await read('0.mp4')).status).toBe(200)
  for (const name of ['1.mp4', '0.mov', '-1.mp4', '0', '00.mp4']) expect((await read(name)).status).toBe(404)
})

const two = body('a fox', { sampleCount: 2 })
it.each([
  [
    'that is on its way',
    two,
    '0s',
    '0.mp4',
    'its state is PENDING, its videos are 0.mp4 to 1.mp4 once it has succeeded.',
  ],
  [
    'of one video that is on its way',
    body(),
    '30s',
    '0.mp4',
    'its state is RUNNING, its only video is 0.mp4 once it has succeeded.',
  ],
  [
    'that has failed',
    body('[sim:fail-at-40] a fox'),
    '1h',
    '0.mp4',
    'its state is FAILED, a failed operation has no videos.',
  ],
  ['that has succeeded', two, '1h', '2.mp4', 'its state is SUCCEEDED, its videos are 0.mp4 to 1.mp4.'],
])('videoOperations.readVideo says what an operation %s has', async (_state, sent, after, name, words) => {
  const sim = simulator()
  const id = (await submit(sim, sent)).slice(-36)
  sim.clock.advance(after)
  const { error } = await rejectionOf(await sim.fetch(`http://gateway.test/media/operations/${id}/${name}`))
  expect(error.message).toBe(`The operation \`${id}\` has no video \`${name}\`: ${words}`)
})

it('videoOperations.readVideo says that all videos were held back', async () => {
  const timeline = [{ at: '0s', status: 'SUCCEEDED' as const, filtered: ['a reason'] }]
  const rules = [{ when: { operation: 'videoOperations.submit' as const }, then: { timeline } }]
  const sim = simulator({ scenarios: [{ title: 'Held back', rules }] })
  const id = (await submit(sim)).slice(-36)
  const { error } = await rejectionOf(await sim.fetch(`http://gateway.test/media/operations/${id}/0.mp4`))
  expect(error.message).toContain('its state is SUCCEEDED, the operation has no videos.')
})
