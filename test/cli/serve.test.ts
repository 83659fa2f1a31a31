/** `gateway-sim serve`: what a transcript cannot show: open streams, random tokens, hints that work. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createCallLog } from '../../src/cli/call-log.ts'
import { bodyOf, jsonCall } from '../_setup.ts'
import { directoryWith, emptyDirectory, record, serve, start } from './_io.ts'

const key = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const send = (url: string, body: object): Promise<Response> => fetch(url, jsonCall(body))
const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
describe('the exit code', () => {
  it('is 0 when the process is asked to stop, with an open stream', async () => {
    const running = await serve(['--clock', 'manual'])
    const response = await send(`${running.url}/v1/chat/completions`, { ...hello, stream: true })
    const read = response.text().then(
      () => 'ended',
      () => 'broken',
    )
    running.stop()
    expect(await running.code).toBe(0)
    expect(await read).toBe('broken')
  })
})

describe('settings', () => {
  it('print only a generated control token, never a given one', async () => {
    const set = { env: { GATEWAY_SIM_CONTROL_TOKEN: 'of-the-environment' } }
    const inEnvironment = await serve(['--host', '0.0.0.0'], set)
    const asFlag = await serve(['--host', '0.0.0.0', '--control-token', 'of-the-flag'], set)
    for (const { stderr } of [inEnvironment, asFlag]) {
      await stderr.until(/Try:/)
      expect(stderr.text).not.toMatch(/of-the-|control token:/)
    }
    const generated = await serve(['--host', '0.0.0.0'])
    await generated.stderr.until(/control token: \S+\n/)
  })

  it('set the base URL of links, by flag or file', async () => {
    const cwd = directoryWith({ 'gateway-sim.config.yaml': 'publicUrl: https://from.file/' })
    const linkOf = async (url: string): Promise<string> => {
      const { id } = await bodyOf(send(`${url}/v1/tob/diffusion`, { model: 'sim-finished', text: 'a fox' }))
      return (await bodyOf(fetch(`${url}/v1/tob/job/${id}`, { headers: key }))).urls[0]
    }
    expect(await linkOf((await serve([], { cwd })).url)).toMatch(/^https:\/\/from\.file\/media\//)
    expect(await linkOf((await serve(['--public-url', 'https://from.flag'], { cwd })).url)).toMatch(
      /^https:\/\/from\.flag\/media\//,
    )
  })
})

const models = {
  ...{ method: 'GET', path: '/v1/models', status: 200, operation: 'models.list', session: 'default' },
  ...{
    decidedBy: undefined,
    rule: undefined,
    faults: [],
    requestId: 'req_1',
    at: 0,
    realAt: 0,
    durationMs: 1,
  },
}

describe('the request log', () => {
  it('begins with the page and two working curl commands', async () => {
    const { url, stderr } = await serve()
    const [, page = '', chat = '', rejected = ''] = (await stderr.until(
      /^Page: (.*)\nTry:\n {2}curl (.*)\n {2}curl (.*)\n$/,
    )) as string[]
    const send = (words: string): Promise<Response> => {
      const [target = '', ...flags] =
        words.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []
      const after = (flag: string): string[] => flags.filter((_, index) => flags[index - 1] === flag)
      const [body] = after('-d')
      return fetch(target, {
        headers: after('-H').map((header) => header.split(': ') as [string, string]),
        ...(body === undefined ? {} : { method: 'POST', body }),
      })
    }
    expect((await fetch(page)).status).toBe(200)
    expect(chat).toContain(`${url}/v1/chat/completions`)
    expect((await send(chat)).status).toBe(200)
    expect((await send(rejected)).status).toBe(429)
  })

  it('shows no control characters from clients', async () => {
    const stderr = record()
    const log = createCallLog({ stderr, env: {} }, 'pretty')
    log.call({ ...models, path: '/\u001b[2J\u009b1m', status: 404, operation: undefined })
    log.flush()
    expect(stderr.text).toBe('1970-01-01T00:00:00.000Z 404 GET /\\u{1b}[2J\\u{9b}1m req_1\n')
  })

  it('separates warnings from requests, in JSON too', async () => {
    const both = (['pretty', 'json'] as const).map((form) => {
      const stderr = record()
      const log = createCallLog({ stderr, env: {} }, form)
      log.warn('a client waits')
      log.flush()
      return stderr.text
    })
    expect(both[0]).toBe('gateway-sim: warning: a client waits\n')
    expect(JSON.parse(both[1] as string)).toEqual({
      event: 'warning',
      message: 'a client waits',
      realTime: expect.stringMatching(/^20\d\d-.*Z$/) as string,
    })
  })
})

it('starts with the file of a start command that was stopped before it was ready', async () => {
  const cwd = emptyDirectory()
  writeFileSync(`${cwd}/gateway-sim.config.yaml`, 'seed: fox\n')
  const running = start(['serve', '--port', '0'], { cwd })
  running.stop()
  expect(await running.code).toBe(0)
})
