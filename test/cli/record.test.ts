/** `gateway-sim record`: its flags, and what it prints. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listen } from '../../src/node.ts'
import { jsonCall, simulator } from '../_setup.ts'
import { gateway } from '../recording/_proxy.ts'
import { emptyDirectory, type Run, start } from './_io.ts'

async function record(
  upstream: string,
  flags: readonly string[],
  cwd: string,
): Promise<Run & { url: string }> {
  const running = start(['record', '--base-url', upstream, '--output', 'out', ...flags], { cwd })
  const found = await Promise.race([
    running.stdout.until(/ at (http:\S+)\n/),
    running.code.then(() => Promise.reject(new Error(running.stderr.text))),
  ])
  return { ...running, url: found[1] as string }
}

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const json = { authorization: 'Bearer sk-test-key' }

it('records requests and responses', async () => {
  const listening = await listen(simulator({ clock: 'auto' }))
  const cwd = emptyDirectory()
  const recording = await record(listening.url, [], cwd)
  expect(recording.stdout.text).toBe(`gateway-sim records ${listening.url} at ${recording.url}\n`)
  const call = (body: object) => fetch(`${recording.url}/v1/chat/completions`, jsonCall(body, json))
  const plain = await (await call(hello)).text()
  const stream = await (await call({ ...hello, stream: true })).text()
  await recording.stderr.until(/200 POST [^\n]*\n.*200 POST [^\n]*\n/)
  recording.stop()
  expect(await recording.code).toBe(0)
  expect(recording.stderr.text).toMatch(
    /^200 POST \/v1\/chat\/completions \d+ ms \d+ bytes → key-1\.har\n200 POST .*\ngateway-sim: recorded out\/key-1\.har\n/,
  )
  const entries = JSON.parse(readFileSync(join(cwd, 'out', 'key-1.har'), 'utf8')).log.entries
  expect(
    entries.map((entry: { response: { content: { text: string } } }) => entry.response.content.text),
  ).toEqual([plain, stream])
  await listening.close()
})

it('says if nothing was recorded, and keeps files of earlier runs', async () => {
  const { url } = await gateway((_request, response) => response.end('ok'))
  const cwd = emptyDirectory()
  for (const calls of [0, 1, 1]) {
    const recording = await record(url, ['--quiet'], cwd)
    if (calls > 0) await fetch(recording.url)
    recording.stop()
    expect(await recording.code).toBe(0)
    if (calls === 0) expect(recording.stderr.text).toBe('gateway-sim: nothing was recorded\n')
  }
  expect(readdirSync(join(cwd, 'out')).sort()).toEqual(['no-key.2.har', 'no-key.har'])
})

it('record writes its events as lines of JSON', async () => {
  const listening = await listen(simulator({ clock: 'auto' }))
  const cwd = emptyDirectory()
  const flags = ['--base-url', listening.url, '--output', 'out', '--format', 'json']
  const recording = start(['record', ...flags], { cwd })
  const ready = JSON.parse((await recording.stdout.until(/.*\n/))[0] as string)
  expect(ready).toMatchObject({ event: 'ready', recorded: listening.url })
  const headers = { authorization: 'Bearer sk-test-key' }
  await (await fetch(`${ready.url}/v1/models`, { headers })).text()
  await recording.stderr.until(/"event":"call"/)
  recording.stop()
  expect(await recording.code).toBe(0)
  const events = recording.stderr.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events).toMatchObject([
    { event: 'call', status: 200, ended: 'completed' },
    { event: 'recorded', files: [join('out', 'key-1.har')] },
  ])
  await listening.close()
})
