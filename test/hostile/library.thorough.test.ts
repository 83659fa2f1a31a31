/**
 * What code in the same process can hand over that no socket would carry: odd calls, odd fetches, bodies that
 * break, parsers in front.
 */

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { jsonCall, post } from '../_setup.ts'
import { welcome } from './_examples.ts'
import { judged, stillAnswers, target } from './_judge.ts'

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
