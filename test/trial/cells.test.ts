/** What can be tried at the requests of a healthy run. */
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/exchange/exchange.ts'
import { faults } from '../../src/scenario/faults/all.ts'
import { allFailures, rankOf } from '../../src/trial/failures.ts'
import {
  type Cell,
  type CellSelection,
  cellsOf,
  scenarioOf,
  selectionError,
  titleOf,
  worstFirst,
} from '../../src/trial/trial.ts'
import { simulator } from '../_setup.ts'

const messages = [{ role: 'user', content: 'What is the weather in Paris?' }]
const chat = { model: 'gpt-4o', messages }
const all = { only: [], except: [] }

interface Sent {
  readonly path?: string
  readonly body?: object
  readonly key?: string
}

/** The journal after these requests, and the API that they used. */
async function healthy(requests: readonly Sent[]) {
  const entries: JournalEntry[] = []
  const sim = simulator({ clock: 'auto', onCall: (entry) => void entries.push(entry) })
  for (const { path = '/v1/chat/completions', body, key = 'sk-test' } of requests) {
    const response = await sim.fetch(`http://gateway.test${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.text()
  }
  return { entries, vocabulary: sim.core.vocabulary }
}

async function cells(requests: readonly Sent[], selection: CellSelection = all): Promise<Cell[]> {
  const { entries, vocabulary } = await healthy(requests)
  return cellsOf(entries, vocabulary, selection)
}

const named = (list: readonly Cell[], failure: string): string[] =>
  list.filter((cell) => cell.failure.id === failure).map(titleOf)

describe('failures', () => {
  it('come from every fault but those that no client can notice, or that last', () => {
    const missing = faults
      .map(({ kind }) => kind)
      .filter((kind) => !allFailures.some(({ id }) => id === kind || id === `${kind}-at-start`))
    expect(missing).toEqual(['outage', 'corrupt'])
  })

  it('meet the first request that they can meet: in one body, or as a stream', async () => {
    const list = await cells([{ body: chat }, { body: { ...chat, stream: true } }, { body: chat }])
    expect(named(list, 'server-error')).toEqual([
      'chat.create: server-error, request 1',
      'chat.create: server-error, every request',
      'chat.create: server-error, request 2',
    ])
    expect(named(list, 'malformed-json').slice(0, 1)).toEqual(['chat.create: malformed-json, request 1'])
    expect(named(list, 'disconnect')).toEqual([
      'chat.create: disconnect, request 2',
      'chat.create: disconnect, every request',
    ])
  })

  it('count only requests of the same delivery that reach the rules', async () => {
    const list = await cells([
      { body: chat, key: 'invalid' },
      { body: { ...chat, stream: true } },
      { body: { ...chat, model: 7 } },
      { body: chat },
    ])
    const whenOf = (failure: string, delivery: string) => {
      const found = list.find(
        ({ failure: { id }, nth, target }) =>
          id === failure && nth !== undefined && target.delivery === delivery,
      )
      return found === undefined ? undefined : scenarioOf(found).rules?.[0]?.when
    }
    expect(whenOf('server-error', 'body')).toMatchObject({ nth: 1, body: { stream: { not: true } } })
    expect(whenOf('auth', 'body')).toMatchObject({ nth: 3 })
    expect(whenOf('stall', 'stream')).toMatchObject({ nth: 1, body: { stream: true } })
  })

  it('start with those that break most clients, of each request', async () => {
    const list = await cells([{ body: { ...chat, stream: true } }])
    expect(worstFirst(list).slice(0, 4).map(titleOf)).toEqual([
      'chat.create: stall, request 1',
      'chat.create: stall, every request',
      'chat.create: hang, request 1',
      'chat.create: hang, every request',
    ])
    expect(new Set(worstFirst(list))).toEqual(new Set(list))
    const ranks = allFailures.map(rankOf)
    const last = Math.max(...ranks)
    expect(new Set(ranks)).toEqual(new Set(Array.from({ length: last + 1 }, (_, rank) => rank)))
  })

  it('are ten different ones with --quick, each once, in the order of the table', async () => {
    const requests = [{ body: { ...chat, stream: true } }, { body: chat }]
    const list = await cells(requests)
    const quick = await cells(requests, { ...all, quick: true })
    expect(new Set(quick.map(({ failure }) => failure.id)).size).toBe(10)
    expect(quick).toHaveLength(10)
    expect(quick.every(({ nth }) => nth !== undefined)).toBe(true)
    const titles = quick.map(titleOf)
    expect(titles).toEqual(list.map(titleOf).filter((title) => titles.includes(title)))
    expect(titles).toContain('chat.create: stall, request 1')
  })

  it('are named as a failure, an operation, a group, or both; the nearest name is suggested', () => {
    const operations = ['chat.create', 'videos.create']
    const error = (name: string) => selectionError({ only: [], except: [name] }, operations)
    for (const name of ['hang', 'chat.create', 'videos.*', 'videos.*:reset', 'chat.create:hang'])
      expect(error(name)).toBeUndefined()
    expect(error('hng')).toContain('except: expected a failure')
    expect(error('hng')).toContain('got "hng"; did you mean hang?')
    expect(error('chat.creat:hang')).toContain('did you mean chat.create?')
    expect(error('videos.*:rest')).toContain('got "videos.*:rest"; did you mean reset?')
    expect(error('chat.create:hang:1')).toContain('got "chat.create:hang:1"')
  })
})
