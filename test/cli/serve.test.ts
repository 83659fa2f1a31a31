import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCallLog } from '../../src/cli/call-log.ts'
import { bodyOf, jsonCall } from '../_setup.ts'
import { type Around, directoryWith, emptyDirectory, record, run, serve, start } from './_io.ts'

const key = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const listModels = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/models`, { headers: { ...key, ...headers } })
const clockOf = (url: string): Promise<unknown> => bodyOf(fetch(`${url}/__sim/clock`))
const send = (url: string, body: object): Promise<Response> => fetch(url, jsonCall(body))
const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
const submitVideo = async (url: string): Promise<string> =>
  (await bodyOf(send(`${url}/v1/videos`, { model: 'sora-2', prompt: 'a sunset' }))).id

describe('the ready signal', () => {
  it('is one line on stdout with the URL, and the server answers', async () => {
    const { url, stdout } = await serve()
    expect(stdout.text).toMatch(/^gateway-sim listening at http:\/\/127\.0\.0\.1:\d+\n$/)
    expect((await listModels(url)).status).toBe(200)
    expect(stdout.text.split('\n')).toHaveLength(2)
  })

  it('is one line of JSON with --format json', async () => {
    const { url, stdout } = await serve(['--format', 'json'])
    expect(stdout.text).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(stdout.text)).toEqual({
      event: 'ready',
      url,
      port: Number(new URL(url).port),
      pid: 4242,
      version: expect.stringMatching(/^\d/),
    })
  })

  it('is a file that appears complete, replaces an old one and is removed at the end', async () => {
    const cwd = directoryWith({ 'ready.json': 'from an earlier run' })
    const running = await serve(['--ready-file', 'ready.json'], { cwd })
    expect(JSON.parse(readFileSync(`${cwd}/ready.json`, 'utf8'))).toEqual({
      url: running.url,
      port: Number(new URL(running.url).port),
      pid: 4242,
      version: expect.any(String),
    })
    expect(readdirSync(cwd)).toEqual(['ready.json'])
    running.stop()
    expect(await running.code).toBe(0)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('does not appear if the server cannot start, even if an old file exists', async () => {
    const cwd = directoryWith({ 'ready.json': 'from an earlier run', 'gateway-sim.config.yaml': 'sede: 1' })
    const { code, stdout } = await run(['serve', '--port', '0', '--ready-file', 'ready.json'], { cwd })
    expect({ code, stdout, file: existsSync(`${cwd}/ready.json`) }).toEqual({
      code: 3,
      stdout: '',
      file: false,
    })
  })
})

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
  it('come from flags', async () => {
    const { url } = await serve(['--clock', 'manual', '--start', '2030-05-01T00:00:00Z'])
    expect(await clockOf(url)).toMatchObject({ mode: 'manual', now: '2030-05-01T00:00:00.000Z' })
  })

  it('come from the config file of the current folder; flags override it', async () => {
    const cwd = directoryWith({
      'gateway-sim.config.yaml':
        'seed: fox\nclock: { mode: manual, start: 2031-01-01T00:00:00Z }\nkeys: { sk-alice: {} }\n',
    })
    const { url } = await serve(['--start', '2032-01-01T00:00:00Z'], { cwd })
    expect(await clockOf(url)).toMatchObject({ mode: 'manual', now: '2032-01-01T00:00:00.000Z' })
    expect((await listModels(url)).status).toBe(401)
    expect((await listModels(url, { authorization: 'Bearer sk-alice' })).status).toBe(200)
  })

  it('come from the file of --config, also in JSON', async () => {
    const cwd = directoryWith({
      'ci.json': '{ "clock": { "mode": "auto" } }',
      'gateway-sim.config.yaml': 'clock: { mode: manual }',
    })
    expect(await clockOf((await serve(['--config', 'ci.json'], { cwd })).url)).toMatchObject({ mode: 'auto' })
  })

  it('by default make the clock follow the wall clock, at the given speed', async () => {
    expect(await clockOf((await serve(['--speed', '60'])).url)).toMatchObject({ mode: 'real', speed: 60 })
  })

  it('take the control token from the environment too; flags override it, and it overrides the file', async () => {
    const cwd = directoryWith({ 'gateway-sim.config.yaml': 'control: { token: of-the-file }\n' })
    const env = { GATEWAY_SIM_CONTROL_TOKEN: 'of-the-environment' }
    const statuses = async (argv: readonly string[], around: Around): Promise<string[]> => {
      const { url } = await serve([...argv, '--quiet'], around)
      const tried = ['of-the-flag', 'of-the-environment', 'of-the-file'].map(async (token) => {
        const { status } = await fetch(`${url}/__sim/clock`, { headers: { 'x-sim-token': token } })
        return status === 200 ? [token] : []
      })
      return (await Promise.all(tried)).flat()
    }
    expect(await statuses(['--control-token', 'of-the-flag'], { cwd, env })).toEqual(['of-the-flag'])
    expect(await statuses([], { cwd, env })).toEqual(['of-the-environment'])
    expect(await statuses([], { cwd, env: { GATEWAY_SIM_CONTROL_TOKEN: '' } })).toEqual(['of-the-file'])
  })

  it('print only a generated control token, never a given one', async () => {
    const set = { env: { GATEWAY_SIM_CONTROL_TOKEN: 'of-the-environment' } }
    const inEnvironment = await serve(['--host', '0.0.0.0'], set)
    const [named] = await inEnvironment.stderr.until(/x-sim-token: .*/)
    expect(named).toBe('x-sim-token: $GATEWAY_SIM_CONTROL_TOKEN"')
    const asFlag = await serve(['--host', '0.0.0.0', '--control-token', 'of-the-flag'], set)
    const [asked] = await asFlag.stderr.until(/x-sim-token: .*/)
    expect(asked).toBe('x-sim-token: <your token>"')
    expect(inEnvironment.stderr.text + asFlag.stderr.text).not.toMatch(/of-the-|control token:/)
    const generated = await serve(['--host', '0.0.0.0'])
    expect(await generated.stderr.until(/control token: (\S+)[^]*x-sim-token: \1"/)).toHaveLength(2)
  })

  it('determine the ids: same seed, same ids; other seed, other ids', async () => {
    const seeds = ['fox', 'fox', 'owl'].map(async (seed) =>
      submitVideo((await serve(['--clock', 'manual', '--seed', seed])).url),
    )
    const ids = await Promise.all(seeds)
    expect(ids[0]).toBe(ids[1])
    expect(ids[0]).not.toBe(ids[2])
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

  it('with errors are rejected with 3, and no server starts', async () => {
    const cwd = directoryWith({ 'gateway-sim.config.yaml': 'clok: {}\nseed: 7\n' })
    const { code, stdout, stderr } = await run(['serve', '--port', '0'], { cwd })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('gateway-sim.config.yaml:1:1: unknown key "clok": did you mean clock?')
    expect(stderr).toContain('gateway-sim.config.yaml:2:7: seed: expected a string, got 7')
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
  it('is a line per request on stderr: time, status, method, path, operation and cause', async () => {
    const { url, stderr } = await serve(['--clock', 'manual'])
    await listModels(url)
    expect((await stderr.until(/^2026.*\n/m))[0]).toBe(
      '2026-01-01T00:00:00.000Z 200 GET /v1/models models.list\n',
    )
    await send(`${url}/s/mine/v1/videos`, { model: 'sim-overloaded', prompt: 'x' })
    expect((await stderr.until(/^(.+videos.+)\n/m))[1]).toMatch(
      /^2026-01-01T00:00:00\.000Z 503 POST \/v1\/videos videos\.create \(reserved model .*overloaded.*\) \[session mine\] req_\w+$/,
    )
  })

  it('has the changes that clients make through the control API, but not reads or those of the page', async () => {
    const { url, stderr } = await serve(['--clock', 'manual'])
    const reset = (page: string) =>
      fetch(`${url}/__sim/reset`, { ...jsonCall({}), headers: { referer: url + page } })
    await reset('/__sim/ui/')
    await listModels(url, { referer: `${url}/__sim/ui/` })
    await run(['clock', '--base-url', url])
    await fetch(`${url}/__sim/journal?status=wrong`)
    await reset('/')
    const [, lines] = (await stderr.until(/^(2026[^]*reset.*\n)/m)) as string[]
    expect(lines?.match(/\w+\.\w+(?= req|$)/gm)).toEqual(['models.list', 'sim.journal', 'sim.reset'])
  })

  it('begins with the page and three working curl commands', async () => {
    const { url, stderr } = await serve()
    const [, page = '', chat = '', rejected = '', journal = ''] = (await stderr.until(
      /^Page: (.*)\nTry:\n {2}curl (.*)\n {2}curl (.*)\n {2}curl (.*)\n$/,
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
    expect((await send(journal)).status).toBe(200)
  })

  it('uses the public URL, and warns if its control API has no token', async () => {
    const flags = ['--public-url', 'https://sim.example/']
    const { stderr } = await serve(flags)
    const [hints = ''] = await stderr.until(/^Page: [^]*warning: .*\n/)
    expect(hints).toMatch(
      /^Page: https:\/\/sim\.example\/__sim\/ui\/\nTry:\n {2}curl https:\/\/sim\.example\/v1/,
    )
    expect(hints).toContain(
      'Without a token, everyone who can reach https://sim.example can use the control API: set ' +
        'GATEWAY_SIM_CONTROL_TOKEN',
    )
    const guarded = await serve(flags, { env: { GATEWAY_SIM_CONTROL_TOKEN: 'a-long-token-1' } })
    await fetch(`${guarded.url}/v1/models`, { headers: key })
    await guarded.stderr.until(/models\.list/)
    expect(guarded.stderr.text).not.toContain('warning')
  })

  it('is a line of JSON per request with --format json', async () => {
    const { url, stderr } = await serve(['--clock', 'manual', '--format', 'json'])
    const response = await fetch(`${url}/v1/models`, { headers: key })
    const [line] = await stderr.until(/.+\n/)
    expect(JSON.parse(line)).toEqual({
      event: 'call',
      faults: [],
      method: 'GET',
      path: '/v1/models',
      status: 200,
      operation: 'models.list',
      session: 'default',
      requestId: response.headers.get('x-request-id'),
      at: Date.UTC(2026, 0, 1),
      time: '2026-01-01T00:00:00.000Z',
      realTime: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      durationMs: expect.any(Number) as number,
    })
  })

  it('is suppressed by --quiet', async () => {
    const running = await serve(['--quiet'])
    await listModels(running.url)
    running.stop()
    await running.code
    expect(running.stderr.text).toBe('')
  })

  it.each<[boolean, Record<string, string>, boolean]>([
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('in a terminal (%s) with %j has colours: %s', async (terminal, env, colours) => {
    const stderr = record(terminal)
    const log = createCallLog({ stderr, env }, 'pretty')
    log.call(models)
    log.flush()
    expect(stderr.text.includes('\u001b[')).toBe(colours)
  })

  it("has the colours of the server's terminal", async () => {
    const { url, stderr } = await serve([], { terminal: true })
    await listModels(url)
    await stderr.until(/\u001b\[[^\n]*models\.list/)
  })

  it('names the rule that responded, in JSON as a separate field', async () => {
    const cwd = directoryWith({
      'a.yaml': 'title: a\nrules: [{ id: say-hi, when: { operation: chat.create }, then: { text: hi } }]\n',
    })
    const logged = async (...flags: string[]): Promise<string> => {
      const { url, stderr } = await serve(['--scenario', 'a.yaml', ...flags], { cwd })
      await send(`${url}/v1/chat/completions`, hello)
      return (await stderr.until(/^.*chat\.create.*\n/m))[0]
    }
    expect(JSON.parse(await logged('--format', 'json'))).toMatchObject({
      event: 'call',
      operation: 'chat.create',
      rule: 'say-hi',
      decidedBy: 'rule say-hi',
    })
    expect(await logged()).toMatch(/ 200 POST \/v1\/chat\/completions chat\.create \(rule say-hi\)\n$/)
  })

  it('names the fault of a stream that breaks', async () => {
    const rule =
      'id: breaks, when: { operation: chat.create }, then: { fault: { kind: disconnect, afterEvents: 2 } }'
    const cwd = directoryWith({ 'a.yaml': `title: a\nrules: [{ ${rule} }]\n` })
    const logged = async (...flags: string[]): Promise<string> => {
      const { url, stderr } = await serve(['--scenario', 'a.yaml', ...flags], { cwd })
      await send(`${url}/v1/chat/completions`, { ...hello, stream: true }).catch(() => {})
      return (await stderr.until(/^.*chat\.create.*\n/m))[0]
    }
    expect(await logged()).toMatch(/ chat\.create \(rule breaks, fault disconnect\)\n$/)
    expect(JSON.parse(await logged('--format', 'json'))).toMatchObject({ faults: ['disconnect'] })
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

describe('an unavailable port', () => {
  it('is rejected with 4; the message names the port and a way out', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { code, stdout, stderr } = await run(['serve', '--port', String(port)])
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toBe(
      `gateway-sim: Port ${port} on 127.0.0.1 is in use: choose another port with --port (--port 0 picks a free one).\n`,
    )
  })
})

describe('--handlers', () => {
  const node = new URL('../../node_modules', import.meta.url).pathname

  it.each([
    ['nope.mjs', '', 'file not found'],
    ['broken.mjs', 'export default [\n', 'broken.mjs:'],
    ['throws.mjs', 'throw new Error("my own error")', 'my own error'],
    ['nothing.mjs', 'export const other = 1', 'got the exports other'],
    ['none.mjs', '', 'got no exports'],
    ['empty.mjs', 'export default []', 'the array of handlers is empty'],
    ['wrong.mjs', 'export default [() => 1]', 'handlers[0]'],
    ['other.mjs', "import 'left-out'\nexport default []", 'it imports left-out, which does not exist'],
  ])('%s is rejected with 3', async (name, text, says) => {
    const cwd = name === 'nope.mjs' ? emptyDirectory() : directoryWith({ [name]: text })
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--handlers', name], { cwd })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(`--handlers ${name}: `)
    expect(stderr).toContain(says)
  })

  const list = "[http.get('/v1/models', () => HttpResponse.json({ mine: true }))]"
  const imported = `import { http, HttpResponse } from '${node}/msw/lib/core/index.mjs'\n`
  const required = `const { http, HttpResponse } = require('${node}/msw')\n`

  it.each([
    ['default.mjs', `${imported}export default ${list}`],
    ['named.mjs', `${imported}export const handlers = ${list}`],
    ['common.cjs', `${required}module.exports = ${list}`],
    ['exports.cjs', `${required}exports.handlers = ${list}`],
  ])('%s responds first, and the simulator handles the rest', async (name, text) => {
    const { url } = await serve(['--handlers', name], { cwd: directoryWith({ [name]: text }) })
    expect(await (await listModels(url)).json()).toEqual({ mine: true })
    expect((await fetch(`${url}/__sim/health`)).status).toBe(200)
  })
})

it('starts with the file of a start command that was stopped before it was ready', async () => {
  const cwd = emptyDirectory()
  writeFileSync(`${cwd}/gateway-sim.config.yaml`, 'seed: fox\n')
  const running = start(['serve', '--port', '0'], { cwd })
  running.stop()
  expect(await running.code).toBe(0)
})
