/**
 * Errors in scenario files: each with the line and column of what is wrong, and with what to write in its
 * place.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadScenario, ScenarioError, type ScenarioInput } from '../../src/index.ts'
import { post, simulator } from '../_setup.ts'
import { finds } from './_errors.ts'

function write(text: string | Uint8Array, name = 'a.yaml'): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-load-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

/** What is wrong with a text, as `line:column message`. */
async function errors(text: string | Uint8Array, name?: string): Promise<string[]> {
  try {
    simulator({ scenarios: [await loadScenario(write(text, name))] })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.map(({ line, column, message }) => `${line}:${column} ${message}`)
  }
}

const rule = (when: string, then = '{}'): string => `title: a\nrules:\n  - when: ${when}\n    then: ${then}\n`

describe('a file', () => {
  const answer = 'rules: [{ when: { operation: chat.create }, then: { text: ahoy } }]'
  const merged =
    'title: a\nrules:\n  - when: &chat { operation: chat.create, body: { user: x } }\n    then: { ' +
    'error: { status: 500 } }\n' +
    '  - when: { <<: *chat, body: { user: { exists: false } } }\n    then: { text: ahoy }\n'
  const json = { title: 'a', rules: [{ when: { operation: 'chat.create' }, then: { text: 'ahoy' } }] }
  it.each([
    ['YAML', `title: a\n${answer}\n`, 'a.yaml'],
    ['YAML with another extension', `title: a\n${answer}\n`, 'a.yml'],
    ['JSON', JSON.stringify(json), 'a.json'],
    ['text with a byte order mark', `\uFEFFtitle: a\n${answer}\n`, 'a.yaml'],
    ['text with Windows line ends', `title: a\r\n${answer}\r\n`, 'a.yaml'],
    ['anchors and merge keys', merged, 'a.yaml'],
  ])('can be %s', async (_what, text, name) => {
    const file = write(text, name)
    for (const source of [file, await loadScenario(file), await loadScenario(pathToFileURL(file))]) {
      const response = await post(simulator({ scenarios: [source] }), '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'hello' }],
      })
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'ahoy' } }] })
    }
  })

  it('that is missing is named', async () => {
    await expect(loadScenario('no/such/file.yaml')).rejects.toThrow('no/such/file.yaml: file not found')
    await expect(loadScenario(tmpdir())).rejects.toThrow('it is a directory')
    expect(() => simulator({ scenarios: ['no/such/file.yaml'] })).toThrow('no/such/file.yaml: file not found')
  })

  it.each([
    ['nothing', '', ['1:1 the file is empty: expected a `title`, and usually `rules`']],
    ['tabs', 'title: a\nrules:\n\t- then: {}\n', ['3:1 Tabs are not allowed as indentation: use spaces']],
    [
      'too many levels',
      `title: a\nrules: ${'['.repeat(300)}${']'.repeat(300)}\n`,
      ['2:208 is nested more than 200 levels deep'],
    ],
  ])('that contains %s', async (_what, text, found) => {
    expect(await errors(text)).toEqual(found)
  })

  finds(`
file - a\\n
  1:1 expected an object: write \`title: …\`, and put this list under \`rules:\`
file title: a\\n---\\ntitle: b\\n
  2:1 a second document starts here: expected one document per file
file title: a\\nseed: b\\nseed: c\\n
  3:1 duplicate key: keep only one
file title: a\\nrules:\\n  - then: {}\\n   - then: {}\\n
  4:4 inconsistent indentation: the items of a list or the keys of an object must be aligned
file title: a\\nrules:\\n- when: {}\\n then: {}\\n
  4:1 inconsistent indentation: the items of a list or the keys of an object must be aligned
file title: "a\\nrules: []\\n
  3:1 a string has no closing quote
file title: a\\nrules: [{ then: {} }\\n
  3:1 an earlier [ has no closing ]
file title: 50%: half\\n
  1:8 Nested mappings are not allowed in compact mappings: put the string in quotes
file title: a\\nrules:\\n  - when: { operation: * }\\n    then: {}\\n
  3:24 a string that starts with * needs quotes: "*"
file title: a\\nsteps:\\n  - call: videos.create\\n    save: { video: body.id }\\n  - call: \\
    videos.retrieve\\n    with: { video_id: \${video} }\\n
  6:24 inside { } and [ ], a string that contains \${…} needs quotes: "\${…}"
file title: *a\\n
  1:8 no anchor &a precedes this alias; a string that starts with * needs quotes: "*a"
file # later\\n
  1:1 the file is empty: expected a \`title\`, and usually \`rules\`
file title: a\\nsteps:\\n  - call: chat.create\\n    with: { content: sunny, 30 degrees }\\n
  4:29 "30 degrees" has no value: inside { } and [ ], a string with a comma needs quotes
file title: a\\nrules: [{ then: {}, {a: b}: c }]\\n
  2:21 expected a string as the key
  `)

  it('in JSON has no trailing comma, which YAML allows', async () => {
    const text = '{\n  "title": "a, ]",\n  "rules": [{ "then": { "text": "b" }, }, ],\n}\n'
    const message = 'JSON does not allow a comma after the last value: remove the comma'
    expect(await errors(text, 'a.json')).toEqual([`3:38 ${message}`, `3:41 ${message}`, `3:44 ${message}`])
    expect(await errors(text, 'a.yaml')).toEqual([])
  })

  it('that is not UTF-8 is rejected with the place', async () => {
    expect(
      await errors(
        Buffer.concat([Buffer.from('title: ä\nseed: '), Buffer.from([0xc3, 0x28]), Buffer.from('\n')]),
      ),
    ).toEqual(['2:7 the file is not UTF-8 text: save it as UTF-8'])
  })

  it('can contain the replacement character itself', async () => {
    expect(await errors('title: "\uFFFD"\n')).toEqual([])
    expect(
      await errors(Buffer.concat([Buffer.from('title: "\uFFFD'), Buffer.from([0xff]), Buffer.from('"\n')])),
    ).toEqual(['1:10 the file is not UTF-8 text: save it as UTF-8'])
  })
})

