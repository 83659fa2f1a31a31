/** The matchers of `gateway-sim/vitest`: what they let pass, and the exact words of what they do not. */
import { describe, it, onTestFinished } from 'vitest'
import { connect } from '../../src/client.ts'
import { listen } from '../../src/node.ts'
import { expect } from '../../src/vitest.ts'
import { get, post, simulator, withRules } from '../_setup.ts'
import { chat, look, video } from '../verify/_calls.ts'

const rule = (id: string, when: string): string =>
  `id: ${id}, when: ${when}, then: { error: { status: 503 } }`
const films = rule('films', '{ operation: videos.create }')

describe.each([
  ['a simulator', async () => simulator()],
  ['a session', async () => simulator().createSession()],
  [
    'a session on a server',
    async () => {
      const { url, close } = await listen(simulator())
      onTestFinished(close)
      return connect(url).createSession()
    },
  ],
])('the matchers of %s return promises', (_, open) => {
  it('that can be awaited, caught and expected to reject', async () => {
    const sim = await open()
    await expect(sim).not.toHaveReceived('chat.create')
    await expect(expect(sim).toHaveReceived('chat.create')).rejects.toThrow('got none')
    const caught = expect(sim)
      .toHaveReceivedInOrder(['chat.create'])
      .catch((error: Error) => error.message)
    expect(await caught).toMatch(/^Expected in this order: chat\.create\./)
  })

  it('also when the check itself is invalid', async () => {
    const checks = expect(await open())
    await expect(checks.toHaveReceived('chat.create', { tims: 1 } as object)).rejects.toThrow('times?')
    await expect(checks.toHaveReceivedInOrder([])).rejects.toThrow('inOrder')
    await expect(checks.toBeWellBehaved({ except: ['no'] })).rejects.toThrow('unknown finding "no"')
  })
})

describe('toHaveReceived', () => {
  it('by default one request is enough; times, atLeast and atMost set the number', async () => {
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
    await expect(expect(sim).toHaveReceived('chat.create', { times: 2, model: 'gpt-4o' })).rejects.toThrow(
      [
        'Expected chat.create with {"model":"gpt-4o"} exactly twice, got one.',
        'Matching:',
        '  #0 chat.create → 200 at +0s',
        'Closest:',
        '  #1 chat.create → 200 at +0s',
        '    model: expected "gpt-4o", got "gpt-4o-mini"',
        'Received: #0 chat.create, #1 chat.create (until +0s)',
      ].join('\n'),
    )
    await expect(expect(sim).toHaveReceived('chat.create', { times: 0 })).rejects.toThrow(
      /^Expected chat\.create never, got 2\.\n/,
    )
  })

  it('with not, there was no such request', async () => {
    const sim = simulator()
    await expect(sim).not.toHaveReceived('chat.create')
    await chat(sim, 'a fox')
    await expect(sim).not.toHaveReceived('chat.create', { model: 'gpt-4o-mini' })
    await expect(expect(sim).not.toHaveReceived('chat.create', { model: 'gpt-4o' })).rejects.toThrow(
      /^Expected chat\.create with {"model":"gpt-4o"} never, got one\.\n/,
    )
  })

  it('with not, a number is ambiguous and rejected', async () => {
    await expect(expect(simulator()).not.toHaveReceived('chat.create', { times: 2 })).rejects.toThrow(
      'not.toHaveReceived expects no matching request: omit `times`, or ' + 'omit `not` and give a count',
    )
  })

  it('with not, evicted requests are not treated as absent', async () => {
    const sim = simulator({ settings: { memory: { items: 4 } } })
    await get(sim, '/v1/models')
    for (const animal of ['hen', 'owl', 'fox']) await chat(sim, `a ${animal}`)
    await expect(expect(sim).not.toHaveReceived('models.list')).rejects.toThrow(
      /^Inconclusive: expected models\.list never, got none/,
    )
    await expect(expect(sim).not.toHaveReceivedInOrder(['models.list', 'chat.create'])).rejects.toThrow(
      /Inconclusive/,
    )
  })

  it('an unknown key is an error, with not as well', async () => {
    await expect(expect(simulator()).not.toHaveReceived('chat.creat' as 'chat.create')).rejects.toThrow(
      'The verification is invalid:\n  requests.operation: unknown value "chat.creat"; did you mean ' +
        'chat.create?',
    )
  })

  it.each([
    ['tims', 'did you mean times?'],
    ['atleast', 'did you mean atLeast?'],
    ['noOther', 'did you mean noOthers?'],
    ['opration', 'did you mean operation?'],
    ['exactly', 'write `times`'],
    ['never', 'write `expect(sim).not.toHaveReceived(…)`'],
    ['qwertzuiop', 'expected times, atLeast, atMost, within, noOthers, or a field of a request: operation'],
  ])('an unknown option (%s) is rejected with what to write', async (name, said) => {
    for (const one of [expect(simulator()), expect(simulator()).not])
      await expect(one.toHaveReceived('chat.create', { [name]: 1 })).rejects.toThrow(said)
  })

  it('a value that is not a simulator is rejected', async () => {
    await expect(expect(fetch).toHaveReceived('chat.create')).rejects.toThrow(
      "toHaveReceived checks the requests of a simulator: expected the test's `sim`, a session or a " +
        'simulator, got function',
    )
  })
})

