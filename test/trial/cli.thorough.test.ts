/** `gateway-sim trial` from outside: programs in several languages, signals, limits, and the files it writes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { cellsOf, scenarioOf } from '../../src/trial/trial.ts'
import { tryFailures } from '../../src/trial/try-failures.ts'
import { manifest, root } from '../_built.ts'
import { emptyDirectory, startProcess } from '../cli/_io.ts'
import { useGateway, type Vice, vices } from './_client.ts'
import { has, type Json, node, only, programs, trial, verdictsIn } from './_command.ts'

const bin = join(root, manifest.bin['gateway-sim'] as string)

/** False for a process that has ended but whose parent has not asked for its exit code. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

const strict = `const response = await chat(); if (!response.ok) process.exit(1); await response.json()`

describe.skipIf(!has('curl') || !has('bash'))(
  'a shell script with curl (skipped without curl or bash)',
  () => {
    const script = ['bash', join(programs, 'chat.sh')]
    const tried = only('hang', 'server-error', 'truncate', 'auth')

    it('gives up where curl fails (--fail)', async () => {
      const { code, stdout } = await trial(tried, script, { env: { FLAGS: '--fail' } })
      expect(stdout).toContain('8 runs: 8 gave up; 0 not acceptable')
      expect(code).toBe(0)
    })

    it('ignores errors without --fail, but not a cut body', async () => {
      const { code, stdout } = await trial(['--format', 'json', ...tried], script, { env: { FLAGS: '' } })
      expect(verdictsIn(stdout).sort()).toEqual([
        'chat.create auth always: ignored',
        'chat.create auth once: ignored',
        'chat.create hang always: gave up',
        'chat.create hang once: gave up',
        'chat.create server-error always: ignored',
        'chat.create server-error once: ignored',
        'chat.create truncate always: gave up',
        'chat.create truncate once: gave up',
      ])
      expect(code).toBe(1)
    })
  },
)

describe.skipIf(!has('python3'))('a Python program (skipped without python3)', () => {
  const app = ['python3', join(programs, 'app.py')]
  const tried = only(
    'chat.create:disconnect',
    'videos.create:reset',
    'uploads.send:server-error',
    'job-stuck',
  )

  it('has the same table twice, also with two runs at a time', async () => {
    const flags = ['--format', 'json', '--timeout', '1m', ...tried]
    const first = await trial(flags, app)
    expect(verdictsIn(first.stdout)).toEqual([
      'chat.create disconnect once: recovered',
      'chat.create disconnect always: gave up',
      'videos.create reset once: gave up',
      'videos.create reset always: gave up',
      'videos.create job-stuck once: gave up',
      'videos.create job-stuck always: gave up',
      'uploads.send server-error once: recovered',
      'uploads.send server-error always: gave up',
    ])
    const second = await trial([...flags, '--jobs', '2'], app)
    expect(verdictsIn(second.stdout)).toEqual(verdictsIn(first.stdout))
    expect([first.code, second.code]).toEqual([0, 0])
  })
})

describe('a run that does not end', () => {
  it.skipIf(!has('bash'))('is stopped with its children', async () => {
    const cwd = emptyDirectory()
    const script = `${node(strict)
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ')} || { sleep 300 & echo $! >> pids; wait; }`
    // Time enough for a busy machine to start the program, which only then can hang.
    const flags = ['--timeout', '20s', ...only('server-error')]
    const { code, stdout } = await trial(flags, ['bash', '-c', script], { cwd })
    expect(stdout).toContain('2 runs: 2 hung; 2 not acceptable')
    expect(code).toBe(1)
    const pids = readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number)
    expect(pids).toHaveLength(2)
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('ends with --for, and is named as not run', async () => {
    const stuck = `const response = await chat(); if (!response.ok) await new Promise((done) => setTimeout(done, 60_000))`
    const flags = ['--for', '5s', '--client-time', 'real', '--report', 'junit', ...only('server-error')]
    const { code, stdout } = await trial(flags, node(stuck))
    expect(code).toBe(5)
    expect(stdout).toContain('<testcase name="chat.create: server-error, every request"')
    expect(stdout).toContain('skipped="2"')
    expect((await trial(['--for', '0s'], node(strict))).code).toBe(2)
  })

  it('leaves its place to others: with two at a time, each of four waits until all have met their failure', async () => {
    const cwd = emptyDirectory()
    const waiting = `const { appendFileSync, readFileSync } = await import('node:fs')
const response = await chat()
if (!response.ok) {
  appendFileSync('met', '.')
  while (readFileSync('met', 'utf8').length < 4) await new Promise((done) => setTimeout(done, 50))
  process.exit(1)
}`
    const flags = ['--jobs', '2', '--timeout', '1m', ...only('server-error', 'overloaded')]
    const { stdout } = await trial(flags, node(waiting), { cwd })
    expect(stdout).toContain('4 runs: 4 gave up')
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is stopped by %s, with a report of the others', async (signal, expected) => {
    const cwd = emptyDirectory()
    // The command gives up at the first failure (503), and hangs at the second one.
    const program = `const response = await chat(); if (response.status === 500) setInterval(() => {}, 1000); else if (!response.ok) process.exit(1)`
    const flags = [...only('server-error', 'overloaded'), '--report', 'json=report.json']
    const { child, stderr, ended } = startProcess(
      process.execPath,
      [bin, 'trial', ...flags, '--except', 'quota', '--', ...node(`console.log(process.pid); ${program}`)],
      { cwd },
    )
    await stderr.until(/2\/4 chat\.create: overloaded/)
    child.kill(signal)
    const { code, stdout } = await ended
    expect(code).toBe(expected)
    expect(stdout).toMatch(/not run/)
    const { summary } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Json
    expect(summary).toMatchObject({ planned: 4, run: 2 })
  })
})

describe('exit codes', () => {
  it('are 0 and 1 by the verdicts', async () => {
    const careless = node('await chat()')
    expect((await trial(only('server-error'), careless)).code).toBe(1)
    const except = ['--except', 'chat.create:server-error']
    expect(await trial([...only('server-error', 'overloaded'), ...except], node(strict))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 not acceptable') as string,
    })
  })

  it('are 1 for a command that fails by itself, 5 without a request, 127 without the command', async () => {
    expect(await trial([], node('process.exit(3)'))).toMatchObject({ code: 1 })
    expect(await trial([], node(''))).toMatchObject({ code: 5 })
    expect(await trial(['--only', 'job-stuck'], node(strict))).toMatchObject({ code: 5 })
    expect(await trial([], ['no-such-command'])).toMatchObject({ code: 127 })
  })
})

describe('a healthy run', () => {
  it('may have failed requests: they do not hide the others', async () => {
    const twice = `await fetch(process.env.OPENAI_BASE_URL + '/nothing');
      await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST' }); ${strict}`
    const { stdout } = await trial(['--format', 'json', ...only('server-error')], node(twice))
    expect(verdictsIn(stdout)).toEqual([
      'chat.create server-error once: gave up',
      'chat.create server-error always: gave up',
    ])
  })

  it('with two requests at the same time has one target', async () => {
    const both = `const all = await Promise.all([chat(), chat()]); if (all.some(({ ok }) => !ok)) process.exit(1)`
    const { stdout } = await trial(['--format', 'json', ...only('server-error')], node(both))
    expect(verdictsIn(stdout)).toEqual([
      'chat.create server-error once: gave up',
      'chat.create server-error always: gave up',
    ])
  })
})

it('all failures are valid scenarios without warnings', async () => {
  const warnings: string[] = []
  const { stdout } = await trial(['--list'], node(strict))
  expect(stdout.split('\n').length).toBeGreaterThan(30)
  const entries: Parameters<typeof cellsOf>[0][number][] = []
  const sim = createSimulator({ clock: 'auto', onCall: (entry) => void entries.push(entry) })
  const bodies: Readonly<Record<string, object>> = {
    '/v1/chat/completions': { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] },
    '/v1/videos': { model: 'sora-2', prompt: 'A calm sea' },
    '/v1/tob/diffusion': { model: 'mj-v6', text: 'A cat' },
    '/v1/files/upload_url': { path: 'a/b.txt' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    await (await sim.fetch(`http://gateway.test${path}`, init)).text()
  }
  const selection = { only: [], except: [] }
  const scenarios = cellsOf(entries, sim.core.vocabulary, selection).map((cell, index) => {
    const { rules = [] } = scenarioOf(cell)
    return { title: `${index}`, rules: rules.map((rule) => ({ ...rule, id: `${index}` })) }
  })
  expect(scenarios.length).toBeGreaterThan(120)
  createSimulator({ onWarning: (message) => void warnings.push(message), scenarios })
  expect(warnings).toEqual([])
})

describe('the clients with one vice', () => {
  it('get the same verdicts in process and as processes, in real and in fast time', {
    timeout: 600_000,
  }, async () => {
    const cwd = emptyDirectory()
    const patience = 4000
    const program = join(cwd, 'client.mjs')
    await build({
      stdin: {
        contents: `import { useGateway } from ${JSON.stringify(join(import.meta.dirname, '_client.ts'))}
const base = process.env.GATEWAY_SIM_URL
const send = (url, init) => fetch(url.replace('http://gateway.test', base), { ...init, headers: { ...init.headers, authorization: 'Bearer ' + process.env.GATEWAY_SIM_API_KEY } })
console.log(await useGateway(send, process.argv[2] || undefined, ${patience}))
process.exit()`,
        resolveDir: root,
      },
      ...{ bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' },
    })
    const seen: Record<string, string[]> = {}
    const fast: Record<string, string[]> = {}
    const expected: Record<string, string[]> = {}
    for (const vice of [undefined, ...vices] satisfies Vice[]) {
      const names = cellsFor[vice ?? 'none']
      // Only these two end by it.
      const timeout = vice === 'hangs' || vice === 'polls for ever' ? 15_000 : 60_000
      const flags = ['--format', 'json', '--jobs', '2', '--timeout', `${timeout}ms`, ...only(...names)]
      const command = [process.execPath, program, vice ?? '']
      const [real, jumping, results] = await Promise.all([
        trial(['--client-time', 'real', ...flags], command, { cwd }),
        trial(flags, command, { cwd }),
        tryFailures(({ sim }) => useGateway(sim.fetch, vice, patience), { timeout, only: names }),
      ])
      seen[vice ?? 'none'] = verdictsIn(real.stdout)
      fast[vice ?? 'none'] = verdictsIn(jumping.stdout)
      expected[vice ?? 'none'] = results.map(
        ({ operation, failure, nth, verdict }) =>
          `${operation} ${failure} ${nth === undefined ? 'always' : 'once'}: ${verdict}`,
      )
    }
    expect(seen).toEqual(expected)
    // The `fetch` of Node.js has a time limit of five minutes.
    const hangs = ['videos.retrieve hang once: recovered', 'videos.retrieve hang always: gave up']
    expect(fast).toEqual({ ...expected, hangs })
  })
})

const cellsFor: Readonly<Record<NonNullable<Vice> | 'none', readonly string[]>> = {
  none: ['chat.create:disconnect', 'videos.create:reset'],
  duplicates: ['videos.create:reset'],
  'trusts half': ['chat.create:disconnect', 'chat.create:missing-end'],
  hammers: ['chat.create:server-error'],
  hangs: ['videos.retrieve:hang'],
  'ignores error events': ['chat.create:error-event'],
  'polls for ever': ['videos.create:job-stuck'],
  'swallows 401': ['videos.create:auth'],
  crashes: ['videos.create:server-error'],
}
