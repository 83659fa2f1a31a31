/** A scenario as somebody first writes it who knows other mocks: the first message says what to write. */
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { scenarioOf } from '../../src/scenario/load/scenario.ts'
import type { ScenarioError } from '../../src/scenario/scenario-error.ts'

const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml')
const { reader } = gatewayApi()

/** The messages for a text, in their order; none when it is accepted. */
function errors(text: string): string[] {
  try {
    scenarioOf(text, 'file.yaml', undefined, yaml, reader)
    return []
  } catch (error) {
    return (error as ScenarioError).findings.map(({ message }) => message)
  }
}

const rule = (written: string) => errors(`title: a\nrules:\n  - ${written}\n`)
const when = (written: string) => rule(`{ when: ${written}, then: { text: hi } }`)
const then = (written: string, operation = 'chat.create') =>
  rule(`{ when: { operation: ${operation} }, then: ${written} }`)
const step = (written: string) => errors(`title: a\nsteps:\n  - ${written}\n`)

/** Each row: what is written, and a part of each message. */
type Table = readonly (readonly [written: string, ...messages: readonly string[]])[]

function holds(table: Table, read: (written: string) => string[]): void {
  it.each(table)('%s', (written, ...messages) => {
    const found = read(written)
    expect(found).toEqual(messages.map((message) => expect.stringContaining(message)))
  })
}

describe('the file', () => {
  holds(
    [
      ['title: a\nmappings: []', 'write `rules: [{ when: { operation: … }, then: { text: … } }]`'],
      ['- when: {}\n  then: {}', 'write `title: …`, and put this list under `rules:`'],
      ['name: a\nrules: []', 'write `title: a`'],
      ['title: a\nrules:\n  when: { operation: chat.create }', 'begin each rule with a dash, `- when: …`'],
      ['title: a\nmode: manual', 'this key belongs under `clock`: `clock: { mode: … }`'],
    ],
    errors,
  )

  it.each(['manual', 'auto', 'real'])('accepts `clock: %s` as its mode', (mode) => {
    expect(errors(`title: a\nclock: ${mode}\n`)).toEqual([])
  })
})

describe('a rule', () => {
  holds(
    [
      [
        '{ request: { method: POST, url: /v1/videos }, response: { status: 200 } }',
        'write `when: { operation: videos.create }`',
        'this key belongs under `then`',
      ],
      ['{ match: chat.create, respond: hi }', 'write `when: { operation: chat.create }`', 'write `then: {'],
      [
        '{ on: POST /v1/messages, response: { body: {} } }',
        'write `when: { operation: messages.create }`',
        'this key belongs under `then`',
      ],
      ['{ when: chat.create, then: {} }', 'write { operation: chat.create }'],
      [
        '{ operation: chat.create, text: hi }',
        'this key belongs under `when`',
        'this key belongs under `then`',
      ],
      ['{ when: { operation: videos.create, prompt: a }, then: {} }', '`body: { prompt: … }`'],
      ['{ once: true, then: {} }', 'write `when: { times: 1 }`'],
    ],
    rule,
  )
})

describe('`when`', () => {
  holds(
    [
      ['{ operation: chat.create, body: { messages: hi } }', 'Write { some: { FIELD: { contains: "hi" } } }'],
      [
        '{ method: POST, url: /v1/chat/completions }',
        'write `operation: chat.create`, which includes the method',
        'write `operation: chat.create`',
      ],
      ['{ url: "https://api.example/v1/videos/abc/content" }', 'write `operation: videos.content`'],
      ['{ operation: POST /v1/chat/completions }', '(a path): write chat.create'],
      ['{ prompt: { contains: hello } }', 'write `conversation: { lastUser: { contains: hello } }`'],
      ['{ contains: { role: user } }', 'write `conversation: { lastUser: { contains: … } }`'],
      [
        '{ operation: chat.create, body: { messages: { contains: { role: user } } } }',
        'got an object: for a list, write { some: { role: user } }',
      ],
      ['{ prompt: hello }', 'write `conversation: { lastUser: { contains: hello } }`'],
      ['{ operation: chat.create, stream: true }', 'this key belongs under `body`: `body: { stream: … }`'],
      ['{ "body.messages[0].content": hello }', 'write `body: { messages: { some: { content: hello } } }`'],
      [
        '{ operation: chat.create, body: { "messages[0].content": hello } }',
        'write `messages: { some: { content: hello } }`',
      ],
      ['{ content: /weather/ }', 'write `conversation: { lastUser: { regex: "weather" } }`'],
      ['{ model: { contains: /sun/i } }', 'including the slashes: write { regex: "sun" } for a regular'],
      ['{ model: { startsWith: "/su.*n/" } }', 'including the slashes: write { regex: "su.*n" }'],
      ['{ nth: 2nd }', 'expected a position: write 2 for the second'],
      ['{ operation: chat.create, body: hello }', 'Write `conversation: { lastUser: { contains: … } }`'],
      ['{ model: { regex: /gpt/ } }', 'the slashes would be part of the pattern: write "gpt"'],
      [
        '{ operation: createChat }',
        'unknown operation "createChat": `gateway-sim routes` lists all operations',
      ],
      ['{ operation: client.chat.completions.create }', '(an SDK name): write chat.create'],
      ['{ model: "*mini*" }', 'only a `*` at the end is a wildcard: write { contains: … }'],
      [
        '{ model: /gpt/ }',
        'is compared as a string, including the slashes: write { regex: "gpt" } for a regular expression, or ' +
          '{ equals: "/gpt/" } for this string',
      ],
      [
        '{ model: { anyOf: [/gpt/i, o3] } }',
        'write { regex: "gpt" } for a regular expression (flags are not supported',
      ],
      ['{ model: { matches: "gpt.*" } }', 'unknown operator "matches": write { regex: "gpt.*" }'],
      [
        '{ operation: chat.create, body: { messages: { contains: hello } } }',
        'can never match a list: write { some: { FIELD: { contains: "hello" } } }',
      ],
      [
        '{ operation: chat.create, body: { temperature: { startsWith: a } } }',
        'can never match: no request has a string at this path',
      ],
    ],
    when,
  )

  it('accepts `{ equals: … }` for text between slashes', () => {
    expect(when('{ model: { equals: /gpt/ } }')).toEqual([])
    expect(when('{ model: { contains: /etc/ } }')).toEqual([])
  })
})

