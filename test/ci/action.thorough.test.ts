/** action.yml: its steps, run by a stand-in for GitHub's runner, and the same steps checked by actionlint. */
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { requireBuild, root } from '../_built.ts'
import { samples } from '../_samples.ts'
import { directoryWith } from '../cli/_io.ts'
import { lint } from './_actionlint.ts'
import { action, jobIn, runAction } from './_composite.ts'

beforeAll(requireBuild)

interface Used {
  readonly uses?: string
  readonly with: object
}

/** Asks for a model list at the URL of its environment, else at the URL that it is given. */
const ask = `const url = process.env.OPENAI_BASE_URL ?? process.argv[2] + '/v1'
const post = (path, body) => fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers: {
  authorization: 'Bearer ' + (process.env.OPENAI_API_KEY ?? 'sk-any'), 'content-type': 'application/json' } })
await post('/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] })
if (process.argv.includes('--twice')) {
  const video = () => post('/videos', { prompt: 'a sunset' })
  await video().catch(video)
}
`
const rome = `title: Rome
rules:
  - { id: rome, when: { operation: chat.create, model: o1 }, then: { text: Sunny. } }
  - { id: reset, when: { operation: videos.create, times: 1 }, then: { fault: reset } }
`
const project = () =>
  directoryWith({ 'ask.mjs': ask, 'scenarios/rome.yaml': rome, 'my settings.yaml': 'seed: x\n' })

