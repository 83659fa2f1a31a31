/**
 * videoOperations.downloadVideoByUri: the whole address of a film where its id should stand, as Google
 * clients write it for http.
 */
import { expect, it } from 'vitest'
import { describeIntegrations, simulator } from '../../_setup.ts'
import { body } from './_operations.ts'

/**
 * What @google/genai makes of a uri: it puts `files/` before and `:download` behind, and a query after that.
 */
const asked = (base: string, uri: string): string => `${base}/v1beta/files/${uri}:download&alt=media`

describeIntegrations('videoOperations.downloadVideoByUri', (integration) => {
  it('answers the film of the address, wherever the simulator stands', async () => {
    const sim = simulator({ clock: 'auto', settings: { videoOperations: { duration: '0s' } } })
    const { fetch, url } = await integration.open(sim)
    const call = async (path: string, sent?: object) =>
      (await (
        await fetch(`${url}${path}`, {
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
          ...(sent === undefined ? {} : { method: 'POST', body: JSON.stringify(sent) }),
        })
      ).json()) as { name: string; response: { generatedVideos: { uri: string }[] } }
    for (const base of ['', '/s/other']) {
      const { name } = await call(`${base}/v1beta/models/veo-3.0:predictLongRunning`, body())
      const { uri = '' } = (await call(`${base}/v1beta/${name}`)).response.generatedVideos[0] ?? {}
      expect(uri.startsWith(`${url}${base}/v1beta/files/`)).toBe(true)
      // The id names the session, also where a client's base address does not.
      for (const from of [`${url}${base}`, url]) {
        const response = await fetch(asked(from, uri))
        expect([
          response.status,
          response.headers.get('content-type'),
          response.headers.get('content-disposition'),
        ]).toEqual([200, 'video/mp4', `inline; filename="${name.slice(-36)}-0.mp4"`])
        const plain = Buffer.from(await (await fetch(uri)).arrayBuffer())
        expect(Buffer.from(await response.arrayBuffer()).equals(plain)).toBe(true)
      }
    }
  })
})
