/**
 * What code in the same process can hand over that no socket would carry: odd calls, odd fetches, bodies that
 * break, parsers in front.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { middleware } from '../../src/express.ts'
import type { Simulator } from '../../src/index.ts'
import { some } from '../_counts.ts'
import { jsonCall, post } from '../_setup.ts'
import { prepare, validJson, welcome } from './_examples.ts'
import { nested, wrongValues } from './_json.ts'
import { answerOf, judged, problemOf, stillAnswers, target } from './_judge.ts'

type Body = NonNullable<RequestInit['body']>
const headers = { ...welcome, 'content-type': 'application/json' }

describe('sim.fetch', () => {
  const call = (sim: Simulator, body: Body | null, more: RequestInit = {}): Promise<Response> =>
    sim.fetch('http://gateway.test/v1/chat/completions', { method: 'POST', headers, body, ...more })

  it('rejects as fetch does when a body breaks, and goes on', async () => {
    const sim = target()
    const breaking = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('the disk is full')),
    })
    await expect(call(sim, breaking, { duplex: 'half' } as RequestInit)).rejects.toThrow()
    await sim.settled()
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })

  it('rejects bodies of every kind that are no JSON', async () => {
    const sim = target()
    const bodies: Body[] = [
      '',
      '\ufeff{}',
      '\ud800',
      new Uint8Array(0),
      new Uint8Array([0xff]),
      new ArrayBuffer(3),
      new Blob(['x']),
      new Blob([]),
      new URLSearchParams({ model: 'm' }),
      new FormData(),
      new ReadableStream({ start: (controller) => controller.close() }),
    ]
    for (const body of bodies)
      expect(
        (await judged(await call(sim, body, { duplex: 'half' } as RequestInit), String(body))).status,
      ).toBeGreaterThanOrEqual(400)
    await judged(await call(sim, null), 'null')
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })

  it('reads text as the bytes it would be: a byte order mark and half a pair of surrogates do no harm', async () => {
    const sim = target()
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello x' }] })
    const said = async (sent: Body): Promise<unknown> => {
      const { text } = await judged(await call(sim, sent), 'text')
      return (JSON.parse(text) as { choices: unknown }).choices
    }
    expect(await said(`\ufeff${body}`)).toEqual(await said(body))
    expect(await said(body.replace('x', '\ud800'))).toEqual(
      await said(new TextEncoder().encode(body.replace('x', '\ud800'))),
    )
  })

  it('ends at once when the caller has left before', async () => {
    const sim = target({ clock: 'manual' })
    await expect(call(sim, '{}', { signal: AbortSignal.abort() })).rejects.toThrow()
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })
})

describe('a real clock', () => {
  afterEach(() => void vi.useRealTimers())

  const slow = { model: 'sim-slow', stream: true, messages: [{ role: 'user', content: 'Hello' }] }

  it('leaves no timer behind when the readers of its streams have left', async () => {
    const sim = target({ clock: 'real' })
    await sim.preload()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const leave = Array.from({ length: 20 }, () => new AbortController())
    for (const { signal } of leave)
      await sim.fetch('http://gateway.test/v1/chat/completions', { ...jsonCall(slow), signal })
    expect(vi.getTimerCount()).toBeGreaterThan(0)
    for (const controller of leave) controller.abort()
    expect(vi.getTimerCount()).toBe(0)
    await post(sim, '/v1/chat/completions', slow)
    await sim.close()
    // The break waits one turn, so that a reader gets what was said before it.
    vi.advanceTimersByTime(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe.each([
  ['express.json()', () => express.json({ limit: '200mb', strict: false })],
  ['express.text()', () => express.text({ limit: '200mb', type: () => true })],
  ['express.raw()', () => express.raw({ limit: '200mb', type: () => true })],
  ['express.urlencoded()', () => express.urlencoded({ extended: true, type: () => true })],
])('behind %s', (_, parser) => {
  it('bodies of every kind are answered', async () => {
    const sim = target()
    const app = express().use(parser()).use(middleware(sim))
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const seen = new Set<string>()
    // One body of each operation is enough to get past what reads it.
    const valid = validJson(sim, await prepare(sim)).filter(
      ({ route }) => !seen.has(route.endpoint.operation) && seen.add(route.endpoint.operation),
    )
    const problems: (string | undefined)[] = []
    const cases = valid.flatMap(({ route, path, json }) =>
      (
        [
          ...Object.entries(wrongValues),
          ['the valid one', JSON.stringify(json)],
          ['arrays 200,000 deep', nested(200_000, 'array')],
          ['a form', 'a=b&__proto__[polluted]=1&constructor[prototype][polluted]=1'],
        ] as const
      ).map(([what, body]) => ({ route, path, what, body })),
    )
    for (const { route, path, what, body } of some(cases)) {
      const answer = await answerOf(
        await fetch(`${url}${path}`, { method: route.endpoint.method, headers, body }),
      )
      // What the parser itself rejects is not ours.
      if (!answer.type.includes('text/html'))
        problems.push(problemOf(answer, `${route.endpoint.operation}: ${what}`))
    }
    expect(problems.filter((found) => found !== undefined)).toEqual([])
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })
})
