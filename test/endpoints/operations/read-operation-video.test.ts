/** operations.readVideo: the film behind a result's uri. */
import { expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { submit } from './_operations.ts'

it('operations.readVideo refuses before the operation is done, beyond its samples and under other names', async () => {
  const sim = simulator()
  const id = (await submit(sim)).slice(-36)
  const read = (name: string): Promise<Response> => sim.fetch(`http://gateway.test/media/operations/${id}/${name}`)
  expect((await read('0.mp4')).status).toBe(404)
  sim.clock.advance('1h')
  expect((await read('0.mp4')).status).toBe(200)
  for (const name of ['1.mp4', '0.mov', '-1.mp4', '0', '00.mp4']) expect((await read(name)).status).toBe(404)
})

it('operations.readVideo answers ranges', async () => {
  const sim = simulator()
  const id = (await submit(sim)).slice(-36)
  sim.clock.advance('1h')
  const part = await sim.fetch(`http://gateway.test/media/operations/${id}/0.mp4`, { headers: { range: 'bytes=4-7' } })
  expect([part.status, await part.text()]).toEqual([206, 'ftyp'])
})
