/** Reading the journal over the control API: which entries, how many, and in which form. */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { bodyOf, get, post, simulator, withRules } from '../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }

interface Page {
  readonly total: number
  readonly matching: number
  readonly more: number
  readonly nextCursor?: number
  readonly entries: readonly { readonly seq: number; readonly operation: string }[]
}

const read = async (sim: Simulator, query = ''): Promise<Page> =>
  await bodyOf(get(sim, `/__sim/journal${query}`))

async function busy(): Promise<Simulator> {
  const rule = 'id: second, when: { operation: chat.create, nth: 2 }, then: { error: { status: 503 } }'
  const sim = simulator(withRules([rule]))
  await get(sim, '/v1/models')
  await post(sim, '/v1/chat/completions', chat)
  sim.clock.advance('10s')
  await post(sim, '/v1/chat/completions', chat)
  await post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a sunset' })
  sim.clock.advance('10s')
  await post(sim, '/v1/chat/completions', { model: 'sim-rate-limit', messages: chat.messages })
  return sim
}

describe('the journal is filtered by', () => {
  const cases: readonly (readonly [string, string, readonly number[]])[] = [
    ['nothing', '', [0, 1, 2, 3, 4]],
    ['operation', '?operation=chat.create', [1, 2, 4]],
    ['a group of operations', '?operation=videos.*', [3]],
    ['status', '?status=429', [4]],
    ['a hundred of statuses', '?status=5xx', [2]],
    ['number', '?seq=2', [2]],
    ['the number before', '?cursor=2', [3, 4]],
    ['several at once', '?operation=chat.create&status=200&cursor=0', [1]],
  ]
  for (const [title, query, wanted] of cases) {
    it(title, async () => {
      const { entries, total, matching } = await read(await busy(), query)
      expect(entries.map(({ seq }) => seq)).toEqual(wanted)
      expect(total).toBe(5)
      if (!query.includes('cursor')) expect(matching).toBe(wanted.length)
    })
  }

  it.each(['status=teapot', 'seq=1..2', 'limit=0', 'format=xml', 'cursor=x'])(
    '%s, which cannot be: 400 that names the field',
    async (query) => {
      const response = await get(simulator(), `/__sim/journal?${query}`)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(query.slice(0, query.indexOf('=')))
    },
  )
})

describe('pages', () => {
  it('lead from one to the next', async () => {
    const sim = await busy()
    const seen: number[] = []
    for (let cursor: number | undefined = -1; cursor !== undefined; ) {
      const page: Page = await read(sim, `?limit=2&cursor=${cursor}`)
      expect(page.total).toBe(5)
      expect(page.more).toBe(Math.max(0, 3 - seen.length))
      seen.push(...page.entries.map(({ seq }) => seq))
      cursor = page.nextCursor
    }
    expect(seen).toEqual([0, 1, 2, 3, 4])
  })
})
