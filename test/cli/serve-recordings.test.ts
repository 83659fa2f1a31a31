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
      const { url } = await serve(['--recordings', named, '--on-miss', 'reject'], { cwd })
      expect(await (await fetch(`${url}/v1/models`)).text()).toBe('{"theirs":true}')
      expect((await fetch(`${url}/v1/videos`, { headers: key })).status).toBe(422)
    }
  })

  it('shows a recorded request to try where others are rejected', async () => {
    const cwd = directoryWith({ 'a.har': harText([models], 'test') })
    const { stderr } = await serve(['--recordings', 'a.har', '--on-miss', 'reject'], { cwd })
    const [hints] = await stderr.until(/Try:\n.*\n/)
    expect(hints).toBe('Try:\n  one of the recorded requests: GET /v1/models\n')
  })
})