describe('toHaveReceivedInOrder', () => {
  it('these requests, one after the other', async () => {
    const sim = simulator()
    const id = await video(sim, 'a fox')
    await look(sim, id)
    await expect(sim).toHaveReceivedInOrder(
      ['videos.create', { operation: 'videos.retrieve', path: { video_id: id } }],
      { noOthers: true },
    )
    await expect(sim).not.toHaveReceivedInOrder(['videos.retrieve', 'videos.create'])
    await expect(expect(sim).toHaveReceivedInOrder(['videos.retrieve', 'videos.create'])).rejects.toThrow(
      /^Expected in this order: videos\.retrieve, then videos\.create\.\n {2}1\. #1 videos\.retrieve → 200 at \+0s\n {2}2\. missing: videos\.create after #1\n/,
    )
    await expect(expect(sim).not.toHaveReceivedInOrder(['videos.create', 'videos.retrieve'])).rejects.toThrow(
      'Expected no requests in this order, got #0, #1.',
    )
  })
})

describe('toHaveUsedAllRules', () => {
  it('lists those that never responded', async () => {
    const sim = simulator(withRules([rule('talks', '{ operation: chat.create }'), films]))
    await expect(expect(sim).toHaveUsedAllRules()).rejects.toThrow(
      [
        '2 rules have not responded to any request: talks, films.',
        '  talks: no request reached this rule (none was for its operation, or an earlier rule responded)',
        '  films: no request reached this rule (none was for its operation, or an earlier rule responded)',
        'Received: no requests.',
      ].join('\n'),
    )
    await chat(sim, 'a fox')
    await expect(expect(sim).toHaveUsedAllRules()).rejects.toThrow(
      'A rule has not responded to any request: films.',
    )
    await expect(sim).not.toHaveUsedAllRules()
    await (await post(sim, '/v1/videos', { prompt: 'a fox' })).text()
    await expect(sim).toHaveUsedAllRules()
    await expect(expect(sim).not.toHaveUsedAllRules()).rejects.toThrow(
      'Expected an unused rule, but every rule has responded to a request.',
    )
  })

  it('lists the nearest request of an unused rule, and the condition that failed', async () => {
    const sim = simulator(withRules([rule('large', '{ operation: chat.create, model: gpt-4o }'), films]))
    await look(sim, 'video-1')
    await chat(sim, 'a fox', { model: 'gpt-4o-mini' })
    await expect(expect(sim).toHaveUsedAllRules()).rejects.toThrow(
      [
        '2 rules have not responded to any request: large, films.',
        '  large: closest #1 chat.create → 200 at +0s: `model`: expected "gpt-4o", got "gpt-4o-mini"',
        '  films: no request reached this rule (none was for its operation, or an earlier rule responded)',
        'Received: #0 videos.retrieve, #1 chat.create (until +0s)',
      ].join('\n'),
    )
  })
})

describe('toBeWellBehaved', () => {
  it('says what the client did wrong and what to do instead', async () => {
    const sim = simulator()
    await expect(sim).toBeWellBehaved()
    await expect(expect(sim).not.toBeWellBehaved()).rejects.toThrow(
      'Expected an error or a warning in the client report, but there is none.',
    )
    await chat(sim, 'a fox', { temperature: 0.2, top_p: 0.5 })
    await expect(expect(sim).toBeWellBehaved()).rejects.toThrow(
      /^Client report: 1 warning in 1 request\.\nwarning: temperature-and-top-p \(/,
    )
    await expect(sim).not.toBeWellBehaved()
    await expect(sim).toBeWellBehaved({ except: ['temperature-and-top-p'] })
    await expect(expect(sim).toBeWellBehaved({ except: ['temperature-and-topp'] })).rejects.toThrow(
      'toBeWellBehaved: unknown finding "temperature-and-topp" in `except`: did you mean ' +
        'temperature-and-top-p?',
    )
  })
})
