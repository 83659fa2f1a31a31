/** The matchers of `gateway-sim/vitest`: what they let pass, and the exact words of what they do not. */
import { describe, it, expect as plain } from 'vitest'
import { expect } from '../../src/vitest.ts'
import { get, simulator } from '../_setup.ts'
import { chat, look, video } from '../verify/_calls.ts'

/** What an expectation that must fail says. */
async function failure(expectation: () => unknown): Promise<string> {
  try {
    await expectation()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing failed'
}

describe('toHaveReceived', () => {
  it('one call is enough; times, atLeast and atMost say how often', async () => {
    const sim = simulator()
    await chat(sim, 'a fox')
    await chat(sim, 'a hound', { model: 'gpt-4o-mini' })
    await expect(sim).toHaveReceived('chat.create')
    await expect(sim).toHaveReceived('chat.create', { times: 2 })
    await expect(sim).toHaveReceived('chat.create', {
      times: 1,
      model: 'gpt-4o',
      body: { messages: [{ content: /fox/ }] },
    })
    await expect(sim).toHaveReceived(
      { operation: 'chat.*', status: 200 },
      { atLeast: 2, atMost: 2, within: '1s', noOthers: true },
    )
    plain(await failure(() => expect(sim).toHaveReceived('chat.create', { times: 2, model: 'gpt-4o' }))).toBe(
      [
        'Expected chat.create with {"model":"gpt-4o"} exactly twice, got one.',
        'These count:',
        '  #0 chat.create → 200 at +0s',
        'Nearest:',
        '  #1 chat.create → 200 at +0s',
        '    model: expected "gpt-4o", got "gpt-4o-mini"',
        'Seen: #0 chat.create, #1 chat.create (until +0s)',
      ].join('\n'),
    )
    plain(await failure(() => expect(sim).toHaveReceived('chat.create', { times: 0 }))).toMatch(
      /^Expected chat\.create never, got 2\.\n/,
    )
  })

  it('with not, there was no such call', async () => {
    const sim = simulator()
    await expect(sim).not.toHaveReceived('chat.create')
    await chat(sim, 'a fox')
    await expect(sim).not.toHaveReceived('chat.create', { model: 'gpt-4o-mini' })
    plain(await failure(() => expect(sim).not.toHaveReceived('chat.create', { model: 'gpt-4o' }))).toMatch(
      /^Expected chat\.create with {"model":"gpt-4o"} never, got one\.\n/,
    )
  })

  it('with not, a number could mean two things and is refused', async () => {
    plain(await failure(() => expect(simulator()).not.toHaveReceived('chat.create', { times: 2 }))).toBe(
      'not.toHaveReceived means that there was no such call: leave `times` out, or ' +
        'leave out `not` and say how often',
    )
  })

  it('with not, dropped calls are not taken for calls that never came', async () => {
    const sim = simulator({ settings: { memory: { journalEntries: 1 } } })
    await get(sim, '/v1/models')
    await chat(sim, 'a fox')
    plain(await failure(() => expect(sim).not.toHaveReceived('models.list'))).toMatch(
      /^Whether models\.list never came cannot be told: /,
    )
    plain(await failure(() => expect(sim).not.toHaveReceivedInOrder(['models.list', 'chat.create']))).toMatch(
      /cannot be told for sure/,
    )
  })

  it('a word that does not exist is a mistake, with not as well', async () => {
    plain(await failure(() => expect(simulator()).not.toHaveReceived('chat.creat' as 'chat.create'))).toBe(
      'This cannot be verified:\n  calls.operation: unknown word "chat.creat"; did you mean chat.create?',
    )
  })

  it.each([
    ['tims', 'did you mean times?'],
    ['atleast', 'did you mean atLeast?'],
    ['noOther', 'did you mean noOthers?'],
    ['opration', 'did you mean operation?'],
    ['qwertzuiop', 'expected times, atLeast, atMost, within, noOthers, or a field of a call: operation'],
  ])('a misspelt option (%s) is told with the words of the matcher too', (name, said) => {
    expect(() => plain(simulator()).toHaveReceived('chat.create', { [name]: 1 })).toThrow(said)
    expect(() => plain(simulator()).not.toHaveReceived('chat.create', { [name]: 1 })).toThrow(said)
  })

  it('what is no simulator is refused', async () => {
    plain(await failure(() => expect(fetch).toHaveReceived('chat.create'))).toBe(
      'toHaveReceived checks the calls of a simulator: expected `sim` of the test, a session or ' +
        'what createSimulator() returns, got function',
    )
  })
})

describe('toHaveReceivedInOrder', () => {
  it('these calls, one after the other', async () => {
    const sim = simulator()
    const id = await video(sim, 'a fox')
    await look(sim, id)
    await expect(sim).toHaveReceivedInOrder(
      ['videos.create', { operation: 'videos.retrieve', path: { video_id: id } }],
      { within: '1m', noOthers: true },
    )
    await expect(sim).not.toHaveReceivedInOrder(['videos.retrieve', 'videos.create'])
    plain(
      await failure(() => expect(sim).toHaveReceivedInOrder(['videos.retrieve', 'videos.create'])),
    ).toMatch(
      /^Expected in this order: videos\.retrieve, then videos\.create\.\n {2}1\. #1 videos\.retrieve → 200 at \+0s\n {2}2\. missing: videos\.create after #1\n/,
    )
    plain(
      await failure(() => expect(sim).not.toHaveReceivedInOrder(['videos.create', 'videos.retrieve'])),
    ).toBe('Expected no such calls: videos.create, then videos.retrieve came in this order.')
  })
})

describe('toHaveUsedAllRules', () => {
  it('names those that answered nothing', async () => {
    const rule = (id: string, operation: 'chat.create' | 'videos.create') =>
      ({ id, when: { operation }, then: { error: { status: 503 } } }) as const
    const sim = simulator({
      scenarios: [{ title: 'Two', rules: [rule('talks', 'chat.create'), rule('films', 'videos.create')] }],
    })
    plain(await failure(() => expect(sim).toHaveUsedAllRules())).toBe(
      '2 rules have answered no call: talks, films.',
    )
    await chat(sim, 'a fox')
    plain(await failure(() => expect(sim).toHaveUsedAllRules())).toBe('A rule has answered no call: films.')
    await expect(sim).not.toHaveUsedAllRules()
    await (
      await sim.fetch('http://gateway.test/v1/videos', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: '{"prompt":"a fox"}',
      })
    ).text()
    await expect(sim).toHaveUsedAllRules()
    plain(await failure(() => expect(sim).not.toHaveUsedAllRules())).toBe(
      'Expected an unused rule, but all rules have answered calls.',
    )
  })
})

describe('toBeWellBehaved', () => {
  it('says what the client did and what to do instead', async () => {
    const sim = simulator()
    await expect(sim).toBeWellBehaved()
    plain(await failure(() => expect(sim).not.toBeWellBehaved())).toBe(
      'Expected an error or a warning about the client, but there is none.',
    )
    await chat(sim, 'a fox', { temperature: 0.2, top_p: 0.5 })
    plain(await failure(() => expect(sim).toBeWellBehaved())).toMatch(
      /^Client report: 1 warning in 1 call\.\nwarning: temperature-and-top-p \(/,
    )
    await expect(sim).not.toBeWellBehaved()
    await expect(sim).toBeWellBehaved({ except: ['temperature-and-top-p'] })
    plain(await failure(() => expect(sim).toBeWellBehaved({ except: ['temperature-and-topp'] }))).toBe(
      'toBeWellBehaved: `except`: there is no finding "temperature-and-topp": did you mean temperature-and-top-p?',
    )
  })
})
