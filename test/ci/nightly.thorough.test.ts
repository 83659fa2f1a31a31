/** docs/ci/nightly.md: the workflow's commands, night after night, against a simulator in place of the gateway. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { requireBuild, root } from '../_built.ts'
import { samplesOf } from '../_samples.ts'
import { directoryWith, serve } from '../cli/_io.ts'

beforeAll(requireBuild)

const steps = (): readonly { readonly name?: string; readonly run?: string }[] => {
  const workflow = samplesOf('docs/ci/nightly.md').find(({ text }) => text.startsWith('# .github/workflows/'))
  return parse(workflow?.text ?? '').jobs.check.steps
}

it('reports violations, what is new, and a check that did not run', async () => {
  const cwd = directoryWith({ 'known.yaml': '', 'node_modules/.bin/.keep': '' })
  symlinkSync(join(root, 'bin/gateway-sim.js'), join(cwd, 'node_modules/.bin/gateway-sim'))
  const named = (name: string): string => steps().find((step) => step.name === name)?.run ?? ''
  /** One night: whether each step succeeded, and the summary. */
  const night = async (url: string) => {
    for (const name of ['summary.md', 'check.har', 'check.md', 'check.json', 'check.code'])
      rmSync(join(cwd, name), { force: true })
    const env = {
      ...process.env,
      GATEWAY_URL: url,
      GATEWAY_API_KEY: 'sk-any',
      GITHUB_STEP_SUMMARY: 'summary.md',
    }
    const log: string[] = []
    const succeeds = (command: string): Promise<boolean> =>
      promisify(execFile)('bash', ['-e', '-c', command], { cwd, env }).then(
        ({ stdout }) => log.push(stdout) > 0,
        ({ stdout }: { stdout: string }) => log.push(stdout) < 0,
      )
    const checked = await succeeds(named('Check the gateway').replace('https://gw.example', url))
    const reported = await succeeds(named('Report what is new'))
    return {
      checked,
      reported,
      errors: log.join('').match(/^::error::.*/gm),
      summary: readFileSync(join(cwd, 'summary.md'), 'utf8'),
    }
  }
  const good = await serve(['--clock', 'auto'])
  const first = await night(good.url)
  expect(first).toMatchObject({ checked: true, reported: true })
  expect(first.summary).toMatch(/gateway-sim check: passed[^]*: \d+ probes, 0 skipped/)
  expect(first.summary).not.toContain('Since the last run')
  expect(first.summary).toMatch(/\nNo earlier recording: nothing compared\.\n$/)

  const rule =
    '{ when: { operation: chat.create, body: { stream: { exists: false } } }, then: { error: { status: 418 } } }'
  const scenario = `title: Deviates\nrules:\n  - ${rule}\n`
  const bad = await serve(['--clock', 'auto', '--scenario', 'a.yaml'], {
    cwd: directoryWith({ 'a.yaml': scenario }),
  })
  const second = await night(bad.url)
  expect(second.checked).toBe(false)
  expect(second.summary).toMatch(
    /check: \d violations[^]*Since the last run[^]*200 → 418[^]*in \d+ operations present in both/,
  )

  const last = readFileSync(join(cwd, 'last/check.har'), 'utf8')
  const busy = '{ when: { operation: chat.create }, then: { error: { status: 503 } } }'
  const down = await serve(['--clock', 'auto', '--scenario', 'a.yaml'], {
    cwd: directoryWith({ 'a.yaml': `title: Is down\nrules:\n  - ${busy}\n` }),
  })
  const unchecked = await night(down.url)
  expect(unchecked).toMatchObject({ checked: false, reported: true })
  expect(unchecked.summary).toMatch(
    /check: not checked \(exit 5\)\n\n.* not checked: chat\.\\\* \(the gateway was busy: 503/,
  )
  expect(unchecked.summary).toMatch(/Not checked\n\n- chat\.\\\*: the gateway was busy: 503/)
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  const login = createServer((_, response) => response.end('<html>Log in</html>')).listen(0, '127.0.0.1')
  await once(login, 'listening')
  const page = await night(`http://127.0.0.1:${(login.address() as AddressInfo).port}`)
  login.close()
  expect(page.summary).toContain('Since the last run')
  expect(page.checked).toBe(false)
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  const third = await night('http://127.0.0.1:1')
  expect(third).toMatchObject({ checked: false, reported: false })
  expect(third.errors).toEqual([
    expect.stringMatching(/^::error::gateway-sim: --base-url .* cannot be reached/),
  ])
  expect(third.summary).toMatch(
    /^\*\*The check did not run\.\*\*\n\n```text\n[^]*gateway-sim: --base-url .*: cannot be reached .*\n```\n$/,
  )
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  writeFileSync(join(cwd, 'last/check.har'), 'torn')
  const torn = await night(good.url)
  expect(torn).toMatchObject({ checked: true, reported: false })
  expect(torn.summary).toContain('last/check.har is not a HAR file')
  expect(torn.errors).toEqual([expect.stringMatching(/^::error::diff exited with \d: see the summary$/)])
  expect(existsSync(join(cwd, 'check.html'))).toBe(true)
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toContain('"entries"')
})

it('runs only commands that the test runs, and actions of GitHub', () => {
  const kinds = steps().map(({ name, run, ...step }) => name ?? run ?? (step as { uses: string }).uses)
  expect(kinds).toEqual([
    'actions/checkout@v4',
    'actions/setup-node@v4',
    'npm ci',
    'actions/cache/restore@v4',
    'Check the gateway',
    'Report what is new',
    'actions/cache/save@v4',
    'actions/upload-artifact@v4',
  ])
})