describe('`then`', () => {
  holds(
    [
      ['{ stream: { frames: hello } }', 'expected a list: write `- |` above the text'],
      ['{ fault: { name: reset } }', 'kind: reset'],
      ['Hello', 'expected an object: write { text: Hello }'],
      ['500', 'expected an object: write { error: { status: 500 } }'],
      ['[{ text: a }, { text: b }]', 'write { sequence: [ … ] }'],
      ['{ status: 500 }', 'write `error: { status: 500 }`'],
      ['{ status: 429, body: {} }', 'write `error: { status: 429 }`', 'write `response: { body: { … } }`'],
      ['{ content: Hello there }', 'write `text: Hello there`'],
      ['{ delay: 3 seconds }', 'expected a duration such as 5s'],
      ['{ text: [a, b] }', 'write chunks as `stream: { script: [{ text: ['],
      ['{ text: 42 }', 'write "42", in quotes'],
      ['{ response: Hello }', 'write `text: Hello` instead of `response`'],
      ['{ stream: { script: [{ delay: 3s }, { content: hi }] } }', 'write `wait: 3s`', 'write `text: hi`'],
      ['{ stream: { chunks: [a, b] } }', 'write `script: [{ text: [first chunk, next chunk] }]`'],
      ['{ error: { code: 429 } }', 'expected a `type`, a `status`, or both'],
      ['{ state: { gateway: down } }', 'unknown key "state": write `setFlags: { NAME: … }`'],
      ['{ retryAfter: 7s }', 'this key belongs under `error`'],
      ['{ fault: timeout }', 'write `fault: hang` for no response, or `delay: 30s`'],
      ['{ fault: "" }', 'unknown fault "": expected one of hang, reset, '],
      ['{ error: rate-limit }', 'write `fault: rate-limit` instead of `error`'],
      ['{ job: fails }', 'write { failAt: 50 } for a job that fails halfway'],
      [
        '{ stream: { script: [{ text: a }, { fault: missing-end }] } }',
        'the fault missing-end cannot be a script item: write `fault: missing-end` under `then` ' +
          '(a script can contain the faults disconnect, ',
      ],
      ['{ stream: { script: [{ fault: { kind: missing-end } }] } }', 'cannot be a script item'],
      ['{ content: "5" }', 'write `text: "5"`'],
      ['{ fault: CONNECTION_RESET_BY_PEER }', 'write `fault: reset`'],
      ['{ text: "${request.body.model}" }', '${request.body.model}: write ${body.model}'],
    ],
    then,
  )

  holds(
    [
      ['{ job: failed }', 'write { failAt: 50 }'],
      ['{ job: completed }', 'write `job: finished`'],
      ['{ job: { stuckAt: 40 } }', 'write `job: stuck` for a job that never finishes'],
      ['{ job: { finished: true } }', 'write `job: finished` for a job that succeeds immediately'],
      ['{ timeline: { 5s: completed } }', 'expected a list: write [{ at: 0s, status: … }'],
    ],
    (written) => then(written, 'videos.create'),
  )
})

describe('a poll, and the request that created its job', () => {
  holds(
    [
      [
        '{ operation: videos.retrieve, model: sora-2 }',
        'Write `job: { model: … }` to match the submission of the job',
      ],
      ['{ operation: videos.retrieve, prompt: fox }', 'write `job: { prompt: … }`'],
      ['{ operation: videos.retrieve, body: { seconds: 4 } }', 'Write `job: { body: { seconds: … } }`'],
    ],
    (written) => rule(`{ when: ${written}, then: {} }`),
  )
})

describe('a timeline', () => {
  holds(
    [
      ['{ timeline: [{ after: 5s, status: pending }] }', 'expected `at`', 'write `at: 5s`'],
      ['{ timeline: [{ at: 0, status: pending, unset: [progres] }] }', 'did you mean progress?'],
    ],
    (written) => then(written, 'videos.create'),
  )
})

describe('a step', () => {
  holds(
    [
      ['{ request: { method: POST, url: /v1/videos } }', 'write `call: videos.create`, and `with: { … }`'],
      [
        '{ call: models.list, save: { id: $.object } }',
        'expected a path in the response that starts with one of status, headers, body, text',
      ],
      ['{ call: POST /v1/chat/completions }', '(a path): write chat.create'],
      ['{ wait: 5s }', 'write `advance: 5s`'],
      [
        '{ call: chat.create, with: { max_token: 3 } }',
        'chat.create has no field "max_token": did you mean max_tokens?',
      ],
      ['{ call: models.list, expect: 200 }', 'expected an object: write { status: 200 }'],
    ],
    step,
  )
})
