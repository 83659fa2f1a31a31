/** Gateways without some of the operations: what is said, and accepted. */
import { describe, expect, it } from 'vitest'
import { renderers } from '../../src/report/renderers.ts'
import { entriesFor } from '../../src/run/check-findings.ts'
import { checkReport } from '../../src/run/check-report.ts'
import { acceptedSchema, type CheckOptions } from '../../src/run/check-types.ts'
import { readYaml } from '../../src/scenario/load/read-yaml.ts'
import { checking, flat, response } from './_checking.ts'

const hasKey = (init: RequestInit): boolean => JSON.stringify(init.headers).includes('key-of-the-tests')

/** A gateway that has no routes below a path. */
const without = (path: RegExp) => (url: string, init: RequestInit, next: () => Promise<Response>) =>
  !path.test(url)
    ? next()
    : hasKey(init)
      ? response(404, `no route ${init.method} ${new URL(url).pathname}`)
      : response(401, 'no key')

describe('a gateway without any video route', () => {
  it.each(['none', 'little', 'all'] as const)('is noticed (%s)', async (spend) => {
    const report = await checking(without(/\/v1\/videos/), { only: ['videos.*'], spend })
    expect(report.violations).toMatchObject([
      {
        args: { expected: 'the operation', got: '404 for every request' },
        operations: expect.arrayContaining(['videos.create']),
      },
    ])
    expect(report.outcome).toBe('failed')
    // A missing route is no rejected model.
    const reasons = report.skipped.map(({ reason }) => reason).join('\n')
    expect(reasons).not.toContain('rejects the model')
    if (spend === 'all') expect(reasons).toContain('the gateway does not have videos.create')
  })

  it('is one that lacks the model only if it says so', async () => {
    const report = await checking(
      (url, init, next) =>
        url.endsWith('/v1/videos') && hasKey(init) ? response(404, 'no such model') : next(),
      { only: ['videos.*'], spend: 'all' },
    )
    expect(report.skipped.map(({ reason }) => reason).join('\n')).toContain('the gateway rejects the model')
  })
})

describe('the printed entries accept only what was found', () => {
  const entriesOf = async (options: Partial<CheckOptions>, change: Parameters<typeof checking>[0]) => {
    const { violations } = await checking(change, options)
    const text = entriesFor(violations).join('\n').replaceAll('…', 'known')
    const { value } = readYaml(await import('yaml'), text, acceptedSchema)
    return value as NonNullable<CheckOptions['accepted']>
  }

  it('a missing operation, and not its violations once it exists', async () => {
    const only = ['images.*']
    const accepted = await entriesOf({ only }, without(/\/images\//))
    expect(accepted).toMatchObject([{ rule: 'The gateway has all operations of the contract' }])
    const missing = await checking(without(/\/images\//), { only, accepted })
    expect(missing).toMatchObject({ violations: [], outcome: 'passed' })
    const lax = await checking(
      (_url, init, next) => (hasKey(init) ? Response.json({ created: 1, data: [] }) : next()),
      { only, accepted },
    )
    expect(lax.violations.length).toBeGreaterThan(4)
    expect(lax.accepted).toEqual([])
  })

  it('a stream without its last event, and not one with content after its finish_reason', async () => {
    const streamed =
      (edit: (text: string) => string): Parameters<typeof checking>[0] =>
      async (_url, _init, next) => {
        const answer = await next()
        if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer
        return new Response(edit(await answer.text()), answer)
      }
    const only = ['chat.*']
    const unended = streamed((text) => text.replace('data: [DONE]\n\n', ''))
    const accepted = await entriesOf({ only }, unended)
    expect(accepted).toMatchObject([{ rule: 'data: [DONE] once, as the last event', code: 'wrong-order' }])
    const known = await checking(unended, { only, accepted })
    expect(known).toMatchObject({ violations: [], outcome: 'passed' })
    expect(known.summary.passed).toBe(known.summary.checked)
    const late = streamed((text) => {
      const events = text.split('\n\n')
      const ends = events.findIndex((event) => /"finish_reason":"\w/.test(event))
      return [...events.slice(0, ends + 1), events[ends - 1], ...events.slice(ends + 1)].join('\n\n')
    })
    const report = await checking(late, { only, accepted })
    expect(report.violations.map(flat).map(({ expected }) => expected)).toContain(
      'no content after the finish_reason of a choice',
    )
    // The report shows the last events, which the violation is about.
    expect(renderers.text(checkReport(report))).toMatch(
      /\n {6}→ 200\n {7}…\n( {7}data: \{.*\n)* {7}data: \[DONE\]\n/,
    )
    expect(renderers.text(checkReport(report))).toContain('\nwarning: the contract leaves the behaviour open')
  })
})

it('unused entries are shown if every probe was sent', async () => {
  const accepted = [{ operation: 'videos.*', pointer: '/id', reason: 'known' }]
  const unchanged: Parameters<typeof checking>[0] = (_url, _init, next) => next()
  const report = await checking(unchanged, { spend: 'all', accepted })
  expect(report.unusedAccepted).toEqual(report.skipped.length > 0 ? [] : ['videos.*, /id: known'])
  expect((await checking(unchanged, { only: ['videos.*'], accepted })).unusedAccepted).toEqual([])
})
