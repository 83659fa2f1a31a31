/** operations.readVideo: the film behind a result's uri. */
import { expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { filmFacts } from '../_film.ts'
import { body, poll, submit } from './_operations.ts'

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

it('operations.readVideo answers the very film that the result holds as base64, in every dialect, for each sample another', async () => {
  const sim = simulator()
  const name = await submit(sim, body('a fox', { sampleCount: 2, durationSeconds: 5, aspectRatio: '9:16' }))
  sim.clock.advance('1h')
  const { response } = await poll(sim, name)
  const files = await Promise.all((response?.generatedVideos ?? []).map(async ({ uri }) => await sim.fetch(uri)))
  expect(files.map(({ headers }) => headers.get('content-disposition'))).toEqual(['inline; filename="0.mp4"', 'inline; filename="1.mp4"'])
  const films = await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer())))
  expect(films.map(filmFacts)).toEqual([[720, 1280, 5], [720, 1280, 5]])
  expect(films[0]?.equals(films[1] as Buffer)).toBe(false)
  const read = films.map((film) => film.toString('base64'))
  expect(response?.generatedVideos.map(({ videoBytes }) => videoBytes)).toEqual(read)
  expect(response?.generateVideoResponse.generatedSamples.map(({ video }) => video.encodedVideo)).toEqual(read)
  expect(response?.videos.map(({ bytesBase64Encoded }) => bytesBase64Encoded)).toEqual(read)
})
