/** The commands that control a running simulator: `watch`, `journal`, `fault`, `clock` and `reset`. */
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { manifest, requireBuild, root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith, run, serve, start, startProcess } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const ask = (url: string, body: object = hello, prefix = ''): Promise<Response> =>
  fetch(`${url}${prefix}/v1/chat/completions`, jsonCall(body))
const wrong = { model: 'gpt-4o', messages: 7 }
const story =
  'title: Rome\nrules:\n  - id: rome\n    when: { operation: chat.create, model: o1 }\n    then: { text: Sunny. }\n'

const bin = join(root, manifest.bin['gateway-sim'] as string)
beforeAll(requireBuild)

/** Runs `watch`, and waits until it is connected. */
async function watch(url: string, ...flags: readonly string[]) {
  const running = start(['watch', '--base-url', url, ...flags])
  await running.stderr.until(/watching/)
  return running
}

describe('gateway-sim watch', () => {
  it('prints new requests as serve logs them, with the reason below a rejected one', async () => {
    const { url } = await serve(['--clock', 'manual', '--start', '2026-01-01T00:00:00Z'])
    await ask(url)
    const { stdout, stop, code } = await watch(url)
    await ask(url, wrong, '/s/red')
    await stdout.until(/ 400 .*\n.*\n/)
    await ask(url)
    await stdout.until(/ 200 .*\n/)
    expect(stdout.text.replace(/req_\w+/g, 'req_…')).toBe(
      '2026-01-01T00:00:00.000Z 400 POST /v1/chat/completions chat.create [session red] req_…\n' +
        '  invalid_request_error: `messages`: expected an array, got 7\n' +
        '2026-01-01T00:00:00.000Z 200 POST /v1/chat/completions chat.create\n',
    )
    stop()
    expect(await code).toBe(0)
  })

  it('names the closest rule of an unmatched request, and quotes the message of a rejection without a field', async () => {
    const { url } = await serve(['--strict', '--scenario', 'rome.yaml'], {
      cwd: directoryWith({ 'rome.yaml': story }),
    })
    const { stdout } = await watch(url)
    await ask(url)
    await fetch(`${url}/v1/models`)
    await stdout.until(/ 401 .*\n.*\n/)
    expect(stdout.text).toContain(
      '  strict: no rule matches this request. Closest: rule rome: `model`: expected "o1", got "gpt-4o".\n',
    )
    expect(stdout.text).toMatch(/ 401 .*\n {2}authentication_error: .*API key.*\n/)
  })

  it('selects failed requests, a session and operations', async () => {
    const { url } = await serve()
    const [failed, red, models] = await Promise.all([
      watch(url, '--failed'),
      watch(`${url}/s/red`),
      watch(url, '--operation', 'models.*', 'videos.create'),
    ])
    await ask(url)
    await ask(url, hello, '/s/red')
    await ask(url, wrong)
    await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-any' } })
    await Promise.all([failed.stdout.until(/\n.*\n/), red.stdout.until(/\n/), models.stdout.until(/\n/)])
    expect(failed.stdout.text).toMatch(/^\S+ 400 [^\n]*\n[^\n]*\n$/)
    expect(red.stdout.text).toMatch(/^\S+ 200 [^\n]*\[session red\]\n$/)
    expect(models.stdout.text).toMatch(/^\S+ 200 GET \/v1\/models models\.list\n$/)
  })

  it('prints a stream again when the client aborts it', async () => {
    const { url } = await serve()
    await run(['fault', '{"kind":"stall","afterEvents":2}', '--base-url', url])
    const { stdout } = await watch(url)
    const leave = new AbortController()
    const { body } = await fetch(`${url}/v1/chat/completions`, {
      ...jsonCall({ ...hello, stream: true }),
      signal: leave.signal,
    })
    await stdout.until(/ 200 .*\n/)
    await body?.getReader().read()
    leave.abort()
    await stdout.until(/ 200 .* aborted after \d+ events?\n$/)
  })

  it('ends with 1 if a lost server does not return within --timeout', async () => {
    const { url, stop, code } = await serve()
    const watching = await watch(url, '--timeout', '60s')
    stop()
    await code
    await watching.stderr.until(/connecting again/)
    const passed = performance.now() + 60_000
    vi.spyOn(performance, 'now').mockImplementation(() => passed)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await watching.code).toBe(1)
    expect(watching.stderr.text).toMatch(/connecting again\ngateway-sim: No simulator responds at /)
  })

  it('ends quietly when nobody reads its output any more', async () => {
    const { url } = await serve()
    const { child, stderr, ended } = startProcess(process.execPath, [bin, 'watch', '--base-url', url])
    await stderr.until(/watching/)
    child.stdout.destroy()
    await ask(url)
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: stderr.text })
    expect(stderr.text).toBe(`gateway-sim: watching ${url}\n`)
  })

  it('prints JSON lines', async () => {
    const { url } = await serve()
    const { stdout } = await watch(url, '--format', 'json')
    await ask(url, wrong)
    const [line] = await stdout.until(/\{.*\}\n/)
    expect(JSON.parse(line)).toMatchObject({
      seq: 0,
      session: 'default',
      status: 400,
      reason: 'invalid_request_error: `messages`: expected an array, got 7',
    })
  })

  it('reconnects to a server that starts again', async () => {
    const first = await serve()
    const { stdout, stderr } = await watch(first.url)
    await ask(first.url)
    await stdout.until(/ 200 .*\n/)
    first.stop()
    await first.code
    await stderr.until(/the connection was lost; connecting again\n/)
    const { url } = await serve(['--port', new URL(first.url).port])
    await ask(url, wrong)
    await stderr.until(/connected again/)
    await stdout.until(/ 400 .*\n/)
    await ask(url)
    await stdout.until(/ 400 [^]* 200 .*\n/)
    expect(stdout.text.match(/^\S+ \d+ POST/gm)).toHaveLength(3)
  })

  it('needs the control token, if the server has one', async () => {
    const { url } = await serve(['--control-token', 'let-me-in-please'])
    expect(await run(['watch', '--base-url', url])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Pass it with --control-token') as string,
    })
    expect(await run(['watch', '--base-url', 'http://127.0.0.1:1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No simulator responds at http://127.0.0.1:1 (') as string,
    })
    const rejected = await run(['reset', '--base-url', url])
    expect(rejected.stderr).toMatch(
      /no token was sent.* Pass it with --control-token or in GATEWAY_SIM_CONTROL_TOKEN\./,
    )
    const watching = start(['watch', '--base-url', url], {
      env: { GATEWAY_SIM_CONTROL_TOKEN: 'let-me-in-please' },
    })
    await watching.stderr.until(/watching/)
  })
})

