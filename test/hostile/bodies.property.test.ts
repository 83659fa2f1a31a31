/**
 * Bodies that are no valid request at all: bytes of any kind under any content type, broken JSON, JSON of the
 * wrong kind.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs, some } from '../_counts.ts'
import { integrations } from '../_setup.ts'
import { pathOf, prepare, routeOf, validJson, welcome } from './_examples.ts'
import { wrongValues } from './_json.ts'
import { answerOf, judged, problemOf, stillAnswers, target } from './_judge.ts'

const contentTypes = [
  '',
  'application/json',
  'APPLICATION/JSON; charset=UTF-8',
  'application/json;charset=utf-16',
  'application/json; charset="no-such-charset"',
  'application/json;;;=;',
  'application/vnd.api+json',
  'application/jsonp',
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x',
  'multipart/mixed; boundary=x',
  'application/octet-stream',
  'image/png',
  '*/*',
  '/',
  'x',
  ';',
  ',',
  'application/json, multipart/form-data; boundary=x',
  `application/${'x'.repeat(5000)}`,
]

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 100 }).map((text) => new TextEncoder().encode(text)),
  fc.json({ maxDepth: 3 }).map((text) => new TextEncoder().encode(text)),
  fc
    .constantFrom(
      '',
      '\uFEFF{}',
      '{',
      '}',
      '[',
      '"',
      'nul',
      '{"a":}',
      "{'a':1}",
      '{"a":1,}',
      '[1,]',
      'NaN',
      '-',
      '1e',
      '{}{}',
      '// c',
      'undefined',
      '\u0000',
      '--x\r\n',
      '--x--\r\n',
      '--x',
    )
    .map((text) => new TextEncoder().encode(text)),
  fc
    .constantFrom(
      [0xff, 0xfe, 0x7b, 0, 0x7d, 0],
      [0xef, 0xbb, 0xbf, 0x7b, 0x7d],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0x1f, 0x8b, 8, 0, 0, 0, 0, 0],
    )
    .map((list) => Uint8Array.from(list)),
)

describe.each(integrations)('through $name', (integration) => {
  it('refuses bytes that are no body of the operation', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    const operations = sim.routes.map(({ endpoint }) => endpoint.operation)
    const property = fc.asyncProperty(
      fc.constantFrom(...operations),
      fc.constantFrom(...contentTypes),
      bytes,
      async (operation, contentType, body) => {
        const route = routeOf(sim, operation)
        const { method } = route.endpoint
        const withBody = method === 'GET' ? {} : { body: body as Uint8Array<ArrayBuffer> }
        const headers = { ...welcome, ...(contentType === '' ? {} : { 'content-type': contentType }) }
        await judged(
          await call(`${url}${pathOf(route, given)}`, { method, headers, ...withBody }),
          `${route.endpoint.operation} with ${contentType}`,
        )
      },
    )
    await fc.assert(property, runs(150))
    await stillAnswers(call, url)
  })

  it('refuses the beginning of a valid body', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    for (const { route, path, json } of validJson(sim, given)) {
      const whole = JSON.stringify(json)
      for (const share of [0.01, 0.3, 0.7, 0.99]) {
        const body = whole.slice(0, Math.ceil(whole.length * share) - (share === 0.99 ? 1 : 0))
        const { status } = await judged(
          await call(`${url}${path}`, {
            method: route.endpoint.method,
            headers: { ...welcome, 'content-type': 'application/json' },
            body,
          }),
          `${route.endpoint.operation}: ${body.slice(-40)}`,
        )
        expect(status).toBe(400)
      }
    }
    await stillAnswers(call, url)
  })

  it('refuses JSON of every wrong kind', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    const problems: string[] = []
    for (const route of sim.routes.filter(({ endpoint }) => endpoint.accepts.includes('json'))) {
      for (const [what, body] of some(Object.entries(wrongValues))) {
        if (body.length > 100_000) continue
        const response = await call(`${url}${pathOf(route, given)}`, {
          method: route.endpoint.method,
          headers: { ...welcome, 'content-type': 'application/json' },
          body,
        })
        problems.push(
          ...[problemOf(await answerOf(response), `${route.endpoint.operation}: ${what}`)].filter(
            (problem) => problem !== undefined,
          ),
        )
      }
    }
    expect(problems).toEqual([])
    await stillAnswers(call, url)
  })

  it('refuses a compressed body with 415', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    for (const encoding of ['gzip', 'br', 'deflate', 'x-unknown', 'gzip, gzip', 'GZIP']) {
      const headers = { ...welcome, 'content-type': 'application/json', 'content-encoding': encoding }
      const { status } = await judged(
        await call(`${url}/v1/videos`, { method: 'POST', headers, body: '{"prompt":"a sunset"}' }),
        encoding,
      )
      expect(status).toBe(415)
    }
    await stillAnswers(call, url)
  })

  it('refuses a body over the limit with 413', async () => {
    const sim = target({ settings: { limits: { jsonBytes: 4096, formBytes: 8192 } } })
    const { fetch: call, url } = await integration.open(sim)
    const post = async (contentType: string, body: string): Promise<number> =>
      (
        await judged(
          await call(`${url}/v1/videos`, {
            method: 'POST',
            headers: { ...welcome, 'content-type': contentType },
            body,
          }),
          contentType,
        )
      ).status
    expect(await post('application/json', JSON.stringify({ prompt: 'a'.repeat(5000) }))).toBe(413)
    // Counted in bytes, not in letters.
    expect(await post('application/json', JSON.stringify({ prompt: '語'.repeat(2000) }))).toBe(413)
    expect(await post('application/json', JSON.stringify({ prompt: '語'.repeat(1000) }))).toBe(200)
    expect(await post('application/json', 'a'.repeat(5_000_000))).toBe(413)
    expect(await post('multipart/form-data; boundary=x', 'a'.repeat(9000))).toBe(413)
    await stillAnswers(call, url)
  })
})
