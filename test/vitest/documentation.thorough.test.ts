/**
 * The samples of docs/test run as they stand, each in the runner it is for, or in one with the same functions;
 * those that are there to fail fail.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { samplesOf } from '../_samples.ts'
import { simulator } from '../_setup.ts'
import { chat, complaint } from '../verify/_calls.ts'
import { runProject } from './_project.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = join(root, 'node_modules/.cache/gateway-sim-recipes')

/** The sample of a page that begins with the name of its file. */
function sample(page: string, name: string): string {
  const found = samplesOf(`docs/test/${page}.md`).find(
    ({ text }) => /^(?:\/\/|#) (.*)\n/.exec(text)?.[1] === name,
  )
  if (found === undefined) throw new Error(`docs/test/${page}.md has no sample that begins with ${name}`)
  return found.text
}

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function node(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })
}

beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the message of a verdict is the one in docs/test/assert-requests.md', async () => {
  const sim = simulator()
  await chat(sim, 'Draw a sunset.')
  await chat(sim, 'Draw a fox.', { model: 'gpt-4o-mini' })
  const shown = samplesOf('docs/test/assert-requests.md').find(({ language }) => language === 'text')
  expect(complaint(sim, { requests: { operation: 'chat.create', model: 'gpt-4o' }, times: 2 })).toEqual(
    shown?.text.trimEnd().split('\n'),
  )
})

it('node:test', async () => {
  const outfile = join(folder, 'video.test.mjs')
  await build({
    stdin: { contents: sample('jest-and-node-test', 'video.test.js'), resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    alias: { 'gateway-sim': join(root, 'dist/index.js') },
  })
  // Inside of a test of its own, node:test would report to the one around it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  expect(await node(['--test', '--test-reporter=tap', outfile], env)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^# pass 1$/m),
  })
})

describe('vitest', () => {
  it('passes', async () => {
    write('story.test.js', sample('assert-requests', 'story.test.js'))
    expect(await runProject(folder, { include: ['story.test.js'] })).toEqual({ 'falls back once': [] })
  })
})

describe('docs/test/any-language.md', () => {
  // What pytest does with a file of plain functions.
  const runAll = (module: string): string =>
    `import ${module} as m; [f() for n, f in vars(m).copy().items() if n.startswith("test_")]`
  const exec = (module: string, ...flags: string[]): Promise<Ended> =>
    node([
      join(root, 'bin/gateway-sim.js'),
      'exec',
      '--quiet',
      ...flags,
      '--',
      'python3',
      '-c',
      runAll(module),
    ])

  it('Python: a test passes, and one fails', async () => {
    for (const name of ['sim.py', 'test_overloaded.py']) write(name, sample('any-language', name))
    const retrying = sample('any-language', 'test_overloaded.py')
      .replace('ask(sim.base_url) ==', 'ask_again(sim.base_url) ==')
      .replace(
        'def test_',
        'def ask_again(url):\n    try: return ask(url)\n    except Exception: return ask(url)\n\ndef test_',
      )
    write('test_retries.py', retrying)
    expect(await exec('test_retries')).toMatchObject({ code: 0 })
    write('test_count.py', retrying.replace('times=2', 'times=3'))
    expect(await exec('test_count')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('AssertionError: Expected chat.create exactly 3 times, got 2.'),
    })
    expect(await exec('test_overloaded')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/HTTP Error 503: .*: \{"error"/),
    })
  })

  it('Python: sessions have options, and errors contain their remedy', async () => {
    write('sim.py', sample('any-language', 'sim.py'))
    const lines = [
      'from sim import call, session',
      'def test_options():',
      '    with session(clock="real", inheritScenarios=False) as sim:',
      '        print(call("GET", sim.base_url + "/__sim/clock")["mode"])',
      'def test_mistake():',
      '    with session({"when": {"operation": "chat.crate"}, "then": {}}): pass',
    ]
    write('test_options.py', lines.join('\n'))
    const { stdout, stderr } = await exec('test_options')
    expect(stdout).toContain('real')
    expect(stderr).toMatch(/HTTP Error 400.*did you mean chat\.create/)
    const alone = spawnSync('python3', ['-c', runAll('test_options')], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })
    expect(alone.stderr).toContain('GATEWAY_SIM_URL is not set: run this test with gateway-sim exec')
  })

  it('is the helper of the example', () =>
    expect(readFileSync(join(root, 'examples/python-exec/sim.py'), 'utf8').trim()).toBe(
      sample('any-language', 'sim.py').trim(),
    ))
})
