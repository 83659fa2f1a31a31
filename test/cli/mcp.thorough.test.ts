/** `gateway-sim mcp` over stdio, from the build: what its transcript, which calls the tools directly, cannot show. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { requireBuild, root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith, startProcess } from './_io.ts'
import { callTool } from './_mcp.ts'

const bin = `${root}/bin/gateway-sim.js`
const rome =
  'title: Rome\nrules:\n  - { id: rome, when: { operation: chat.create, model: o1 }, then: { text: Sunny. } }\n'

beforeAll(requireBuild)

it('an agent starts simulators, and reads what the client did wrong', async () => {
  const client = new Client({ name: 'test', version: '1' })
  const command = { command: process.execPath, args: [bin, 'mcp'], cwd: directoryWith({ 'rome.yaml': rome }) }
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }))
  onTestFinished(() => client.close())
  const call = (name: string, given?: object) => callTool(client, name, given)
  const started = async (given: object): Promise<string> => {
    const text = await call('start', given)
    expect(text).toContain('OPENAI_API_KEY=')
    return /^GATEWAY_SIM_URL=(.*)$/m.exec(text)?.[1] ?? ''
  }

  const strict = await started({ scenarios: ['rome.yaml'], strict: true })
  const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
  await fetch(`${strict}/v1/chat/completions`, jsonCall(hello))
  expect(await call('explain_request', { id: 'last' })).toContain(
    'rule rome: `model`: expected "o1", got "gpt-4o".',
  )

  const url = await started({ clock: 'manual' })
  await call('arm_fault', { fault: 'reset', operation: 'videos.create', times: 1 })
  for (const _ of [1, 2])
    await fetch(`${url}/v1/videos`, jsonCall({ model: 'sora-2', prompt: 'a sunset' })).catch(() => undefined)
  expect(await call('verify')).toContain('warning retried-create')
  expect(await call('start', { url: `${url}/v1`, session: 'blue' })).toMatch(/^Created a session: /)
})

it('a line that is no message of the protocol is reported on stderr, and the next one works', async () => {
  const { child, stdout, stderr } = startProcess(process.execPath, [bin, 'mcp'], { stdin: true })
  child.stdin.write('no JSON\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
  await stdout.until(/"explain_request"/)
  expect(stderr.text).toMatch(/^gateway-sim: .*JSON/)
  child.stdin.end()
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
