/**
 * What of a scenario would do nothing, or would win over something else without a word, is rejected when it
 * is loaded.
 */
import { describe, expect, it } from 'vitest'
import { createSimulator, ScenarioError } from '../../src/index.ts'
import { finds } from './_errors.ts'
import { under } from './_gateway.ts'

/** The errors of a scenario with one rule. */
function errors(rule: object, more: object = {}): string[] {
  try {
    createSimulator({ scenarios: [{ title: 't', ...more, rules: [rule] } as never] })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.map(({ field, message }) => `${field.replace('rules[0].', '')}: ${message}`)
  }
}

describe('a `then` with conflicting keys', () => {
  finds(`
chat.create { text: hi, fault: { kind: overloaded, chance: 0.5 } }
videos.create { timeline: [{ at: 0, status: pending }], fault: content-filter }
  4:13 conflicts with the fault content-filter, which determines the outcome of the job: keep one of them
videos.create { job: finished, fault: content-filter }
  4:13 conflicts with the fault content-filter, which determines the outcome of the job: keep one of them
chat.create { text: hi, fault: overloaded }
  4:13 conflicts with the fault overloaded, which rejects the request: keep one of them
chat.create { patch: { model: x }, fault: rate-limit }
  4:13 conflicts with the fault rate-limit, which rejects the request: keep one of them
chat.create { error: { status: 400 }, fault: overloaded }
  4:13 conflicts with the fault overloaded, which rejects the request: keep one of them
chat.create { fault: [overloaded, rate-limit] }
  4:33 rate-limit: overloaded already rejects the request: keep one fault, or put both into a \`sequence\`
videos.create { error: { status: 500 }, fault: content-filter }
  4:44 content-filter: a rejected request creates no job. To create the job anyway, add \`job: created\`
chat.create { error: { status: 500 }, fault: disconnect }
  4:44 disconnect: applies only to streams, but this response is not a stream
chat.create { text: hi, fault: content-filter }
  4:13 conflicts with the fault content-filter, which determines how the response ends: keep one of them
      (in a script, write \`finish: content_filter\`)
imageJobs.create { job: { blocked: [1], failAt: 50 } }
  4:29 job.blocked: conflicts with \`failAt\`: a job that fails has no images
videos.create { job: { code: x } }
  4:26 job.code: applies only to a failure: add \`failAt\`
videos.create { job: { failAt: 40, notFoundAt: 20 } }
  4:44 job.notFoundAt: expected a percentage above \`failAt\` (an earlier 404 hides the failure), got 20
chat.create { stream: { script: [{ text: a }, { fault: disconnect }, { text: b }] } }
  4:68 this item is never sent: the preceding fault ends the stream
chat.create { fault: { kind: disconnect, afterEvents: 3, afterBytes: 10 } }
  4:56 conflicts with \`afterEvents\`: keep one of them
chat.create { headers: { x-a: "a\\x01b" } }
  4:29 headers.x-a: expected printable ASCII without line breaks (percent-encode é as %E9), got "a\\u0001b"
chat.create { headers: { bad name: x } }
  4:24 headers.bad name: the key: expected letters, digits and dashes, got "bad name"
chat.create { headers: { Transfer-Encoding: chunked } }
  4:24 headers.Transfer-Encoding: the key: cannot be overridden: use the fault \`wrong-length\`,
      \`truncate\` or \`reset\` instead
  `)
})

describe('a scenario with conflicting keys', () => {
  it('a speed for a clock without one', () => {
    expect(errors({ then: {} }, { clock: { mode: 'manual', speed: 3 } })).toEqual([
      expect.stringContaining('clock.speed: applies only to a real clock'),
    ])
  })

  it('a status hidden by the timeline', () => {
    expect(
      errors(
        { then: {} },
        { given: { imageJobs: [{ status: 'running', timeline: [{ at: 0, status: 'waiting' }] }] } },
      ),
    ).toEqual([expect.stringContaining('given.imageJobs[0].status: has no effect')])
  })
})

