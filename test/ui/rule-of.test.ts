/** Requests copied as rules: a fresh simulator takes each rule and gives the same response. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JournalEntryJson } from '../../src/exchange/plain.ts'
import type { Capabilities } from '../../src/generated/control-types.ts'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { asStep, copyNotes } from '../../src/ui/calls/copy.ts'
import { asCurl, asSdkCall, keyOf } from '../../src/ui/calls/copy-request.ts'
import { isCut, readable } from '../../src/ui/calls/sent-body.ts'
import { isOnlyText, matcherOf, scenarioOf, stubOf, whyNoRule } from '../../src/ui/rules/rule-of.ts'
import { jsonCall } from '../_setup.ts'
import { errors, replay } from '../run/_replay.ts'

const user = (content: unknown) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] })
const tools = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { properties: { city: { type: 'string' } } } },
  },
]
const message = { model: 'claude-3-5-haiku-20241022', max_tokens: 64 }
const story = { state: 'A refund', questions: { angry: { type: 'noul', instructions: 'Angry?' } } }
const headers = { authorization: 'Bearer sk-test', 'anthropic-version': '2023-06-01' }

/** Requests by name: path and body. */
const requests: Readonly<Record<string, readonly [path: string, body: object]>> = {
  chat: ['/v1/chat/completions', user('Say ${hello}')],
  'chat in parts': ['/v1/chat/completions', user([{ type: 'text', text: 'Say hello' }])],
  'chat stream': ['/v1/chat/completions', { ...user('Hello'), stream: true }],
  'chat with a tool': [
    '/v1/chat/completions',
    { ...user('Weather in Rome?'), tools, tool_choice: 'required' },
  ],
  'chat stream with a tool': [
    '/v1/chat/completions',
    { ...user('Weather in Rome?'), tools, tool_choice: 'required', stream: true },
  ],
  'chat, two choices': ['/v1/chat/completions', { ...user('Hello'), n: 2 }],
  'chat, too long': ['/v1/chat/completions', { ...user('Hello'), max_tokens: 1 }],
  message: ['/v1/messages', { ...message, messages: [{ role: 'user', content: 'Hello' }] }],
  'message stream': [
    '/v1/messages',
    { ...message, stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  ],
  image: ['/v1/images/generations', { model: 'dall-e-3', prompt: 'a boat', response_format: 'b64_json' }],
  'image URL': ['/v1/images/generations', { model: 'dall-e-2', prompt: 'a boat', size: '256x256' }],
  'image job': ['/v1/tob/diffusion', { model: 'image-job-v7', text: 'a lighthouse at night' }],
  video: ['/v1/videos', { model: 'sora-2', prompt: 'a sunset' }],
  'video operation': [
    '/v1beta/models/veo-3.0-generate-001:predictLongRunning',
    { instances: [{ prompt: 'a sunset' }], parameters: { sampleCount: 1 } },
  ],
  decision: ['/v1/systemone', { model: 'jev-latest', ...story }],
  'upload URL': ['/v1/files/upload_url', { path: 'images/cat.png', storage_provider: 'COS' }],
  'rejected chat': ['/v1/chat/completions', { ...user('Hello'), model: 'sim-rate-limit' }],
  'rejected message': [
    '/v1/messages',
    { ...message, model: 'sim-overloaded', messages: [{ role: 'user', content: 'Hello' }] },
  ],
  'rejected image': ['/v1/images/generations', { model: 'sim-moderation-blocked', prompt: 'a boat' }],
  'rejected image job': ['/v1/tob/diffusion', { model: 'sim-rate-limit', text: 'a lighthouse' }],
  'rejected video': ['/v1/videos', { model: 'sim-server-error', prompt: 'a sunset' }],
  'rejected decision': ['/v1/systemone', { model: 'sim-upstream-5xx', ...story }],
}

const post = async (sim: Simulator, path: string, body: object) => {
  const response = await sim.fetch(path, { ...jsonCall(body, headers) })
  return { status: response.status, text: await response.text() }
}

async function entriesOf(sim: Simulator): Promise<readonly JournalEntryJson[]> {
  const { entries } = (await (await sim.fetch('/__sim/journal')).json()) as { entries: JournalEntryJson[] }
  return entries
}

/** Adds a rule to another simulator. */
async function withRule(text: string): Promise<Simulator> {
  const sim = createSimulator({ clock: 'auto' })
  const added = await sim.fetch('/__sim/scenarios', jsonCall({ text }))
  expect(added.status, `${await added.text()}\n${text}`).toBe(201)
  return sim
}

/** Without what differs between responses. */
const settled = (text: string) =>
  text
    .replaceAll(/"(?:id|trace_id|request_id|upload_url|visit_url)":"[^"]*"/g, '""')
    .replaceAll(/"created(?:_at)?":\d+/g, '""')
    .replaceAll(/sim-[a-z0-9-]+/g, 'MODEL')

describe('a request as a rule', () => {
  for (const [name, [path, body]] of Object.entries(requests))
    it(`gives the same response: ${name}`, async () => {
      const sim = createSimulator({ clock: 'auto' })
      const before = await post(sim, path, body)
      const [entry] = await entriesOf(sim)
      const text = scenarioOf(entry as JournalEntryJson, undefined)
      const other = await withRule(text)
      // A reserved value would decide before the rule.
      const plain = JSON.parse(JSON.stringify(body).replace(/sim-[a-z0-9-]+/, modelOf(path)))
      const after = await post(other, path, plain)
      const [answered] = await entriesOf(other)
      expect(answered?.cause.rule, text).toBe(`${entry?.operation}-0`)
      expect(after.status).toBe(before.status)
      if (!name.includes('stream')) expect(settled(after.text)).toBe(settled(before.text))
      else expect(textOf(after.text)).toBe(textOf(before.text))
      // The matcher alone finds the request.
      const { count } = (await (
        await sim.fetch('/__sim/verify', jsonCall({ requests: matcherOf(entry as JournalEntryJson) }))
      ).json()) as { count: number }
      expect(count).toBe(1)
      await withRule(stubOf(entry as JournalEntryJson))
    })

  it('shows a later poll as it was', async () => {
    for (const [path, body] of [requests['video'], requests['image job']] as [string, object][]) {
      const [sim, other] = [createSimulator({ clock: 'manual' }), createSimulator({ clock: 'manual' })]
      const poll = async (one: Simulator): Promise<any> => {
        const submitted = JSON.parse((await post(one, path, body)).text)
        const id = submitted.id ?? submitted.data?.jobId ?? submitted.jobId
        if (one === sim) one.clock.advance('10s')
        const url = path === '/v1/videos' ? `/v1/videos/${id}` : `/v1/tob/job/${id}`
        return (await one.fetch(url, { headers })).json()
      }
      const seen = await poll(sim)
      const entry = (await entriesOf(sim)).at(-1) as JournalEntryJson
      const template = path === '/v1/videos' ? '/v1/videos/{video_id}' : '/v1/tob/job/{jobId}'
      const text = scenarioOf(entry, template)
      const added = await other.fetch('/__sim/scenarios', jsonCall({ text }))
      expect(added.status, `${await added.text()}\n${text}`).toBe(201)
      expect((await poll(other)).status).toEqual(seen.status)
      expect((await entriesOf(other)).at(-1)?.cause.rule).toBe(`${entry.operation}-1`)
      // The rule is for this job only.
      await poll(other)
      expect((await entriesOf(other)).at(-1)?.cause.rule).toBeUndefined()
    }
  })

  it('has a condition that only responses in one body need', async () => {
    const sim = createSimulator({ clock: 'auto' })
    const [path, body] = requests['chat with a tool'] as [string, object]
    await post(sim, path, body)
    const other = await withRule(scenarioOf((await entriesOf(sim))[0] as JournalEntryJson, undefined))
    await post(other, path, { ...body, stream: true })
    await post(other, path, { ...body, stream: false })
    expect((await entriesOf(other)).map(({ cause }) => cause.rule)).toEqual([undefined, 'chat.create-0'])
  })

  it('knows a change of the text alone', () => {
    const chatOf = (content: unknown, finish = 'stop') =>
      JSON.stringify({
        id: 'a',
        choices: [{ message: { role: 'assistant', content }, finish_reason: finish }],
      })
    expect(isOnlyText(chatOf('Hello "you"'), chatOf('$& bye'))).toBe(true)
    expect(isOnlyText(chatOf('Hello'), chatOf('Bye', 'length'))).toBe(false)
    expect(isOnlyText(chatOf('Hello'), chatOf('Bye').replace('"a"', '"b"'))).toBe(false)
    expect(isOnlyText(chatOf('Hello'), chatOf(null))).toBe(false)
  })

  it('does not exist for a response that a rule cannot give', async () => {
    const sim = createSimulator({ clock: 'auto' })
    await post(sim, ...(requests['image URL'] as [string, object]))
    await post(sim, '/v1/embeddings', {})
    await post(sim, '/v1/chat/completions', user('Hello'))
    const [image, unknown, chat] = (await entriesOf(sim)) as JournalEntryJson[]
    expect(whyNoRule(image as JournalEntryJson)).toBe('the simulator generates all of this response')
    expect(whyNoRule(unknown as JournalEntryJson)).toBe('no rule can match an unknown path')
    expect(whyNoRule(chat as JournalEntryJson)).toBeUndefined()
    await post(sim, '/v1/chat/completions', { ...user('Hello'), temperature: 9 })
    const invalid = (await entriesOf(sim)).at(-1) as JournalEntryJson
    expect(whyNoRule(invalid, sim.explainRequest(-1))).toBe(
      'the request was rejected before any rule was evaluated',
    )
    const known = unknown as JournalEntryJson
    const note = copyNotes(
      { ...known, request: { ...known.request, headers: [['content-length', '2']] } },
      undefined,
      undefined,
    )
    expect(note).toMatch(/^No copy as curl, SDK call or step: .* The condition matches every request\.$/)
  })

  it('repeats faults, uploads and what breakpoints have changed', async () => {
    const sim = createSimulator({ clock: 'auto' })
    const [path, body] = requests['chat stream'] as [string, object]
    await sim.fetch('/__sim/overrides', jsonCall({ fault: { kind: 'reset' }, times: 1 }))
    await expect(post(sim, path, body)).rejects.toThrow()
    const target = JSON.parse((await post(sim, ...(requests['upload URL'] as [string, object]))).text)
    await sim.fetch(target.upload_url, { method: target.method, body: 'meow' })
    const denied = target.upload_url.replace('cat', 'sim-store-busy')
    await sim.fetch(denied, { method: target.method, body: 'meow' })
    for (const entry of await entriesOf(sim)) await withRule(scenarioOf(entry, undefined))
    const [broken, , , busy] = await entriesOf(sim)
    expect(JSON.parse(scenarioOf(broken as JournalEntryJson, undefined)).rules[0].then).toEqual({
      fault: 'reset',
    })
    expect(JSON.parse(scenarioOf(busy as JournalEntryJson, undefined)).rules[0].then.error.status).toBe(
      busy?.response?.status,
    )
  })
})

describe('a body of which the journal keeps the beginning', () => {
  const fillers = ['lorem ', '\\', '\n', '"', '\u0001', 'a\u0001', 'ab\u0001', '${x}', 'é', '🙂']
  for (const filler of fillers)
    it(`still gives the condition of a rule: ${JSON.stringify(filler)}`, async () => {
      for (const content of [filler.repeat(70_000), [{ type: 'text', text: filler.repeat(70_000) }]]) {
        const sim = createSimulator({ clock: 'auto' })
        await post(sim, '/v1/chat/completions', user(content))
        const [entry] = (await entriesOf(sim)) as [JournalEntryJson]
        expect(isCut(entry.request.body?.text)).toBe(true)
        expect(copyNotes(entry, undefined, undefined)).toMatch(/^No copy as curl, SDK call or step: [^.]*\.$/)
        const other = await withRule(scenarioOf(entry, undefined))
        await post(other, '/v1/chat/completions', user('Hello'))
        await post(other, '/v1/chat/completions', user(content))
        expect((await entriesOf(other)).map(({ cause }) => cause.rule)).toEqual([undefined, 'chat.create-0'])
      }
    })

  it('may be that of a response, which no rule repeats, or a stream, whose text no step expects', async () => {
    const text = 'word '.repeat(30_000)
    const rule = { id: 'long', when: {}, then: { text } }
    const sim = createSimulator({ clock: 'auto', scenarios: [{ title: 'Long', rules: [rule] }] } as never)
    await post(sim, '/v1/chat/completions', user('Hello'))
    await post(sim, '/v1/chat/completions', { ...user('Hello'), stream: true })
    const [one, stream] = (await entriesOf(sim)) as [JournalEntryJson, JournalEntryJson]
    for (const entry of [one, stream])
      expect(whyNoRule(entry)).toBe('the journal contains only the beginning of the response')
    expect(JSON.parse(asStep(stream, '/v1/chat/completions')).expect).toEqual({ status: 200, stream: {} })
  })
})

/** Options that are not the defaults. */
const optionsOf: Readonly<Record<string, object>> = {
  truncate: { afterShare: 0.3, how: 'reset' },
  corrupt: { bytes: 3, afterBytes: 20 },
  'malformed-json': { afterBytes: 40 },
  dribble: { bytes: 100, interval: '20ms' },
  'stall-body': { afterBytes: 10 },
  outage: { for: '3s', times: 1 },
  'wrong-content-type': { contentType: 'text/plain' },
  'wrong-length': { by: 8 },
  'rate-limit': { retryAfter: '7s', limit: 12 },
  overloaded: { retryAfter: '1m30s' },
  auth: { status: 403 },
  'ambiguous-submit': { status: 500 },
  disconnect: { afterEvents: 3, how: 'close' },
  stall: { afterEvents: 3 },
  'error-event': { afterEvents: 3, type: 'overloaded_error', message: 'Too busy.' },
  'malformed-event': { afterEvents: 2 },
  split: { afterEvents: 2, pause: '1s' },
  join: { afterEvents: 2, events: 2 },
  duplicate: { afterEvents: 2, copies: 3 },
  'out-of-order': { afterEvents: 2 },
  'keep-alive': { text: 'wait', events: 2 },
  'line-ends': { ends: 'cr' },
}

/** Faults that leave the text of a response readable, as far as it arrives. */
const keepsText = /^(?:wrong|dribble|disconnect|error-event|stall$|missing|split|join|keep)/

/** What a client and the journal see of the first request; one that never ends is aborted. */
async function seenOf(sim: Simulator, [path, body]: readonly [string, object]) {
  const stop = new AbortController()
  const { signal } = stop
  const answer = sim.fetch(path, { ...jsonCall(body, headers), signal }).then(
    async (response) => ({
      type: response.headers.get('content-type'),
      wait: response.headers.get('retry-after'),
      limit: response.headers.get('x-ratelimit-limit-requests'),
      text: settled(await response.text().catch(String)),
    }),
    String,
  )
  const entry = async () => (await entriesOf(sim))[0] as JournalEntryJson
  const faults = await vi.waitFor(async () => {
    const { cause, endedAfter } = await entry()
    if (cause.faults.some((kind) => kind.startsWith('stall'))) expect(cause.stalledAfter).toBe(endedAfter)
    return cause.faults
  })
  if (faults.some((kind) => /^(?:hang|stall)/.test(kind))) stop.abort()
  const received = await answer
  const { ended, response } = await entry()
  return {
    received,
    faults,
    status: response?.status,
    eventCount: response?.eventCount,
    ended,
    stream: settled(JSON.stringify(response?.events ?? [])),
  }
}

describe('a fault as a rule', async () => {
  const { faults } = (await (await createSimulator().fetch('/__sim/capabilities')).json()) as Capabilities
  const text = { id: 'text', when: {}, then: { text: 'One two three four' } }
  const names: Readonly<Record<string, string>> = {
    'chat.create': 'chat',
    'imageJobs.create': 'image job',
    'files.createUploadUrl': 'upload URL',
  }
  for (const { name: kind, part, operations } of faults)
    for (const rules of [[], [text]]) {
      const name = part === 'stream' ? 'chat stream' : names[operations.find((id) => id in names) ?? '']
      if (name === undefined || (rules.length > 0 && !(name.startsWith('chat') && keepsText.test(kind))))
        continue
      it(`comes back with its options: ${kind}${rules.length > 0 ? ' of a text' : ''}`, async () => {
        const request = requests[name] as [string, object]
        const scenarios = rules.length > 0 ? [{ title: 'Text', rules }] : []
        const sim = createSimulator({ clock: 'auto', scenarios } as never)
        const fault = { kind, ...optionsOf[kind] }
        const added = await sim.fetch('/__sim/overrides', jsonCall({ fault }))
        expect(added.status).toBe(201)
        const seen = await seenOf(sim, request)
        expect(seen.faults).toEqual([kind])
        const [entry] = (await entriesOf(sim)) as [JournalEntryJson]
        const why = await (await sim.fetch('/__sim/journal/0/explain')).json()
        expect(why.faults).toEqual([kind in optionsOf ? fault : kind])
        const rule = scenarioOf(entry, undefined, why.faults)
        expect(await seenOf(await withRule(rule), request), rule).toEqual(seen)
        // The step expects what was seen.
        const step = asStep(entry, request[0])
        expect(
          errors(await replay([JSON.parse(step)], { seed: 'gateway-sim', scenarios: [JSON.parse(rule)] })),
          step,
        ).toEqual([])
      })
    }
})

it('a step expects a text only from a rule: the default text has another seed in `replay`', async () => {
  const sim = createSimulator({ clock: 'auto' })
  await post(sim, ...(requests['chat stream'] as [string, object]))
  const [entry] = (await entriesOf(sim)) as [JournalEntryJson]
  expect(errors(await replay([JSON.parse(asStep(entry, entry.request.url))]))).toEqual([])
  const scenario = JSON.parse(scenarioOf(entry, undefined))
  const other = await withRule(JSON.stringify(scenario))
  await post(other, ...(requests['chat stream'] as [string, object]))
  const [again] = (await entriesOf(other)) as [JournalEntryJson]
  const step = JSON.parse(asStep(again, again.request.url))
  expect(step.expect.stream.text).toBe(scenario.rules[0].then.text)
  expect(errors(await replay([step], { scenarios: [scenario] }))).toEqual([])
})

describe('a request to send again', async () => {
  const sim = createSimulator({ clock: 'auto' })
  const form = new FormData()
  form.append('model', 'gpt-image-1')
  form.append('prompt', "@a boat's sail")
  form.append('image[]', new File([await pngOf(sim)], 'boat.png', { type: 'image/png' }))
  await sim.fetch('/v1/images/edits', { method: 'POST', headers, body: form })
  const target = JSON.parse((await post(sim, ...(requests['upload URL'] as [string, object]))).text)
  await sim.fetch(target.upload_url, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: 'meow',
  })
  await post(sim, ...(requests['message stream'] as [string, object]))
  await post(sim, ...(requests['video operation'] as [string, object]))
  const entries = (await entriesOf(sim)).filter(({ request }) => !/generations|content/.test(request.url))
  const [edit, , upload, message, operation] = entries as JournalEntryJson[]
  beforeEach(() => vi.stubGlobal('location', { origin: 'http://127.0.0.1:4010', pathname: '/__sim/ui/' }))
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
  })

  it('names the fields and files of a form', async () => {
    const lines = asCurl(edit as JournalEntryJson, 'sk-test').split(' \\\n  ')
    expect(lines).toEqual([
      "curl -X POST 'http://127.0.0.1:4010/v1/images/edits'",
      "-H 'authorization: Bearer sk-test'",
      "-H 'anthropic-version: 2023-06-01'",
      "-F 'image[]=@boat.png;type=image/png'",
      "--form-string 'model=gpt-image-1'",
      String.raw`--form-string 'prompt=@a boat'\''s sail'`,
    ])
    expect(asSdkCall(edit as JournalEntryJson, 'sk-test')).toBe(`import { createReadStream } from 'node:fs'
import OpenAI from 'openai'

const openai = new OpenAI({ apiKey: 'sk-test', baseURL: 'http://127.0.0.1:4010/v1' })
console.log(await openai.images.edit({
  "image": [
    createReadStream("boat.png")
  ],
  "model": "gpt-image-1",
  "prompt": "@a boat's sail"
}))`)
    expect(JSON.parse(asStep(edit as JournalEntryJson, '/v1/images/edits'))).toMatchObject({
      with: { image: [{ file: 'boat.png', contentType: 'image/png' }], model: 'gpt-image-1' },
      form: true,
    })
    expect(copyNotes(edit as JournalEntryJson, undefined, undefined)).toMatch(/^The copies read boat\.png, /)
    expect(readable(edit?.request.body?.text ?? '')).toMatch(
      /^image\[\]: boat.png \(image\/png, \d+ bytes\)\nmodel: /,
    )
  })

  it('has the key of the client if the journal tells it, or a variable where the job belongs to the key', async () => {
    vi.stubEnv('API_KEY', 'sk-a-key-of-somebody')
    const template = '/v1/videos/{video_id}'
    const run = promisify(execFile)
    for (const key of ['sk-test', 'sk-scenario', 'sk-a-key-of-somebody']) {
      const server = await listen(createSimulator({ clock: 'auto' }))
      onTestFinished(() => server.close())
      vi.stubGlobal('location', { origin: server.url, pathname: '/__sim/ui/' })
      const ask = { authorization: `Bearer ${key}` }
      const made = await fetch(`${server.url}/v1/videos`, jsonCall({ model: 'sora-2', prompt: 'a' }, ask))
      const { id } = (await made.json()) as { id: string }
      await fetch(`${server.url}/v1/videos/${id}`, { headers: ask })
      const { entries } = (await (await fetch(`${server.url}/__sim/journal`)).json()) as {
        entries: [JournalEntryJson, JournalEntryJson]
      }
      const [create, poll] = entries
      expect(keyOf(create, '/v1/videos')).toBe(key.includes('somebody') ? 'sk-test' : key)
      const used = keyOf(poll, template)
      const { stdout } = await run('bash', ['-c', asCurl(poll, used)])
      expect(JSON.parse(stdout)).toMatchObject({ id, object: 'video' })
      const called = await run(process.execPath, ['--input-type=module', '-e', asSdkCall(poll, used)])
      expect(called.stdout).toMatch(/^200 /)
    }
  })

  it('is a step that reads the id of a job from an earlier step', async () => {
    const sim = createSimulator({ clock: 'auto' })
    const { id } = JSON.parse((await post(sim, ...(requests['video'] as [string, object]))).text)
    await sim.fetch(`/v1/videos/${id}`, { headers })
    const [create, poll] = (await entriesOf(sim)) as [JournalEntryJson, JournalEntryJson]
    const template = '/v1/videos/{video_id}'
    expect(copyNotes(poll, template, undefined)).toBe(
      'The step reads video_id from save: of an earlier step.',
    )
    const steps = [
      { ...JSON.parse(asStep(create, '/v1/videos')), save: { video_id: 'body.id' } },
      JSON.parse(asStep(poll, template)),
    ]
    expect(errors(await replay(steps))).toEqual([])
  })

  it('adds no key to a signed upload, and names its bytes', () => {
    expect(asCurl(upload as JournalEntryJson, 'sk-test')).not.toContain('authorization')
    const step = JSON.parse(asStep(upload as JournalEntryJson, '/storage/{bucket}/{key}'))
    expect(step.with).toMatchObject({ key: 'images/cat.png', content: { file: 'cat.png' } })
    expect(asCurl(upload as JournalEntryJson, 'sk-test')).toMatch(/--data-binary '@cat\.png'$/)
    expect(asSdkCall(upload as JournalEntryJson, 'sk-test')).toContain('body: readFileSync("cat.png")')
  })

  it('is a module with the SDK of the API', () => {
    expect(asSdkCall(message as JournalEntryJson, 'sk-test')).toMatch(
      /^import Anthropic .*baseURL: 'http:..127.0.0.1:4010' }\)\nfor await \(.* of await anthropic\.messages\.create\(/s,
    )
    expect(asSdkCall(operation as JournalEntryJson, 'sk-test')).toContain(`generateVideos({
  "model": "veo-3.0-generate-001",
  "source": {
    "prompt": "a sunset"
  },
  "config": {
    "numberOfVideos": 1
  }
})`)
  })
})

async function pngOf(sim: Simulator): Promise<Uint8Array<ArrayBuffer>> {
  const { text } = await post(sim, ...(requests['image'] as [string, object]))
  return Uint8Array.from(Buffer.from(JSON.parse(text).data[0].b64_json, 'base64'))
}

const modelOf = (path: string): string =>
  path.includes('messages')
    ? 'claude-3-5-haiku-20241022'
    : path.includes('tob')
      ? 'image-job-v7'
      : path.includes('videos')
        ? 'sora-2'
        : path.includes('images')
          ? 'gpt-image-1'
          : path.includes('systemone')
            ? 'jev-latest'
            : 'gpt-4o'

/** What a stream says: texts, and the arguments of tool calls. */
const textOf = (stream: string): string =>
  [...stream.matchAll(/"(?:content|text|arguments)":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join('')

it('takes an id in the path as sent if its encoding is invalid', async () => {
  const sim = createSimulator()
  await sim.fetch('/v1/videos/%zz', { headers })
  const [entry] = await entriesOf(sim)
  expect(matcherOf(entry as JournalEntryJson, '/v1/videos/{video_id}')).toMatchObject({
    path: { video_id: '%zz' },
  })
})