describe('gateway-sim journal', () => {
  it('lists requests, and prints one with its bodies and its explanation', async () => {
    const { url } = await serve(['--clock', 'manual', '--start', '2026-01-01T00:00:00Z'])
    const base = ['--base-url', url]
    expect((await run(['journal', ...base])).stdout).toBe('no requests\n')
    await ask(url)
    const id = (await ask(url, wrong)).headers.get('x-request-id') as string
    await ask(url)
    expect((await run(['journal', '--limit', '2', ...base])).stdout).toBe(
      `1 2026-01-01T00:00:00.000Z 400 POST /v1/chat/completions chat.create ${id}\n` +
        '2 2026-01-01T00:00:00.000Z 200 POST /v1/chat/completions chat.create\n',
    )
    const rejected = await run(['journal', '--status', '4xx', '--operation', 'chat.*', '--json', ...base])
    expect(JSON.parse(rejected.stdout)).toMatchObject([{ seq: 1, requestId: id }])

    const { stdout } = await run(['journal', '1', ...base])
    expect(stdout).toContain('\nrequest body\n  {\n    "model": "gpt-4o",\n    "messages": 7\n  }\n')
    expect(stdout).toMatch(/\nresponse body\n {2}\{\n {4}"error": /)
    expect(stdout).toContain('\nexplanation\n  POST /v1/chat/completions (chat.create, seq 1')
    expect((await run(['journal', id, ...base])).stdout).toBe(stdout)
    expect(JSON.parse((await run(['journal', '1', '--json', ...base])).stdout)).toMatchObject({
      entry: { seq: 1 },
      explanation: { seq: 1 },
    })
  })

  it('ends with 1 if there is no such session, names the closest, and creates none', async () => {
    const { url } = await serve()
    await ask(url, hello, '/s/checkout')
    const journal = (session: string) => run(['journal', '--session', session, '--base-url', url])
    expect(await journal('chekout')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'gateway-sim: There is no session "chekout": did you mean checkout?\n',
    })
    expect((await run(['journal', '--base-url', `${url}/s/nope`])).stderr).toContain(
      'There is no session "nope": expected one of checkout, default\n',
    )
    expect((await journal('checkout')).stdout).toContain(' 200 POST /v1/chat/completions ')
  })

  it.each(['clock', 'clock advance 1s', 'fault --list', 'fault --clear', 'reset'])(
    '%s ends with 1 if there is no such session, and creates none',
    async (command) => {
      const { url } = await serve()
      await ask(url, hello, '/s/checkout')
      expect(await run([...command.split(' '), '--session', 'chekout', '--base-url', url])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'gateway-sim: There is no session "chekout": did you mean checkout?\n',
      })
      const { sessions } = (await (await fetch(`${url}/__sim/sessions`)).json()) as {
        readonly sessions: readonly { readonly name: string }[]
      }
      expect(sessions.map(({ name }) => name)).not.toContain('chekout')
    },
  )

  it('ends with 1 if there is no such request', async () => {
    const { url } = await serve()
    expect(await run(['journal', '7', '--base-url', url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no request "7"') as string,
    })
  })
})

