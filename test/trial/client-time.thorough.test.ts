/** The client's time in a trial and in `exec`: how long a client would have waited, without waiting for it. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directoryWith, emptyDirectory, run } from '../cli/_io.ts'
import { has, type Json, node, only, trial } from './_command.ts'

interface Ended {
  readonly clientTime: string
  readonly runs: readonly (readonly [title: string, verdict: string, seconds: number | null])[]
}

async function tried(flags: readonly string[], command: readonly string[], cwd?: string): Promise<Ended> {
  const { stdout } = await trial(['--format', 'json', ...flags], command, cwd === undefined ? {} : { cwd })
  const { clientTime, runs } = JSON.parse(stdout) as Json
  return {
    clientTime,
    runs: runs.map(({ failure, always, verdict, seconds }) => [
      `${failure} ${always ? 'always' : 'once'}`,
      verdict,
      seconds === null ? null : Math.floor(seconds),
    ]),
  }
}

const jumps = 'Client time: fast; it jumps while the client only waits.'

/** Sends the request three times, with a pause of five seconds after each, and a limit for each. */
const patient = (limit: string) => `
const attempt = async (left) => {
  try {
    const response = await ask(${limit})
    if (!response.ok) throw new Error(String(response.status))
    console.log((await response.json()).choices[0].message.content)
  } catch (error) {
    if (left === 0) process.exit(1)
    await new Promise((resolve) => setTimeout(resolve, 5000))
    await attempt(left - 1)
  }
}
const ask = (signal) => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  signal,
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
})
await attempt(2)`
const script = (code: string): string[] => [process.execPath, '--input-type=module', '-e', code]

/** The same with the module http, which has no time limit. */
const unlimited = script(`
import http from 'node:http'
const headers = { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' }
const request = http.request(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers }, (response) => {
  response.resume().on('end', () => process.exit(response.statusCode === 200 ? 0 : 1))
})
request.end(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }))
if (process.argv[1] !== undefined) request.setTimeout(Number(process.argv[1]), () => process.exit(1))`)

describe('a client of Node.js that gets no response', () => {
  it('with a time-out of 20 s recovers after 25 s, and gives up after 70 s', async () => {
    const { clientTime, runs } = await tried(only('hang'), script(patient('AbortSignal.timeout(20_000)')))
    expect(clientTime).toBe(jumps)
    expect(runs).toEqual([
      ['hang once', 'recovered', 25],
      ['hang always', 'gave up', 70],
    ])
  })

  it('without a time-out ends after the five minutes of `fetch`', async () => {
    const { runs } = await tried(only('hang', 'stall-body'), script(patient('undefined')))
    const minutes = runs.map(([title, verdict, seconds]) => [title, verdict, Math.round((seconds ?? 0) / 60)])
    expect(minutes).toEqual([
      ['hang once', 'recovered', 5],
      ['hang always', 'gave up', 15],
      ['stall-body once', 'recovered', 5],
      ['stall-body always', 'gave up', 15],
    ])
  })

  it('with a socket time-out of ten minutes gives up after ten minutes', async () => {
    const { runs } = await tried(only('hang'), [...unlimited, '600000'])
    expect(runs).toEqual([
      ['hang once', 'gave up', 600],
      ['hang always', 'gave up', 600],
    ])
  })

  it('and has no time limit at all waits for ever, or as long as --patience allows', async () => {
    expect((await tried(only('hang'), unlimited)).runs).toEqual([
      ['hang once', 'hung', null],
      ['hang always', 'hung', null],
    ])
    const { runs } = await tried(['--patience', '1m', ...only('hang')], [...unlimited, '600000'])
    expect(runs.map(([, verdict]) => verdict)).toEqual(['hung', 'hung'])
    const { stdout } = await trial(only('hang'), unlimited)
    expect(stdout).toMatch(/chat\.create {2}hang +HUNG +for ever +HUNG +for ever/)
    expect(stdout).toContain('Waits for ever: no timer is pending that could end its wait for a response.')
  })

  it('for longer than --max is not acceptable', async () => {
    const command = script(patient('AbortSignal.timeout(20_000)'))
    const { code, stdout } = await trial(['--max', '1m', ...only('hang')], command)
    expect(code).toBe(1)
    expect(stdout).toMatch(/hang +recovered +25s +GAVE UP +1m10s/)
    expect(stdout).toContain('It took longer than 1m.')
    expect(stdout).toContain('trial --only chat.create:hang --max 1m --')
  })
})