describe('keys', () => {
  finds(`
file title: a\\nruels: []\\n
  2:1 unknown key "ruels": did you mean rules?
file title: a\\nxyzzy: 1\\n
  2:1 unknown key "xyzzy": expected one of $schema, title, description, seed, clock, keys, models, limits,
      given, flags, rules, steps
file title: a\\nclock: { mdoe: auto }\\n
  2:10 unknown key "mdoe": did you mean mode?
file title: a\\nclock: { mode: manaul }\\n
  2:16 clock.mode: expected one of "real", "manual", "auto", got "manaul"; did you mean manual?
when { operation: video.create }
  3:24 when.operation: unknown value "video.create"; did you mean videos.create?
when { operation: chat.completions.create }
  3:24 unknown operation "chat.completions.create" (an SDK name): write chat.create
file title: a\\nrules:\\n  - when: { operation: [images.edits] }\\n    then: {}\\nsteps:\\n  - { call: \\
    messages.stream, with: {} }\\n
  3:25 unknown operation "images.edits" (an SDK name): write images.edit
  6:13 unknown operation "messages.stream" (an SDK name): write messages.create, with \`body: {
      stream: true }\`
chat.create { status: 429 }
  4:13 unknown key "status": write \`error: { status: 429 }\`
chat.create { sequence: [{ retryAfter: 3s }, {}] }
  4:26 unknown key "retryAfter": this key belongs under \`error\`: \`error: { retryAfter: … }\`
videos.create { job: { failat: 50 } }
  4:20 unknown key "failat": did you mean failAt?
file title: a\\nrules:\\n  - when: \\n      operation:\\n        - chat.create\\n        - \\
    mesages.create\\n    then: {}\\n
  6:11 when.operation[1]: unknown value "mesages.create"; did you mean messages.create?
chat.create { fault: disconect }
  4:20 then.fault: unknown value "disconect"; did you mean disconnect?
chat.create { fault: { kind: rate_limit, retryAfter: 3s } }
  4:28 fault.kind: unknown value "rate_limit"; did you mean rate-limit?
chat.create { fault: [{ kind: rate_limit }] }
  4:29 fault[0].kind: unknown value "rate_limit"; did you mean rate-limit?
chat.create { stream: { script: [{ fault: { kind: disconect } }] } }
  4:49 fault.kind: expected one of "disconnect", "stall", "error-event",…
chat.create { fault: { type: rate_limit, retryAfter: 3s } }
  4:22 fault.kind: is required: did you mean kind: rate-limit instead of type: rate_limit?
chat.create { delay: 1e300 }
  4:20 then.delay: expected a duration of at most 36500d (a hundred years), got 1e+300
chat.create { fault: { kind: disconnect, afterEvent: 2 } }
  4:40 unknown key "afterEvent": did you mean afterEvents?
chat.create { fault: { kind: hang, afterEvents: 3 } }
  4:34 unknown key "afterEvents": not valid for hang; expected one of kind, chance
step { advance: 3s, until: { status: 200 } }
  3:20 unknown key "until": write \`waitFor: { status: 200 }\`
chat.create { delay: { median: 5s, to: 1s } }
  4:20 delay.from: is required: expected a string or a number
  4:22 unknown key "median": expected one of from, to (median requires sigma, max)
file title: a\\nrules:\\n  - { operation: chat.create, text: a, nht: 2, then: {} }\\n
  3:7 unknown key "operation": this key belongs under \`when\`
  3:31 unknown key "text": this key belongs under \`then\`
  3:40 unknown key "nht": expected one of id, when, then
when { during: { til: 3s } }
  3:23 unknown key "til": did you mean until?
chat.create { patch: { choicez: 3, choices.0.mesage.content: a, usage: { totl_tokens: 3 } }, unset: [nope] }
  4:22 no response has a field "choicez" at this path; did you mean choices? (checked against the contract's
      chat.create response; set \`offContract: true\` if this is intentional)
  4:34 no response has a field "mesage" at this path; did you mean message? (checked against the contract's
      chat.create response; set \`offContract: true\` if this is intentional)
  4:72 no response has a field "totl_tokens" at this path; did you mean total_tokens? (checked against the
      contract's chat.create response; set \`offContract: true\` if this is intentional)
  4:100 no response has a field "nope" at this path: expected one of id, object, created, model, choices, usage,
      service_tier, system_fingerprint (checked against the contract's chat.create response; set
      \`offContract: true\` if this is intentional)
chat.create { stream: { script: [{ txt: a }] } }
  4:34 unknown key "txt": did you mean text? Expected one of the keys text, reasoning, redacted, refusal,
      toolCall, toolCalls, usage, finish, wait, raw, fault, partial, image
chat.create { stream: { script: [{ text: a, wait: 3s }] } }
  4:43 conflicts with \`text\`: write each as a separate item
file title: a\\nsteps:\\n  - cal: videos.create\\n
  3:5 unknown key "cal": did you mean call? Expected one of the keys call, fetch, advance, parallel
file title: a\\nsteps:\\n  - call: models.list\\n    expect: { statsu: 200 }\\n
  4:15 unknown key "statsu": did you mean status?
file title: a\\nlimits: { activeImageJob: 2 }\\n
  2:11 unknown key "activeImageJob": did you mean activeImageJobs?
when { operation: videos.create, body: { promt: x } }
  3:47 no videos.create request has a field "promt" at this path; did you mean prompt?
file title: a\\nflags: { gateway: up }\\nrules:\\n  - when: { flags: { gatway: up } }\\n    then: {}\\n
  4:22 there is no flag gatway: did you mean gateway?
  `)
})

