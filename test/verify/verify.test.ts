/** What may be said of the calls of a session, and what is said when it does not hold. */
import { describe, expect, it } from 'vitest'
import { type Simulator, VerificationError, type VerifyRequest } from '../../src/index.ts'
import { get, post, simulator } from '../_setup.ts'
import { chat, complaint, look, video } from './_calls.ts'

describe('counts', () => {
  it('one call is enough where nothing else is said', async () => {
    const sim = simulator()
    expect(sim.safeVerify('chat.create')).toMatchObject({ ok: false, count: 0, matched: [] })
    await chat(sim, 'Hello')
    expect(sim.verify('chat.create')).toEqual({
      ok: true,
      decided: true,
      message: 'As expected: chat.create at least once (got one).',
      count: 1,
      matched: [0],
      nearest: [],
    })
  })

  it('a session without requests says that the default session has some', async () => {
    const sim = simulator()
    const session = sim.createSession()
    expect(complaint(session, { requests: 'chat.create' }).at(-1)).toBe('Received: no requests.')
    await chat(sim, 'Hello')
    expect(complaint(session, { requests: 'chat.create' }).slice(-2)).toEqual([
      'Received: no requests.',
      'The session "default" has received 1 request: send, or let your server forward, the header x-sim-session.',
    ])
    await session.fetch(`${session.baseUrl}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })
    expect(complaint(session, { requests: 'chat.create' }).at(-1)).toMatch(/^Received: #0 models\.list/)
  })

  it('the message shows what counts, what was near and why, and what came', async () => {
    const sim = simulator()
    await chat(sim, 'a sunset over the sea')
    sim.clock.advance('5s')
    await chat(sim, 'a fox', { model: 'gpt-4o-mini' })
    await get(sim, '/v1/models')
    expect(
      complaint(sim, {
        requests: {
          operation: 'chat.create',
          model: 'gpt-4o',
          body: { messages: [{ content: { contains: 'sunset' } }] },
        },
        times: 2,
      }),
    ).toEqual([
      [
        'Expected chat.create with',
        '{"model":"gpt-4o","body":{"messages":[{"content":{"contains":"sunset"}}]}} exactly twice, got',
        'one.',
      ].join(' '),
      'Matching:',
      '  #0 chat.create → 200 at +0s',
      'Closest:',
      '  #1 chat.create → 200 at +5s',
      '    model: expected "gpt-4o", got "gpt-4o-mini"',
      '    body.messages[0].content: expected a value containing "sunset", got "a fox"',
      'Received: #0 chat.create, #1 chat.create, #2 models.list (until +5s)',
    ])
  })

  it('too many are listed, and nothing else is near', async () => {
    const sim = simulator()
    for (let index = 0; index < 12; index++) await chat(sim, `question ${index}`)
    const { message, nearest } = sim.safeVerify({ requests: 'chat.create', never: true })
    expect(nearest).toEqual([])
    const lines = message.split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'Expected chat.create never, got 12.',
      'Matching:',
      '  #0 chat.create → 200 at +0s',
    ])
    expect(lines[12]).toBe('  and 2 more')
  })

  it('no call at all is said', () => {
    expect(complaint(simulator(), { requests: 'videos.create' })).toEqual([
      'Expected videos.create at least once, got none.',
      'Received: no requests.',
    ])
  })

  it('the nearest of other operations is of the same group', async () => {
    const sim = simulator()
    await get(sim, '/v1/models')
    await look(sim, await video(sim, 'a fox'))
    expect(complaint(sim, { requests: 'videos.delete' }).slice(0, 5)).toEqual([
      'Expected videos.delete at least once, got none.',
      'Closest:',
      '  #1 videos.create → 200 at +0s',
      '    operation: expected "videos.delete", got "videos.create"',
      '  #2 videos.retrieve → 200 at +0s',
    ])
  })

  it('verify throws what check says', async () => {
    const sim = simulator()
    await chat(sim, 'Hello')
    const request = { requests: 'chat.create', never: true } as const
    const thrown = ((): unknown => {
      try {
        return sim.verify(request)
      } catch (error) {
        return error
      }
    })()
    expect(thrown).toBeInstanceOf(VerificationError)
    expect(thrown).toMatchObject({
      name: 'VerificationError',
      code: 'ERR_ASSERTION',
      message: sim.safeVerify(request).message,
      verdict: sim.safeVerify(request),
    })
  })
})

/** Expects that exactly these calls match. */
const matches = (sim: Simulator, requests: VerifyRequest['requests'], ...seqs: number[]) =>
  expect(sim.safeVerify({ requests, times: seqs.length })).toMatchObject({ ok: true, matched: seqs })
/** Expects that the message names this difference. */
const differs = (sim: Simulator, requests: VerifyRequest['requests'], difference: string) =>
  expect(complaint(sim, { requests, times: 2 })).toContain(`    ${difference}`)

describe('which calls', () => {
  it('a group, several operations, and all', async () => {
    const sim = simulator()
    await look(sim, await video(sim, 'a fox'))
    await chat(sim, 'Hello')
    matches(sim, { operation: 'videos.*' }, 0, 1)
    matches(sim, { operation: ['chat.create', 'videos.create'] }, 0, 2)
    matches(sim, undefined, 0, 1, 2)
  })

  it('paths that no operation owns', async () => {
    const sim = simulator()
    await get(sim, '/v2/unheard-of?a=1')
    matches(sim, { status: '4xx', query: { a: 1 } }, 0)
    differs(
      sim,
      'models.list',
      'operation: expected "models.list", got no operation (GET /v2/unheard-of?a=1)',
    )
  })

  it('parameters of the path, the query and headers', async () => {
    const sim = simulator()
    const id = await video(sim, 'a fox')
    await (await get(sim, `/v1/videos/${id}?trace=7`, { 'X-Team': 'blue' })).text()
    const operation = 'videos.retrieve'
    matches(sim, { operation, path: { video_id: id }, headers: { 'x-team': 'blue' } }, 1)
    differs(
      sim,
      { operation, headers: { 'X-Team': { startsWith: 'red' } } },
      'headers.X-Team: expected a string starting with "red", got "blue"',
    )
  })

  it('keys as they were sent; the message shows them shortened', async () => {
    const sim = simulator()
    await chat(sim, 'Hello', {}, { authorization: 'Bearer sk-alice-0123456789' })
    matches(sim, { key: 'sk-alice-0123456789' }, 0)
    matches(sim, { key: 'sk-alice-*' }, 0)
    matches(sim, { headers: { authorization: { endsWith: '0123456789' } } }, 0)
    const requests = { key: 'sk-bob*', headers: { authorization: 'Bearer sk-bob' } }
    differs(sim, requests, 'key: expected "sk-bob*", got "sk-ali***789"')
    differs(sim, requests, 'headers.authorization: expected "Bearer sk-bob", got "Bearer sk-ali***789"')
    expect(sim.safeVerify({ requests }).message).not.toContain('0123456789')
  })

  it('what was said in a conversation', async () => {
    const sim = simulator()
    await chat(sim, 'Hello')
    matches(sim, { conversation: { lastUser: /^Hel+o$/, turn: 1, toolResult: false } }, 0)
    differs(
      sim,
      { operation: 'chat.create', conversation: { turn: { gte: 2 } } },
      'conversation.turn: expected at least 2, got 1',
    )
  })

  it('the fields of a form, files with their names', async () => {
    const sim = simulator()
    const form = new FormData()
    form.set('prompt', 'a "quoted" & rainy fox')
    form.set('image', new File([new Uint8Array([1, 2, 3])], 'fox & hound.png', { type: 'image/png' }))
    const headers = { authorization: 'Bearer sk-test' }
    await sim.fetch('http://gateway.test/v1/images/edits', { method: 'POST', headers, body: form })
    const sha256 = '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81'
    const image = { filename: 'fox & hound.png', contentType: 'image/png', size: 3, sha256 }
    matches(sim, { operation: 'images.edit', body: { prompt: 'a "quoted" & rainy fox', image } }, 0)
    differs(
      sim,
      { operation: 'images.edit', body: { image: { size: { gt: 3 } } } },
      'body.image.size: expected more than 3, got 3',
    )
  })

  it('the response: its status, rejection and body, and how it ended', async () => {
    const sim = simulator()
    await chat(sim, 'Reply with exactly: pong')
    await (await post(sim, '/v1/chat/completions', { model: 'gpt-4o' })).text()
    const response = { choices: [{ message: { content: 'pong' } }] }
    matches(sim, { status: 200, ended: 'completed', response }, 0)
    matches(sim, { status: '4xx', rejection: { param: 'messages' } }, 1)
    differs(sim, { operation: 'chat.create', status: '5xx' }, 'status: expected at least 500, got 200')
  })

  it('the rule that answered', async () => {
    const when = { operation: 'chat.create', body: { messages: { some: { content: 'fox' } } } } as const
    const rules = [{ id: 'foxes', when, then: { error: { status: 429 } } } as const]
    const sim = simulator({ scenarios: [{ title: 'Foxes are rejected', rules }] })
    await chat(sim, 'fox')
    await chat(sim, 'hound')
    matches(sim, { rule: 'foxes' }, 0)
    matches(sim, { rule: { exists: false } }, 1)
    expect(complaint(sim, { requests: { operation: 'chat.create', rule: 'fox*' }, times: 2 })).toContain(
      '  #0 chat.create → 429 at +0s (rule foxes)',
    )
  })
})

describe('time', () => {
  it('with a length, the most calls in any stretch of it count', async () => {
    const sim = simulator()
    for (const pause of [0, 400, 400, 5_000]) {
      sim.clock.advance(pause)
      await chat(sim, `after ${pause}`)
    }
    expect(sim.safeVerify({ requests: 'chat.create', atMost: 2, within: '500ms' })).toMatchObject({
      ok: true,
      count: 2,
    })
    expect(sim.safeVerify({ requests: 'chat.create', atMost: 2, within: '800ms' })).toMatchObject({
      ok: false,
      count: 3,
    })
    expect(sim.safeVerify({ requests: 'chat.create', atLeast: 3, within: '1s' }).ok).toBe(true)
    expect(complaint(sim, { requests: 'chat.create', atLeast: 4, within: '1s' })[0]).toBe(
      'Expected chat.create at least 4 times within 1s, got 3.',
    )
  })
})

describe('order', () => {
  it('calls come one after the other, with others between them', async () => {
    const sim = simulator()
    const id = await video(sim, 'a fox')
    await chat(sim, 'Hello')
    await look(sim, id)
    expect(
      sim.verify({ inOrder: ['videos.create', { operation: 'videos.retrieve', path: { video_id: id } }] }),
    ).toMatchObject({
      matched: [0, 2],
      message: `As expected: in this order: videos.create, then videos.retrieve with {"path":{"video_id":"${id}"}}.`,
    })
    expect(complaint(sim, { inOrder: ['videos.create', 'videos.retrieve'], noOthers: true })).toEqual([
      'Expected in this order: videos.create, then videos.retrieve.',
      'Matched, with unexpected extra requests:',
      '  #1 chat.create → 200 at +0s',
      'Received: #0 videos.create, #1 chat.create, #2 videos.retrieve (until +0s)',
    ])
    expect(
      sim.safeVerify({ requests: { operation: 'videos.*' }, inOrder: ['videos.create', 'videos.retrieve'] })
        .ok,
    ).toBe(true)
    expect(
      sim.safeVerify({
        requests: { operation: 'videos.*' },
        inOrder: ['videos.create', 'videos.retrieve'],
        noOthers: true,
      }).ok,
    ).toBe(false)
  })

  it('what is missing is named, with what came too early', async () => {
    const sim = simulator()
    await chat(sim, 'Hello')
    await look(sim, await video(sim, 'a fox'))
    expect(complaint(sim, { inOrder: ['videos.create', 'videos.retrieve', 'chat.create'] })).toEqual([
      'Expected in this order: videos.create, then videos.retrieve, then chat.create.',
      '  1. #1 videos.create → 200 at +0s',
      '  2. #2 videos.retrieve → 200 at +0s',
      '  3. missing: chat.create after #2',
      'Closest:',
      '  #0 chat.create → 200 at +0s',
      '    order: expected after #2, got #0',
      'Received: #0 chat.create, #1 videos.create, #2 videos.retrieve (until +0s)',
    ])
  })
})

describe('no others', () => {
  it('calls beside those that are meant are named', async () => {
    const sim = simulator()
    await chat(sim, 'Hello')
    expect(sim.safeVerify({ requests: 'chat.create', times: 1, noOthers: true })).toMatchObject({
      ok: true,
      message: 'As expected: chat.create exactly once (got one); no requests other than chat.create.',
    })
    await get(sim, '/v1/models')
    expect(complaint(sim, { requests: 'chat.create', times: 1, noOthers: true })).toEqual([
      'Expected no requests other than chat.create, got 1.',
      'Unexpected:',
      '  #1 models.list → 200 at +0s',
      'Received: #0 chat.create, #1 models.list (until +0s)',
    ])
  })
})

describe('what the journal does not hold', () => {
  it('evicted calls might have counted: neither "never" nor a count is claimed', async () => {
    const sim = simulator({ settings: { memory: { items: 4 } } })
    await get(sim, '/v1/models')
    sim.clock.advance('1s')
    await chat(sim, 'one')
    sim.clock.advance('1s')
    await chat(sim, 'two')
    expect(complaint(sim, { requests: 'models.list', never: true })[0]).toBe(
      [
        'Inconclusive: expected models.list never, got none and possibly 1 more: the journal',
        'has evicted its first 1 request (settings memory.items and memory.bytes).',
      ].join(' '),
    )
    expect(sim.safeVerify({ requests: 'models.list', never: true })).toMatchObject({
      ok: false,
      decided: false,
    })
    expect(sim.safeVerify({ requests: 'chat.create', never: true })).toMatchObject({
      ok: false,
      decided: true,
    })
    expect(sim.safeVerify({ inOrder: ['models.list', 'chat.create'] })).toMatchObject({
      ok: false,
      decided: false,
    })
    expect(sim.safeVerify({ requests: 'chat.create', atLeast: 2 }).ok).toBe(true)
    expect(sim.safeVerify({ requests: 'chat.create', times: 2 }).ok).toBe(false)
    expect(sim.safeVerify({ requests: 'chat.create', noOthers: true }).message.split('\n')[0]).toMatch(
      /^Inconclusive: there may have been other requests: /,
    )
  })

  it('the end of a long body may say what was asked for', async () => {
    const sim = simulator()
    await chat(sim, `${'long '.repeat(20_000)}fox`)
    const lines = complaint(sim, {
      requests: { operation: 'chat.create', body: { stream: true } },
      never: true,
    })
    expect(lines[0]).toMatch(
      new RegExp(
        [
          '^Inconclusive: expected chat\\.create with .* never, got none and possibly 1 more:',
          'the journal has only part of the body of 1 request\\.$',
        ].join(' '),
      ),
    )
    expect(lines).toContain(
      '    body: expected a whole body, got a body truncated to 65536 characters in the journal',
    )
    // What does not hang on the body can be told.
    expect(
      sim.safeVerify({ requests: { operation: 'videos.create', body: { prompt: 'a fox' } }, never: true }).ok,
    ).toBe(true)
    expect(sim.safeVerify({ requests: { operation: 'chat.create', status: 200 }, times: 1 }).ok).toBe(true)
  })
})

describe('rules that never answered', () => {
  it('are named in the order of the files', async () => {
    const then = { error: { status: 503 } } as const
    const sim = simulator({
      scenarios: [
        {
          title: 'Three',
          rules: [
            { id: 'first', when: { operation: 'chat.create', nth: 1 }, then },
            { id: 'second', when: { operation: 'chat.create', nth: 2 }, then },
            { id: 'films', when: { operation: 'videos.create' }, then },
          ],
        },
      ],
    })
    expect(sim.unusedRules()).toEqual(['first', 'second', 'films'])
    await chat(sim, 'Hello')
    expect(sim.unusedRules()).toEqual(['second', 'films'])
    sim.resetAll()
    expect(sim.unusedRules()).toEqual(['first', 'second', 'films'])
  })
})

it('ten requests are listed, and of each at most three differences', async () => {
  const sim = simulator({ clock: 'auto' })
  for (let count = 0; count < 11; count++) await get(sim, '/v1/models')
  await post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] })
  const body = { user: 'ann', seed: 7, n: 2, temperature: 1, top_p: 1 }
  const { message } = sim.safeVerify({ requests: { operation: 'chat.create', body } })
  expect(message.split('\n').slice(1)).toEqual([
    'Closest:',
    '  #11 chat.create → 200 at +0s',
    '    body.user: expected "ann", got nothing',
    '    body.seed: expected 7, got nothing',
    '    body.n: expected 2, got nothing',
    '    and 2 more differences',
    expect.stringMatching(
      /^Received: 2 earlier, then #2 models.list, #3 .*, #11 chat.create \(until \+0s\)$/,
    ),
  ])
})
