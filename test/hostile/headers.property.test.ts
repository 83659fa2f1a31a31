import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node.ts'
import { some } from '../_counts.ts'
import { integrations } from '../_setup.ts'
import { pathOf, prepare, welcome } from './_examples.ts'
import { answerOf, judged, planned, problemOf, stillAnswers, target } from './_judge.ts'
import { repliesIn, wire } from './_socket.ts'

const ranges = [
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=--1',
  'bytes=0-0',
  'bytes=0-',
  'bytes=-0',
  'bytes=-1',
  'bytes=5-2',
  'bytes=999999999-',
  'bytes=0-999999999999999999999',
  `bytes=${'9'.repeat(400)}-`,
  'bytes=0-1,3-4',
  'bytes=0-1,,',
  'bytes=a-b',
  'items=0-5',
  'BYTES=0-5',
  'bytes = 0 - 5',
  'bytes=1.5-2',
  'bytes=0x1-0x2',
  '=',
  '-',
  `bytes=${'0-1,'.repeat(1000)}0-1`,
]

describe.each(integrations)('through $name', (integration) => {
  it('authorization of every kind', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const statuses: Record<string, number> = {}
    for (const authorization of [
      '',
      ' ',
      'Bearer',
      'Bearer ',
      'bearer x',
      'BEARER  x ',
      'Bearer\tx',
      'Basic dTpw',
      'Basic',
      'Bearer a b',
      'Bearer é',
      'sk-test',
      `Bearer ${'k'.repeat(10_000)}`,
      'Bearer __proto__',
      'Bearer "',
      ',',
      'Bearer x, Bearer y',
    ]) {
      statuses[authorization] = (
        await judged(
          await call(`${url}/v1/models`, { headers: { authorization } }),
          `authorization ${authorization.slice(0, 40)}`,
        )
      ).status
    }
    expect(statuses['']).toBe(401)
    expect(statuses['Bearer']).toBe(401)
    expect(statuses['Basic dTpw']).toBe(401)
    expect(statuses['bearer x']).toBe(200)
    await judged(await call(`${url}/v1/models`), 'no authorization')
    await judged(
      await call(`${url}/v1/models`, { headers: { authorization: 'Bearer a', 'x-api-key': 'b' } }),
      'two keys',
    )
    await stillAnswers(call, url)
  })

  it('ranges of every kind on files', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    const problems: (string | undefined)[] = []
    const conditions = [
      ['if-range', '"x"'],
      ['if-range', 'W/"x"'],
      ['if-range', 'Thu, 01 Jan 1970 00:00:00 GMT'],
      ['if-none-match', '*'],
      ['if-none-match', '"'],
      ['if-none-match', '"a", W/"b"'],
      ['if-modified-since', 'never'],
      ['if-match', '"'],
      ['if-match', ',,*'],
      ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ] as const
    const sent: readonly Readonly<Record<string, string>>[] = [
      ...ranges.map((range) => ({ range })),
      ...conditions.map(([name, value]) => ({ range: 'bytes=0-5', [name]: value })),
    ]
    const cases = sim.routes
      .filter(({ endpoint }) => endpoint.method === 'GET')
      .flatMap((route) => sent.map((headers) => ({ where: pathOf(route, given), headers })))
    for (const { where, headers } of some(cases)) {
      const response = await call(`${url}${where}`, { headers: { ...welcome, ...headers } })
      const what = `${where} with ${JSON.stringify(headers).slice(0, 100)}`
      problems.push(problemOf(await answerOf(response), what))
    }
    expect(problems.filter((found) => found !== undefined)).toEqual([])
    await stillAnswers(call, url)
  })
})