describe('values', () => {
  finds(`
chat.create { delay: 5 apples }
  4:20 then.delay: expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds, got "5
      apples"
chat.create { fault: { kind: disconnect, afterEvents: three } }
  4:53 fault.afterEvents: expected a number, got "three"
chat.create { fault: { kind: disconnect, afterEvents: three, hwo: close } }
  4:53 fault.afterEvents: expected a number, got "three"
  4:60 unknown key "hwo": did you mean how?
chat.create { fault: { afterEvents: 3 } }
  4:20 fault.kind: is required: expected one of "hang", "reset", "outage", "wrong-content-type",
      "wrong-length", "truncate", "corrupt", "malformed-json", "dribble", "stall-body", "disconnect",
      "stall", …
videos.create { timeline: [{ at: 0s, status: done }] }
  4:42 expected one of "pending", "in_progress", "completed", "failed", got "done"; set \`offContract:
      true\` if this is intentional
videos.create { job: { failAt: 150 } }
  4:28 job.failAt: expected at most 100, got 150
chat.create { response: { body: {} } }
  4:31 choices: is required: expected an array (checked against the contract's chat.create response; set
      \`offContract: true\` if this is intentional)
chat.create { error: upstream }
  4:20 expected an object: write { status: 500, message: upstream }
chat.create { error: { status: "503" } }
  4:30 error.status: expected 503 without quotes, got "503"
when { during: { from: 10 mins } }
  3:29 during.from: expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or a
      duration such as 5s, 350ms or 1h30m, or a number of milliseconds, got "10 mins"
messages.create { patch: { stop_reason: refusal } }
  4:35 expected one of "end_turn", "max_tokens", "stop_sequence", "tool_use", got "refusal" (checked against
      the contract's messages.create response; set \`offContract: true\` if this is intentional)
file title: a\\nrules:\\n  - when: { operation: chat.create }\\n    then: { response: { body: { choices: [{ \\
    message: { content: hi }, finish_reason: eos }] } } }\\n  - when: { operation: videos.create }\\n    \\
    then: { timeline: [{ at: 0, id: one, seconds: "11" }] }\\n
chat.create { patch: { model: 3, usage: { total_tokens: many }, choices.0.message.content: 3 }, unset: \\
    [choices, id] }
  4:29 expected a string, got 3 (checked against the contract's chat.create response; set \`offContract:
      true\` if this is intentional)
  4:55 expected a number, got "many" (checked against the contract's chat.create response; set
      \`offContract: true\` if this is intentional)
  4:90 expected a string, got 3 (checked against the contract's chat.create response; set \`offContract:
      true\` if this is intentional)
  4:103 choices is required in every response and cannot be removed (checked against the contract's
      chat.create response; set \`offContract: true\` if this is intentional)
when { nth: 0 }
  3:18 when.nth: expected at least 1, got 0
chat.create { error: { status: 302 } }
  4:30 error.status: expected a status from 400 to 599 (for any other status, write \`response: { status,
      body }\`), got 302
when { key: { regex: "(" } }
  3:27 expected a JavaScript regular expression: write a regular expression that is valid in RE2 (missing closing ): (),
      got "("
when { key: { regex: "(a)\\\\1" } }
  3:27 expected a JavaScript regular expression: back-references are not supported; write the
      repeated part again, got "(a)\\\\1"
when { operation: videos.create, body: { prompt: x, contains: y } }
  3:58 the operator contains cannot be combined with fields: put operators into a separate object
file title: 5\\n
  1:8 title: expected a string, got 5
file title: a\\nseed: 7\\n
  2:7 seed: expected a string, got 7
file title: a\\nrules:\\n  - when: {}\\n
  3:5 rules[0].then: is required: expected an object
  `)
})

