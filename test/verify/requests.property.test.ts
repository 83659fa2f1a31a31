/**
 * What cannot be verified is rejected with the field, what was expected and what was there: a check that
 * cannot fail is none.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigError, type VerifyRequest } from '../../src/index.ts'
import { runs } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import { chat, errors } from './_calls.ts'

describe('a request is rejected', () => {
  const sim = simulator()

  it.each([
    [
      {},
      '(top level): expected at least one of `calls`, `times`, `atLeast`, `atMost`, `never`, `inOrder`, ' +
        '`noOthers` and `usedRules`',
    ],
    [{ calls: 'chat.create', tmes: 1 }, 'tmes: unknown key: did you mean times?'],
    ['chat.creat', 'calls.operation: unknown value "chat.creat"; did you mean chat.create?'],
    [
      { inOrder: ['videos.create', 'videos.retreive'] },
      'inOrder[1].operation: unknown value "videos.retreive"; did you mean videos.retrieve?',
    ],
    [{ calls: 'chat.create', times: -1 }, 'times: expected at least 0, got -1'],
    [
      { calls: 'chat.create', times: 1, atLeast: 1 },
      'atLeast: cannot be combined with `times`: keep ' + 'one of them',
    ],
    [
      { calls: 'chat.create', atMost: 1, never: true },
      'never: cannot be combined with `atLeast` or `atMost`: keep one of them',
    ],
    [
      { calls: 'chat.create', atLeast: 3, atMost: 2 },
      'atMost: expected at least 3 (the value of `atLeast`), got 2',
    ],
    [
      { calls: { operation: 'videos.create', body: { promt: 'a fox' } }, never: true },
      'calls.body.promt: no videos.create request has a field "promt" here; did you mean prompt? (match ' +
        'fields that are not in the contract with `ignored`)',
    ],
    [
      { calls: { operation: 'models.list', body: { a: 1 } } },
      'calls.body: can never match: models.list takes no body',
    ],
    [
      { calls: { operation: 'videos.retrieve', path: { id: 'x' } } },
      'calls.path.id: videos.retrieve has no path parameter id: expected one of video_id',
    ],
    [
      { calls: { operation: 'chat.create', status: { gte: '400' } } },
      'calls.status.gte: expected a number, got "400"',
    ],
    [
      { calls: { operation: 'chat.create', response: { regex: '(' } } },
      expect.stringMatching(/^calls\.response\.regex: expected a JavaScript regular expression: /),
    ],
    [
      { calls: { operation: 'videos.create', body: { prompt: /fox/i } } },
      'calls.body.prompt: expected a regular expression without the flag i, got /fox/i: rewrite the ' +
        'pattern, for example as [Ff]ox',
    ],
    [
      { calls: { operation: 'videos.create', body: expect.objectContaining({ prompt: 'a fox' }) } },
      expect.stringMatching(/^calls\.body: test-runner matchers cannot be used here: /),
    ],
    [
      { calls: { operation: 'videos.create', body: { prompt: () => true } } },
      'calls.body.prompt: expected plain data or a regular expression, got a function',
    ],
    [
      { calls: { operation: 'videos.create', body: { prompt: new Date(0) } } },
      'calls.body.prompt: expected plain data or a regular expression, got a Date',
    ],
    [
      { calls: 'chat.create', within: 'soon' },
      'within: expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds, got "soon"',
    ],
    [
      { calls: 'chat.create', within: { from: 'noon' } },
      'within.from: expected the time since the start, such as 5s, or an ISO 8601 timestamp with a time ' +
        'zone, such as 2026-01-01T00:00:00Z, got "noon"',
    ],
    [
      { calls: 'chat.create', within: { from: '5s', until: '5s' } },
      'within.until: expected a time after `from`: this window is empty',
    ],
    [
      { inOrder: ['chat.completions.create', 'videos.get'] },
      [
        'inOrder[0].operation: unknown operation "chat.completions.create" (an SDK name): write chat.create',
        'inOrder[1].operation: unknown operation "videos.get" (an SDK name): write videos.retrieve',
      ],
    ],
    ['POST /v1/videos', 'calls.operation: unknown operation "POST /v1/videos" (a path): write videos.create'],
    [
      { calls: { operation: 'videos.create', prompt: 'a fox' } },
      'calls.prompt: unknown key "prompt": this key belongs under `body`: `body: { prompt: … }`',
    ],
    [{ calls: 'chat.create', model: 'gpt-4o' }, 'model: unknown key: write `calls: { model: … }`'],
    [{ calls: 'chat.create', exactly: 1 }, 'exactly: unknown key: write `times: …`'],
    [{ calls: 'chat.create', atLeast: 0 }, 'atLeast: can never fail: write 1 or more, or add `atMost`'],
    [
      { calls: { rule: 'nosuch' }, never: true },
      'calls.rule: can never match: there is no rule "nosuch" (the session has no rules)',
    ],
    [
      { calls: { status: '200' }, never: true },
      'calls.status: can never match: no response has the value "200" here; did you mean 200, without ' +
        'quotes?',
    ],
    [
      { calls: { status: { anyOf: [200, '4xx', 999] } }, never: true },
      [
        'calls.status.anyOf[1]: can never match: no response has the value "4xx" here',
        'calls.status.anyOf[2]: can never match: no response has the value 999 here',
      ],
    ],
    [
      { calls: { ended: 'complete' }, never: true },
      'calls.ended: can never match: no response has the value "complete" here; did you mean completed?',
    ],
    [
      { calls: { method: 'post' }, never: true },
      'calls.method: can never match: no response has the value "post" here; did you mean POST?',
    ],
    [
      { calls: { faults: 'disconnect' }, never: true },
      'calls.faults: can never match: this field is a list. Write { contains: "disconnect" }',
    ],
    [
      { calls: { faults: { contains: 'latencyy' } }, never: true },
      expect.stringMatching(
        /^calls\.faults\.contains: .* no response has the value "latencyy" here, expected one of /,
      ),
    ],
    [
      { calls: { operation: 'chat.create', body: { messages: { contains: 'hi' } } } },
      expect.stringMatching(/can never match a list: write \{ some: /),
    ],
    [
      { calls: { method: 'FETCH', events: -1 }, never: true },
      [
        expect.stringMatching(
          /^calls\.method: .* no response has the value "FETCH" here, expected one of GET/,
        ),
        'calls.events: can never match: no response has the value -1 here',
      ],
    ],
    [
      { calls: { decidedBy: 'rule nosuch (function)' }, never: true },
      'calls.decidedBy: can never match: there is no rule "nosuch" (the session has no rules)',
    ],
    [
      { calls: { rejection: { parm: 'model' } }, never: true },
      'calls.rejection.parm: no response has a field "parm" here; did you mean param?',
    ],
    [
      { calls: { events: { gt: 1 }, unmatched: 'yes' }, never: true },
      'calls.unmatched: can never match: no response has the value "yes" here',
    ],
    [{ inOrder: [] }, ['inOrder: expected at least 1 item, got 0']],
  ])('%j: %s', (request, expected) => {
    expect(errors(sim, request)).toEqual([expected].flat())
  })

  it('with a rule that is not among those of the session', () => {
    const then = { error: { status: 503 } } as const
    const ruled = simulator({ scenarios: [{ title: 'One', rules: [{ id: 'large', then }] }] })
    expect(errors(ruled, { calls: { rule: 'larg' }, never: true })).toEqual([
      'calls.rule: can never match: there is no rule "larg" (did you mean large?)',
    ])
    expect(errors(ruled, { calls: { rule: { anyOf: ['l*', { not: 'small*' }] } } })).toEqual([
      'calls.rule: can never match: there is no rule "small*" (expected one of large)',
    ])
    expect(errors(ruled, { usedRules: ['smal'] })).toEqual([
      'usedRules[0]: can never match: there is no rule "smal" (expected one of large)',
    ])
    ruled.overrides.add({ id: 'cut', fault: 'disconnect' })
    expect(errors(ruled, { calls: { rule: 'cut' }, never: true })).toEqual(['nothing was rejected'])
  })

  it.each([
    [null],
    [5],
    [[]],
    [{ calls: 5 }],
    [{ inOrder: 'chat.create' }],
    [{ within: [] }],
    [{ calls: { nth: 2 } }],
    [{ calls: { state: { a: 'b' } } }],
  ])('%j, with words for it', (request) => {
    expect(errors(sim, request)).not.toEqual(['nothing was rejected'])
  })

  it('an object that holds itself', () => {
    const body: Record<string, unknown> = {}
    body['prompt'] = body
    expect(errors(sim, { calls: { operation: 'videos.create', body } })).toEqual([
      expect.stringMatching(
        /^calls\.body\.prompt\.prompt.*: is nested more than 128 levels deep: is the object circular\?$/,
      ),
    ])
  })

  it('names every error at once', () => {
    expect(
      errors(sim, {
        calls: { operation: 'videos.create', body: { promt: 1 } },
        times: 1,
        never: true,
        within: 'soon',
      }),
    ).toHaveLength(3)
  })
})

describe('whatever is asked', () => {
  const words = [
    ...'calls exactly atLeast atMost never within inOrder noOthers operation'.split(' '),
    ...'body path headers status response from until span regex contains'.split(' '),
    ...'not anyOf some length __proto__ constructor'.split(' '),
  ]
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(
      ...['chat.create', '*', '5s', '4xx', '2026-01-01T00:00:00Z', null, true],
      ...[-1, 0, 1.5, 1e308, Number.NaN, /fox/],
    ),
    fc.string(),
    fc.anything(),
  )
  const { value: request } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 4 }),
    ),
  }))

  it('there is a verdict, or an error that is named; nothing else is thrown', async () => {
    const sim = simulator()
    await chat(sim, 'a fox')
    fc.assert(
      fc.property(request, (asked) => {
        try {
          const { ok, message, matched } = sim.safeVerify(asked as VerifyRequest)
          expect([typeof ok, message !== '', matched.every((seq) => seq === 0)]).toEqual([
            'boolean',
            true,
            true,
          ])
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error
          expect(error.message).toMatch(/^The verification is invalid:\n {2}.*: .+/)
        }
      }),
      runs(2000),
    )
  })
})
