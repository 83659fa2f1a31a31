/**
 * Many of everything: what a simulator remembers stays within its settings, and what it forgets is named as
 * forgotten.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { JournalEntry, Simulator } from '../../src/index.ts'
import { bodyOf, get, post } from '../_setup.ts'
import { judged, stillAnswers, target } from './_judge.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that live after a collection. */
async function living(): Promise<number> {
  // What a promise still holds lives until the next turn.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const chat = (text: string) => ({ model: 'm', messages: [{ role: 'user', content: text }] })
/** Of all bodies in a journal. */
const lengthOf = (entries: readonly JournalEntry[]): number =>
  entries.reduce(
    (sum, { request, response }) =>
      sum + (request.body?.text ?? '').length + (response?.body?.text ?? '').length,
    0,
  )
const sandbox = (sim: Simulator, name = 'default') => sim.core.sessions.get(name).sandbox
const as = (index: number) => ({ authorization: `Bearer sk-${index}` })
const idOf = async (response: Response): Promise<string> => ((await response.json()) as { id: string }).id

describe('many sessions', () => {
  it('are bounded; the one used longest ago goes first', async () => {
    const sim = target({ settings: { memory: { sessions: 5 } } })
    for (let index = 0; index < 50; index++) {
      await judged(await get(sim, `/s/by-path-${index}/v1/models`), 'path')
      await judged(await get(sim, '/v1/models', { 'x-sim-session': `by-header-${index}` }), 'header')
      await judged(await get(sim, '/v1/models', { authorization: `Bearer sk-sim-key${index}-x` }), 'key')
      expect(sim.core.sessions.all().length).toBeLessThanOrEqual(5)
    }
    expect(sim.core.sessions.find('by-path-0')).toBeUndefined()
    expect(sim.core.sessions.find('key49')).toBeDefined()
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })

  it('hold no more together than four times what one may, and what was evicted for another session is not taken for something that never came', async () => {
    const sim = target({ settings: { memory: { bytes: 100_000 } } })
    const first = sim.createSession({ name: 'first' })
    const response = await post(sim, '/s/first/v1/chat/completions', chat('Hello'))
    const requestId = response.headers.get('x-request-id') as string
    for (let index = 0; index < 300; index++)
      await post(sim, `/s/later-${index % 50}/v1/chat/completions`, chat(`${index} ${'a'.repeat(3000)}`))
    const kept = sim.core.sessions.all().flatMap(({ sandbox: { journal } }) => journal.kept())
    expect(lengthOf(kept)).toBeLessThanOrEqual(400_000)
    expect(kept.length).toBeGreaterThan(40)

    expect(first.journal()).toEqual([])
    const undecided = { ok: false, decided: false, message: expect.stringContaining('Inconclusive') }
    expect(first.safeVerify({ requests: 'chat.create', never: true })).toMatchObject(undecided)
    const later = first.safeVerify({ requests: 'videos.create', never: true })
    expect(later).toMatchObject({ ok: false, decided: false })
    expect(() => first.explainRequest(requestId)).toThrow(/holds 0 of \d+ request/)
  })
})

describe('many resources', () => {
  it.each([
    ['image jobs', '/v1/tob/diffusion', { model: 'image-job-v7', text: 'a lighthouse' }, '/v1/tob/job/'],
    ['videos', '/v1/videos', { prompt: 'a sunset' }, '/v1/videos/'],
  ])('%s: the oldest are evicted, and their 404 says so', async (_, path, body, read) => {
    const sim = target({ clock: 'manual', settings: { memory: { items: 60 } } })
    const ids: string[] = []
    for (let index = 0; index < 100; index++) {
      ids.push(await idOf(await post(sim, path, body, as(index))))
      expect(sandbox(sim).memory.count).toBeLessThanOrEqual(60)
    }
    expect(new Set(ids).size).toBe(100)
    const gone = await judged(await get(sim, `${read}${ids[0]}`, as(0)), 'an evicted one')
    expect(gone.status).toBe(404)
    expect(gone.text).toMatch(/may have been evicted: this session evicted \d+ items/)
    expect((await judged(await get(sim, `${read}${ids[99]}`, as(99)), 'a kept one')).status).toBe(200)
    await judged(await post(sim, '/__sim/clock/advance', { to: 'idle' }), 'advance')
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })

  it('leave no memory behind when they are evicted', async () => {
    const sim = target({ settings: { memory: { items: 30 } } })
    const prompt = 'a'.repeat(20_000)
    const make = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++)
        await post(sim, '/v1/videos', { prompt: `${index} ${prompt}` }, as(index))
    }
    await make(50)
    const before = await living()
    await make(1000)
    // Kept, they would hold 20 MB.
    expect((await living()) - before).toBeLessThan(10_000_000)
  })
})

describe('many uploads', () => {
  /** The least of some turns: forms and streams that ended take a few collections to go. */
  const buffers = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY
    for (let turn = 0; turn < 5; turn++) {
      await living()
      least = Math.min(least, process.memoryUsage().arrayBuffers)
    }
    return least
  }
  const upload = async (sim: Simulator, index: number, session = ''): Promise<string> => {
    const asked = post(sim, `${session}/v1/files/upload_url`, { path: `${index}.bin` })
    const { upload_url, visit_url } = await bodyOf(asked)
    const body = new Uint8Array(1_000_000).fill(index)
    expect((await sim.fetch(upload_url, { method: 'PUT', body })).status).toBe(200)
    return visit_url
  }

  it('leave no more in memory than the settings say', async () => {
    const sim = target({ settings: { memory: { bytes: 5_000_000 } } })
    const before = await buffers()
    const addresses: string[] = []
    for (let index = 0; index < 100; index++) {
      addresses.push(await upload(sim, index))
      expect(sandbox(sim).uploads.size).toBeLessThanOrEqual(5_000_000)
    }
    expect((await buffers()) - before).toBeLessThan(20_000_000)
    const evicted = await judged(await sim.fetch(addresses[0] as string), 'an evicted one')
    expect([evicted.status, evicted.text.includes('may have been evicted')]).toEqual([404, true])
  })
})

describe('many different requests', () => {
  it('fill no more of the journal than the settings say', async () => {
    const sim = target({ settings: { memory: { items: 100, bytes: 200_000 } } })
    for (let index = 0; index < 500; index++)
      await post(sim, '/v1/tob/diffusion', { model: 'm', text: `${index} ${'a'.repeat(index * 10)}` })
    const entries = sim.journal()
    expect(entries.length).toBeLessThanOrEqual(100)
    expect(lengthOf(entries)).toBeLessThanOrEqual(200_000)
    expect(entries.at(-1)?.seq).toBe(499)
  })

  it.each([
    ['rejected', '/v1/tob/diffusion', (text: string) => ({ model: 'm', text })],
    ['of videos', '/v1/videos', (text: string) => ({ prompt: text })],
    [
      'of operations',
      '/v1beta/models/m:predictLongRunning',
      (prompt: string) => ({ instances: [{ prompt }] }),
    ],
    ['of chats', '/v1/chat/completions', (text: string) => ({ ...chat('Hello'), user: text })],
  ])('%s: leave no long body in memory', async (_, path, body) => {
    const sim = target()
    const long = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++)
        await post(sim, path, body(`${index} ${'a'.repeat(3_000_000)}`))
    }
    await long(2)
    const before = await living()
    await long(12)
    // The journal keeps the beginning of each; the whole bodies would be 36 MB.
    expect((await living()) - before).toBeLessThan(12_000_000)
  })
})
