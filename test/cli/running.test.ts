/** What happens to the commands that control a simulator when a connection, a client or a server is lost. */
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonCall } from '../_setup.ts'
import { run, serve } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }

describe('a request held at a breakpoint', () => {
  const arm = (url: string, body: object = { operation: 'chat.create' }): Promise<Response> =>
    fetch(`${url}/__sim/breakpoints`, { ...jsonCall(body) })
  const line = /held by breakpoint-1 before its response: chat\.create, session default/
  it('goes on when its client has left, which serve prints', async () => {
    const server = await serve(['--clock', 'manual'])
    const { url } = server
    await arm(url)
    const leave = new AbortController()
    const asking = fetch(`${url}/v1/chat/completions`, { ...jsonCall(hello), signal: leave.signal })
    await server.stderr.until(line)
    leave.abort()
    await expect(asking).rejects.toThrow()
    await server.stderr.until(/released \(left\), was held by breakpoint-1 before its response: chat\.create/)
    expect((await run(['journal', '--base-url', url])).stdout).toMatch(/ 200 POST \S+ chat\.create aborted\n/)
    expect((await run(['control', 'clock.advance', '10s', '--base-url', url])).code).toBe(0)
  })
})

describe('the commands that control a running simulator', () => {
  const commands = [['journal'], ['control', 'clock.advance', '1s'], ['control', 'reset']]

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
      else response.writeHead(500).end(text)
    })
    for (const words of commands) {
      const { stderr } = await run([...words, '--base-url', url])
      expect(stderr, words[0]).toMatch(/\\u\{1b\}\[31mred.*::error::x\n$/)
      expect(stderr.match(/\n/g), words[0]).toHaveLength(1)
    }
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
