/** `gateway-sim serve --recordings`. */
import { describe, expect, it } from 'vitest'
import { harText } from '../../src/har/write-har.ts'
import { exchange } from '../recording/_record.ts'
import { directoryWith, run, serve } from './_io.ts'

const models = exchange({ url: 'https://gateway.example/v1/models' }, { body: '{"theirs":true}' })
const key = { authorization: 'Bearer k' }

describe('--recordings', () => {
  it('plays a file, or all files of a directory', async () => {
    const cwd = directoryWith({ 'a.har': harText([models], 'test') })
    for (const named of ['a.har', '.']) {
      const { url } = await serve(['--recordings', named, '--on-miss', 'refuse'], { cwd })
      expect(await (await fetch(`${url}/v1/models`)).text()).toBe('{"theirs":true}')
      expect((await fetch(`${url}/v1/videos`, { headers: key })).status).toBe(422)
    }
  })

  it('says what cannot be read, and where', async () => {
    const cwd = directoryWith({ 'torn.har': '{"log":', 'odd.har': '{"log":{"entries":[{"request":7}]}}' })
    const refused = async (...args: string[]) => {
      const { code, stderr } = await run(['serve', '--port', '0', ...args], { cwd })
      return [code, stderr]
    }
    expect(await refused('--recordings', 'torn.har')).toEqual([
      3,
      expect.stringContaining('torn.har: expected a HAR'),
    ])
    expect(await refused('--recordings', 'odd.har')).toEqual([
      3,
      expect.stringContaining('odd.har, entry 1') && expect.stringContaining('log.entries[0].request'),
    ])
    expect(await refused('--recordings', 'no.har')).toEqual([
      3,
      expect.stringContaining('no.har: there is no such file or folder'),
    ])
    expect(await refused('--on-miss', 'refuse')).toEqual([
      2,
      expect.stringContaining('add --recordings FILE'),
    ])
  })
})
