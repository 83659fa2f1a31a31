/** What the tools of `gateway-sim mcp` advise, against a server in this process. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, it, onTestFinished } from 'vitest'
import type { Io } from '../../src/cli/command.ts'
import { Attachment } from '../../src/cli/mcp/attachment.ts'
import { createMcpServer } from '../../src/cli/mcp/serve-mcp.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith, emptyDirectory, run, serve } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }

const chat = (url: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, { ...jsonCall({ ...hello, ...more }), ...(signal && { signal }) })

async function agent(...flags: string[]) {
  const { url } = await serve(flags)
  const io = { cwd: emptyDirectory(), env: {}, stderr: { write() {} } } as unknown as Io
  const args = { baseUrl: url, controlPrefix: '/__sim', timeout: undefined }
  const [near, far] = InMemoryTransport.createLinkedPair()
  await createMcpServer(new Attachment(args as never, io)).connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  onTestFinished(() => client.close())
  const call = async (name: string, given: object = {}): Promise<string> => {
    const { content, isError } = await client.callTool({ name, arguments: { ...given } })
    return `${isError === true ? 'error: ' : ''}${(content as { text: string }[])[0]?.text}`
  }
  return { url, call }
}

it('a stream that waits for the manual clock is explained with the advance that ends it', async () => {
  const { url, call } = await agent('--clock', 'manual')
  const stop = new AbortController()
  const response = chat(url, { stream: true }, stop.signal)
  await expect.poll(() => call('list_requests')).toMatch(/^0 /)
  const open = await call('explain_request', { id: 0 })
  const [, wait = ''] = /the response ends (\S+) after the request\./.exec(open) ?? []
  expect(open).toContain('The response waits for the virtual clock')
  expect(open).toContain(`Call clock {"by":"${wait}"} while the client waits`)
  expect(await call('explain_request', { id: 0, bodies: true })).toContain('Call clock {"by":')
  expect((await run(['explain-call', '0', '--base-url', url])).stdout).toContain(
    `Run \`gateway-sim clock advance ${wait}\` while the client waits, or start the server with \`--clock auto\`.`,
  )
  stop.abort()
  await expect(response.then((one) => one.text())).rejects.toThrow('aborted')
  const left = (): Promise<string> => call('explain_request', { id: 0 })
  await expect.poll(left).toContain('The response was waiting for the virtual clock')

  const second = chat(url, { stream: true })
  await expect.poll(() => call('list_requests')).toMatch(/^1 /m)
  await call('clock', { by: wait })
  expect(await (await second).text()).toContain('[DONE]')
  expect(await call('explain_request', { id: 1 })).not.toContain('virtual clock')
})

it('a text scenario is named after its title, and replaces only the one with that name', async () => {
  const { call } = await agent()
  const text = (title: string, say: string): string =>
    `title: ${title}\nrules:\n  - { when: { operation: chat.create }, then: { text: ${say} } }\n`
  expect(await call('load_scenario', { text: text('Rome, by day', 'a') })).toMatch(
    /Loaded rome-by-day with 1/,
  )
  expect(await call('load_scenario', { text: text('Oslo', 'b') })).toMatch(/Loaded oslo with 1 rule: Oslo$/)
  expect(await call('load_scenario', { text: text('Oslo', 'c') })).toMatch(/Replaced oslo with 1 rule: Oslo$/)
  expect(await call('load_scenario', { text: text('Bergen', 'd'), name: 'oslo' })).toMatch(
    /Replaced oslo with/,
  )
  expect(await call('load_scenario', { text: text('…', 'e') })).toMatch(/Loaded scenario with 1 rule/)
})

it('faults are named if they had an effect, also those that are whole responses', async () => {
  const { url, call } = await agent()
  await call('arm_fault', { fault: 'rate-limit', times: 1 })
  await chat(url)
  await call('load_scenario', {
    text: 'title: Breaks\nrules: [{ id: breaks, then: { fault: malformed-json } }]\n',
  })
  await (await chat(url, { stream: true })).text()
  expect(await call('explain_request', { id: 0 })).toMatch(
    /^Rule override-1 .* Applied fault: rate-limit\.$/m,
  )
  const idle = await call('explain_request', { id: 1 })
  expect(idle).toContain(
    'The fault malformed-json had no effect: the response is a stream: use `malformed-event`, which',
  )
  expect(idle).not.toContain('Applied fault')
  const list = await call('list_requests')
  expect(list).toMatch(/^0 .*\(rule override-1, fault rate-limit\)/)
  expect(list).toMatch(/^1 .*\(rule breaks\)$/m)
})

it('a rejection is explained with the message of its error', async () => {
  const { url, call } = await agent()
  await chat(url, { model: 'o1', max_tokens: 5 })
  await fetch(`${url}/v1/models/none`, { headers: { authorization: 'Bearer sk-test' } })
  expect(await call('explain_request', { id: 0 })).toMatch(
    /^No rule .* \(invalid_request_error, about `max_tokens`\)\. Error message: .*max_completion_tokens/m,
  )
  expect(await call('explain_request', { id: 1 })).toMatch(/ Error message: .*none/)
})

it('a verification that passes names what it verified, and one that cannot fail is an error', async () => {
  const rules = ['one', 'two'].map((id) => `  - { id: ${id}, when: { model: ${id} }, then: { text: a } }\n`)
  const { url, call } = await agent()
  await call('load_scenario', { text: `title: Two\nrules:\n${rules.join('')}` })
  await chat(url, { model: 'one' })
  expect(await call('verify', { expect: { usedRules: ['one'] } })).toMatch(
    /^passed: rule one has responded to a request\.$/m,
  )
  await chat(url, { model: 'two' })
  expect(await call('verify', { expect: { usedRules: ['one', 'two'] } })).toMatch(
    /^passed: rules one and two have responded/,
  )
  expect(await call('verify', { expect: { usedRules: true } })).toMatch(/^passed: every rule has responded/)
  expect(await call('verify', { expect: { noOthers: true } })).toMatch(
    /^error: `noOthers`: can never fail without `requests` or `inOrder`: add the expected `requests`/,
  )
})

it('a check of recordings reports violations as a result, and files that it cannot read', async () => {
  const { url, call } = await agent()
  await chat(url)
  const har = await (await fetch(`${url}/__sim/journal?format=har`)).text()
  const wrong = har.replace(/(object[\\": ]+chat\.)completion/, '$1reply')
  const folder = directoryWith({ 'a.har': '{', 'b.har': wrong })
  const text = await call('check_recording', { files: [folder] })
  expect(text).toMatch(/^Not checked: .*a\.har[^]*\n\nbreaking {2}chat\.create {2}body \/object/)
  expect(text).toMatch(/1 violation/)
  expect(text).not.toContain('--accept')
  expect(await call('check_recording', { files: [`${folder}/a.har`] })).toMatch(
    /^error: Not checked: .*a\.har/,
  )
})

it('start creates the session that it names', async () => {
  const { url, call } = await agent()
  expect(await call('start', { session: 'alice' })).toMatch(
    /^Created a session: .*\/s\/alice, session alice\./,
  )
  await chat(`${url}/s/alice`)
  expect(await call('list_requests')).toMatch(/^0 .*\[session alice\]$/)
  expect(await call('start', { session: 'alice' })).toMatch(/^Connected: /)
})

it('faults that do not exist, and sessions without requests and rules, are named', async () => {
  const { call } = await agent()
  expect(await call('arm_fault', { fault: '429' })).toMatch(
    /^error: A status is not a fault: use rate-limit .* load_scenario with then: { error: { status: 429 } }$/,
  )
  expect(await call('arm_fault', { fault: 'xyz' })).toMatch(/^error: .*expected one of .*rate-limit/)
  expect(await call('explain_miss')).toBe('No rules are loaded: call load_scenario.')
  expect(await call('list_requests')).toMatch(/^No requests yet in session default\./)
  expect(await call('list_requests', { status: '4xx' })).toMatch(/^No such request in session default\./)
})

it('a session without requests names the session that has them', async () => {
  const { url, call } = await agent()
  await chat(`${url}/s/bob`)
  const hint =
    'Session "default" has no requests; session "bob" has 1: connect with start {"session": "bob"}.'
  expect(await call('explain_request', { id: 0 })).toMatch(/^error: There is no request "0" /)
  for (const [name, given] of [
    ['explain_request', { id: 0 }],
    ['explain_miss', {}],
    ['verify', {}],
    ['verify', { expect: { requests: 'chat.create' } }],
  ] as const)
    expect((await call(name, given)).split('\n').at(-1)).toBe(hint)
  await chat(url)
  expect(await call('verify')).not.toContain('bob')
})

it('the latest request needs no seq', async () => {
  const { url, call } = await agent()
  await chat(url)
  await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })
  for (const id of ['last', -1]) expect(await call('explain_request', { id })).toContain('GET /v1/models')
  expect(await call('explain_request', { id: 'last', bodies: true })).toContain('GET /v1/models')
  expect(await call('explain_request', { id: -2 })).toContain('POST /v1/chat/completions')
  expect(await call('explain_request', { id: -3 })).toMatch(/^error: There is no request "-3" /)
  expect((await run(['explain-call', 'last', '--base-url', url])).stdout).toContain('GET /v1/models')
})

it('start adds scenarios to the session that it names, and first checks them', async () => {
  const { url, call } = await agent()
  const title = (name: string): string => `title: ${name}\nrules: [{ when: { operation: chat.create } }]\n`
  const good = 'title: Sunny\nrules: [{ when: { operation: chat.create }, then: { text: Sunny. } }]\n'
  const folder = directoryWith({ 'all/sunny.yaml': good, 'bad.yaml': title('Bad') })
  expect(await call('start', { session: 'alice', scenarios: [`${folder}/bad.yaml`] })).toMatch(
    /^error: .*bad\.yaml/,
  )
  expect(await call('start', { session: 'alice', scenarios: [`${folder}/all`] })).toMatch(
    /^Created a session: [^]*\nLoaded sunny\.yaml with 1 rule: Sunny$/,
  )
  expect(await (await chat(`${url}/s/alice`)).text()).toContain('Sunny.')
  expect(await (await chat(url)).text()).not.toContain('Sunny.')
  expect(await call('start', { session: 'alice', scenarios: [`${folder}/all`] })).toMatch(
    /^Connected: [^]*\nReplaced sunny/,
  )
  expect(await call('start', { session: 'alice', strict: true })).toMatch(/^error: `strict` applies only to/)
})

it('an armed fault of a stream breaks the response of the rule', async () => {
  const { url, call } = await agent()
  const text =
    'title: Sunny\nrules: [{ id: sunny, when: { operation: chat.create }, then: { text: Sunny. } }]\n'
  await call('load_scenario', { text })
  await call('arm_fault', { fault: 'missing-end' })
  const sent = await (await chat(url, { stream: true })).text()
  expect(sent).toMatch(/"content":"S/)
  expect(sent).not.toContain('[DONE]')
  expect(await call('explain_request', { id: 'last' })).toContain('is from rule sunny.')
})

it('the nearest rule of a miss names everything that differs', async () => {
  const { url, call } = await agent()
  const when = '{ operation: chat.create, model: o1, body: { user: ann, seed: 7, n: 2 } }'
  await call('load_scenario', {
    text: `title: Far\nrules:\n  - { id: far, when: ${when}, then: { text: a } }\n`,
  })
  await chat(url)
  const sentence =
    'rule far: `model`: expected "o1", got "gpt-4o"; `body.user`: expected "ann", got nothing; ' +
    '`body.seed`: expected 7, got nothing'
  expect(await call('explain_miss')).toContain(sentence)
  expect(await call('explain_miss')).not.toContain('body.n')
})