describe('a rule whose `then` no request can receive', () => {
  const head =
    'models: { chat: [gpt-4o], messages: [claude-*] }\nkeys: { sk-a: {}, sk-b: { models: [o3] } }\n'
  finds(
    `
rule { when: { operation: chat.create, body: { stream: false } }, then: { fault: { kind: disconnect, \\
    afterEvents: 3 } } }
  5:81 disconnect: applies only to streams, but \`when.body.stream\` matches only non-streaming requests
rule { when: { operation: messages.create, body: { stream: { exists: false } } }, then: { fault: [bom] } }
  5:98 bom: applies only to streams, but \`when.body.stream\` matches only non-streaming requests
rule { when: { operation: chat.create, body: { stream: false } }, then: { stream: { script: [{ text: a \\
    }, { fault: disconnect }] } } }
  5:106 applies only to streams, but \`when.body.stream\` matches only non-streaming requests
rule { when: { operation: chat.create, body: { stream: false } }, then: { stream: { eventInterval: 1s } } }
  5:84 applies only to streams, but \`when.body.stream\` matches only non-streaming requests: use \`delay\`,
      which applies to every request
rule { when: { operation: chat.create, body: { stream: false } }, then: { sequence: [{ text: a }, { \\
    fault: stall }] } }
  5:107 stall: applies only to streams, but \`when.body.stream\` matches only non-streaming requests
rule { when: { operation: chat.create, body: { stream: true } }, then: { fault: malformed-json } }
  5:80 malformed-json: applies only to JSON bodies, but \`when.body.stream\` matches only streaming requests
      (use \`malformed-event\`, which corrupts one event)
rule { when: { operation: chat.create, body: { stream: true } }, then: { patch: { \\
    choices.0.message.content: x } } }
  5:82 \`when.body.stream\` matches only streaming requests, but no chat.create event has the field
      choices.0.message.content: write \`text\` or \`stream.script\`
rule { when: { operation: videos.retrieve, model: sora-2 }, then: { error: { status: 500 } } }
  5:43 can never match: requests to videos.retrieve have no model. Write \`job: { model: … }\` to match the
      submission of the job
rule { when: { operation: videos.retrieve, query: { limit: 3 } }, then: { error: { status: 500 } } }
  5:52 can never match: videos.retrieve takes no query
rule { when: { operation: videos.delete, query: { force: "true" } }, then: { error: { status: 500 } } }
  5:50 can never match: videos.delete takes no query
rule { when: { operation: videos.create, query: { seconds: 8 } }, then: { error: { status: 500 } } }
  5:50 can never match: seconds is not a query parameter. Write it under \`body\`
rule { when: { operation: imageJobs.readImage, key: sk-a }, then: { error: { status: 500 } } }
  5:47 can never match: imageJobs.readImage takes no API key
  `,
    head,
  )

  // These are allowed.
  finds(
    `
rule { when: { operation: chat.create, body: { stream: false } }, then: { stream: { script: [{ text: a \\
    }] } } }
rule { when: { operation: chat.create, body: { stream: { exists: true } } }, then: { fault: disconnect } }
rule { when: { operation: chat.create, body: { stream: { not: false } } }, then: { fault: malformed-json } }
rule { when: { operation: chat.create, body: { stream: true } }, then: { error: { status: 500 }, fault: \\
    malformed-json } }
rule { when: { operation: chat.create, model: gpt-5 }, then: { error: { status: 404, message: Retired. } } }
rule { when: { operation: chat.create, model: gpt-5 }, then: { response: { status: 200, body: {} }, \\
    offContract: true } }
rule { when: { operation: [chat.create, messages.create], model: gpt-4o }, then: { text: a } }
rule { when: { operation: chat.create, model: sim-error-500 }, then: { text: a } }
rule { when: { operation: imageJobs.readImage, query: { sign: x } }, then: { error: { status: 500 } } }
rule { when: { operation: chat.create, model: gpt-5* }, then: { text: a } }
rule { when: { operation: messages.create, query: { beta: "true" } }, then: { text: a } }
rule { when: { operation: videos.retrieve, query: { limit: 3 } }, then: { error: { status: 500 }, \\
    offContract: true } }
  `,
    head,
  )
})

describe('a rule that no request can match', () => {
  finds(
    `
when { during: { from: 10m, until: 5m } }
  4:41 during.until: expected a time later than \`from\`, got "5m"
when { nth: 2, first: 1 }
  4:18 no request satisfies \`nth\`, \`first\`, \`skip\` and \`everyNth\` at the same time
when { first: 2, skip: 2 }
  4:20 no request satisfies \`nth\`, \`first\`, \`skip\` and \`everyNth\` at the same time
when { nth: 1000000000, first: 500000000 }
  4:18 no request satisfies \`nth\`, \`first\`, \`skip\` and \`everyNth\` at the same time
when { skip: 400000000, everyNth: 600000000, first: 999999999 }
  4:58 no request satisfies \`nth\`, \`first\`, \`skip\` and \`everyNth\` at the same time
when { nth: 2147483648 }
  4:18 when.nth: expected at most 1000000000, got 2147483648
when { key: sk-alcie }
  4:18 can never match: \`keys\` does not list "sk-alcie"; did you mean sk-alice?
when { operation: chat.create, conversation: { turn: first } }
  4:59 can never match: no request has the value "first" at this path
when { operation: chat.create, body: [1] }
  4:43 can never match: no request has a list at this path. To allow several values, write { anyOf: […] }
when { operation: chat.create, model: [gpt-4o, gpt-5] }
  4:44 can never match: no request has a list at this path. To allow several values, write { anyOf: […] }
when { operation: chat.create, headers: { x-team: [a, b] } }
  4:56 can never match: no request has a list at this path. To allow several values, write { anyOf: […] }
when { operation: chat.create, body: { stream: "true" } }
  4:53 can never match: no request has the value "true" at this path; did you mean true, without quotes?
  `,
    'keys: { sk-alice: {} }\n',
  )
})

describe('headers with values of the request', () => {
  it('are encoded if they cannot be sent, the same everywhere, with a warning', async () => {
    const { chat, sim } = under([
      { id: 'echo', when: { operation: 'chat.create' }, then: { headers: { 'x-prompt': '${prompt}' } } },
    ])
    expect((await chat('日本 🌅\r\nx-inj: 1')).headers.get('x-prompt')).toBe(
      '%E6%97%A5%E6%9C%AC %F0%9F%8C%85%0D%0Ax-inj: 1',
    )
    expect((sim as unknown as { warnings: string[] }).warnings).toEqual([
      expect.stringContaining('rule echo: characters other than visible ASCII in the header x-prompt'),
    ])
  })

  it('can set the date and the content type, instead of the defaults', async () => {
    const { chat } = under(
      [
        {
          when: { operation: 'chat.create' },
          then: { headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'content-type': 'text/plain' } },
        },
      ],
      {},
      { clock: 'auto' },
    )
    const plain = await chat('x')
    expect([plain.headers.get('date'), plain.headers.get('content-type')]).toEqual([
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'text/plain',
    ])
    expect((await chat('x', { stream: true })).headers.get('content-type')).toBe('text/plain')
  })
})
