/** `listen`: the simulator as an HTTP server, seen by ordinary clients and from raw sockets. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type AccessLogLine, listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { ask, key, question, serve } from './_listen.ts'
import { exchange, listenTo, openSocket } from './_socket.ts'

describe('listen', () => {
  it('picks a free port and returns its URL', async () => {
    const first = await serve()
    const second = await serve()
    expect(first.url).toBe(`http://127.0.0.1:${first.port}`)
    expect(second.port).not.toBe(first.port)
    expect((await fetch(`${second.url}/v1/models`, { headers: key })).status).toBe(200)
  })

  it("rejects with node's error when the port is taken", async () => {
    const { port } = await serve()
    await expect(listen(simulator(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('frees the port when it closes, despite open streams and idle connections', async () => {
    const { url, port, sim, close } = await serve()
    const idle = listenTo(await openSocket(port))
    const response = await ask(url, { ...question, stream: true })
    const text = response.text()
    text.catch(() => {})
    await close()
    await expect(text).rejects.toThrow('terminated')
    await idle.closed
    expect(sim.core.sessions.all()).toEqual([])
    const next = createServer().listen(port, '127.0.0.1')
    await once(next, 'listening')
    next.close()
  })

  it('reports every request', async () => {
    const lines: AccessLogLine[] = []
    const { url } = await serve({ listen: { accessLog: (line) => lines.push(line) } })
    await (await ask(url)).text()
    await (await fetch(`${url}/s/red/v1/nothing?q=1`, { headers: key })).text()
    const every = {
      decidedBy: undefined,
      rule: undefined,
      faults: [],
      requestId: expect.stringMatching(/^req_/) as string,
      realAt: expect.any(Number) as number,
      durationMs: expect.any(Number) as number,
      at: Date.UTC(2026, 0, 1),
    }
    const [chat, unknown] = ['/v1/chat/completions', '/v1/nothing?q=1']
    expect(lines).toEqual([
      { ...every, method: 'POST', path: chat, status: 200, operation: 'chat.create', session: 'default' },
      {
        ...every,
        method: 'GET',
        path: unknown,
        status: 404,
        operation: undefined,
        session: 'red',
        reason: expect.stringMatching(/^not_found_error: Unknown path/) as string,
      },
    ])
  })
})

describe('a server at its limits', () => {
  it('responds with 503 when file descriptors run out, and warns at the first, tenth and hundredth request', async () => {
    const { url, sim } = await serve()
    sim.core.media.render = () => Promise.reject(Object.assign(new Error('no files'), { code: 'EMFILE' }))
    const body = JSON.stringify({ model: 'gpt-image-1', prompt: 'a cat' })
    for (let round = 0; round < 12; round++) {
      const headers = { ...key, 'content-type': 'application/json' }
      const { status } = await fetch(`${url}/v1/images/generations`, { method: 'POST', headers, body })
      expect(status).toBe(503)
    }
    expect(sim.warnings).toEqual([
      expect.stringMatching(/^POST \/v1\/images\/generations: No file descriptors .* only counted\.$/),
      expect.stringMatching(/No file descriptors .* This has happened 10 times so far\.$/),
    ])
  })
})

describe('plain HTTP', () => {
  it('HEAD returns the headers of GET without a body, and the connection stays usable', async () => {
    const { url, port } = await serve()
    const get = await fetch(`${url}/v1/models`, { headers: key })
    const length = get.headers.get('content-length')
    expect(Number(length)).toBe(Buffer.byteLength(await get.text()))
    const head = 'HEAD /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-test\r\n\r\n'
    const last =
      'GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-test\r\nconnection: close\r\n\r\n'
    const [, first, second] = (await exchange(port, head + last)).split('HTTP/1.1 200 OK\r\n')
    expect(first).toContain(`content-length: ${length}\r\n`)
    expect(first?.endsWith('\r\n\r\n')).toBe(true)
    expect(second).toContain('{"object":"list"')
  })

  it("responds to a browser's preflight, unless the settings forbid it", async () => {
    const ask = (url: string): Promise<Response> =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.test',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    const open = await ask((await serve()).url)
    expect(open.status).toBe(204)
    expect(Object.fromEntries(open.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-max-age': '86400',
    })
  })

  const suggestions = [
    { path: '/v1/chat/completion', says: 'Did you mean /v1/chat/completions?' },
    { path: '/chat/completions', says: 'the base URL of this client must end in /v1' },
    { path: '/v1/v1/chat/completions', says: 'The path contains /v1 twice' },
    { path: '/v1/responses', says: '`client.chat.completions.create(…)`' },
    { path: '/v1/responses/resp_1/cancel', says: "`setOpenAIAPI('chat_completions')`" },
    { path: '/v1/messages/count_tokens', says: 'does not offer that API' },
    { path: '/v1/files', says: 'Get a URL from POST /v1/files/upload_url' },
    { path: '/v1/files/file-1/content', says: 'Get a URL from POST /v1/files/upload_url' },
  ]
  it.each(suggestions)('suggests a path at the unknown path $path', async ({ path, says }) => {
    const { url } = await serve()
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { code: 404, message: expect.stringContaining(says) },
    })
  })

  it('rejects a body over the limit, with any framing', async () => {
    const { url, port } = await serve({ settings: { limits: { jsonBytes: 4096 } } })
    const text = JSON.stringify({ ...question, user: 'x'.repeat(300_000) })
    // Whether the server has the whole body when it answers is chance, and so is what becomes of the
    // connection.
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: a',
      'authorization: Bearer sk-test',
      'content-type: application/json',
      'connection: close',
      '',
    ].join('\r\n')
    for (const raw of [
      await exchange(port, `${head}content-length: ${text.length}\r\n\r\n${text}`),
      await exchange(
        port,
        `${head}transfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      ),
    ]) {
      expect(raw).toMatch(/^HTTP\/1\.1 413 .*limits\.jsonBytes/s)
    }
    expect((await ask(url)).status).toBe(200)
  })
})
