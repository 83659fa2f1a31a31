/** `gateway-sim exec` in short; `exec.thorough.test.ts` has the rest. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { chat, exec, real, script, severalCalls } from './_exec.ts'
import { directoryWith } from './_io.ts'

describe('the environment of the command', () => {
  it('contains no real key, and everything else unchanged', async () => {
    const { stdout } = await exec([], script('console.log(JSON.stringify(process.env))'), {
      env: { ...real, MINE: 'mine', NO_PROXY: 'example.org' },
    })
    const env = JSON.parse(stdout) as Record<string, string>
    expect(Object.entries(env).filter(([, value]) => /real|:9\b/.test(value))).toEqual([])
    expect(env).toMatchObject({
      MINE: 'mine',
      NO_PROXY: 'example.org,127.0.0.1',
      OPENAI_BASE_URL: `${env['GATEWAY_SIM_URL']}/v1`,
      ANTHROPIC_BASE_URL: env['GATEWAY_SIM_URL'],
    })
    expect(env['GATEWAY_SIM_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })
})

describe('the command', () => {
  it('gets its arguments unchanged, and standard input', async () => {
    const words = ['--help', '--', '', "it's", '"quoted"', '$HOME', '*', '007', 'a b', '--scenario=x', 'ü']
    const { stdout } = await exec(
      [],
      [
        process.execPath,
        '-e',
        `process.stdin.pipe(process.stdout); process.stdout.write(JSON.stringify(process.argv.slice(1)) + '\\n')`,
        '--',
        ...words,
      ],
      { stdin: 'from outside' },
    )
    expect(stdout).toBe(`${JSON.stringify(words)}\nfrom outside`)
  })

  it.each([
    ['its own', script('process.exit(7)'), 7],
    ['0', script(''), 0],
    [
      '128 plus the signal that ended it',
      script(`process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60_000)`),
      143,
    ],
  ])('decides the exit code: %s', async (_, command, code) => {
    expect((await exec([], command)).code).toBe(code)
  })
})

describe('the summary', () => {
  it('is on stderr: requests by operation and status in all sessions, without control requests', async () => {
    const { stdout, stderr } = await exec([], severalCalls)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      [
        'gateway-sim: 4 requests in 2 sessions',
        '  operation    requests  statuses',
        '  chat.create  3         200 (2), 400',
        '  models.list  1         200',
        'gateway-sim: rejected requests (1)',
        '  POST /v1/chat/completions got 400: `messages`: is required: expected an array',
        'gateway-sim: client report: no findings',
        '',
      ].join('\n'),
    )
  })
})

describe('waits after retry-after', () => {
  const limited =
    'title: Busy\nrules: [{ id: busy, when: { operation: models.list, times: 1 }, then: ' +
    '{ error: { status: 429, retryAfter: 1ms } } }]\n'
  const command = script(`await call('/v1/models'); await call('/v1/models')`)
  it('are not checked if time does not pass, and the summary says so', async () => {
    const { stderr } = await exec(['--scenario', 'a.yaml'], command, {
      cwd: directoryWith({ 'a.yaml': limited }),
    })
    expect(stderr).toContain('gateway-sim: rules, reserved values and faults\n  rule busy: 1 request\n')
    expect(stderr).toMatch(
      /no findings\ngateway-sim: waits after 1 response with retry-after were not checked: use --clock real --speed 1\n$/,
    )
  })
})

describe('--fail-on', () => {
  it('can be repeated, and keeps the exit code of a failed command', async () => {
    const command = script(
      `await call('/v1/responses', {}); await call('/v1/chat/completions', {}); process.exit(9)`,
    )
    const { code, stderr } = await exec(['--fail-on', 'rejected', '--fail-on', 'unmatched,unused'], command)
    expect(code).toBe(9)
    expect(stderr).toMatch(
      /gateway-sim: failed checks: unmatched \(1\), rejected \(1\); .*exited with \d+\n$/,
    )
  })
})

it('a failed check is an annotation in GitHub', async () => {
  const failing = ['--fail-on', 'no-requests']
  const error = '::error title=gateway-sim::no request reached the simulator'
  const { stderr } = await exec(failing, script(''), { env: { GITHUB_ACTIONS: 'true' } })
  expect(stderr).toContain(error)
  expect((await exec(failing, script(''))).stderr).not.toContain(error)
})

describe('--strict', () => {
  it('names the closest rule of an unmatched request', async () => {
    const cwd = directoryWith({
      'a.yaml':
        'title: a\nrules: [{ id: rome, when: { operation: chat.create, model: o1 }, then: { text: Sunny. } }]\n',
    })
    const command = script(`await call('/v1/chat/completions', ${chat}); await call('/v1/responses', {})`)
    const { stderr } = await exec(['--strict', '--scenario', 'a.yaml'], command, { cwd })
    expect(stderr).toContain(
      '  POST /v1/chat/completions got 422; closest: rule rome: `model`: expected "o1", got "m".\n',
    )
    expect(stderr).toContain('  POST /v1/responses got 404\n')
  })
})

describe('--report', () => {
  it('writes each format to its file and creates missing folders', async () => {
    const cwd = directoryWith({
      'a.yaml':
        'title: a\nrules: [{ id: never, when: { operation: videos.create }, then: { error: { status: 503 } } }]\n',
    })
    const command = script(`await call('/v1/chat/completions', { model: '<b>&"' })`)
    const files = ['junit=out/ci/junit.xml', 'json=out/run.json', 'markdown=run.md']
    const flags = [
      '--scenario',
      'a.yaml',
      '--fail-on',
      'rejected',
      ...files.flatMap((file) => ['--report', file]),
    ]
    expect((await exec(flags, command, { cwd })).code).toBe(1)
    const [xml, json, md] = files.map((file) => readFileSync(join(cwd, file.replace(/.*=/, '')), 'utf8')) as [
      string,
      string,
      string,
    ]
    expect(XMLValidator.validate(xml)).toBe(true)
    interface Case {
      readonly name: string
      readonly failure?: { readonly '#text': string }
      readonly skipped?: { readonly message: string }
    }
    const { testsuites } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(xml)
    const cases = testsuites.testsuite.testcase as readonly Case[]
    expect(testsuites).toMatchObject({ tests: String(cases.length), failures: '1', skipped: '1' })
    expect(cases.find(({ name }) => name === 'rejected')?.failure?.['#text']).toContain('got 400')
    expect(cases.find(({ name }) => name === 'unused')?.skipped?.message).toBe(
      'rules that never matched (1), report only',
    )
    expect(JSON.parse(json)).toMatchObject({
      ok: false,
      exitCode: 1,
      requests: 1,
      sessions: 1,
      rules: 1,
      command: { exitCode: 0, signal: null, started: true },
      checks: { unused: { count: 1, fails: false, lines: ['never'] } },
    })
    expect(md).toMatch(/^## gateway-sim: failed checks: rejected \(1\)\n/)
    expect(md).toContain('| chat.create | 1 | 400 |')
    expect(md).toContain('### rejected requests (1): failed\n')
  })
})
