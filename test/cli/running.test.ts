/** What happens to the commands that control a simulator when a connection, a client or a server is lost. */
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { jsonCall } from '../_setup.ts'
import { run, serve, start } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const ask = (url: string, body: object = hello, prefix = ''): Promise<Response> =>
  fetch(`${url}${prefix}/v1/chat/completions`, jsonCall(body))
const wrong = { model: 'gpt-4o', messages: 7 }
/** Runs `journal --follow`, and waits until it is connected. */
async function watch(url: string, ...flags: readonly string[]) {
  const running = start(['journal', '--follow', '--base-url', url, ...flags])
  await running.stderr.until(/watching/)
  return running
}

describe('gateway-sim journal --follow', () => {
  it('prints a stream again when the client aborts it', async () => {
    const { url } = await serve()
    await run(['control', 'overrides.add', 'fault={"kind":"stall","afterEvents":2}', '--base-url', url])
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
})

describe('a request held at a breakpoint', () => {
  const arm = (url: string, body: object = { operation: 'chat.create' }): Promise<Response> =>
    fetch(`${url}/__sim/breakpoints`, { ...jsonCall(body) })
  const line = /held by breakpoint-1 before its response: chat\.create, session default/
  it('goes on when its client has left, which serve prints', async () => {
    const server = await serve(['--clock', 'manual'])
    const { url } = server
    await arm(url)
    const watching = await watch(url, '--failed')
    const leave = new AbortController()
    const asking = fetch(`${url}/v1/chat/completions`, { ...jsonCall(hello), signal: leave.signal })
    await server.stderr.until(line)
    leave.abort()
    await expect(asking).rejects.toThrow()
    await server.stderr.until(/released \(left\), was held by breakpoint-1 before its response: chat\.create/)
    await watching.stdout.until(/ 200 POST \S+ chat\.create aborted\n/)
    expect((await run(['control', 'clock.advance', '10s', '--base-url', url])).code).toBe(0)
  })
})

describe('the commands that control a running simulator', () => {
  const commands = [
    ['journal', '--follow'],
    ['journal'],
    ['control', 'clock.advance', '1s'],
    ['control', 'reset'],
  ]

  it('limit the wait for each response', async () => {
    const { createServer } = await import('node:http')
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    for (const words of commands)
      expect(await run([...words, '--timeout', '50ms', '--base-url', url]), words[0]).toMatchObject({
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
    for (const words of [['ready'], ...commands]) {
      const { stderr } = await run([...words, '--base-url', url])
      expect(stderr, words[0]).toMatch(/\\u\{1b\}\[31mred.*::error::x\n$/)
      expect(stderr.match(/\n/g), words[0]).toHaveLength(1)
    }
  })

  it('journal --follow waits while a proxy answers 502 for a server that is started again', async () => {
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
    for (const words of commands)
      expect(await run([...words, '--base-url', url]), words[0]).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(
            `^gateway-sim: The server at ${url} is not a simulator: \\w+ /\\S+ returned ${status}\n$`,
          ),
        ) as string,
      })
  })
})
