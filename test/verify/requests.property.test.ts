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
      '(top level): expected at least one of `requests`, `times`, `atLeast`, `atMost`, `never`, `inOrder`, ' +
        '`noOthers` and `usedRules`',
    ],
    [{ requests: 'chat.create', tmes: 1 }, 'tmes: unknown key "tmes": did you mean times?'],
    ['chat.creat', 'requests.operation: unknown value "chat.creat"; did you mean chat.create?'],
    [
      { inOrder: ['videos.create', 'videos.retreive'] },
      'inOrder[1].operation: unknown value "videos.retreive"; did you mean videos.retrieve?',
    ],
    [{ requests: 'chat.create', times: -1 }, 'times: expected at least 0, got -1'],
    [
      { requests: 'chat.create', times: 1, atLeast: 1 },
      'times: expected one of `never`, `times`, and `atLeast` with `atMost`',
    ],
    [
      { requests: 'chat.create', atMost: 1, never: true },
      'never: expected one of `never`, `times`, and `atLeast` with `atMost`',
    ],
    [
      { requests: 'chat.create', atLeast: 3, atMost: 2 },
      'atMost: expected at least 3 (the value of `atLeast`), got 2',
    ],
    [
      { requests: { operation: 'videos.create', body: { promt: 'a fox' } }, never: true },
      'requests.body.promt: no request has a field "promt" at this path; did you mean prompt?',
    ],
    [
      { requests: { operation: 'models.list', body: { a: 1 } } },
      'requests.body.a: no request has a field "a" at this path',
    ],
    [
      { requests: { operation: 'videos.retrieve', path: { id: 'x' } } },
      'requests.path.id: no request has a field "id" at this path: expected `video_id`',
    ],
    [
      { requests: { operation: 'chat.create', status: { gte: '400' } } },
      'requests.status.gte: expected a number, got "400"',
    ],
    [
      { requests: { operation: 'chat.create', response: { regex: '(' } } },
      expect.stringMatching(/^requests\.response\.regex: expected a regular expression: /),
    ],
    [
      { requests: { operation: 'videos.create', body: { prompt: /fox/i } } },
      'requests.body.prompt: expected a regular expression without the flags i, got "/fox/i": rewrite the ' +
        'pattern, for example as [Ff]ox',
    ],
    [
      { requests: { operation: 'videos.create', body: expect.objectContaining({ prompt: 'a fox' }) } },
      expect.stringMatching(
        /^requests\.body: expected plain data or a regular expression, got a ObjectContaining: /,
      ),
    ],
    [
      { requests: { operation: 'videos.create', body: { prompt: () => true } } },
      expect.stringMatching(/^requests\.body\.prompt: expected plain data .*, got a function: /),
    ],
    [
      { requests: { operation: 'videos.create', body: { prompt: new Date(0) } } },
      expect.stringMatching(/^requests\.body\.prompt: expected plain data .*, got a Date: /),
    ],
    [
      { requests: 'chat.create', within: 'soon' },
      'within: expected a duration such as 5s, 350ms or 1h30m, got "soon"',
    ],
    [
      'POST /v1/videos',
      expect.stringMatching(
        /^requests\.operation: expected one of "chat\.create", .*, … \(\d+ in total\) .*, got "POST \/v1\/videos"$/,
      ),
    ],
    [
      { requests: { operation: 'videos.create', prompt: 'a fox' } },
      expect.stringMatching(
        /^requests\.prompt: unknown key "prompt": expected one of operation, key, model, body, /,
      ),
    ],
    [
      { requests: 'chat.create', model: 'gpt-4o' },
      'model: unknown key "model": write `requests: { model: … }`',
    ],
    [
      { inOrder: ['chat.create'], within: '1s' },
      'within: limits a count: add `times`, `atLeast` or `atMost`',
    ],
    [{ requests: 'chat.create', atLeast: 0 }, 'atLeast: can never fail: write 1 or more, or add `atMost`'],
    [
      { requests: { rule: 'nosuch' }, never: true },
      'requests.rule: can never match: there is no rule "nosuch" (the session has no rules)',
    ],
    [
      { requests: { status: '200' }, never: true },
      'requests.status: can never match: expected a number, got "200"',
    ],
    [
      { requests: { status: { anyOf: [200, '4xx', 999] } }, never: true },
      [
        'requests.status.anyOf[1]: can never match: expected a number, got "4xx"',
        'requests.status.anyOf[2]: can never match: expected at most 599, got 999',
      ],
    ],
    [
      { requests: { ended: 'complete' }, never: true },
      expect.stringMatching(/^requests\.ended: can never match: expected .*; did you mean completed\?$/),
    ],
    [
      { requests: { rejection: { parm: 'model' } }, never: true },
      'requests.rejection.parm: no response has a field "parm" at this path; did you mean param?',
    ],
    [
      { requests: { unmatched: 'yes' }, never: true },
      'requests.unmatched: can never match: expected a boolean, got "yes"',
    ],
    [{ inOrder: [] }, ['inOrder: expected at least 1 item, got 0']],
  ])('%j: %s', (request, expected) => {
    expect(errors(sim, request)).toEqual([expected].flat())
  })

  it('with a rule that is not among those of the session', () => {
    const then = { error: { status: 503 } } as const
    const ruled = simulator({ scenarios: [{ title: 'One', rules: [{ id: 'large', then }] }] })
    expect(errors(ruled, { requests: { rule: 'larg' }, never: true })).toEqual([
      'requests.rule: can never match: there is no rule "larg" (did you mean large?)',
    ])
    expect(errors(ruled, { requests: { rule: { anyOf: ['l*', { not: 'small*' }] } } })).toEqual([
      'requests.rule.anyOf[1].not: can never match: there is no rule "small*" (expected one of large)',
    ])
    expect(errors(ruled, { usedRules: ['smal'] })).toEqual([
      'usedRules[0]: there is no rule "smal" (expected one of large)',
    ])
    const { id } = ruled.overrides.add({ fault: 'disconnect' })
    expect(errors(ruled, { requests: { rule: id }, never: true })).toEqual(['nothing was rejected'])
  })

  it.each([
    [null],
    [5],
    [[]],
    [{ requests: 5 }],
    [{ inOrder: 'chat.create' }],
    [{ within: [] }],
    [{ requests: { nth: 2 } }],
    [{ requests: { state: { a: 'b' } } }],
  ])('%j, with words for it', (request) => {
    expect(errors(sim, request)).not.toEqual(['nothing was rejected'])
  })

  it('an object that holds itself', () => {
    const body: Record<string, unknown> = {}
    body['prompt'] = body
    expect(errors(sim, { requests: { operation: 'videos.create', body } })).toEqual([
      expect.stringMatching(
        /^requests\.body\.prompt\.prompt.*: is nested more than 128 levels deep: is the object circular\?$/,
      ),
    ])
  })

  it('names every error at once', () => {
    expect(
      errors(sim, {
        requests: { operation: 'videos.create', body: { promt: 1 } },
        times: 1,
        never: true,
      }),
    ).toHaveLength(2)
  })
})

describe('whatever is asked', () => {
  const words = [
    ...'requests exactly atLeast atMost never within inOrder noOthers operation'.split(' '),
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
