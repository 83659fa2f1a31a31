/** `gateway-sim mcp` as a coding agent uses it: the client of the SDK, over stdio, from the build. */
import { tmpdir } from 'node:os'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { requireBuild, root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith, run, serve, startProcess } from './_io.ts'

const bin = `${root}/bin/gateway-sim.js`
const rome =
  'title: Rome\nrules:\n  - { id: rome, when: { operation: chat.create, model: o1 }, then: { text: Sunny. } }\n'
const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }

beforeAll(requireBuild)

type Call = (name: string, args?: Record<string, unknown>) => Promise<{ text: string; isError: boolean }>

async function connectedClient(cwd: string, flags: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const command = { command: process.execPath, args: [bin, 'mcp', ...flags], cwd }
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }))
  return client
}

const callOf =
  (client: Client): Call =>
  async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    return { text: (content as { text: string }[])[0]?.text ?? '', isError: isError === true }
  }

async function agent(files: Readonly<Record<string, string>> = {}, ...flags: string[]): Promise<Call> {
  const client = await connectedClient(directoryWith(files), flags)
  onTestFinished(() => client.close())
  return callOf(client)
}

/** Starts a simulator through the tool, and returns the base URL that it prints. */
async function started(call: Call, args: Record<string, unknown> = {}): Promise<string> {
  const { text, isError } = await call('start', args)
  expect([isError, text]).toEqual([false, expect.stringContaining('OPENAI_API_KEY=')])
  return /^GATEWAY_SIM_URL=(.*)$/m.exec(text)?.[1] ?? ''
}

const chat = (url: string, body: object = hello): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, jsonCall(body))
const video = (url: string): Promise<unknown> =>
  fetch(`${url}/v1/videos`, jsonCall({ model: 'sora-2', prompt: 'a sunset' })).catch((error: Error) => error)