describe('rules without effect', () => {
  finds(`
chat.create { timeline: [{ at: 0s, status: pending }] }
  4:13 does not apply to chat.create, only to imageJobs.create, imageJobs.uploadPaint, imageJobs.retexture,
      imageJobs.pan, imageJobs.removeBackground, imageJobs.variation, videos.create, videos.remix,
      videoOperations.submit, videoOperations.submitForPublisher
videos.create { text: a }
  4:13 does not apply to videos.create, only to chat.create, messages.create
videos.create { timeline: [{ at: 5s, status: pending }, { at: 2s, status: failed }] }
  4:59 is earlier than the previous entry (5000 ms): sort the entries by time
videos.create { timeline: [{ at: 0s, urls: [] }] }
  4:34 is not a field of videos: expected at, poll, unset, reset, notFound or one of status, progress,
      error, completed_at, expires_at, created_at, model, seconds, size, remixed_from_video_id, id, object
videos.create { timeline: [{ at: 0s, status: SUCCEEDED }] }
  4:42 expected one of "pending", "in_progress", "completed", "failed", got "SUCCEEDED"; set \`offContract:
      true\` if this is intentional
videos.create { timeline: [{ at: 0s, progress: 140 }] }
  4:44 expected at most 100, got 140; set \`offContract: true\` if this is intentional
videos.create { timeline: [{ at: 0s, progress: { from: 0, to: 40, over: soon } }] }
  4:69 expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds, got "soon"
videos.create { timeline: [{ at: 0s, progress: { from: 0, to: 40, over: 5s, x: 1 } }] }
  4:73 unknown key "x": expected one of from, to, over
videos.create { offContract: true, timeline: [{ at: 0s, progress: { from: a, to: 40, over: 5s } }] }
  4:71 expected a number, got "a"
videos.create { response: { status: 500 } }
  4:33 500 rejects the request: write \`error: { status: 500 }\` for the API's error envelope, or set
      \`offContract: true\`
chat.create { error: { status: 500 }, text: a }
  4:37 conflicts with \`error\`, which rejects the request: keep one of them
chat.create { text: b, sequence: [{ text: a }] }
  4:19 then.text: conflicts with \`sequence\`: put this key into each response
chat.create { end: cycle }
  4:18 then.end: has no effect without a \`sequence\`: remove this key, or add a \`sequence\`
videos.create { job: created }
  4:18 \`job: created\` applies only to rejected requests: add an \`error\`
videoOperations.submit { job: { failAt: 40, code: NOPE } }
  4:38 expected one of "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
      "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
      "OUT_O…
chat.create { delay: { from: 3s, to: 1s } }
  4:36 delay.to: expected a duration of at least \`from\`, got "1s"
chat.create { text: "\${body.messages.0.contnet}" }
  4:19 \${body.messages.0.contnet}: no request has a field "contnet" at this path; did you mean content?
videos.retrieve { headers: { x-a: "\${path.id}" } }
  4:29 \${path.id}: videos.retrieve has no path parameter id: expected one of video_id
videos.retrieve { headers: { x-a: "\${body.id}" } }
  4:29 \${body.id}: videos.retrieve takes no body
videos.retrieve { headers: { x-a: "\${prompt}" } }
  4:29 \${prompt}: videos.retrieve takes no prompt
chat.create { text: "\${model.name}" }
  4:19 \${model.name}: model is a string and has no fields
chat.create { text: "a \${body.model} b \${body.user" }
  4:19 "\${body.user" has no closing brace: expected a value such as \${body.prompt}
videos.content { patch: { a: 1 } }
  4:13 has no effect: videos.content does not return JSON
chat.create { text: "\${bdy.prompt}" }
  4:19 \${bdy.prompt}: expected a request value that starts with one of body, query, headers, path, key,
      model, prompt, such as \${body.prompt}; did you mean body?
when { operation: videos.retrieve, body: { a: 1 } }
  3:41 can never match: videos.retrieve takes no body. Write \`job: { body: { a: … } }\` to match the
      submission of the job
when { operation: videos.retrieve, path: { id: x } }
  3:49 videos.retrieve has no path parameter id: expected one of video_id
when { operation: videos.create, conversation: { turn: 1 } }
  3:39 only chat.create and messages.create have conversations
file title: a\\nflags: { gateway: up }\\nrules:\\n  - when: { flags: { gateway: down } }\\n    then: {}\\n
  4:31 can never match: the flag gateway is never "down" (expected one of "up")
file title: a\\nrules:\\n  - { id: it, then: {} }\\n  - { id: it, then: {} }\\n
  4:11 another rule has the id "it": give each rule a unique id
file title: a\\nsteps:\\n  - call: videos.create\\n    save: { video: body.id }\\n  - call: \\
    videos.retrieve\\n    with: { video_id: "\${vidoe}" }\\n
  6:23 \${vidoe}: no earlier step saves vidoe; did you mean video?
file title: a\\nsteps:\\n  - call: videos.retrieve\\n
  3:5 videos.retrieve needs \`with: { video_id: … }\` for its path /v1/videos/{video_id}
file title: a\\nkeys: { sk-alice: {} }\\nsteps: [{ call: models.list, key: sk-allice }]\\n
  3:35 \`keys\` does not list "sk-allice"; did you mean sk-alice? (a key that contains "invalid" needs no
      entry, because it gets a 401)
file title: a\\nkeys: { sk-alice: {} }\\ngiven: { videos: [{ id: video_1, key: sk-bob }] }\\n
  3:39 \`keys\` does not list "sk-bob": expected one of sk-alice
file title: a\\ngiven: { videos: [{ id: video_1 }, { id: video_1 }] }\\n
  2:42 \`given.videos\` contains the id "video_1" twice: give each entry a unique id
  `)
})

