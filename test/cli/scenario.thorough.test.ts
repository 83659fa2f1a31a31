/** `gateway-sim scenario`. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { harText } from '../recording/_har.ts'
import { exchange, recorder } from '../recording/_record.ts'
import { directoryWith, run } from './_io.ts'

const call = (content: string, answer: string) =>
  exchange(
    {
      url: 'https://gateway.example/v1/chat/completions',
      body: { model: 'gpt-4o', messages: [{ role: 'user', content }] },
    },
    {
      body: JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
      }),
    },
  )

it('writes a readable file that is valid and passes', async () => {
  const odd = exchange({ url: 'https://gateway.example/odd' }, { body: '{}' })
  const cwd = directoryWith({
    'calls.har': harText([call('hello', 'hi'), call('bye', 'so long'), odd], 'test'),
  })
  const made = await run(['scenario', 'calls.har', '-o', 'calls.yaml'], { cwd })
  expect(made.stderr).toBe(
    'gateway-sim: not in the scenario: calls.har, entry 3: GET /odd is not an operation\n',
  )
  expect(
    readFileSync(`${cwd}/calls.yaml`, 'utf8'),
  ).toBe(`# yaml-language-server: $schema=node_modules/gateway-sim/schema/scenario.schema.json

title: Recorded in calls.har, 2026-01-01
rules:
  - id: chat-1
    when: { operation: chat.create, conversation: { lastUser: hello } }
    then: { text: hi }
  - id: chat-2
    when: { operation: chat.create, conversation: { lastUser: bye } }
    then: { text: so long }
steps:
  - call: chat.create
    with: { model: gpt-4o, messages: [ { role: user, content: hello } ] }
    expect: { status: 200 }
  - call: chat.create
    with: { model: gpt-4o, messages: [ { role: user, content: bye } ] }
    expect: { status: 200 }
`)
  for (const command of ['validate', 'replay'])
    expect((await run([command, 'calls.yaml'], { cwd })).code).toBe(0)
})

it('accepts a folder, and without rules every step runs against the recorded gateway', async () => {
  const sim = createSimulator({ clock: 'auto' })
  const server = await listen(sim, { port: 0 })
  const { fetch, exchanges } = recorder(sim, globalThis.fetch)
  const post = (path: string, body: object) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] })
  const { id } = (await (
    await post('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a cat' })
  ).json()) as {
    id: string
  }
  for (let n = 0; n < 5; n++)
    await fetch(`${server.url}/v1/tob/job/${id}`, { headers: { authorization: 'Bearer sk-1' } })
  const cwd = directoryWith({
    'recordings/a.har': harText(exchanges.slice(0, 1), 'test'),
    'recordings/b.har': harText(exchanges.slice(1), 'test'),
  })
  const made = await run(['scenario', 'recordings', '--steps-only', '-o', 's.yaml'], {
    cwd,
  })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  const replayed = await run(['replay', 's.yaml', '--base-url', server.url, '--api-key', 'sk-1'], { cwd })
  expect(replayed.stdout).toContain('3 of 3 steps passed')
  expect(replayed.stdout).not.toContain('skipped')
  expect(replayed.code).toBe(0)
  await server.close()
})

it('prints the scenario', async () => {
  const cwd = directoryWith({ 'calls.har': harText([call('hello', 'hi')], 'test') })
  expect((await run(['scenario', 'calls.har'], { cwd })).stdout).toContain('then: { text: hi }')
})