describe('with a command', () => {
  it('passes, and leaves a summary, a report and a trace', () => {
    const given = { command: 'node ask.mjs', scenarios: 'scenarios', settings: 'my settings.yaml' }
    const run = runAction(given, jobIn(project()))
    expect([run.failed, run.log]).toEqual([false, expect.stringContaining('1 request in 1 session')])
    expect(run.summary).toMatch(/^#+ gateway-sim exec passed[^]*chat\.create/)
    expect(readFileSync(run.outputs['report'] as string, 'utf8')).toContain('<testsuites')
    expect(readFileSync(run.outputs['trace'] as string, 'utf8')).toMatch(/^<!doctype html>/i)
    expect(run.uploads).toEqual([run.outputs['report'], run.outputs['trace']])
  })

  it('fails on a client bug and on a miss, and the summary says why', () => {
    const given = { command: 'node ask.mjs --twice', scenarios: 'scenarios' }
    const bug = runAction(given, jobIn(project()))
    expect([bug.failed, bug.summary]).toEqual([
      true,
      expect.stringMatching(/failed checks: client-report[^]*retried-create[^]*artifact `/),
    ])
    const miss = runAction({ ...given, command: 'node ask.mjs', strict: 'true' }, jobIn(project()))
    const near = /unmatched requests \(1\)[^]*closest: rule rome: /
    expect([miss.failed, miss.summary]).toEqual([true, expect.stringMatching(near)])
    expect(miss.uploads.map((path) => existsSync(path))).toEqual([true, true])
    expect(runAction({ ...given, 'fail-on': '' }, jobIn(project())).failed).toBe(false)
  })

  it('fails with its command, with an invalid scenario and without a command', () => {
    const run = (given: Record<string, string>) => runAction(given, jobIn(project()))
    expect(run({ command: 'node ask.mjs\nfalse | true\necho "not here"' })).toMatchObject({
      failed: true,
      log: expect.not.stringContaining('not here'),
      summary: expect.stringContaining('node ask.mjs exited with 1'),
    })
    const invalid = run({ command: 'node ask.mjs', scenarios: 'missing.yaml' })
    expect(invalid).toMatchObject({ failed: true, summary: '**gateway-sim did not run.**\n' })
    expect(invalid.log).toContain('missing.yaml: file not found')
    const empty = run({})
    expect(empty).toMatchObject({ failed: true, uploads: [], summary: '**gateway-sim did not run.**\n' })
    expect(empty.log).toContain('::error title=gateway-sim::Expected the input command')
  })
})

describe('with serve', () => {
  it('keeps a simulator for the steps between start and stop', async () => {
    const job = jobIn(project())
    const { failed, outputs, summary } = runAction({ serve: 'start', scenarios: 'scenarios' }, job)
    expect([failed, summary]).toEqual([false, ''])
    const { url } = outputs as { url: string }
    // A test adds the name of its session in a header, which a session in the URL would override.
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const headers = { authorization: 'Bearer sk-any', 'content-type': 'application/json' }
    const create = () => fetch(`${url}/v1/videos`, { method: 'POST', headers, body: '{"prompt":"a sunset"}' })
    await create().catch(create)
    const end = runAction({ serve: 'stop' }, job)
    expect([end.failed, end.summary]).toEqual([true, expect.stringContaining('retried-create')])
    expect(end.uploads.map((path) => existsSync(path))).toEqual([true, true])
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('fails if the simulator cannot start, and if there is none to stop', () => {
    const job = jobIn(project())
    const start = runAction({ serve: 'start', settings: 'missing.yaml' }, job)
    expect([start.failed, start.log]).toEqual([true, expect.stringContaining('missing.yaml')])
    const stop = runAction({ serve: 'stop' }, job)
    expect([stop.failed, stop.log]).toEqual([true, expect.stringContaining('No simulator to stop')])
  })
})

it('installs the version that it is given, or that of an action that is not built', () => {
  const link = 'ln -s "$PACKAGE" "$5/node_modules/gateway-sim"'
  const npm = ['#!/bin/sh', 'echo "npm $*"', 'mkdir -p "$5/node_modules"', link].join('\n')
  const tools = directoryWith({ 'bin/npm': npm, 'action/package.json': '{"version":"0.1.7"}' })
  chmodSync(join(tools, 'bin/npm'), 0o755)
  const install = (version: string, path?: string): string => {
    const job = jobIn(project())
    const env = { ...job.env, PATH: `${tools}/bin:${job.env['PATH']}`, PACKAGE: root }
    const run = runAction({ command: 'node ask.mjs', version }, { ...job, env }, path)
    expect([run.failed, run.log]).toEqual([false, expect.stringContaining('1 request')])
    return /^npm .*$/m.exec(run.log)?.[0] ?? ''
  }
  expect(install('0.1.0')).toMatch(/ gateway-sim@0\.1\.0$/)
  expect(install('', join(tools, 'action'))).toMatch(/ gateway-sim@0\.1\.7$/)
  expect(install('')).toBe('')
})

describe('actionlint', () => {
  it('finds no error in the steps of the action, as the steps of a job with its inputs', async () => {
    const { inputs, runs } = action
    const typed = Object.entries(inputs).map(([name, input]) => [name, { ...input, type: 'string' }])
    const steps = runs.steps.map(({ ...step }) => step)
    const workflow = (own: readonly object[]): string =>
      stringify({
        on: { workflow_call: { inputs: Object.fromEntries(typed) } },
        jobs: { test: { 'runs-on': 'ubuntu-latest', steps: own } },
      }).replaceAll('github.action_path', 'github.workspace')
    expect(await lint(workflow(steps))).toEqual([])
    // It would see a wrong name.
    const wrong = {
      name: 'x',
      run: 'echo',
      env: { A: '${{ inputs.comand }}', B: '${{ steps.setup.outputs.dir }}' },
    }
    expect(await lint(workflow([wrong]))).toHaveLength(2)
  })

  const workflows = samples.filter(({ text }) => text.startsWith('# .github/workflows/'))

  it('finds no error in the workflows of the documentation', async () => {
    expect(workflows.length).toBeGreaterThanOrEqual(2)
    for (const { title, text } of workflows) expect([title, await lint(text)]).toEqual([title, []])
  })

  it('knows every input that the documentation gives to the action', () => {
    // Whole workflows, and steps to put into one.
    const used = samples
      .filter(
        ({ language, text }) => language === 'yaml' && text.includes('uses: ./node_modules/gateway-sim'),
      )
      .map(({ text }) => parse(text) as Used[] | { jobs: Record<string, { steps: Used[] }> })
      .flatMap((part) =>
        Array.isArray(part) ? part : Object.values(part.jobs).flatMap(({ steps }) => steps),
      )
      .filter(({ uses }) => uses === './node_modules/gateway-sim')
    expect(used.length).toBeGreaterThanOrEqual(4)
    const names = used.flatMap(({ with: given }) => Object.keys(given))
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(names))
  })
})