describe('all errors of a file', () => {
  it('are reported together, in order, with their lines', async () => {
    const text = `title: bad
clokc: { mode: manual }
rules:
  - id: one
    when: { operation: chat.creat, nth: 0 }
    then: { error: { status: 302 } }
  - id: one
    when: { operation: chat.create, body: { mesages: x } }
    then: { delay: 5 apples }
steps:
  - call: videos.creat
  - advance: 5 parsecs
`
    expect((await errors(text)).map((one) => one.split(' ')[0])).toEqual([
      '2:1',
      '5:24',
      '5:41',
      '6:30',
      '7:9',
      '8:45',
      '9:20',
      '11:11',
      '12:14',
    ])
    const error = await loadScenario(write(text)).catch((thrown: unknown) => thrown as ScenarioError)
    expect((error as ScenarioError).message).toMatch(/^9 errors in .*a\.yaml:\n/)
    expect((error as ScenarioError).findings[1]).toMatchObject({
      field: 'rules[0].when.operation',
      source: 'when: { operation: chat.creat, nth: 0 }',
    })
  })

  it('in one rule are reported together, whatever else is wrong in its `when`', async () => {
    expect(
      await errors(
        rule(
          '{ operation: [videos.create, videoz.list], nth: 0, body: { prompt: { contians: x } }, flags: ' +
            '{ up: a } }',
        ),
      ),
    ).toEqual([
      '3:40 when.operation[1]: unknown value "videoz.list"; did you mean videos.list?',
      '3:59 when.nth: expected at least 1, got 0',
      '3:80 no request has a field "contians" at this path; did you mean contains?',
      '3:106 there is no flag up: declare it under `flags`',
    ])
    const unknown = await errors(
      rule(
        '{ operation: [xyzzy], body: { prompt: { regex: "(" } } }',
        '{ timeline: [{ at: 0s }], text: "${boddy.x}" }',
      ),
    )
    expect(unknown.map((one) => one.replace(/,? .*/, ''))).toEqual(['3:25', '3:58', '4:43'])
  })

  // Of one rule, whatever else is wrong with its `then`.
  finds(`
chat.create { texxt: a, error: {status: 500}, text: "\${boddy.x}", upstream: {status: 429} }
  4:13 unknown key "texxt": did you mean text?
  4:45 conflicts with \`error\`, which rejects the request: keep one of them
  4:51 \${boddy.x}: expected a request value that starts with one of body, query, headers, path, key, model,
      prompt, such as \${body.prompt}; did you mean body?
  4:65 does not apply to chat.create, only to systemone.evaluate
  4:65 conflicts with \`error\`, which rejects the request: keep one of them
chat.create { error: {status: 700}, text: "\${boddy.x}" }
  4:29 error.status: expected a status from 400 to 599 (for any other status, write \`response: { status,
      body }\`), got 700
  4:41 \${boddy.x}: expected a request value that starts with one of body, query, headers, path, key, model,
      prompt, such as \${body.prompt}; did you mean body?
chat.create { stream: { eventInterval: 1s, tokensPerSecond: 3, script: [{ txt: a }, { partial: 0 }] } }
  4:73 unknown key "txt": did you mean text? Expected one of the keys text, reasoning, redacted, refusal,
      toolCall, toolCalls, usage, finish, wait, raw, fault, partial, image
chat.create { sequence: [{ texxt: a, job: created }, { error: {status: 500}, text: a }, { delay: 5 \\
    apples, text: "\${boddy.x}" }] }
  4:26 unknown key "texxt": did you mean text?
  4:76 conflicts with \`error\`, which rejects the request: keep one of them
  4:96 sequence[2].delay: expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds,
      got "5 apples"
  4:112 \${boddy.x}: expected a request value that starts with one of body, query, headers, path, key,
      model, prompt, such as \${body.prompt}; did you mean body?
chat.create { weighted: [{ weight: 0, then: { text: "\${boddy.x}" } }, { weight: 1, then: { txt: a, \\
    headers: { x-a: "\${boddy.x}" } } }] }
  4:34 weighted[0].weight: expected more than 0, got 0
  4:90 unknown key "txt": did you mean text?
chat.create { eror: { status: 500 }, job: created, sequense: [], end: cycle }
  4:13 unknown key "eror": did you mean error?
  4:50 unknown key "sequense": did you mean sequence?
  `)

  it('in one step are reported together, too', async () => {
    const text =
      'title: a\nkeys: { sk-alice: {} }\nsteps:\n  - call: videos.retrieve\n    with: { video_id: ' +
      '"${vid}" }\n    key: sk-allice\n    expect: { statsu: 200 }\n'
    expect((await errors(text)).map((one) => one.replace(/:? .*/, ''))).toEqual(['5:23', '6:10', '7:15'])
  })

  it('in all files are reported together', () => {
    const files = ['titel: a\n', 'title: b\nruels: []\n'].map((text) => write(text))
    const error = (() => {
      try {
        simulator({ scenarios: files })
      } catch (thrown) {
        return thrown as ScenarioError
      }
      return undefined
    })()
    expect(error?.findings.map(({ file }) => file)).toEqual([files[0], files[0], files[1]])
  })
})

