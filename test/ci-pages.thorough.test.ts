/** The samples of docs/ci: run in a project that has the package, where they need no Docker. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { requireBuild, root } from './_built.ts'
import { samplesOf } from './_samples.ts'
import { jobIn, runAction } from './ci/_composite.ts'
import { directoryWith, run, serve } from './cli/_io.ts'

const execute = promisify(execFile)
const bash = (args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
  execute('bash', args, { ...options, encoding: 'utf8' })
const bin = join(root, 'bin/gateway-sim.js')

beforeAll(requireBuild)

const sample = (page: string, begin: string): string => {
  const found = samplesOf(`docs/ci/${page}.md`).find(({ text }) => text.startsWith(begin))
  if (found === undefined) throw new Error(`docs/ci/${page}.md has no sample that begins with ${begin}`)
  return found.text
}

const video = `title: A video
steps:
  - { call: videos.create, with: { prompt: a sunset } }
`
// The command of a test suite: it fails unless the simulator responds.
const ask = `const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env
const response = await fetch(url + '/models', { headers: { authorization: 'Bearer ' + key } })
process.exitCode = response.status === 200 ? 0 : 1
`

// Sends an unknown field in a session other than `default`.
const askWithBug = `const { OPENAI_API_KEY: key, GATEWAY_SIM_URL: url } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const messages = [{ role: 'user', content: 'hi' }]
const body = JSON.stringify({ model: 'gpt-4o', messages, unknown_field: 1 })
await fetch(url + '/s/mine/v1/chat/completions', { method: 'POST', headers, body })
`

/** A project with a test script, a scenario and the package. */
function project(): string {
  const directory = directoryWith({
    'package.json': JSON.stringify({
      private: true,
      scripts: { test: 'node ask.mjs', 'test:e2e': 'node ask.mjs' },
    }),
    'ask.mjs': ask,
    'scenarios/video.yaml': video,
    'node_modules/.bin/.keep': '',
  })
  symlinkSync(bin, join(directory, 'node_modules/.bin/gateway-sim'))
  return directory
}

describe('docs/ci/in-ci.md', () => {
  const workflow = parse(sample('in-ci', '# .github/workflows/test.yml'))
  const pipeline = parse(sample('in-ci', '# .gitlab-ci.yml'))

  it('has a workflow whose steps pass', async () => {
    const { steps } = workflow.jobs.test
    const [install, validate] = steps.flatMap(({ run: line }: { run?: string }) => line ?? [])
    expect([install, steps.at(-1).uses]).toEqual(['npm ci', './node_modules/gateway-sim'])
    const cwd = project()
    await bash(['-e', '-c', validate], { cwd })
    const { failed, summary } = runAction(steps.at(-1).with, jobIn(cwd))
    expect([failed, summary]).toEqual([
      false,
      expect.stringMatching(/gateway-sim exec passed[^]*models\.list/),
    ])
  })

  it('has a workflow that starts and stops a simulator', async () => {
    const [start, test, stop] = parse(
      sample('in-ci', '      - uses: ./node_modules/gateway-sim\n        id:'),
    )
    const job = jobIn(project())
    const { outputs } = runAction(start.with, job)
    const env = Object.entries(test.env as Record<string, string>).map(([name, value]) => [
      name,
      value.replace('${{ steps.sim.outputs.url }}', outputs['url'] ?? ''),
    ])
    await bash(['-e', '-c', test.run], { cwd: job.cwd, env: { ...process.env, ...Object.fromEntries(env) } })
    expect(runAction(stop.with, job)).toMatchObject({
      failed: false,
      summary: expect.stringContaining('models.list'),
    })
  })

  it('has a GitLab job whose script writes its report', async () => {
    const { script, artifacts } = pipeline.test
    expect(script[0]).toBe('npm ci')
    const cwd = project()
    for (const command of script.slice(1)) await bash(['-e', '-c', command], { cwd })
    expect(readFileSync(join(cwd, artifacts.reports.junit), 'utf8')).toContain('<testsuites')
    expect(readFileSync(join(cwd, artifacts.paths[0]), 'utf8')).toContain('models.list')
  })

  it('has a script that fails on a bug in any session, and prints the report', async () => {
    const cwd = project()
    const script = ['-c', sample('in-ci', 'npx gateway-sim exec')]
    const { stderr } = await bash(script, { cwd })
    expect(stderr).toContain('models.list')
    writeFileSync(join(cwd, 'ask.mjs'), askWithBug)
    await expect(bash(script, { cwd })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/warning: ignored-field[^]*failed checks: client-report/),
    })
  })
})

describe('docs/ci/validate.md', () => {
  it('shows what validate prints', async () => {
    const cwd = directoryWith({ 'checkout.yaml': sample('validate', '# checkout.yaml') })
    const { stdout } = await run(['validate', 'checkout.yaml'], { cwd })
    expect(stdout).toBe(sample('validate', 'checkout.yaml:'))
  })
})

describe('docs/ci/shared-server.md', () => {
  it('has services that extend those of the package', () => {
    const { gateway, app } = parse(sample('shared-server', '# compose.yaml')).services
    const { file, service } = gateway.extends
    const own = file.replace('node_modules/gateway-sim', root)
    const shipped = parse(readFileSync(own, 'utf8')).services[service]
    expect(gateway.volumes).toEqual(shipped.volumes)
    expect(Object.keys(gateway.environment)).toEqual(Object.keys(shipped.environment))
    expect(app.environment.OPENAI_BASE_URL).toBe('http://gateway:4010/v1')
  })

  it('has handlers that respond before the simulator', async () => {
    // In the checkout, to find msw.
    const directory = join(root, 'node_modules/.cache/gateway-sim-handlers')
    mkdirSync(directory, { recursive: true })
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    writeFileSync(join(directory, 'handlers.mjs'), sample('shared-server', '// handlers.mjs'))
    const { url } = await serve(['--handlers', 'handlers.mjs'], { cwd: directory })
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST' })
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: { message: 'down for maintenance' } },
    ])
  })
})
