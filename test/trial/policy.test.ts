/** What can be tried at the requests of a healthy run, and which verdicts are acceptable. */

import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/exchange/exchange.ts'
import { plainEntry } from '../../src/exchange/plain.ts'
import { faults } from '../../src/scenario/faults/all.ts'
import { allFailures } from '../../src/trial/failure.ts'
import type { ObservedRun } from '../../src/trial/judge.ts'
import { nameError } from '../../src/trial/names.ts'
import { type PolicyEntry, staleEntries, validEntries } from '../../src/trial/policy.ts'
import { type Cell, cellsOf, type JudgedCell, runCells, scenarioOf, titleOf } from '../../src/trial/trial.ts'
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

async function cells(requests: readonly Sent[], selection = all): Promise<Cell[]> {
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
    expect(missing).toEqual(['outage'])
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

  it('are named as a failure, an operation, a group, or both; the nearest name is suggested', () => {
    const operations = ['chat.create', 'videos.create']
    for (const name of ['hang', 'chat.create', 'videos.*', 'videos.*:reset', 'chat.create:hang'])
      expect(nameError(name, operations)).toBeUndefined()
    expect(nameError('hng', operations)).toContain('got "hng"; did you mean hang?')
    expect(nameError('chat.creat:hang', operations)).toContain('did you mean chat.create?')
    expect(nameError('videos.*:rest', operations)).toContain('unknown failure "rest"; did you mean reset?')
    expect(nameError('chat.create:hang:1', operations)).toContain('expected OPERATION:FAILURE')
  })
})

/** The verdict on one cell whose run exits with this code. */
async function judged(code: number, policy: readonly PolicyEntry[] = []): Promise<JudgedCell> {
  const { entries, vocabulary } = await healthy([{ body: chat }])
  const observed = (code: number, rule?: string): ObservedRun => ({
    ...{ end: { kind: 'exited', code }, stdout: '', stderr: '', seconds: 0.1, findings: [] },
    entries: entries.map(
      (entry): JournalEntry => ({ ...plainEntry(entry), cause: { ...plainEntry(entry).cause, rule } }),
    ),
  })
  const selection = { ...all, only: ['chat.create:dribble'] }
  const [cell] = await runCells(cellsOf(entries, vocabulary, selection), {
    run: async () => observed(code, 'trial'),
    ...{ healthy: observed(0), vocabulary, jobs: 1, policy },
    done() {},
    isStopped: () => false,
  })
  return cell as JudgedCell
}

describe('accepted verdicts', () => {
  const entry = { operation: 'chat.*', failure: 'dribble', verdict: 'gave up', reason: 'known' } as const

  it('match by operation, group, failure and verdict', async () => {
    expect(await judged(1)).toMatchObject({ verdict: 'gave up', acceptable: false })
    for (const change of [
      {},
      { operation: 'chat.create' },
      { failure: undefined },
      { verdict: ['hung', 'gave up'] },
    ])
      expect(await judged(1, [{ ...entry, ...change } as PolicyEntry])).toMatchObject({ accepted: 'known' })
    for (const change of [{ operation: 'videos.*' }, { failure: 'reset' }, { verdict: 'hung' }])
      expect(await judged(1, [{ ...entry, ...change } as PolicyEntry])).toMatchObject({ acceptable: false })
  })

  it('expire after their last day', () => {
    const expiring = { ...entry, expires: '2026-01-31' }
    expect(validEntries([expiring], '2026-01-31')).toEqual([expiring])
    expect(validEntries([expiring], '2026-02-01')).toEqual([])
  })

  it('are reported once they have expired, or nothing matches them any more', () => {
    const bad = [
      { cell: { operation: 'chat.create', failure: { id: 'dribble' } }, verdict: 'gave up' },
    ] as const
    expect(staleEntries([entry], bad, '2026-01-01')).toEqual([])
    expect(
      staleEntries(
        [
          { ...entry, expires: '2025-12-31' },
          { ...entry, failure: 'hang' },
        ],
        bad,
        '2026-01-01',
      ),
    ).toEqual([
      'the entry has expired: chat.*, dribble, gave up, expires 2025-12-31: known',
      'the entry matches no verdict: chat.*, hang, gave up: known',
    ])
  })
})
