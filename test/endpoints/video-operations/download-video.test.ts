/** videoOperations.downloadVideo: the film behind a result's uri, in the form of the Gemini API. */
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { body, finish, rejectionOf, submit } from './_operations.ts'

describe('videoOperations.downloadVideo rejects', () => {
  it('before the operation is done, and says so', async () => {
    const sim = simulator()
    const id = (await submit(sim, body('a fox', { sampleCount: 2 }))).slice(-36)
    const file = id.replaceAll('-', '')
    expect(
      await rejectionOf(await sim.fetch(`http://gateway.test/v1beta/files/${file}0:download?alt=media`)),
    ).toMatchObject({
      status: 404,
      error: {
        status: 'NOT_FOUND',
        param: 'file_id',
        message:
          `Unknown file "${file}0": expected the id in the \`uri\` of a video in an operation response. The ` +
          `state of the operation \`${id}\` is PENDING; it has these videos: none.`,
      },
    })
    sim.clock.advance('1h')
    expect((await sim.fetch(`http://gateway.test/v1beta/files/${file}1:download?alt=media`)).status).toBe(200)
  })

  it('a number beyond its samples, malformed ids, and files that are not videos of operations', async () => {
    const sim = simulator()
    const [uri] = (await finish(sim)).uris
    for (const wrong of [
      uri.replace('0:download', '1:download'),
      uri.replace('0:download', '00:download'),
      uri.replace('/files/', '/files/0'),
      uri.replace(/files\/[^:]+/, 'files/mehozpxf877d'),
    ]) {
      expect(await rejectionOf(await sim.fetch(wrong)), wrong).toMatchObject({
        status: 404,
        error: { status: 'NOT_FOUND' },
      })
    }
  })
})

describe('videoOperations.downloadVideo answers', () => {
  it('addresses of which Google clients can take the id, one for each sample', async () => {
    const { uris } = await finish(simulator(), { sampleCount: 2 })
    for (const uri of uris)
      expect(uri).toMatch(/^http:\/\/gateway\.test\/v1beta\/files\/[a-z0-9]+:download\?alt=media$/)
    expect(new Set(uris).size).toBe(2)
  })

  it('without a key and with any, with whatever query', async () => {
    const sim = simulator()
    const [uri] = (await finish(sim)).uris
    const answers = await Promise.all([
      sim.fetch(uri),
      sim.fetch(`${uri}&key=anything`),
      sim.fetch(uri.replace('?alt=media', '')),
      sim.fetch(uri, { headers: { 'x-goog-api-key': 'anything' } }),
      sim.fetch(uri.replace(':download', '%3Adownload')),
    ])
    expect(answers.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual(
      answers.map(() => [200, 'video/mp4']),
    )
  })

  it('a file with the name of its operation', async () => {
    const sim = simulator()
    const { id, uris } = await finish(sim, { sampleCount: 2 })
    const download = await sim.fetch(uris[1] ?? '')
    expect(download.headers.get('content-disposition')).toBe(`inline; filename="${id}-1.mp4"`)
  })
})
