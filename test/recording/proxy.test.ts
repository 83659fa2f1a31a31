/** The recording proxy changes nothing, and writes down what passed. */

import { readFileSync } from 'node:fs'
import { request as nodeRequest } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../../src/exchange/exchange.ts'
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
      request: {
        method: 'POST',
        url: `${url}/v1/x%2f?a=%20b&a=c`,
        headers: [
          ['host', new URL(url).host],
          ['x-odd', '1'],
          ['x-odd', '2'],
          ['content-length', '2'],
        ],
      },
      response: { status: 299, body: { bytes: Uint8Array.of(0, 255, 10), size: 3 }, chunks: [{ bytes: 3 }] },
      ended: 'completed',
      key: undefined,
      redacted: [],
    })
    expect(text(bytesOf(call?.request.body))).toBe('hi')
    expect(readFileSync(join(proxy.folder, 'no-key.har'), 'utf8')).toContain('"statusText":"Quite Fine"')
  })

  it('is not recorded if it is compressed although the proxy asks for plain bodies', async () => {
    let accepted: unknown
    const { url } = await gateway((request, response) => {
      accepted = request.headers['accept-encoding']
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync('{"a":1}'))
    })
    const proxy = await proxyTo(url)
    const get = (): Promise<Buffer> =>
      new Promise((resolve) =>
        nodeRequest(proxy.url, { headers: { 'accept-encoding': 'gzip' } }, (incoming) =>
          resolve(bodyOf(incoming)),
        ).end(),
      )
    expect(gunzipSync(await get()).toString()).toBe('{"a":1}')
    await get()
    expect(accepted).toBe('identity')
    expect((await proxy.recorded())[0]?.response?.body).toMatchObject({ isComplete: false })
    expect(proxy.warnings).toEqual([
      'GET / has a compressed body. Such bodies are forwarded, but not recorded.',
    ])
  })

  it('has no body for HEAD and 204, and the proxy asks for one where the client waits', async () => {
    const { url } = await gateway(async (request, response) => {
      if (request.method === 'PUT') return response.end(await bodyOf(request))
      response.writeHead(
        request.method === 'HEAD' ? 200 : 204,
        request.method === 'HEAD' ? { 'content-length': 5 } : {},
      )
      response.end()
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
  })

  it.each(['text/event-stream', 'application/stream+json', 'application/json-seq'])(
    'of %s comes chunk by chunk, the status before all of them',
    async (type) => {
      let send = (_text: string): void => {}
      const { url } = await gateway((_request, response) => {
        response.writeHead(200, { 'content-type': type })
        response.flushHeaders()
        send = (chunk) => (chunk === '' ? response.end() : response.write(chunk))
      })
      const proxy = await proxyTo(url)
      const response = await fetch(proxy.url)
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      for (const chunk of ['data: 1\n\n', 'data: 2\n\n']) {
        send(chunk)
        expect(text((await reader.read()).value)).toBe(chunk)
      }
      send('')
      expect((await reader.read()).done).toBe(true)
      const [call] = await proxy.recorded()
      expect(call?.response?.chunks?.map(({ bytes }) => bytes)).toEqual([9, 9])
    },
  )

  it('is a 502 in the envelope where nobody listens, recorded as no response', async () => {
    const { url, server } = await gateway(() => {})
    await new Promise((resolve) => server.close(resolve))
    const proxy = await proxyTo(url)
    const response = await fetch(`${proxy.url}/v1/models?key=sk-very-secret`)
    expect(response.status).toBe(502)
    expect(((await response.json()) as { error: unknown }).error).toMatchObject({
      type: 'upstream_response_error',
      message: expect.stringMatching(
        /^gateway-sim record cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
      ),
    })
    expect(await proxy.recorded()).toMatchObject([{ ended: 'disconnected', response: undefined }])
    expect(everythingIn(proxy.folder)).toContain('"_error":"http://127.0.0.1:')
  })
})

describe('no secret reaches the disk', () => {
  const key = 'sk-live-7f3a9c'
  const cookie = 'c00kie-value'

  it('in headers, addresses, messages, base64, cut in two, or where the user says', async () => {
    const { url } = await gateway((request, response) => {
      const message = `bad key ${key} (${Buffer.from(`:${key}:`).toString('base64')})`
      response.writeHead(401, `No ${key}`, [
        ...['content-type', request.url?.includes('stream') ? 'text/event-stream' : 'application/json'],
        ...['set-cookie', `session=${cookie}; Path=/`, 'x-echo', `key ${key}`],
      ])
      const body = JSON.stringify({ error: { message, email: 'ada@example.test' } })
      response.write(body.slice(0, 30))
      response.end(body.slice(30))
    })
    const proxy = await proxyTo(url, { redact: ['email'] })
    for (const path of [`/v1/models?key=${key}`, `/v1/stream?email=ada@example.test`]) {
      const response = await fetch(proxy.url + path, {
        headers: { 'x-api-key': key, cookie: `a=b; s=${cookie}` },
      })
      expect(response.statusText).toBe(`No ${key}`)
      expect(response.headers.get('set-cookie')).toContain(cookie)
      expect(await response.text()).toContain(key)
    }
    const [call, other] = await proxy.recorded()
    expect(text(bytesOf(call?.response?.body))).toMatch(
      /^\{"error":\{"message":"bad key redacted \(.*\)","email":"redacted"\}\}$/,
    )
    expect(call?.redacted).toEqual([
      ...['header:x-api-key', 'header:cookie', 'query:key'],
      ...[
        'response:header:set-cookie',
        'response:header:x-echo',
        'response:/error/message',
        'response:/error/email',
      ],
    ])
    expect(call).toMatchObject({ key: 'key-1' })
    expect(other?.request.url).toBe(`${url}/v1/stream?email=redacted`)
    const disk = everythingIn(proxy.folder)
    for (const secret of [key, cookie, 'ada@example', Buffer.from(key).toString('base64').slice(0, 12)])
      expect(disk).not.toContain(secret)
  })
})

it.each(['', '/v1', '/team/v1', '/v1beta'])(
  'an upstream that ends in "%s" gets each path once',
  async (end) => {
    const asked: string[] = []
    const { url } = await gateway((request, response) => {
      asked.push(request.url as string)
      response.end('{}')
    })
    const proxy = await proxyTo(url + end)
    for (const path of ['/v1/models', '/v1beta/models/m', '/v1?x=1', '/other'])
      await (await fetch(proxy.url + path)).text()
    const before = end.replace(/\/v1(beta)?$/, '')
    expect(asked).toEqual([
      `${before}/v1/models`,
      `${before}/v1beta/models/m`,
      `${before}/v1?x=1`,
      `${end}/other`,
    ])
  },
)