it('journal lists failed requests with how they were cut, as watch does, and writes HAR', async () => {
  const { url } = await serve()
  const journal = async (...flags: readonly string[]): Promise<string> =>
    (await run(['journal', ...flags, '--base-url', url])).stdout
  await ask(url)
  const stream = await ask(url, { ...hello, model: 'sim-disconnect-after-3', stream: true })
  await expect(stream.text()).rejects.toThrow()
  await ask(url, wrong)
  const failed = await journal('--failed')
  expect(failed).toMatch(/^1 \S+ 200 .* fault disconnect\) disconnected after 3 events\n2 \S+ 400 .*\n$/)
  expect(JSON.parse(await journal('--format', 'har', '--status', '200'))).toMatchObject({
    log: { entries: [{ response: { status: 200 } }, { response: { status: 200 } }] },
  })
})

describe('gateway-sim fault', () => {
  it('adds, lists and removes overrides', async () => {
    const { url } = await serve()
    const fault = (...words: readonly string[]) => run(['fault', ...words, '--base-url', url])
    expect((await fault('--list')).stdout).toBe('no overrides\n')
    const flags = ['--operation', 'chat.create', '--times', '1', '--ttl', '5m']
    const added = await fault('rate-limit', ...flags)
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(added.stdout).toMatch(
      /^override-1: fault rate-limit; operation chat\.create; answered 0, 1 left; until 20\S+Z\n$/,
    )
    expect((await ask(url)).status).toBe(429)
    expect((await ask(url)).status).toBe(200)
    await fault('{"kind":"hang","chance":0.5}')
    const { stdout } = await fault('--list')
    expect(stdout).toMatch(
      /^override-2: fault \{"kind":"hang","chance":0\.5\}; answered 0\noverride-1: .*; over\n$/,
    )
    expect(JSON.parse((await fault('--list', '--json')).stdout)).toMatchObject([{ id: 'override-2' }, {}])
    expect((await fault('--clear')).stdout).toBe('removed 2 overrides\n')
    expect((await fault('--list')).stdout).toBe('no overrides\n')
  })

  it('applies to the nth request only, and removes one override by its id', async () => {
    const { url } = await serve()
    const fault = (...words: readonly string[]) => run(['fault', ...words, '--base-url', url])
    await fault('overloaded', '--operation', 'chat.*', '--nth', '2')
    expect([(await ask(url)).status, (await ask(url)).status, (await ask(url)).status]).toEqual([
      200, 503, 200,
    ])
    await fault('hang', '--operation', 'videos.*')
    expect((await fault('--clear', 'override-1')).stdout).toBe('removed 1 override\n')
    expect((await fault('--list')).stdout).toMatch(/^override-2: .*\n$/)
    expect((await fault('--clear', 'override-1')).stderr).toContain('There is no override "override-1"')
  })

  it.each([['--clear'], ['--clear', 'override-1']])(
    '%s %s ends the outage of an override',
    async (...words) => {
      const { url } = await serve()
      await run(['fault', 'outage', '--times', '1', '--base-url', url])
      await expect(ask(url)).rejects.toThrow()
      await expect(ask(url)).rejects.toThrow()
      expect((await run(['fault', ...words, '--base-url', url])).stdout).toBe('removed 1 override\n')
      expect((await ask(url)).status).toBe(200)
    },
  )

  it('says that it created a session, and rejects a name that none can have', async () => {
    const { url } = await serve()
    const fault = (session: string) => run(['fault', 'hang', '--session', session, '--base-url', url])
    expect((await fault('red')).stderr).toBe('gateway-sim: there was no session red: it was created\n')
    expect((await fault('red')).stderr).toBe('')
    const rejected = 'The session name "bad/name" is not allowed: expected 1 to 64 letters, digits'
    expect((await fault('bad/name')).stderr).toContain(rejected)
    expect((await run(['watch', '--session', 'bad/name', '--base-url', url])).stderr).toContain(rejected)
  })

  it('prints every error of a fault', async () => {
    const { url } = await serve()
    expect(
      await run(['fault', '{"kind":"truncate","afterShare":5,"at":1}', '--base-url', url]),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        / fault\.afterShare: expected at most 1, got 5\n {2}fault\.at: unknown key/,
      ) as string,
    })
  })

  it('rejects an unknown fault, with the names', async () => {
    const { url } = await serve()
    expect(await run(['fault', 'disconect', '--base-url', url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean disconnect?') as string,
    })
  })
})

