/** Eight small clients with one vice each, and one without: each vice is found where it shows, and nowhere else. */
import { describe, expect, it } from 'vitest'
import type { TrialResult } from '../../src/trial/trial.ts'
import { tryFailures } from '../../src/trial/try-failures.ts'
import { useGateway, type Vice } from './_client.ts'

async function unacceptable(vice: Vice): Promise<TrialResult[]> {
  const results = await tryFailures(({ sim }) => useGateway(sim.fetch, vice), {
    // Only these two end by it.
    timeout: vice === 'hangs' ? 12_000 : vice === 'polls for ever' ? 20_000 : 60_000,
  })
  expect(results.length).toBeGreaterThan(150)
  return results.filter(({ acceptable }) => !acceptable)
}

const cellsOf = (results: readonly TrialResult[]): string[] =>
  results.map(
    ({ operation, failure, nth, verdict }) =>
      `${operation} ${failure} ${nth === undefined ? 'always' : 'once'}: ${verdict}`,
  )

/** Every pair of an operation and a failure, once and always. */
const both = (operation: string, failures: string, verdict: string): string[] =>
  failures
    .split(' ')
    .flatMap((failure) => [
      `${operation} ${failure} once: ${verdict}`,
      `${operation} ${failure} always: ${verdict}`,
    ])
const each = (operations: string, failures: string, verdict: string): string[] =>
  operations.split(' ').flatMap((operation) => both(operation, failures, verdict))

const openEnded = 'hang stall-body'
const all = 'chat.create videos.create videos.retrieve videos.content'

describe('a trial in process', () => {
  it('finds nothing in a client without a vice', async () => {
    expect(cellsOf(await unacceptable(undefined))).toEqual([])
  })

  it.each<[Vice, readonly string[]]>([
    [
      'duplicates',
      both('videos.create', 'hang reset wrong-length truncate malformed-json stall-body', 'duplicated'),
    ],
    [
      'trusts half',
      both(
        'chat.create',
        'wrong-length truncate stall-body disconnect stall error-event malformed-event content-filter ends-early',
        'ignored',
      ),
    ],
    ['hangs', [...each(all, openEnded, 'hung'), ...both('chat.create', 'stall-at-start stall', 'hung')]],
    ['ignores error events', both('chat.create', 'error-event-at-start error-event', 'ignored')],
    [
      'polls for ever',
      [...both('videos.create', 'job-stuck', 'hung'), 'videos.retrieve unknown-value always: hung'],
    ],
    ['swallows 401', each(all, 'auth', 'ignored')],
  ])('finds exactly where a client %s', async (vice, expected) => {
    expect(cellsOf(await unacceptable(vice)).sort()).toEqual([...expected].sort())
  })

  it('finds a client that hammers, where every request fails', async () => {
    const found = await unacceptable('hammers')
    expect(new Set(found.map(({ verdict, nth }) => `${verdict} ${nth}`))).toEqual(
      new Set(['hammered undefined']),
    )
    for (const cell of each('chat.create videos.content', 'reset rate-limit server-error', 'hammered'))
      if (cell.includes('always')) expect(cellsOf(found)).toContain(cell)
  })

  it('finds a client that crashes on an error it does not know', async () => {
    const found = await unacceptable('crashes')
    expect(new Set(found.map(({ verdict }) => verdict))).toEqual(new Set(['crashed']))
    expect(cellsOf(found)).toEqual(expect.arrayContaining(each(all, 'server-error', 'crashed')))
  })

  it('gives the same verdicts twice', async () => {
    const verdictsOf = async (): Promise<string[]> =>
      (
        await tryFailures(({ sim }) => useGateway(sim.fetch, 'trusts half'), {
          only: ['chat.create'],
          timeout: 60_000,
        })
      ).map(({ title, verdict }) => `${title}: ${verdict}`)
    expect(await verdictsOf()).toEqual(await verdictsOf())
  })

  it('rejects a client that fails without a failure, and one that sends no request', async () => {
    await expect(tryFailures(() => Promise.reject(new Error('no gateway')))).rejects.toThrow('no gateway')
    await expect(tryFailures(async () => 'nothing')).rejects.toThrow('no successful request')
  })
})
