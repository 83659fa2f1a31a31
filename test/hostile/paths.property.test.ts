import { describe, expect, it } from 'vitest'
import { some } from '../_counts.ts'
import { type Integration, integrations } from '../_setup.ts'
import { welcome as headers, pathOf, prepare } from './_examples.ts'
import { type Answer, answerOf, judged, problemOf, stillAnswers, target } from './_judge.ts'

/** Under Express a path that no operation owns belongs to the app around us; its answer is not ours. */
const ofTheApp = (integration: Integration, { status, type }: Answer): boolean =>
  integration.name === 'Express' && status === 404 && type.includes('text/html')

async function problem(
  integration: Integration,
  response: Response,
  what: string,
): Promise<string | undefined> {
  const answer = await answerOf(response)
  return ofTheApp(integration, answer) ? undefined : problemOf(answer, what)
}

const segments = [
  '',
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '%2E%2e%2f',
  '%2f',
  '%00',
  '%',
  '%f',
  '%ff',
  '%zz',
  '%c3%28',
  '%ed%a0%80',
  '%25',
  '%0d%0a',
  '%7f',
  '%20',
  'a b',
  'é',
  '漢',
  '🙂',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'null',
  'undefined',
  'NaN',
  '*',
  '{video_id}',
  ':',
  '@',
  '$&',
  "'",
  '"',
  '<script>',
  '\\',
  '|',
  ';a=b',
  '~',
  'x'.repeat(300),
]
describe.each(integrations)('through $name', (integration) => {
  it('ids of every kind in every path parameter', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    const ids = [
      ...segments,
      'video_',
      `video_${'0'.repeat(32)}`,
      `video_${'f'.repeat(10_000)}`,
      '00000000-0000-4000-8000-000000000000',
      given.video_id.toUpperCase(),
      `${given.video_id}x`,
      given.video_id.slice(0, -1),
      encodeURIComponent(`${given.video_id}\n`),
      given.jobId,
    ]
    const problems: (string | undefined)[] = []
    const cases = sim.routes.flatMap((route) =>
      (route.endpoint.path.match(/(?<=\{)\w+(?=\})/g) ?? []).flatMap((name) =>
        ids.map((id) => ({ route, name, id })),
      ),
    )
    for (const { route, name, id } of some(cases)) {
      const where = pathOf(route, given, { [name]: id })
      const body = route.endpoint.accepts.length === 0 ? {} : { body: '{"prompt":"a"}' }
      problems.push(
        await problem(
          integration,
          await call(`${url}${where}`, {
            method: route.endpoint.method,
            headers: { ...headers, 'content-type': 'application/json' },
            ...body,
          }),
          `${route.endpoint.operation} with ${name} ${id.slice(0, 60)}`,
        ),
      )
    }
    expect(problems.filter((found) => found !== undefined)).toEqual([])
    await stillAnswers(call, url)
  })

  it('ids of another session', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    for (const route of sim.routes.filter(({ endpoint }) => endpoint.idsIn?.params !== undefined)) {
      const body = route.endpoint.accepts.length === 0 ? {} : { body: '{"prompt":"a"}' }
      const { status, text } = await judged(
        await call(`${url}/s/another${pathOf(route, given)}`, {
          method: route.endpoint.method,
          headers: { ...headers, 'content-type': 'application/json' },
          ...body,
        }),
        route.endpoint.operation,
      )
      expect(status, text).toBe(404)
    }
    await stillAnswers(call, url)
  })

  it('session prefixes of every odd form', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const problems: (string | undefined)[] = []
    const statuses: Record<string, number> = {}
    for (const name of [
      ...segments,
      'a'.repeat(64),
      'a'.repeat(65),
      'a'.repeat(5000),
      's',
      'v1',
      '%61',
      'a%2Fb',
      '-',
      '_',
      'A.b-c_1',
      '%E2%80%AE',
    ]) {
      for (const rest of ['/v1/models', '', '/', '//v1/models', '/s/b/v1/models', '/__sim/clock']) {
        const where = `/s/${name}${rest}`
        const response = await call(`${url}${where}`, { headers })
        statuses[where] = response.status
        problems.push(await problem(integration, response, where))
      }
    }
    expect(problems.filter((found) => found !== undefined)).toEqual([])
    expect(statuses[`/s/${'a'.repeat(64)}/v1/models`]).toBe(200)
    expect(statuses[`/s/${'a'.repeat(65)}/v1/models`]).toBe(400)
    expect(statuses['/s/%61/v1/models']).toBe(200)
    expect(statuses['/s/%ff/v1/models']).toBe(400)
    for (const session of ['', ' ', '/', 'a b', '%', '\u00ff', 'a, b', '__proto__', 'a'.repeat(65)])
      problems.push(
        await problem(
          integration,
          await call(`${url}/v1/models`, { headers: { ...headers, 'x-sim-session': session } }),
          session,
        ),
      )
    for (const key of [
      'sk-sim--',
      'sk-sim-a',
      'sk-sim-a-',
      'sk-sim-A-b',
      `sk-sim-${'a'.repeat(33)}-b`,
      'sk-sim-__proto__-x',
      'sk-sim-\u00e9-x',
    ])
      problems.push(
        await problem(
          integration,
          await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } }),
          key,
        ),
      )
    expect(problems.filter((found) => found !== undefined)).toEqual([])
    await stillAnswers(call, url)
  })

  it('methods of every kind on every path', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const given = await prepare(sim)
    // What a `fetch` refuses to send (TRACE, CONNECT) is sent over sockets and in-process.
    const methods = [
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'PROPFIND',
      'MKCOL',
      'M-SEARCH',
      'get',
      'post',
      'options',
      'PURGE',
      ...(integration.name === 'fetch'
        ? ['TRACE', 'CONNECT', 'x', 'GET GET', '', '🙂', 'G'.repeat(10_000)]
        : []),
    ]
    const problems: (string | undefined)[] = []
    const cases = sim.routes.flatMap((route) => methods.map((method) => ({ route, method })))
    for (const { route, method } of some(cases)) {
      const where = pathOf(route, given)
      const response = await call(`${url}${where}`, { method, headers })
      const head = method === 'HEAD' ? await response.clone().text() : ''
      problems.push(
        head === ''
          ? await problem(integration, response, `${method} ${where}`)
          : `HEAD ${where} has the body ${head}`,
      )
    }
    expect(problems.filter((found) => found !== undefined)).toEqual([])
    await stillAnswers(call, url)
  })
})

describe('paths too long for a socket', () => {
  it.each(integrations.filter(({ name }) => name === 'fetch' || name === 'msw'))(
    'are refused through $name',
    async (integration) => {
      const sim = target()
      const { fetch: call, url } = await integration.open(sim)
      for (const where of [
        `/${'a'.repeat(200_000)}`,
        '/a'.repeat(100_000),
        `/s/${'a'.repeat(200_000)}/v1/models`,
        `/v1/videos/${'%61'.repeat(60_000)}`,
        `/v1/chat/completions/${'../'.repeat(50_000)}x`,
        `/v1/models?${'a=b&'.repeat(50_000)}`,
      ]) {
        await judged(await call(`${url}${where}`, { headers }), where.slice(0, 50))
      }
      await stillAnswers(call, url)
      expect(sim.journal().every((entry) => entry.path.length <= 2000)).toBe(true)
    },
  )
})