describe('a request held at a breakpoint', () => {
  const arm = (url: string, body: object = { operation: 'chat.create' }): Promise<Response> =>
    fetch(`${url}/__sim/breakpoints`, { ...jsonCall(body) })
  const line = /held by breakpoint-1 before its response: chat\.create #0, session default/
  const held = async (url: string) =>
    ((await (await fetch(`${url}/__sim/breakpoints`)).json()) as { held: { id: string }[] }).held

  it('is shown by serve, watch, journal, clock and explain-call', async () => {
    const server = await serve(['--clock', 'manual'])
    const { url } = server
    await arm(url)
    const watching = await watch(url)
    const asking = ask(url)
    await server.stderr.until(line)
    await watching.stdout.until(/ 200 POST \S+ chat\.create held by breakpoint-1\n/)
    expect(watching.stderr.text).toMatch(line)
    const about = (...words: readonly string[]) => run([...words, '--base-url', url])
    expect((await about('journal')).stdout).toMatch(/^0 .* held by breakpoint-1\n$/)
    const [{ id } = { id: '' }] = await held(url)
    const release = `release it at ${url}/__sim/ui/#/breakpoints or with POST ${url}/__sim/held/${id}`
    expect((await about('clock')).stdout).toMatch(line)
    for (const words of [['advance', '10s'], ['next'], ['idle']]) {
      const { code, stdout, stderr } = await about('clock', ...words)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('The clock is stopped: a request is held by breakpoint-1')
      expect(stderr).toContain(release)
    }
    expect((await about('explain-call', 'last')).stdout).toContain(
      'It is held by breakpoint-1 before its response',
    )
    await fetch(`${url}/__sim/held/${id}`, { method: 'POST' })
    expect((await asking).status).toBe(200)
    for (const { stderr } of [server, watching])
      await stderr.until(/released after \S+: chat\.create #0 \(breakpoint-1\)\n/)
    expect((await about('journal')).stdout).not.toContain('held')
    expect((await about('clock')).stdout).not.toContain('held')
  })

  it('goes on when its client has left, which serve and watch print', async () => {
    const server = await serve(['--clock', 'manual'])
    const { url } = server
    await arm(url)
    const watching = await watch(url, '--failed')
    const leave = new AbortController()
    const asking = fetch(`${url}/v1/chat/completions`, { ...jsonCall(hello), signal: leave.signal })
    await watching.stderr.until(line)
    leave.abort()
    await expect(asking).rejects.toThrow()
    for (const { stderr } of [server, watching])
      await stderr.until(/released, because the client left after \S+: chat\.create #0/)
    await watching.stdout.until(/ 200 POST \S+ chat\.create aborted\n/)
    expect((await run(['clock', 'advance', '10s', '--base-url', url])).code).toBe(0)
  })

  it('is forgotten by watch if its server is started again', async () => {
    const first = await serve(['--clock', 'manual'])
    await arm(first.url)
    const watching = await watch(first.url)
    ask(first.url).catch(() => undefined)
    await watching.stdout.until(/held by breakpoint-1\n/)
    first.stop()
    await first.code
    const { url } = await serve(['--port', new URL(first.url).port])
    await watching.stderr.until(/connected again/)
    await ask(url)
    await watching.stdout.until(/ 200 POST \S+ chat\.create\n/)
    expect(watching.stderr.text).not.toContain('released')
  })

  it('ends with a reset, which keeps the breakpoint and says so', async () => {
    const server = await serve(['--clock', 'manual', '--format', 'json'])
    const { url } = server
    await arm(url, { operation: 'chat.create', phase: 'request' })
    const asking = ask(url)
    asking.catch(() => undefined)
    await server.stderr.until(/"event":"held","id":"held-2","breakpoint":"breakpoint-1","phase":"request"/)
    const { stdout, stderr } = await run(['reset', '--base-url', url])
    expect([stdout, stderr]).toEqual([
      'reset: default\n',
      'gateway-sim: breakpoint-1 (chat.create, session default) is still active; remove it with ' +
        `DELETE ${url}/__sim/breakpoints/breakpoint-1\n`,
    ])
    await expect(asking).rejects.toThrow()
    await server.stderr.until(/"event":"released".*"how":"end"/)
  })
})

describe('gateway-sim clock', () => {
  it('prints and advances the clock', async () => {
    const { url } = await serve(['--clock', 'manual', '--start', '2026-01-01T00:00:00Z'])
    const clock = (...words: readonly string[]) => run(['clock', ...words, '--base-url', url])
    expect((await clock()).stdout).toBe('2026-01-01T00:00:00.000Z (manual)\nnothing is due\n')
    await fetch(`${url}/v1/videos`, jsonCall({ prompt: 'A fox', model: 'sora-2' }))
    expect((await clock()).stdout).toMatch(/\nnext change: 2026-01-01T00:\S+ \(in \S+\)\n$/)
    expect((await clock('next')).stdout).toMatch(
      /^2026-01-01T00:00:00\.000Z -> .*\n {2}2026-\S+ video video_\w+: pending -> in_progress\nnext change: /,
    )
    const { from, now } = JSON.parse((await clock('advance', '10s', '--json')).stdout) as Record<
      string,
      string
    >
    expect(Date.parse(now as string) - Date.parse(from as string)).toBe(10_000)
    expect((await clock('idle')).stdout).toMatch(/in_progress -> completed\nnothing is due\n$/)
  })

  it('freezes and resumes a real clock', async () => {
    const { url } = await serve()
    expect((await run(['clock', 'freeze', '--base-url', url])).stdout).toContain('(real, frozen)')
    expect((await run(['clock', 'resume', '--speed', '2', '--base-url', url])).stdout).toContain(
      '(real, speed 2)',
    )
  })
})

describe('gateway-sim reset', () => {
  it('resets one session, or all', async () => {
    const { url } = await serve()
    const count = async (): Promise<number> =>
      (JSON.parse((await run(['journal', '--json', '--base-url', url])).stdout) as unknown[]).length
    await ask(url)
    await ask(url, hello, '/s/red')
    expect((await run(['reset', '--session', 'red', '--base-url', url])).stdout).toBe('reset: red\n')
    expect(await count()).toBe(1)
    expect((await run(['reset', '--all', '--json', '--base-url', url])).stdout).toContain('"default"')
    expect(await count()).toBe(0)
  })
})

describe('the commands that control a running simulator', () => {
  it('limit the wait for each response', async () => {
    const { createServer } = await import('node:http')
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    for (const command of ['watch', 'clock', 'journal', 'reset'])
      expect(await run([command, '--timeout', '50ms', '--base-url', url]), command).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('within 50ms') as string,
      })
    server.closeAllConnections()
    server.close()
  })

  /** A server that is not ours. */
  async function other(handle: RequestListener): Promise<{ url: string }> {
    const server = createServer(handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
  }

  it('print no control characters of another server, and no line of its own', async () => {
    const text = '\u001b[31mred\n::error::x'
    const headers = { 'content-type': 'application/problem+json' }
    const { url } = await other((request, response) => {
      const type = 'urn:gateway-sim:problem:x'
      const body = JSON.stringify({ type, detail: text, status: 503, errors: [] })
      if (request.url?.includes('/ready')) response.writeHead(503, headers).end(body)
      else if (request.url?.includes('/events')) response.writeHead(400, headers).end(body)
      else response.writeHead(500).end(text)
    })
    for (const words of [['ready'], ['watch'], ['clock', 'advance', '1s'], ['journal'], ['reset']]) {
      const { stderr } = await run([...words, '--base-url', url])
      expect(stderr, words[0]).toMatch(/\\u\{1b\}\[31mred.*::error::x\n$/)
      expect(stderr.match(/\n/g), words[0]).toHaveLength(1)
    }
  })

  it('watch waits while a proxy answers 502 for a server that is started again', async () => {
    const hello = { version: '1', startedAt: '2026-01-01T00:00:00Z', strict: false, sessions: [], count: 0 }
    let asked = 0
    const { url } = await other((_, response) => {
      if (++asked === 2) response.writeHead(502).end('Bad Gateway')
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`)
      }
    })
    const { stderr, stop, code } = await watch(url)
    await stderr.until(/connected again/)
    stop()
    expect(await code).toBe(0)
  })

  it.each([404, 200])('say that the server is not a simulator: status %s', async (status) => {
    const { url } = await other((_, response) => void response.writeHead(status).end('<html></html>'))
    for (const command of ['watch', 'clock', 'journal', 'reset'])
      expect(await run([command, '--base-url', url]), command).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(
            `^gateway-sim: The server at ${url} is not a simulator: \\w+ /\\S+ returned ${status}\n$`,
          ),
        ) as string,
      })
  })
})