describe('an object', () => {
  it('reports each field once', () => {
    expect(() =>
      simulator({
        scenarios: [
          {
            title: 'a',
            rules: [{ when: { operation: 'chat.creat', nth: 0 }, then: { error: { status: 302 } } }],
          } as unknown as ScenarioInput,
        ],
      }),
    ).toThrow(
      /^3 errors in scenario 1:\nscenario 1: rules\[0\]\.when\.operation: unknown value .*\nscenario 1: rules\[0\]\.when\.nth: expected at least 1, got 0\nscenario 1: rules\[0\]\.then\.error\.status: expected a status from 400 to 599/,
    )
  })

  it('with a reference to itself is rejected', () => {
    const rules: unknown[] = []
    rules.push(rules)
    expect(() => simulator({ scenarios: [{ title: 'a', rules } as unknown as ScenarioInput] })).toThrow(
      'nested more than 200 levels deep',
    )
  })

  it('can be changed afterwards, without effect', async () => {
    const then = { text: 'ahoy' }
    const sim = simulator({
      scenarios: [{ title: 'a', rules: [{ when: { operation: 'chat.create' }, then }] }],
    })
    then.text = 'changed'
    expect(
      await (
        await post(sim, '/v1/chat/completions', {
          model: 'gpt-4o',
          messages: [{ role: 'user', content: 'hello' }],
        })
      ).json(),
    ).toMatchObject({ choices: [{ message: { content: 'ahoy' } }] })
  })
})