describe('an agent', () => {
  it('finds the request that missed its rule, and corrects the rule', async () => {
    const call = await agent({ 'rome.yaml': rome })
    const url = await started(call, { scenarios: ['rome.yaml'], strict: true })
    await chat(url)
    expect((await call('list_requests', { status: '4xx' })).text).toMatch(/^0 \S+ 422 POST .* chat\.create/)
    const near = 'rule rome: `model`: expected "o1", got "gpt-4o".'
    expect((await call('explain_miss')).text).toContain(`nearest: ${near}`)
    expect((await call('explain_request', { id: 0 })).text).toContain(near)
    expect((await call('explain_request', { id: 0, bodies: true })).text).toContain('"content": "Hello"')
    const text = rome.replace('id: rome', 'id: mini').replace('o1', 'gpt-4o')
    expect((await call('load_scenario', { text })).text).toMatch(/Loaded rome with 1 rule: Rome$/)
    // It replaces the one before.
    expect((await call('load_scenario', { text: text.replace('Sunny', 'Rainy') })).isError).toBe(false)
    expect(await (await chat(url)).text()).toContain('Rainy.')
    expect((await call('explain_miss')).text).toContain('A rule has not responded to any request: rome.')
  })

  it('breaks the gateway, and reads what the client did wrong', async () => {
    const call = await agent()
    const url = await started(call, { clock: 'manual' })
    const fault = { fault: 'reset', operation: 'videos.create', times: 1 }
    expect((await call('arm_fault', fault)).text).toContain('fault reset; operation videos.create')
    await video(url)
    await video(url)
    const { text } = await call('verify', { expect: { requests: 'videos.create', times: 1 } })
    expect(text).toMatch(/^failed: Expected videos\.create exactly once, got 2\.[^]*warning retried-create/)
    expect((await call('verify', { expect: { requests: 'videos.create', times: 2 } })).text).toMatch(
      /^passed: /,
    )
    expect((await call('clock', { to: 'idle' })).text).toMatch(/in_progress -> completed\nnothing is due$/)
    expect((await call('clock')).text).toMatch(/\(manual\)\nnothing is due$/)
    expect((await call('reset', { what: 'faults' })).text).toBe('Removed 1 fault.')
    await call('reset', { what: 'session' })
    expect((await call('list_requests')).text).toContain('it did not use the base URL')
    expect((await call('verify')).text).toBe('client report of 0 requests: no findings')
  })

  it('uses a server that runs, and its sessions', async () => {
    const { url } = await serve()
    await chat(`${url}/s/red`)
    const call = await agent({}, '--base-url', url)
    expect((await call('list_requests')).text).toContain('Other sessions with requests: red (1)')
    await call('start', { session: 'red' })
    expect((await call('list_requests')).text).toMatch(/^0 .*\[session red\]$/)
    const other = await agent()
    expect((await other('start', { url: `${url}/v1` })).text).toMatch(/^Connected: /)
    expect((await other('start', { session: 'blue' })).text).toMatch(/^Created a session: .* session blue\./)
  })

  it('checks recordings and scenarios', async () => {
    const call = await agent({ 'rome.yaml': rome })
    const url = await started(call)
    await chat(url)
    const har = await (await fetch(`${url}/__sim/journal?format=har`)).text()
    const check = async (text: string) =>
      call('check_recording', { files: [`${directoryWith({ 'calls.har': text })}/calls.har`] })
    expect(await check(har)).toEqual({
      text: expect.stringMatching(/no violations, 1 request$/),
      isError: false,
    })
    expect(await check(har.replace(/(object[\\\\": ]+chat\.)completion/, '$1reply'))).toEqual({
      text: expect.stringMatching(/^breaking {2}chat\.create {2}body \/object/),
      isError: false,
    })
    expect(await call('load_scenario', { file: 'rome.yaml', validateOnly: true })).toEqual({
      text: '1 file valid',
      isError: false,
    })
  })
})

describe('bad input', () => {
  let client: Client
  let call: Call
  let url: string
  beforeAll(async () => {
    client = await connectedClient(tmpdir())
    call = callOf(client)
    url = await started(call)
  })
  afterAll(() => client.close())

  it.each([
    ['explain_request', {}, /^id: /],
    ['explain_request', { id: 99 }, /There is no request "99"/],
    ['list_requests', { status: 'late' }, /expected a status such as 429, or 4xx/],
    ['list_requests', { limit: 0 }, /^limit: expected at least 1, got 0\n/],
    ['arm_fault', { fault: 'disconect' }, /did you mean disconnect\?/],
    ['arm_fault', { fault: { kind: 'stall', afterEvent: 2 } }, /did you mean afterEvents\?/],
    ['arm_fault', { fault: 'reset', operation: 'chat.creat' }, /did you mean chat\.create\?/],
    ['arm_fault', { fault: 'reset', times: 0 }, /^times: expected at least 1, got 0\n/],
    ['clock', { to: 'soon' }, /^`to`: expected next, idle or an ISO 8601 timestamp/],
    ['clock', { by: '1s', to: 'next' }, /mutually exclusive/],
    ['verify', { expect: { request: 'chat.create' } }, /did you mean requests\?/],
    ['verify', { expect: 7 }, /^expect: expected an object, got 7\n/],
    ['load_scenario', {}, /^Expected either `file` or `text`$/],
    ['load_scenario', { file: 'missing.yaml' }, /^missing\.yaml: file not found/],
    [
      'load_scenario',
      { text: 'title: x\nrules:\n  - then: { txt: hi }\n' },
      /^text:3:13: .*did you mean text\?/,
    ],
    ['reset', { what: 'all' }, /^what: expected one of "faults", "session", got "all"\n/],
    ['check_recording', { files: ['missing.har'] }, /missing\.har: not found/],
    ['check_recording', { files: [] }, /^files: /],
    ['start', { url: 'ftp://x' }, /expected a URL such as/],
    ['start', { url: 'http://127.0.0.1:4010', strict: true }, /`strict` applies only to a new simulator/],
    ['start', { port: 99_999 }, /^port: expected at most 65535/],
    ['start', { scenarios: ['missing.yaml'] }, /^missing\.yaml: file not found/],
    ['stop', {}, /^Unknown tool "stop": /],
  ] as const)('%s %o is an error that says what to change', async (name, args, message) => {
    const { text, isError } = await call(name, args)
    expect([isError, text]).toEqual([true, expect.stringMatching(message)])
    // And nothing has ended.
    expect((await fetch(`${url}/__sim/health`)).status).toBe(200)
  })

  it('that is no message of the protocol is reported on stderr, and the next one works', async () => {
    const { child, stdout, stderr } = startProcess(process.execPath, [bin, 'mcp'], { stdin: true })
    child.stdin.write('no JSON\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    await stdout.until(/"explain_miss"/)
    expect(stderr.text).toMatch(/^gateway-sim: .*JSON/)
    child.stdin.end()
  })

  it('of flags ends it with 2', async () => {
    expect((await run(['mcp', '--base-url', 'nowhere'])).code).toBe(2)
  })
})

it('ends with its client, and leaves no server', async () => {
  const { child, stdout, ended } = startProcess(process.execPath, [bin, 'mcp'], { stdin: true })
  const message = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  child.stdin.write(message(1, 'tools/call', { name: 'start', arguments: {} }))
  const [, url = ''] = await stdout.until(/GATEWAY_SIM_URL=(http:\/\/[\d.:]+)/)
  child.stdin.end()
  expect((await ended).code).toBe(0)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})