describe('the programs that node starts', () => {
  const files = {
    'ask.mjs': patient('AbortSignal.timeout(20_000)'),
    'package.json': '{ "scripts": { "ask": "node ask.mjs" } }',
    'worker.mjs': `import { Worker } from 'node:worker_threads'
new Worker(new URL('ask.mjs', import.meta.url)).on('exit', (code) => process.exit(code))`,
    'parent.mjs': `import { fork } from 'node:child_process'
fork('ask.mjs').on('exit', (code) => process.exit(code))`,
  }

  it.each([
    ['npm', ['npm', 'run', '-s', 'ask']],
    ['a shell', ['sh', '-c', 'node ask.mjs']],
    ['a worker', ['node', 'worker.mjs']],
    ['a parent', ['node', 'parent.mjs']],
  ])('by %s are fast', async (_, command) => {
    const { clientTime, runs } = await tried(only('hang', 'server-error'), command, directoryWith(files))
    expect(clientTime).toBe(jumps)
    expect(runs.map(([title, verdict]) => [title, verdict])).toEqual([
      ['hang once', 'recovered'],
      ['hang always', 'gave up'],
      ['server-error once', 'recovered'],
      ['server-error always', 'gave up'],
    ])
    // A parent in real time needs a second or two to start.
    for (const [index, least] of [25, 70, 5, 10].entries()) {
      const [, , seconds] = runs[index] ?? []
      expect(seconds).toBeGreaterThanOrEqual(least)
      expect(seconds).toBeLessThan(least + 8)
    }
  })
})

/** What `exec --client-time fast` says of a program, which checks itself. */
async function executed(code: string, flags: readonly string[] = []): Promise<string> {
  const { stderr } = await run([
    'exec',
    '--client-time',
    'fast',
    ...flags,
    '--',
    ...node(`
import assert from 'node:assert/strict'
const start = Date.now()
/** The seconds since the start, rounded: work takes less than half a second. */
const passed = () => Math.round((Date.now() - start) / 1000)
await (await chat()).json()
${code}`),
  ])
  return stderr.trimEnd().split('\n').at(-1) ?? ''
}

describe('the timers of a program in fast time', () => {
  it('fire in order, each after its time, by every clock', async () => {
    const ended = await executed(`
import { setTimeout as wait, setInterval as ticks } from 'node:timers/promises'
import { promisify } from 'node:util'
import timers from 'node:timers'
const clocks = [performance.now(), Number(process.hrtime.bigint()) / 1e6, process.hrtime()[0] * 1000, new Date().getTime()]
await wait(3000)
await promisify(setTimeout)(3000)
await new Promise((resolve) => timers.setTimeout(resolve, 3000))
let count = 0
for await (const _ of ticks(1000)) if (++count === 3) break
assert.equal(passed(), 12)
const now = [performance.now(), Number(process.hrtime.bigint()) / 1e6, process.hrtime()[0] * 1000, new Date().getTime()]
for (const [index, time] of now.entries()) assert.ok(Math.abs(time - clocks[index] - 12_000) < 1500, String(index))
const order = []
setTimeout(() => order.push('late'), 2000)
setTimeout((word) => order.push(word), 1000, 'early')
const cleared = setTimeout(() => order.push('cleared'), 1500)
clearTimeout(cleared)
const refreshed = setTimeout(() => order.push('refreshed'), 1200)
setTimeout(() => refreshed.refresh(), 1100)
const interval = setInterval(() => order.push('tick'), 700)
await wait(2500)
clearInterval(interval)
assert.deepEqual(order, ['tick', 'early', 'tick', 'late', 'tick', 'refreshed'])
await assert.rejects(wait(60_000, undefined, { signal: AbortSignal.timeout(5000) }), { name: 'AbortError' })
assert.ok(new Date() instanceof Date && new Date().constructor === Date && new Date(0).getTime() === 0 && typeof Date() === 'string')`)
    expect(ended).toMatch(/exited with 0 after (?:19|20)\.\d s of its time$/)
  })

  it('keep the program alive, or do not, as ever', async () => {
    expect(await executed('setTimeout(() => {}, 60_000).unref()')).toMatch(/exited with 0 after \d\.\d s/)
    expect(await executed('setTimeout(() => process.exit(7), 60_000)')).toMatch(/exited with 7 after 1m/)
  })

  it('do not fire while the program works, in its thread or in another', async () => {
    const work = `
import { gzip } from 'node:zlib'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { pbkdf2, randomBytes } from 'node:crypto'
let isLate = false
setTimeout(() => { isLate = true }, 30_000).unref()
await promisify(gzip)(randomBytes(20_000_000))
await promisify(pbkdf2)('secret', 'salt', 400_000, 64, 'sha512')
for (let count = 0; count < 20; count++) await readFile(process.execPath)
for (const end = performance.now() + 300; performance.now() < end; );
await (await chat()).json()
assert.ok(!isLate && passed() < 25, String(passed()))`
    expect(await executed(work)).toMatch(/exited with 0 /)
  })

  it('are real if the gateway runs in real time', async () => {
    const ended = await executed('await new Promise((resolve) => setTimeout(resolve, 1000))', [
      '--clock',
      'real',
    ])
    expect(ended).toMatch(/exited with 0 after [1-9]\.\d s/)
  })
})