describe('what only an in-process caller can send', () => {
  it('is answered or rejected as fetch would', async () => {
    const sim = target()
    const call = sim.fetch as typeof fetch
    const odd: RequestInit[] = [
      { headers: { 'access-control-request-headers': 'a\r\nb: c' }, method: 'OPTIONS' },
      { headers: { 'access-control-request-headers': '漢' }, method: 'OPTIONS' },
      { headers: { authorization: 'Bearer \r\n' } },
      { headers: { 'x-sim-session': '\u0000' } },
      { headers: { range: '漢' } },
    ]
    for (const init of odd)
      await judged(await call('http://gateway.test/v1/models', init), JSON.stringify(init))
    await expect(call('not a url')).rejects.toThrow(TypeError)
    await stillAnswers(call, 'http://gateway.test')
  })
})

describe('over a socket', () => {
  const send = async (port: number, text: string): Promise<ReturnType<typeof repliesIn>> => {
    const client = await wire(port)
    await client.send(text)
    client.socket.end()
    await client.closed()
    return repliesIn(client.received())
  }

  it('a host can hold anything, and links stay links', async () => {
    const sim = target()
    const { port, url, close } = await listen(sim)
    onTestFinished(close)
    const { jobId: job } = await prepare(sim)
    for (const host of [
      '',
      'a"b',
      'a\\b',
      '$&',
      "$'",
      '</script>',
      'é',
      'a b',
      ':::',
      '[::1',
      `${'h'.repeat(5000)}`,
      '\uE0F1'.slice(1),
      '{}',
      'x","status":9,"y":"',
    ]) {
      const [reply] = await send(
        port,
        Buffer.from(
          `GET /v1/tob/job/${job} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer sk-test\r\n\r\n`,
          'latin1',
        ).toString('latin1'),
      )
      expect(reply, host).toBeDefined()
      expect(planned.has(reply?.status ?? 0), `${host}: ${reply?.status}`).toBe(true)
      if (reply?.status !== 200) continue
      const { status, urls } = JSON.parse(reply.text) as { status: number; urls: string[] }
      expect(status).toBe(2)
      expect(urls).toHaveLength(4)
      for (const [index, link] of urls.entries())
        expect(link.endsWith(`/media/image-jobs/${job}/${index}.png`), link).toBe(true)
    }
    await stillAnswers(fetch, url)
  })

  it('headers may come twice', async () => {
    const { port, url, close } = await listen(target())
    onTestFinished(close)
    const twice = [
      'Authorization: Bearer a',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      'X-Sim-Session: a',
      'Cookie: a=b',
      'Range: bytes=0-1',
      'X-Api-Key: a',
      '__proto__: a',
      'Set-Cookie: a',
      'Origin: null',
      'If-None-Match: "a"',
    ]
    for (const header of twice) {
      const body = '{"prompt":"a"}'
      const [reply] = await send(
        port,
        `POST /v1/videos HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${header}\r\n${header}b\r\n\r\n${body}`,
      )
      expect(reply, header).toBeDefined()
      expect(problemOf(reply as NonNullable<typeof reply>, header)).toBeUndefined()
    }
    await stillAnswers(fetch, url)
  })

  it('targets of other forms are planned', async () => {
    const { port, url, close } = await listen(target())
    onTestFinished(close)
    const auth = 'Host: x\r\nAuthorization: Bearer sk-test\r\n\r\n'
    for (const target of [
      '*',
      'http://x/v1/models',
      'x:80',
      '//v1/models',
      '/v1/models#a',
      '/v1/models?#',
      '/%00',
      '/v1/../v1/models',
      '/s',
      '/s/',
      '/\u00ff',
      '?',
      '/?',
      'ftp://x',
      'http://',
      'http:',
    ]) {
      for (const method of ['GET', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        for (const reply of await send(port, `${method} ${target} HTTP/1.1\r\n${auth}`))
          expect(problemOf(reply, `${method} ${target}`)).toBeUndefined()
      }
    }
    // RFC 9112 3.2.2: a server must take the absolute form.
    expect((await send(port, `GET http://x/v1/models HTTP/1.1\r\n${auth}`))[0]?.status).toBe(200)
    await stillAnswers(fetch, url)
  })
})
