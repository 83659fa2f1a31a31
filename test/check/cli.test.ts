/** `gateway-sim check`: flags, exit codes, and what it prints. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CheckReport } from '../../src/run/check-types.ts'
import { directoryWith, run } from '../cli/_io.ts'
import type { Change } from './gateway/exchange.ts'
import { createGateway } from './gateway/gateway.ts'
import { violations } from './gateway/violations.ts'

/** A gateway that listens; the flags that check it. */
async function listening(
  change?: Change,
): Promise<{ readonly flags: readonly string[]; readonly key: string }> {
  const gateway = createGateway({ ...(change === undefined ? {} : { change }), pollsUntilDone: 0 })
  const { baseUrl, close } = await gateway.listen()
  onTestFinished(close)
  return { flags: ['check', '--base-url', baseUrl, '--api-key', gateway.apiKey], key: gateway.apiKey }
}

const planted = (name: string): Change => violations[name] as Change

describe('gateway-sim check', () => {
  it('ends with 0 where nothing is found, and says what was judged', async () => {
    const { flags } = await listening()
    const { code, stdout, stderr } = await run([...flags, '--only', 'chat.create'])
    expect(stdout).toMatch(
      /\nhttp:\/\/127\.0\.0\.1:\d+: no violations, 8 probes \(invalid requests only\)\n$/,
    )
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  it('shows the current probe on a terminal, and erases the line at the end', async () => {
    const { flags } = await listening()
    const { stderr } = await run([...flags, '--only', 'chat.create'], { terminal: true })
    const lines = stderr.split('\r\u001b[K').slice(1)
    expect(lines).toHaveLength(9)
    expect(lines[7]).toMatch(/^chat\.\*: .+ \(8 of 8\)$/)
    expect(lines[8]).toBe('')
  })

  it('ends with 1 and one finding for one cause, however many probes show it', async () => {
    const { flags, key } = await listening(planted('rejection without envelope'))
    const { code, stdout, stderr } = await run([...flags, '--only', 'chat.*', '--only', 'videos.*'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^gateway-sim: Exiting with 1: 1 violation: chat\.create, videos\.create, .* body: expected .*, got .*\n$/,
    )
    expect(stdout).toContain('✗ error: chat.create, videos.create, videos.retrieve')
    expect(stdout).toMatch(/: 1 violation, \d+ probes \(invalid requests only\)\n$/)
    expect(stdout).not.toContain(key)
  })

  it('writes all requests as a HAR file that it can check, without the API key', async () => {
    const cwd = directoryWith({})
    const { flags, key } = await listening(planted('callback accepted'))
    const live = await run([...flags, '--only', 'imageJobs.*', '--report', 'har=run.har'], { cwd })
    expect(live.code).toBe(1)
    expect(readFileSync(join(cwd, 'run.har'), 'utf8')).not.toContain(key)
    const { stdout } = await run(['check', '--recordings', 'run.har', '--format', 'json'], { cwd })
    const { summary, clientErrors, violations: offline } = JSON.parse(stdout) as CheckReport
    expect(offline).toMatchObject([
      {
        code: 'wrong-status',
        args: { got: '200' },
        operations: expect.arrayContaining(['imageJobs.retexture']),
      },
    ])
    expect(summary.checked).toBeGreaterThan(10)
    expect(clientErrors?.length).toBeGreaterThan(0)
  })

  it('writes the report as JSON, JUnit and Markdown', async () => {
    const cwd = directoryWith({})
    const { flags } = await listening(planted('callback accepted'))
    const files = ['json=out/check.json', 'junit=check.xml', 'markdown=check.md']
    const forms = files.flatMap((file) => ['--report', file])
    expect(await run([...flags, '--only', 'imageJobs.*', ...forms], { cwd })).toMatchObject({ code: 1 })
    const file = (name: string): string => readFileSync(join(cwd, name), 'utf8')
    expect(JSON.parse(file('out/check.json'))).toMatchObject({
      version: 1,
      summary: { violations: 1 },
      violations: [
        {
          code: 'wrong-status',
          severity: 'error',
          args: {
            rule: 'A `callback` field is not supported; sending it yields HTTP 400 with code 2004',
            expected: '400',
            got: '200',
          },
          evidence: [{ place: { where: 'status', pointer: '' } }],
          exchange: {
            request: { method: 'POST', body: { text: expect.stringContaining('"callback"') } },
            response: { status: 200 },
          },
        },
      ],
    })
    expect(file('check.xml')).toContain('failures="1"')
    expect(file('check.md')).toContain('<summary>error: imageJobs.uploadPaint')
    expect(file('check.md')).toContain('\nA `callback` field is not supported; sending')
  })

  it('ends with 5 if every probe with an API key was skipped', async () => {
    const rejects: Change = {
      answer: (answer, { operation }) =>
        operation === 'chat' && answer.status !== 401
          ? { status: 404, json: { error: { code: 404, message: 'no such model' } } }
          : answer,
    }
    const cwd = directoryWith({})
    const { flags } = await listening(rejects)
    const { code, stdout, stderr } = await run([...flags, '--only', 'chat.*', '--report', 'markdown=a.md'], {
      cwd,
    })
    expect(stdout).toMatch(/: no violations, 1 probe, 7 skipped, not checked: chat\.\* /)
    const exit = /^gateway-sim: Exiting with 5: not checked: chat\.\* \(the gateway rejects the model .*\)\n$/
    expect(stderr).toMatch(exit)
    expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toMatch(
      /^## gateway-sim check skipped: [^]*### Not checked\n\n- chat\.\\\*: the gateway rejects the model /,
    )
    expect(code).toBe(5)
    // Other groups do not hide the missing one.
    const whole = await run([...flags, '--report', 'markdown=b.md'], { cwd })
    expect(whole.stdout).toMatch(/\nNot checked:\n {2}chat\.\*: the gateway rejects the model gpt-4o-mini: /)
    expect(whole.stdout).toMatch(/: no violations, \d+ probes, 7 skipped, not checked: chat\.\* /)
    expect(whole.stderr).toMatch(exit)
    expect(readFileSync(join(cwd, 'b.md'), 'utf8')).toContain('Not checked')
    expect(whole.code).toBe(5)
    // Nothing to send with this spending limit.
    expect(await run([...flags, '--only', 'uploads.*'])).toMatchObject({ code: 5 })
  })

  it('lists what it would send, without a gateway', async () => {
    const { code, stdout } = await run(['check', '--list', '--spend', 'all', '--only', 'files.*'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^SPEND +OPERATION +PROBE +RULE\nnone +files\.createUploadUrl +an upload URL without an API key +HTTP 401/,
    )
  })

  it('ends with 3 where nobody answers, and where the key is rejected', async () => {
    const { flags } = await listening()
    const rejected = await run([...flags.slice(0, 3), '--api-key', 'sk-secret-7', '--only', 'chat.*'])
    expect(rejected.code).toBe(3)
    expect(rejected.stderr).toContain('the gateway rejects the API key: 401: who are you?')
    expect(rejected.stderr).not.toContain('sk-secret-7')
    const gone = await run(['check', '--base-url', 'http://127.0.0.1:9', '--api-key', 'k'])
    expect(gone.code).toBe(3)
    expect(gone.stderr).toContain('cannot be reached')
  })

  const known = ['--base-url', 'http://a.example', '--api-key', 'k']
  it.each([
    { flags: ['--api-key', 'k'], says: 'Missing --base-url' },
    { flags: ['--base-url', 'http://a.example'], says: 'Missing --api-key' },
    { flags: ['--base-url', 'ftp://a.example', '--api-key', 'k'], says: '--base-url: expected a URL' },
    {
      flags: ['--only', 'models.list'],
      says: '--only: expected an operation in',
    },
    {
      flags: ['--only', 'models.*'],
      says: 'got "models.*"',
    },
    { flags: ['--only', 'vidoes.*'], says: 'did you mean videos.*?' },
    { flags: [...known, '--model', 'chatt=x'], says: '--model: expected GROUP=ID (chat, ' },
    { flags: [...known, '--report', 'xml=a'], says: '--report: expected' },
  ])('rejects $flags with 2', async ({ flags, says }) => {
    const { code, stderr } = await run(['check', ...flags])
    expect(stderr).toContain(says)
    expect(code).toBe(2)
  })
})

describe('--accept', () => {
  const callbackRule = 'A `callback` field is not supported; sending it yields HTTP 400 with code 2004'

  const known = (expires: string): string => `
- operation: imageJobs.*
  rule: '${callbackRule}'
  reason: our gateway ignores it
  expires: '${expires}'
`

  const accepting = async (expires: string) => {
    const cwd = directoryWith({ 'known.yaml': known(expires) })
    const { flags } = await listening(planted('callback accepted'))
    return run([...flags, '--only', 'imageJobs.*', '--accept', 'known.yaml'], { cwd })
  }

  it('takes a known violation out', async () => {
    const { code, stdout } = await accepting('2999-12-31')
    const text = stdout.replaceAll(/\n +/g, ' ')
    expect(text).toContain(`status: ${callbackRule}: expected 400, got 200 (our gateway ignores it)`)
    expect(stdout).toMatch(/no violations, 1 accepted, \d+ probes \(.*\)\n$/)
    expect(code).toBe(0)
  })

  it('counts it again after its day', async () => {
    const { code, stdout } = await accepting('2020-01-01')
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
      `imageJobs.*, ${callbackRule}, expires 2020-01-01: our gateway ignores it`,
    )
    expect(code).toBe(1)
  })

  it('takes one entry for many operations and fields', async () => {
    const change: Change = {
      answer: (answer) =>
        answer.status === 200 ? answer : { ...answer, json: { error: { odd: 1, message: 7 } } },
    }
    const { flags } = await listening(change)
    const accepting = (entry: string) =>
      run(
        [...flags, '--only', 'chat.*', '--only', 'videos.*', '--accept', 'known.yaml', '--format', 'json'],
        {
          cwd: directoryWith({ 'known.yaml': entry }),
        },
      )
    const all = await accepting("- { operation: '*', pointer: /error/**, reason: later }\n")
    expect(all).toMatchObject({ code: 0 })
    const { accepted, unusedAccepted } = JSON.parse(all.stdout) as CheckReport
    expect(accepted.flatMap(({ operations }) => operations)).toEqual(
      expect.arrayContaining(['chat.create', 'videos.create']),
    )
    expect(accepted.length).toBeGreaterThan(1)
    expect(unusedAccepted).toEqual([])
    const two = "- { operation: [chat.create, 'videos.*'], pointer: /error/**, reason: later }\n"
    expect(await accepting(two)).toMatchObject({ code: 0 })
    expect(
      await accepting('- { operation: chat.create, pointer: /error/**, reason: later }\n'),
    ).toMatchObject({
      code: 1,
    })
    expect(await accepting("- { operation: '*', pointer: /err/**, reason: later }\n")).toMatchObject({
      code: 1,
    })
    const wrong = await accepting('- { operation: [chat.creat], reason: later }\n')
    expect(wrong.stderr).toContain('unknown operation "chat.creat": did you mean chat.create?')
  })

  it('takes the entries that the report shows', async () => {
    const { flags } = await listening(planted('callback accepted'))
    const { stdout } = await run([...flags, '--only', 'imageJobs.*'])
    const [, entries = ''] = /to the --accept file:\n((?: {2}.*\n)+)/.exec(stdout) ?? []
    const cwd = directoryWith({ 'known.yaml': entries.replaceAll(/^ {2}/gm, '') })
    const flagged = [...flags, '--only', 'imageJobs.*', '--accept', 'known.yaml']
    const empty = await run(flagged, { cwd })
    expect(empty).toMatchObject({ code: 2 })
    expect(empty.stderr).toContain(
      'known.yaml:4:11: [0].reason: expected the reason for accepting the finding',
    )
    writeFileSync(join(cwd, 'known.yaml'), entries.replaceAll(/^ {2}/gm, '').replaceAll('…', 'GW-1'))
    expect(await run(flagged, { cwd })).toMatchObject({ code: 0 })
  })

  it('is rejected with the place of every error', async () => {
    const cwd = directoryWith({
      'known.yaml':
        '- reasons: none\n- reason: x\n  expires: soon\n- reason: y\n  code: odd\n- operation: vidoes.*\n  reason: z\n',
    })
    const { flags } = await listening()
    const { code, stderr } = await run([...flags, '--accept', 'known.yaml'], { cwd })
    expect(code).toBe(2)
    for (const words of [
      ...['known.yaml:1:3: unknown key "reasons"', 'known.yaml:3:12: ', 'known.yaml:5:9: '],
      ...['known.yaml:6:14: ', 'unknown operation "vidoes.*": did you mean videos.*?'],
    ])
      expect(stderr).toContain(words)
  })
})
