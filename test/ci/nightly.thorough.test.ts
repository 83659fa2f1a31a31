/** docs/ci/nightly.md: the workflow's commands, night after night, against a simulator in place of the gateway. */
import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { requireBuild, root, runProgram } from '../_built.ts'
import { samplesOf } from '../_samples.ts'
import { directoryWith, startProcess } from '../cli/_io.ts'

beforeAll(requireBuild)

const bin = join(root, 'bin/gateway-sim.js')

/** A server that responds to everything. */
async function served(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const steps = (): readonly { readonly name?: string; readonly run?: string }[] => {
  const workflow = samplesOf('docs/ci/nightly.md').find(({ text }) => text.startsWith('# .github/workflows/'))
  return parse(workflow?.text ?? '').jobs.check.steps
}

it('reports violations, what is new, and a check that did not run', async () => {
  const cwd = directoryWith({ 'known.yaml': '', 'commands/npx': '#!/bin/sh\nexec "$@"\n' })
  // In place of npx, which takes as long to start as the command.
  chmodSync(join(cwd, 'commands/npx'), 0o755)
  symlinkSync(join(root, 'bin/gateway-sim.js'), join(cwd, 'commands/gateway-sim'))
  const named = (name: string): string => steps().find((step) => step.name === name)?.run ?? ''
  /** One night: whether each step succeeded, and the summary. */
  const night = async (url: string) => {
    for (const name of ['summary.md', 'check.har', 'check.md', 'check.json', 'check.code'])
      rmSync(join(cwd, name), { force: true })
    const env = {
      PATH: `${join(cwd, 'commands')}:${process.env['PATH']}`,
      GATEWAY_API_KEY: 'sk-any',
      GITHUB_STEP_SUMMARY: 'summary.md',
    }
    const log: string[] = []
    const succeeds = async (command: string): Promise<boolean> => {
      const { code, stdout } = await runProgram('bash', ['-e', '-c', command], { cwd, env })
      log.push(stdout)
      return code === 0
    }
    const checked = await succeeds(named('Check the gateway').replace('https://gw.example', url))
    const reported = await succeeds(named('Report what is new'))
    return {
      checked,
      reported,
      lines: log.join(''),
      errors: log.join('').match(/^::error::.*/gm),
      warnings: log.join('').match(/^::warning::.*/gm),
      summary: readFileSync(join(cwd, 'summary.md'), 'utf8'),
    }
  }
  const server = startProcess(process.execPath, [bin, 'serve', '--port', '0', '--clock', 'auto'])
  const [url] = await server.stdout.until(/http:\/\/[^\s"]+/)
  /** The URL of a session in which `chat.create` answers with an error, unless it streams. */
  const failing = async (error: object): Promise<string> => {
    const when = { operation: 'chat.create', body: { stream: { exists: false } } }
    const scenarios = [{ title: 'Fails', rules: [{ when, then: { error } }] }]
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ scenarios })
    const created = await fetch(`${url}/__sim/sessions`, { method: 'POST', headers, body })
    return ((await created.json()) as { baseUrl: string }).baseUrl
  }

  const first = await night(url)
  expect(first).toMatchObject({ checked: true, reported: true })
  expect(first.summary).toMatch(/gateway-sim check passed: [^]*: no violations, \d+ probes/)
  expect(first.summary).not.toContain('Since the last run')
  expect(first.summary).toMatch(/\nNo earlier recording: nothing compared\.\n$/)
  expect(first.warnings).toEqual(['::warning::No earlier recording: nothing compared.'])

  const second = await night(await failing({ status: 418 }))
  expect(second.checked).toBe(false)
  expect(second.summary).toMatch(
    /check failed[^]*: \d violations, [^]*Since the last run[^]*200 → 418[^]*in \d+ compared operations/,
  )
  expect(second.errors).toEqual([
    expect.stringMatching(/^::error::gateway-sim: Exiting with 1: \d violations: chat\.create status: /),
  ])
  expect(second.lines).toMatch(/\nhttp:.*: \d violations, .*\n(.*Exiting with 1: .*)\n::error::\1\n$/)

  const last = readFileSync(join(cwd, 'last/check.har'), 'utf8')
  // `check` does not wait that long for a second attempt.
  const unchecked = await night(await failing({ status: 503, retryAfter: '5m' }))
  expect(unchecked).toMatchObject({ checked: false, reported: true })
  expect(unchecked.summary).toMatch(/check skipped[^]* not checked: chat\.\\\*/)
  expect(unchecked.summary).toMatch(/Not checked\n\n- chat\.\\\*: the gateway was busy: 503/)
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  const down = await served((_, response) => response.writeHead(503, { 'retry-after': '300' }).end())
  const outage = await night(down.url)
  down.close()
  expect(outage).toMatchObject({ checked: false, reported: false })
  expect(outage.summary).toMatch(
    /Since the last run\n\n```text\n.*nothing was compared, because the gateway was not available .*\n```\n$/,
  )
  expect(outage.errors).toEqual([
    expect.stringMatching(/^::error::gateway-sim: Exiting with \d: /),
    expect.stringMatching(
      /^::error::gateway-sim: Exiting with 5: nothing was compared, because the gateway was/,
    ),
  ])
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  const login = await served((_, response) => response.end('<html>Log in</html>'))
  const page = await night(login.url)
  login.close()
  expect(page.summary).toContain('Since the last run')
  expect(page.checked).toBe(false)
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  const third = await night('http://127.0.0.1:1')
  expect(third).toMatchObject({ checked: false, reported: false })
  expect(third.errors).toEqual([expect.stringMatching(/^::error::gateway-sim: http:\S+ cannot be reached/)])
  expect(third.summary).toMatch(
    /^\*\*The check did not run\.\*\*\n\n```text\n[^]*gateway-sim: http:\S+ cannot be reached .*\n```\n$/,
  )
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toBe(last)

  writeFileSync(join(cwd, 'last/check.har'), 'torn')
  const torn = await night(url)
  expect(torn).toMatchObject({ checked: true, reported: false })
  expect(torn.summary).toContain('last/check.har is not a HAR file')
  expect(torn.errors).toEqual([
    expect.stringMatching(/^::error::gateway-sim: last\/check\.har is not a HAR file/),
  ])
  expect(readFileSync(join(cwd, 'last/check.har'), 'utf8')).toContain('"entries"')
})
