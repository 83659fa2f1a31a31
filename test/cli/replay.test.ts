import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Around, directoryWith, run, serve } from './_io.ts'

const good = `title: The second video fails
seed: fox-7
keys: { sk-alice: {} }
rules:
  - id: second-fails
    when: { operation: videos.create, nth: 2 }
    then: { timeline: [{ at: 0s, status: pending }, { at: 8s, status: failed, error: { code: moderation_blocked, message: no } }] }
steps:
  - { call: videos.create, with: { prompt: one }, save: { first: body.id } }
  - { call: videos.create, with: { prompt: two }, save: { second: body.id } }
  - { advance: 10s }
  - { call: videos.retrieve, with: { video_id: "\${second}" }, expect: { body: { status: failed } } }
  - { call: videos.retrieve, with: { video_id: "\${first}" }, expect: { body: { status: in_progress } } }
`
const bad = good
  .replace('{ status: failed } } }', '{ status: completed } } }')
  .replace('The second', 'A wrong')

/** Replays the good story. */
const replay = (flags: readonly string[] = [], around: Around = {}) =>
  run(['replay', 'good.yaml', ...flags], { cwd: directoryWith({ 'good.yaml': good }), ...around })

describe('gateway-sim replay', () => {
  it('runs the steps with the rules of their file, prints the transcript and ends with 0 if all pass', async () => {
    const { code, stdout, stderr } = await replay()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('good.yaml, in-process, seed fox-7, from 2026-01-01T00:00:00.000Z')
    expect(stdout).toMatch(
      /^ +\+10s {2}✓ videos\.retrieve → 200\n +status pending → failed, .*error\.code - → moderation_blocked/m,
    )
    expect(stdout).toMatch(/^5 of 5 steps passed, 10s of virtual time$/m)
  })

  it('ends with 1 and lists each failed field', async () => {
    const { code, stdout } = await run(['replay', 'bad.yaml'], { cwd: directoryWith({ 'bad.yaml': bad }) })
    expect(code).toBe(1)
    expect(stdout).toContain(
      '              body.status\n                expected "completed"\n                got      "failed"\n',
    )
  })

  it('runs several files and folders in order, each on a separate simulator, and prints totals', async () => {
    const cwd = directoryWith({ 'b.yaml': bad, 'a.yaml': good, 'none.json': '{ "title": "No steps" }' })
    const { code, stdout } = await run(['replay', '.', 'a.yaml'], { cwd })
    expect(code).toBe(1)
    expect(stdout.match(/^\S+\.(?:yaml|json)(?=, in-process)/gm)).toEqual([
      'a.yaml',
      'b.yaml',
      'none.json',
      'a.yaml',
    ])
    expect(stdout).toContain('No steps to run.')
    expect(stdout).toMatch(
      /\n4 scenarios: 3 passed, 1 failed; 14 of 15 steps passed, 1 failed\n {2}✗ b\.yaml\n$/,
    )
  })

  it('writes an identical trace in every run, without URL, API key or wall-clock time', async () => {
    const cwd = directoryWith({ 'good.yaml': good })
    for (const file of ['one.json', 'two.json'])
      expect((await run(['replay', 'good.yaml', '--output', file], { cwd })).code).toBe(0)
    const [one, two] = ['one.json', 'two.json'].map((file) => readFileSync(join(cwd, file), 'utf8'))
    expect(one).toBe(two)
    expect(JSON.parse(one as string)).toMatchObject({
      format: 'gateway-sim-trace/1',
      scenarios: [{ file: 'good.yaml', seed: 'fox-7' }],
    })
  })

  it('skips files in a folder that are clearly not scenarios, but reads every named file', async () => {
    const cwd = directoryWith({
      'good.yaml': good,
      'package.json': '{ "name": "x", "version": "1.0.0" }',
      'tsconfig.json': '{ "compilerOptions": {} /* all */ }',
    })
    mkdirSync(join(cwd, 'node_modules'))
    writeFileSync(join(cwd, 'node_modules/x.yaml'), 'title: [')
    expect((await run(['replay', 'good.yaml', '--output', 'trace.json'], { cwd })).code).toBe(0)
    for (const command of ['replay', 'validate', 'explain']) {
      const { code, stderr } = await run([command, '.'], { cwd })
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'gateway-sim: skipped, not a scenario: package.json, trace.json, tsconfig.json\n',
      })
    }
    const { code, stderr } = await run(['replay', 'good.yaml', 'trace.json'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^gateway-sim: 3 errors in trace\.json:/),
    })
    expect((await run(['validate', '.'], { cwd: directoryWith({ 'a.json': '{}' }) })).code).toBe(3)
  })

  it.each(['json', 'junit'])('prints one document with --format %s', async (reporter) => {
    const { code, stdout } = await run(['replay', 'bad.yaml', 'good.yaml', '--format', reporter], {
      cwd: directoryWith({ 'good.yaml': good, 'bad.yaml': bad }),
    })
    expect(code).toBe(1)
    if (reporter === 'json')
      expect(JSON.parse(stdout)).toMatchObject({ outcome: 'failed', counts: { scenarios: 2, failed: 1 } })
    else
      expect(stdout).toMatch(/^<\?xml [\s\S]*<testsuites name="gateway-sim replay" tests="10" failures="1"/)
  })

  it('has colours on a terminal, and none with NO_COLOR', async () => {
    expect((await replay([], { terminal: true })).stdout).toContain('\u001b[32m✓')
    expect((await replay([], { terminal: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
  })

  it('rejects invalid files with 3, listing every error of every file with its place', async () => {
    const cwd = directoryWith({
      'good.yaml': good,
      'x.yaml': good.replace('videos.create, nth', 'video.create, nth'),
      'y.yaml': 'title: y\nstepps: []\n',
    })
    const { code, stdout, stderr } = await run(['replay', 'good.yaml', 'x.yaml', 'y.yaml', 'z.yaml'], { cwd })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/x\.yaml:6:\d+: .*videos\.create/)
    expect(stderr).toMatch(/y\.yaml:2:1: .*did you mean steps\?\n {4}2 \| stepps: \[\]\n {6}\| \^\n/)
    expect(stderr).toMatch(/^gateway-sim: 3 errors in x\.yaml, y\.yaml, z\.yaml:\n/)
    expect(stderr).toMatch(/z\.yaml: file not found/)
  })

  it('fails if every step of a scenario was skipped, unless that is allowed', async () => {
    const { url } = await serve([])
    const cwd = directoryWith({
      'all.yaml':
        'title: All of it is scripted\nrules:\n  - { when: { operation: models.list }, then: { error: { status: 503 } } }\nsteps:\n  - { call: models.list, expect: { status: 503 } }\n  - advance: 5s\n',
    })
    const nothing = 'gateway-sim: all.yaml: all 2 steps were skipped\n'
    for (const { flags, ends, says } of [
      {
        flags: [],
        ends: 5,
        says: `${nothing}gateway-sim: Exiting with 5: every step of a scenario was skipped. Use --allow-skipped to exit with 0.\n`,
      },
      { flags: ['--allow-skipped'], ends: 0, says: nothing },
      {
        flags: ['--fail-on-skipped'],
        ends: 5,
        says: `${nothing}gateway-sim: 2 steps were skipped, and --fail-on-skipped is set\n`,
      },
    ]) {
      const { code, stdout, stderr } = await run(
        ['replay', 'all.yaml', '--base-url', `${url}/s/mine`, '--format', 'json', ...flags],
        { cwd },
      )
      expect({ code, stderr }).toEqual({ code: ends, stderr: says })
      expect(JSON.parse(stdout)).toMatchObject({
        counts: { steps: { passed: 0, skipped: 2 } },
        scenarios: [{ outcome: 'empty' }],
      })
    }
  })

  it('gives a simulator the scenario, in a new session, and takes every step', async () => {
    const { url } = await serve(['--quiet'])
    const { code, stdout, stderr } = await replay(['--base-url', `${url}/v1`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`good.yaml, ${url} (gateway-sim, scenario loaded, manual clock)`)
    expect(stdout).toMatch(/^5 of 5 steps passed/m)
  })

  it('skips steps that need a simulator with that scenario, and says how to run them', async () => {
    const { url } = await serve(['--clock', 'manual', '--quiet'])
    const { code, stdout, stderr } = await replay(['--base-url', `${url}/s/mine`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`good.yaml, ${url}/s/mine (gateway-sim, manual clock), seed fox-7`)
    expect(stdout).toMatch(/- videos\.create\n +skipped: [^\n]*second-fails: omit \/s\/… from --base-url/)
    expect(stdout).toMatch(/^3 of 5 steps passed, 2 skipped/m)
  })

  it('fails for skipped steps only with the flag', async () => {
    const { url } = await serve(['--clock', 'manual', '--quiet'])
    expect(await replay(['--fail-on-skipped', '--base-url', `${url}/s/mine`])).toMatchObject({
      code: 5,
      stderr: 'gateway-sim: 2 steps were skipped, and --fail-on-skipped is set\n',
    })
    expect(await replay(['--fail-on-skipped'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('advances the clock of a server whose control API needs a token, from --control-token or the environment', async () => {
    const { url } = await serve(['--clock', 'manual', '--quiet', '--control-token', 'a-token-of-mine'])
    const there = (flags: readonly string[], env = {}) => replay(['--base-url', url, ...flags], { env })
    for (const { code, stdout } of [
      await there(['--control-token', 'a-token-of-mine']),
      await there([], { GATEWAY_SIM_CONTROL_TOKEN: 'a-token-of-mine' }),
      await there(['--control-token', 'a-token-of-mine'], { GATEWAY_SIM_CONTROL_TOKEN: 'stale' }),
    ]) {
      expect(code).toBe(0)
      expect(stdout).toContain(`${url} (gateway-sim, scenario loaded, manual clock)`)
      expect(stdout).toMatch(/^5 of 5 steps passed/m)
    }
    expect(await there(['--control-token', 'another-one'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the token is invalid'),
    })
  })

  it('without the token, says what to pass and runs the steps that any gateway can run', async () => {
    const { url } = await serve(['--clock', 'auto', '--quiet', '--control-token', 'a-token-of-mine'])
    const cwd = directoryWith({
      'a.yaml': `title: Two
rules: [{ when: { operation: videos.list }, then: { error: { status: 503 } } }]
steps:
  - { call: videos.list, expect: { status: 503 } }
  - { call: models.list }
`,
    })
    const { code, stdout, stderr } = await run(['replay', 'a.yaml', '--base-url', url], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^1 of 2 steps passed, 1 skipped/m)
    expect(stdout.replace(/\n +/g, ' ')).toContain(
      'pass --control-token, because replay must load the scenario into the gateway-sim server',
    )
    expect(stderr).toMatch(
      /requires a token.*\(no token was sent\).* Pass it with --control-token or in GATEWAY_SIM_CONTROL_TOKEN\. Without the control API, replay cannot load scenarios/,
    )
  })

  it('creates its session even if only created sessions are accepted', async () => {
    const cwd = directoryWith({ 'good.yaml': good })
    const { url } = await serve(['--clock', 'manual', '--quiet', '--strict', '--scenario', 'good.yaml'], {
      cwd,
    })
    const { stdout } = await replay(['--base-url', url])
    // Strict rejects the first submission, which no rule names; the second has its rule.
    expect(stdout).toMatch(/✗ videos\.create → 422[^]*✓ videos\.create → 200/)
  })

  /** Replays one step against a server that is no simulator. */
  async function replayAgainst(listener: RequestListener, ...flags: string[]) {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const cwd = directoryWith({ 'a.yaml': 'title: Keys\nsteps:\n  - { call: models.list }\n' })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ended = await run(['replay', 'a.yaml', '--base-url', url, '--output', 'trace.json', ...flags], {
      cwd,
    })
    return { ...ended, trace: readFileSync(join(cwd, 'trace.json'), 'utf8') }
  }
  const json = { 'content-type': 'application/json' }

  it('sends the token only to a server that identifies itself as a simulator', async () => {
    const seen: unknown[] = []
    await replayAgainst(
      ({ headers }, response) => {
        seen.push(...Object.values(headers))
        response.writeHead(200, json).end('{"object":"list","data":[]}')
      },
      ...['--api-key', 'sk-x', '--control-token', 'a-token-of-mine'],
    )
    expect(seen).toContain('Bearer sk-x')
    expect(seen).not.toContain('a-token-of-mine')
  })

  it.each(['pretty', 'json', 'junit'])(
    'never prints a real key, even if the server repeats it (--format %s)',
    async (reporter) => {
      const error = { type: 'authentication_error', code: 401, param: null, details: [], trace_id: 't' }
      const { code, stdout, stderr, trace } = await replayAgainst(
        ({ url = '', headers }, response) => {
          const message = `Who is ${headers.authorization}?`
          const status = url.includes('__sim') ? 404 : 401
          response.writeHead(status, json).end(JSON.stringify({ error: { ...error, message } }))
        },
        ...['--api-key', `sk-very-${'secret'.repeat(20)}`, '--format', reporter],
      )
      expect(code).toBe(1)
      for (const text of [stdout, trace]) expect(text).toMatch(/Bearer\s+(?:<|&lt;)key/)
      expect(stdout + stderr + trace).not.toContain('sk-very')
    },
  )
})
