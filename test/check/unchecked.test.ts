/** What a check could not check: it is named, and the check has not passed. */
import { describe, expect, it } from 'vitest'
import { checking, isChat, response } from './_checking.ts'
import { virtualTime } from './_time.ts'

describe('a group of which no response was compared', () => {
  const busy = (url: string, init: RequestInit, next: () => Promise<Response>) =>
    isChat(url, init) ? response(429, 'over quota') : next()

  it('is named, and the check has not passed, also if its invalid requests were checked', async () => {
    const report = await checking(
      async (url, init, next) => {
        const own = await next()
        return isChat(url, init) && own.ok ? response(429, 'over quota') : own
      },
      { spend: 'little' },
    )
    expect(report.violations).toEqual([])
    expect(report.checked.some(({ operation }) => operation === 'chat.create')).toBe(true)
    expect(report.unchecked).toEqual([{ name: 'chat.*', reason: 'the gateway was busy: 429: over quota' }])
    expect(report.outcome).toBe('skipped')
  })

  it('is not one that the gateway does not have: that is a violation, which can be accepted', async () => {
    const accepted = [
      { operation: 'chat.*', reason: 'Later' },
      { operation: 'files.*', reason: 'Later' },
    ]
    const report = await checking(
      (url, init, next) => (isChat(url, init) || url.includes('/files') ? response(404, 'not here') : next()),
      { spend: 'little', accepted },
    )
    expect(report.accepted.map(({ args }) => args.got)).toContain('404 for every request')
    expect(report).toMatchObject({ violations: [], unchecked: [], outcome: 'passed' })
  })

  it('is one of several that --only names', async () => {
    const report = await checking(busy, { only: ['chat.create', 'files.*'] })
    expect(report.unchecked).toEqual([
      { name: 'chat.create', reason: 'the gateway was busy: 429: over quota' },
    ])
    expect(report.outcome).toBe('skipped')
  })
})

describe('a group that rejects the key (403)', () => {
  const forbidden = (message: string) => (url: string, init: RequestInit, next: () => Promise<Response>) =>
    isChat(url, init) ? response(403, message) : next()

  it.each(['none', 'little'] as const)('was not checked, whatever its probes expect (%s)', async (spend) => {
    const report = await checking(forbidden('no access'), { only: ['chat.*', 'files.*'], spend })
    expect(report.unchecked).toEqual([{ name: 'chat.*', reason: '403: no access (sent as authorization)' }])
    expect(report).toMatchObject({ violations: [], outcome: 'skipped' })
  })

  it('ends the check if no group accepts it', async () => {
    const all = checking(() => response(403, 'go away'), { only: ['chat.*', 'messages.*'] })
    await expect(all).rejects.toThrow('the gateway rejects the API key: 403: go away')
  })

  it('is not one that rejects a model: the reason names the model', async () => {
    const report = await checking(forbidden('this model is not enabled'), { only: ['chat.*'] })
    expect(report.unchecked[0]?.reason).toMatch(/^the gateway rejects the model gpt-4o-mini: name another/)
  })
})

describe('a gateway that fails halfway', () => {
  /** Up to a number of requests, then the failure. */
  const dying = (alive: number, failure: () => Response) => {
    const sent = { requests: 0 }
    const change = (_url: string, _init: RequestInit, next: () => Promise<Response>) =>
      sent.requests++ < alive ? next() : failure()
    return { sent, change }
  }
  const broken = (): Response => {
    throw new Error('fetch failed', { cause: new Error('other side closed') })
  }

  it.each([
    ['the connection broke: fetch failed: other side closed', broken],
    ['the gateway was busy: 503: down', () => response(503, 'down')],
  ])('was not checked, although some valid requests were: %s', async (reason, failure) => {
    const { change, sent } = dying(12, failure)
    const report = await checking(change, { only: ['chat.*'] })
    expect(report.checked.map(({ probe }) => probe)).toContain('a chat with log probabilities')
    const [entry, ...others] = report.unchecked
    expect(entry).toEqual({ name: 'chat.*', reason })
    expect(others).toEqual([])
    expect(report).toMatchObject({ violations: [], outcome: 'skipped' })
    // Three attempts of three probes: the next ones would be in vain.
    expect(sent.requests).toBeLessThanOrEqual(12 + 3 * 3)
  })

  it('has failed if there is a violation, and what was not checked is named all the same', async () => {
    const { change } = dying(12, broken)
    const report = await checking(
      async (url, init, next) => {
        const answer = await change(url, init, next)
        const { stream } = JSON.parse(String(init.body)) as { stream?: boolean }
        return answer.ok && stream !== true ? new Response('{}', answer) : answer
      },
      { only: ['chat.*'] },
    )
    expect(report.outcome).toBe('failed')
    expect(report.unchecked).toMatchObject([{ name: 'chat.*' }])
  })

  it('ends a check of all groups soon, and one of a group that is busy alone lets the others be checked', async () => {
    const time = virtualTime()
    const { change, sent } = dying(1, () => response(503, 'down'))
    const all = await checking(change, { spend: 'all', time })
    expect(all.outcome).toBe('skipped')
    expect(sent.requests).toBe(1 + 6 * 3)
    expect(time.now()).toBeLessThan(20_000)
    const one = await checking((url, init, next) => (isChat(url, init) ? response(503, 'down') : next()), {
      only: ['chat.*', 'messages.*'],
    })
    expect(one.unchecked).toEqual([{ name: 'chat.*', reason: 'the gateway was busy: 503: down' }])
    expect(one.checked.some(({ operation }) => operation === 'messages.create')).toBe(true)
  })

  it('is one whose jobs do not end', async () => {
    const options = { only: ['videos.*'], spend: 'all', pollsUntilDone: 1000 } as const
    const stuck = await checking((_url, _init, next) => next(), options)
    expect(stuck.unchecked.map(({ reason }) => reason)).toContain('did not finish within 10m')
  })
})