describe('a program that cannot be fast', () => {
  it('has real time, and the report says so', async () => {
    const withoutPreload = ['env', '-u', 'NODE_OPTIONS', ...script(patient('AbortSignal.timeout(1000)'))]
    const ended = await run(['exec', '--client-time', 'fast', '--', ...withoutPreload])
    expect(ended.stderr).toContain('exited with 0 (its time was real: it is no Node.js program)')
    const { clientTime, runs } = await tried(
      ['--client-time', 'real', ...only('auth')],
      node(`
const response = await chat()
if (!response.ok) await new Promise((resolve) => setTimeout(resolve, 1500))
process.exit(response.ok ? 0 : 1)`),
    )
    expect(clientTime).toBe('Client time: real.')
    expect(runs[0]).toEqual(['auth once', 'gave up', 1])
  })

  it('gets the verdict that it deserves when it kills itself', async () => {
    const { runs } = await tried(
      only('auth'),
      node(`if (!(await chat()).ok) process.kill(process.pid, 'SIGKILL')`),
    )
    expect(runs.map(([, verdict]) => verdict)).toEqual(['crashed', 'crashed'])
  })

  it.skipIf(!has('gcc'))('may be static (skipped without gcc): its time is real', async () => {
    const cwd = emptyDirectory()
    writeFileSync(join(cwd, 'sleep.c'), sleeper)
    const made = spawnSync('gcc', ['-static', '-o', 'sleep', 'sleep.c'], { cwd, encoding: 'utf8' })
    expect(made.stderr).toBe('')
    const { clientTime, runs } = await tried(only('auth'), ['./sleep'], cwd)
    expect(clientTime).toMatch(/^Client time: real \(/)
    expect(runs[0]).toEqual(['auth once', 'gave up', 2])
  })
})

const sleeper = `
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char request[2000], response[20] = {0};
  const char *body = "{\\"model\\":\\"gpt-4o\\",\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"hi\\"}]}";
  int port = atoi(strrchr(getenv("GATEWAY_SIM_URL"), ':') + 1), s = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (connect(s, (struct sockaddr *)&address, sizeof address)) return 2;
  int size = snprintf(request, sizeof request,
    "POST /v1/chat/completions HTTP/1.1\\r\\nhost: localhost\\r\\nauthorization: Bearer %s\\r\\n"
    "content-type: application/json\\r\\ncontent-length: %zu\\r\\n\\r\\n%s",
    getenv("OPENAI_API_KEY"), strlen(body), body);
  if (write(s, request, size) < 0 || read(s, response, 15) < 12) return 2;
  if (strncmp(response + 9, "200", 3) == 0) return 0;
  sleep(2);
  return 1;
}
`

const hasLibrary = has('python3') && has('faketime')

describe.skipIf(!hasLibrary)('a Python program (skipped without python3 and faketime)', () => {
  const python = [
    'python3',
    '-c',
    `
import json, os, sys, time, urllib.request
def ask():
    body = json.dumps({'model': 'gpt-4o', 'messages': [{'role': 'user', 'content': 'hi'}]}).encode()
    headers = {'authorization': 'Bearer ' + os.environ['OPENAI_API_KEY'], 'content-type': 'application/json'}
    request = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body, headers)
    with urllib.request.urlopen(request, timeout=60) as response: return json.load(response)
for attempt in range(3):
    try: ask(); sys.exit(0)
    except OSError: time.sleep(30)
sys.exit(1)`,
  ]

  it('runs faster with libfaketime: it recovers after 90 s, and gives up after 270 s', async () => {
    const { clientTime, runs } = await tried(only('hang', 'auth'), python)
    expect(clientTime).toMatch(/^Client time: \d+ times as fast, by libfaketime\.$/)
    const wanted = [
      ['hang once', 'recovered', 90],
      ['hang always', 'gave up', 270],
      ['auth once', 'recovered', 30],
      ['auth always', 'gave up', 90],
    ] as const
    expect(runs.map(([title, verdict]) => [title, verdict])).toEqual(wanted.map((one) => one.slice(0, 2)))
    for (const [index, [, , seconds]] of wanted.entries())
      expect(Math.abs((runs[index]?.[2] ?? 0) - seconds)).toBeLessThanOrEqual(seconds / 10 + 3)
  })
})
