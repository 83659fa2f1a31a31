/** The recording proxy changes nothing, and writes down what passed. */
import { readFileSync } from 'node:fs'
import { request as nodeRequest } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyOf, everythingIn, gateway, proxyTo, rawConnection } from './_proxy.ts'

const text = (body: Uint8Array | undefined): string => new TextDecoder().decode(body)

describe('what passes', () => {
  it('is the same: method, path, headers with their letters and order, status, its words, bytes', async () => {
    let seen = ''
    const { url } = await gateway(async (request, response) => {
      const body = await bodyOf(request)
      seen = `${request.method} ${request.url} ${request.rawHeaders.join('|')} ${body}`
      response.sendDate = false
      response.writeHead(299, 'Quite Fine', ['X-Two', 'a', 'x-tWo', 'b', 'Content-Length', '3'])
      response.end(Buffer.of(0, 255, 10))
    })
    const proxy = await proxyTo(url)
    const { socket, closed } = rawConnection(proxy.url)
    socket.write(
      'POST /v1/x%2f?a=%20b&a=c HTTP/1.1\r\nHost: proxy\r\nX-Odd: 1\r\nx-oDD: 2\r\nContent-Length: 2\r\n' +
        'Connection: close\r\n\r\nhi',
    )
    expect(await closed).toBe(
      'HTTP/1.1 299 Quite Fine\r\nX-Two: a\r\nx-tWo: b\r\nContent-Length: 3\r\nConnection: close\r\n\r\n' +
        '\u0000\u00ff\n',
    )
    expect(seen).toBe(
      `POST /v1/x%2f?a=%20b&a=c Host|${new URL(url).host}|X-Odd|1|x-oDD|2|Content-Length|2|Connection|close hi`,
    )
    const [call] = await proxy.recorded()
    expect(call).toMatchObject({
      request: { method: 'POST', url: `${url}/v1/x%2f?a=%20b&a=c` },
      reply: { status: 299, body: Uint8Array.of(0, 255, 10), chunks: [{ bytes: 3 }] },
      ended: 'complete',
      key: undefined,
      redacted: [],
    })
    expect(text(call?.request.body)).toBe('hi')
    expect(readFileSync(join(proxy.folder, 'no-key.har'), 'utf8')).toContain('"statusText":"Quite Fine"')
  })

  it('is compressed as it was, and recorded decoded', async () => {
    const { url } = await gateway((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync('{"a":1}'))
    })
    const proxy = await proxyTo(url)
    const reply = await new Promise<Buffer>((resolve) =>
      nodeRequest(proxy.url, (incoming) => resolve(bodyOf(incoming))).end(),
    )
    expect(gunzipSync(reply).toString()).toBe('{"a":1}')
    expect(text((await proxy.recorded())[0]?.reply?.body)).toBe('{"a":1}')
  })

  it('has no body for HEAD and 204, and asks before it sends one where the client does', async () => {
    const { url, server } = await gateway((request, response) => {
      response.writeHead(
        request.method === 'HEAD' ? 200 : 204,
        request.method === 'HEAD' ? { 'content-length': 5 } : {},
      )
      response.end()
    })
    let asked = 0
    server.on('checkContinue', (request, response) => {
      asked += 1
      response.writeContinue()
      void bodyOf(request).then((body) => response.end(body))
    })
    const proxy = await proxyTo(url)
    const head = await fetch(proxy.url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', ''])
    expect((await fetch(proxy.url)).status).toBe(204)
    const { socket, until } = rawConnection(proxy.url)
    socket.write('PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n')
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write('ok')
    await until(/\r\n\r\n(?:2\r\n)?ok/)
    expect(asked).toBe(1)
  })

  it('comes piece by piece, the status before all of them', async () => {
    let send = (_text: string): void => {}
    const { url } = await gateway((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      send = (piece) => (piece === '' ? response.end() : response.write(piece))
    })
    const proxy = await proxyTo(url)
    const reply = await fetch(proxy.url)
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
    for (const piece of ['data: 1\n\n', 'data: 2\n\n']) {
      send(piece)
      expect(text((await reader.read()).value)).toBe(piece)
    }
    send('')
    expect((await reader.read()).done).toBe(true)
    const [call] = await proxy.recorded()
    expect(call?.reply?.chunks?.map(({ bytes }) => bytes)).toEqual([9, 9])
  })

  it('is a 502 in the envelope where nobody listens, recorded as no reply', async () => {
    const { url, server } = await gateway(() => {})
    await new Promise((resolve) => server.close(resolve))
    const proxy = await proxyTo(url)
    const reply = await fetch(`${proxy.url}/v1/models?key=sk-very-secret`)
    expect(reply.status).toBe(502)
    expect(((await reply.json()) as { error: unknown }).error).toMatchObject({
      type: 'upstream_response_error',
      message: expect.stringMatching(
        /^gateway-sim record cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
      ),
    })
    expect(await proxy.recorded()).toMatchObject([{ ended: 'gateway', reply: undefined }])
    expect(everythingIn(proxy.folder)).toContain('"_error":"http://127.0.0.1:')
  })
})
