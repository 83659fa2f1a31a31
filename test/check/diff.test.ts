/** What changed between two recordings. */
import { describe, expect, it } from 'vitest'
import { diffRecordings } from '../../src/check/diff/diff-recordings.ts'
import { printDiff } from '../../src/check/diff/print-diff.ts'
import type { RecordedExchange } from '../../src/har/exchange.ts'
import { plain } from '../../src/text/paint.ts'
import { deviations } from './gateway/deviations.ts'
import { createGateway } from './gateway/gateway.ts'
import { walk } from './gateway/walk.ts'

const before = await walk(createGateway())

async function after(part: string, name: string): Promise<string[]> {
  const change = deviations[name]
  if (change === undefined) throw new Error(`no deviation ${name}`)
  const unchanged = await walk(createGateway(), [part])
  const { differences } = await diffRecordings(unchanged, await walk(createGateway({ change }), [part]))
  return differences.map(({ operation, what, place, before: was, after: is }) =>
    [operation, what, place, was, is].join(' | '),
  )
}

describe('what is no change', () => {
  it('the same again', async () => {
    expect(await diffRecordings(before, before)).toMatchObject({ differences: [], notes: [] })
  })

  it('other ids, addresses and polls until something is done', async () => {
    const other = await walk(createGateway({ pollsUntilDone: 2, baseUrl: 'http://other.test' }))
    expect((await diffRecordings(before, other)).differences).toEqual([])
  })

  it('what only one of them asks: it is a note', async () => {
    const { differences, notes } = await diffRecordings(
      before,
      before.filter(({ request }) => !request.url.includes('/v1/systemone')),
    )
    expect(differences).toEqual([])
    expect(notes).toEqual(['systemone.evaluate: only the first calls it'])
  })

  it('a slower gateway: it is a note', async () => {
    const slow = before.map((exchange): RecordedExchange => ({ ...exchange, firstByteAfter: 900 }))
    const { differences, notes } = await diffRecordings(before, slow)
    expect(differences).toEqual([])
    expect(notes).toContain('chat.create: slower, 10 ms to the first byte before, 900 ms after')
  })
})

describe('a change', () => {
  it.each([
    ['chats', 'crashes on bad input', ['chat.create | status | status | 400 | 500']],
    ['jobs', 'job: no comment', ['imageJobs.retrieve | removed | /comment | string | absent']],
    ['chats', 'chat: created as a date', ['chat.create | type | /created | number | string']],
    [
      'videos',
      'video: another word for the end',
      ['videos.retrieve | words | /status | completed, failed, in_progress | failed, in_progress, succeeded'],
    ],
    [
      'chats',
      'refusal as a page',
      ['chat.create | header | content-type | application/json | application/json, text/html'],
    ],
    [
      'messages',
      'messages: no output tokens',
      ['messages.create | removed | /usage/output_tokens | number | absent'],
    ],
  ])('%s: %s', async (part, name, changes) => {
    expect(await after(part, name)).toEqual(changes)
  })

  it('reads well', async () => {
    const change = deviations['job: no comment'] as (typeof deviations)[string]
    const unchanged = await walk(createGateway(), ['jobs'])
    const found = await diffRecordings(unchanged, await walk(createGateway({ change }), ['jobs']))
    expect(printDiff(found, plain)).toBe(
      [
        'imageJobs.retrieve',
        '  removed  /comment: string',
        '1 difference in 7 operations that both recordings call',
        '',
      ].join('\n'),
    )
  })
})
