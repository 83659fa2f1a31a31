/** What changed between two recordings. */
import { describe, expect, it } from 'vitest'
import { type Exchange, textBody } from '../../src/exchange/exchange.ts'
import { diffRecordings } from '../../src/judges/sameness.ts'
import { renderers } from '../../src/report/renderers.ts'
import { diffReport } from '../../src/run/diff-report.ts'
import { createGateway } from './gateway/gateway.ts'
import { violations } from './gateway/violations.ts'
import { walk } from './gateway/walk.ts'

const before = await walk(createGateway())

async function after(part: string, name: string): Promise<string[]> {
  const change = violations[name]
  if (change === undefined) throw new Error(`no violation ${name}`)
  const unchanged = await walk(createGateway(), [part])
  const { differences } = await diffRecordings(unchanged, await walk(createGateway({ change }), [part]))
  return differences.map(({ operations, what, place, before: was, after: is }) =>
    [operations.join(), what, place, was, is].join(' | '),
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
    expect(notes).toEqual([
      expect.stringMatching(/^not compared: 1 request of the first recording, without a request with/),
    ])
  })

  it('another word of the contract: it is a note', async () => {
    const scaled = before.map((exchange): Exchange => {
      const { response } = exchange
      if (response === undefined) return exchange
      const text = (response.body?.text ?? '').replaceAll('"quality":"low"', '"quality":"high"')
      return text.includes('"quality"')
        ? { ...exchange, response: { ...response, body: textBody(text) } }
        : exchange
    })
    const { differences, notes } = await diffRecordings(before, scaled)
    expect(differences).toEqual([])
    expect(notes).toContain('images.generate: values image_generation.completed /quality: low → high')
  })
})

describe('a change', () => {
  const [job, chat, message] = ['imageJobs.retrieve', 'chat.create', 'messages.create']
  const [type, end] = ['application/json', 'chat.create | end | end | an end marker']
  it.each<[string, string, string[]]>([
    ['chats', 'crashes on bad input', ['chat.create | status | status | 400 | 500']],
    ['jobs', 'job: no comment', [`${job} | removed | /comment | string | absent`]],
    ['chats', 'chat: created as a date', ['chat.create | type | /created | number | string']],
    [
      'videos',
      'video: another word for the end',
      ['videos.retrieve | values | /status | completed | succeeded'],
    ],
    ['chats', 'rejection as a page', [`${chat} | header | content-type | ${type} | text/html`]],
    [
      'messages',
      'messages: no output tokens',
      [`${message} | removed | /usage/output_tokens | number | absent`],
    ],
    [
      'chats',
      'chat stream: no end marker',
      [`${end} | no end marker`, `${end}, no usage | no end marker, no usage`],
    ],
    ['chats', 'chat stream: no usage', [`${end} | an end marker, no usage`]],
    [
      'messages',
      'messages stream: no stop reason',
      [
        `${message} | end | end | an end marker | an end marker, no finish reason`,
        `${message} | removed | message_delta /delta/stop_reason | string | absent`,
      ],
    ],
  ])('%s: %s', async (part, name, changes) => {
    expect(await after(part, name)).toEqual(changes)
  })

  it('is a stream that breaks off, and one that ends with an error', async () => {
    const streamed = before.filter(({ response }) =>
      response?.headers.some(([, value]) => value === 'text/event-stream'),
    )
    const ended = async (change: (exchange: Exchange) => Exchange) =>
      (await diffRecordings(streamed, streamed.map(change))).differences.map(({ what, after: is }) => [
        what,
        is,
      ])
    const broken = await ended((exchange) => ({ ...exchange, ended: 'disconnected' }))
    expect(new Set(broken.map(String))).toEqual(new Set(['end,disconnected']))
    const failed = await ended((exchange) => {
      const error = textBody('data: {"error":{"code":500,"message":"no"}}\n\n')
      return {
        ...exchange,
        response: { ...(exchange.response as NonNullable<typeof exchange.response>), body: error },
      }
    })
    expect(failed.map(String)).toContain('end,an error')
  })

  it('that several operations show is one', async () => {
    const without = before.map((exchange): Exchange => {
      const { response } = exchange
      const headers: [string, string][] = [['x-trace', '1']]
      return response === undefined
        ? exchange
        : { ...exchange, response: { ...response, headers: [...response.headers, ...headers] } }
    })
    const { differences } = await diffRecordings(before, without)
    expect(differences).toMatchObject([{ what: 'header', place: 'x-trace', after: 'present' }])
    expect(differences[0]?.operations.length).toBeGreaterThan(15)
  })

  it('reads well', async () => {
    const change = violations['job: no comment'] as (typeof violations)[string]
    const unchanged = await walk(createGateway(), ['jobs'])
    const found = await diffRecordings(unchanged, await walk(createGateway({ change }), ['jobs']))
    expect(renderers.text(diffReport(found, 'a and b'))).toBe(
      [
        'gateway-sim diff: a and b',
        '',
        'imageJobs.retrieve:',
        '  ✗ removed /comment: string',
        '      GET /v1/tob/job/j-1 (walk, entry 2; walk, entry 2)',
        '',
        '1 difference in 7 compared operations',
        '',
      ].join('\n'),
    )
  })
})
