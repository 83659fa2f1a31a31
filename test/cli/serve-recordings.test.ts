/** `gateway-sim serve --recordings`. */
import { describe, expect, it } from 'vitest'
import { harText } from '../recording/_har.ts'
import { exchange } from '../recording/_record.ts'
import { directoryWith, serve } from './_io.ts'

const models = exchange({ url: 'https://gateway.example/v1/models' }, { body: '{"theirs":true}' })
const key = { authorization: 'Bearer k' }

describe('--recordings', () => {
  it('plays back a file, or all files of a folder', async () => {
    const cwd = directoryWith({ 'a.har': harText([models], 'test') })
    for (const named of ['a.har', '.']) {
      const { url } = await serve(['--recordings', named, '--strict'], { cwd })
      expect(await (await fetch(`${url}/v1/models`, { headers: key })).text()).toBe('{"theirs":true}')
      expect((await fetch(`${url}/v1/videos`, { method: 'POST', headers: key })).status).toBe(400)
    }
  })

  it('warns of requests that it cannot play back', async () => {
    const other = exchange({ url: 'https://gateway.example/other' }, { body: '' })
    const cwd = directoryWith({ 'a.har': harText([models, other], 'test') })
    const { stderr } = await serve(['--recordings', 'a.har'], { cwd })
    const [message] = await stderr.until(/1 recorded request cannot.*/)
    expect(message).toContain('The first is a.har, entry 2: GET /other is not an operation.')
  })
})
