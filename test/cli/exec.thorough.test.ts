/**
 * `gateway-sim exec`: the environment of the command, its end, and what is said about it. Signals go to a
 * process, which needs `npm run build`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { requireBuild, root } from '../_built.ts'
import { begin, chat, exec, real, reported, script, severalCalls } from './_exec.ts'
import { directoryWith, emptyDirectory } from './_io.ts'

beforeAll(requireBuild)

describe('the environment of the command', () => {
  // In one process: each block asks one SDK, and says its name.
  const sdks = [
    {
      name: 'openai',
      code: `const { default: OpenAI } = await import('openai'); console.log((await new OpenAI().chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] })).choices[0].message.content)`,
    },
    {
      name: '@ai-sdk/openai',
      code: `const { openai } = await import('@ai-sdk/openai'); const { generateText } = await import('ai'); console.log((await generateText({ model: openai.chat('gpt-4o'), prompt: 'Reply with exactly: pong' })).text)`,
    },
    {
      name: '@ai-sdk/anthropic',
      code: `const { createAnthropic } = await import('@ai-sdk/anthropic'); const { generateText } = await import('ai'); console.log((await generateText({ model: createAnthropic({ baseURL: process.env.ANTHROPIC_BASE_URL + '/v1' })('claude-sonnet-4-5'), maxOutputTokens: 100, prompt: 'Reply with exactly: pong' })).text)`,
    },
    {
      name: '@langchain/openai',
      code: `const { ChatOpenAI } = await import('@langchain/openai'); console.log((await new ChatOpenAI({ model: 'gpt-4o' }).invoke('Reply with exactly: pong')).content)`,
    },
    {
      name: '@anthropic-ai/sdk',
      code: `const { default: Anthropic } = await import('@anthropic-ai/sdk'); console.log((await new Anthropic().messages.create({ model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Reply with exactly: pong' }] })).content[0].text)`,
    },
    {
      name: '@langchain/anthropic',
      code: `const { ChatAnthropic } = await import('@langchain/anthropic'); console.log((await new ChatAnthropic({ model: 'claude-sonnet-4-5', maxTokens: 100 }).invoke('Reply with exactly: pong')).content)`,
    },
    {
      name: '@google/genai',
      code: `const { GoogleGenAI } = await import('@google/genai'); const { name } = await new GoogleGenAI({}).models.generateVideos({ model: 'veo-3', prompt: 'a sunset' }); console.log(name ? 'pong' : 'no name')`,
    },
    {
      name: '@typesafe-ai/sdk',
      code: `const { noul, TypeSafeClient } = await import('@typesafe-ai/sdk'); const client = new TypeSafeClient(); const response = await client.systemOne({ state: { document: 'The sky is blue.' }, questions: { blue: noul('Is the sky blue?') } }); console.log(response ? 'pong' : 'nothing')`,
    },
  ]

  it('points every SDK to the simulator, whatever was set before', async () => {
    const blocks = sdks.map(({ name, code }) => `{ console.log('${name}'); ${code} }`)
    const { stdout, stderr, report } = await reported([], script(blocks.join('\n')), { cwd: root, env: real })
    expect(stdout, stderr).toBe(sdks.map(({ name }) => `${name}\npong\n`).join(''))
    expect(
      Object.fromEntries(report.operations.map(({ operation, statuses }) => [operation, statuses])),
    ).toEqual({
      'chat.create': { 200: 3 },
      'messages.create': { 200: 3 },
      'videoOperations.submit': { 200: 1 },
      'systemone.evaluate': { 200: 1 },
    })
  })

  it('contains the token of the control API if it needs one, and none from outside', async () => {
    const command = script(
      `const token = process.env.GATEWAY_SIM_CONTROL_TOKEN; console.log(token, (await call('/__sim/clock')).status, (await call('/__sim/clock', undefined, { 'x-sim-token': token })).status)`,
    )
    expect((await exec(['--control-token', 'a-token-of-mine'], command)).stdout).toBe(
      'a-token-of-mine 401 200\n',
    )
    expect((await exec([], command, { env: { GATEWAY_SIM_CONTROL_TOKEN: 'stale' } })).stdout).toBe(
      'undefined 200 200\n',
    )
  })

  it('contains a key of the scenario', async () => {
    const cwd = directoryWith({ 'a.yaml': 'title: a\nkeys: { sk-alice: {}, sk-bob: {} }\n' })
    const { stdout } = await exec(
      ['--scenario', 'a.yaml'],
      script(`console.log(process.env.ANTHROPIC_API_KEY, (await call('/v1/models')).status)`),
      { cwd },
    )
    expect(stdout).toBe('sk-alice 200\n')
  })
})

describe('the command', () => {
  it('runs on an auto clock by default', async () => {
    const clock = script(`console.log((await (await call('/__sim/clock')).json()).mode)`)
    const cwd = directoryWith({ 'manual.yaml': 'title: a\nclock: { mode: manual }\n' })
    expect((await exec([], clock)).stdout).toBe('auto\n')
    expect((await exec(['--scenario', 'manual.yaml'], clock, { cwd })).stdout).toBe('manual\n')
    expect((await exec(['--scenario', 'manual.yaml', '--clock', 'real'], clock, { cwd })).stdout).toBe(
      'real\n',
    )
  })

  it('is named in the error, with 127 if it does not exist and 126 if it cannot be run', async () => {
    expect(await exec([], ['no-such-command'])).toEqual({
      code: 127,
      stdout: '',
      stderr: 'gateway-sim: no-such-command: command not found\n',
    })
    const cwd = directoryWith({ 'notes.txt': 'not a program' })
    expect(await exec([], ['./notes.txt'], { cwd })).toEqual({
      code: 126,
      stdout: '',
      stderr: 'gateway-sim: ./notes.txt: the command cannot be executed (EACCES)\n',
    })
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('receives %s and decides how to end', async (signal) => {
    const { child, stdout, ended } = begin(
      [],
      script(
        `process.on('${signal}', async () => { console.log((await call('/v1/models')).status); process.exit(5) }); setInterval(() => {}, 60_000); console.log('up')`,
      ),
    )
    await stdout.until(/up/)
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 5, stdout: 'up\n200\n' })
  })

  // There are no signals on Windows.
  describe.skipIf(process.platform === 'win32')('ended by a signal', () => {
    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('%s is forwarded, awaited, in the report, and gives exit code %i', async (signal, code) => {
      const file = join(emptyDirectory(), 'report.json')
      const { child, stdout, ended } = begin(
        ['--report', `json=${file}`],
        script(
          `setInterval(() => {}, 60_000); console.log((await call('/v1/models')).status, process.pid, process.env.GATEWAY_SIM_URL)`,
        ),
      )
      const [, pid, url] = (await stdout.until(/^200 (\d+) (\S+)\n/)).slice() as [string, string, string]
      child.kill(signal)
      const { code: said, stderr } = await ended
      expect({ said, signalled: child.signalCode }).toEqual({ said: code, signalled: null })
      expect(stderr).toMatch(/^gateway-sim: 1 request in 1 session\n/)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        ok: false,
        exitCode: code,
        requests: 1,
        command: { exitCode: code, signal, started: true },
      })
      // Neither an orphan nor a server is left.
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
      await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    })

    it('can take its time: exec keeps running and answers its last requests', async () => {
      const { child, stdout, ended } = begin(
        [],
        script(
          `process.on('SIGTERM', async () => { console.log('leaving'); process.stdin.resume(); process.stdin.on('end', async () => { console.log((await call('/v1/models')).status); process.exit(0) }) }); setInterval(() => {}, 60_000); console.log('up')`,
        ),
      )
      await stdout.until(/up\n/)
      child.kill('SIGTERM')
      const { code, stdout: said, stderr } = await ended
      expect({ code, said }).toEqual({ code: 0, said: 'up\nleaving\n200\n' })
      expect(stderr).toMatch(/^gateway-sim: 1 request in 1 session\n/)
    })
  })

  it('leaves no listening socket', async () => {
    const { stdout } = await exec([], script('console.log(process.env.GATEWAY_SIM_URL)'))
    await expect(fetch(stdout.trim())).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })

  it('ends the run although one of its streams stays open', async () => {
    const { code, report } = await reported(
      ['--clock', 'manual'],
      script(
        `const response = await call('/v1/chat/completions', { ...${chat}, stream: true }); console.log(response.status); process.exit(0)`,
      ),
    )
    expect(code).toBe(0)
    expect(report.operations).toEqual([{ operation: 'chat.create', requests: 1, statuses: { 200: 1 } }])
  })
})

describe('the summary', () => {
  it('is omitted with --quiet, except the reasons for a failure', async () => {
    expect((await exec(['--quiet'], severalCalls)).stderr).toBe('')
    const { code, stderr } = await exec(['--quiet', '--fail-on', 'rejected'], severalCalls)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^gateway-sim: rejected requests \(1\)\n {2}POST .*\ngateway-sim: failed checks: rejected \(1\); .*node .*exited with 0, but gateway-sim exits with 1\n$/,
    )
  })

  it('includes the requests from before a reset', async () => {
    const { report } = await reported(
      [],
      script(`await call('/v1/models'); await call('/__sim/reset', {}); await call('/v1/models')`),
    )
    expect(report.operations).toEqual([{ operation: 'models.list', requests: 2, statuses: { 200: 2 } }])
  })

  it('is preceded by a line per request with --log', async () => {
    const { stderr } = await exec(['--log', '--format', 'json'], script(`await call('/v1/models')`))
    expect(JSON.parse(stderr.split('\n')[0] as string)).toMatchObject({
      event: 'call',
      operation: 'models.list',
      status: 200,
    })
  })
})

describe('--fail-on', () => {
  const scenario =
    'title: a\nrules:\n  - { id: first-fails, when: { operation: chat.create, times: 1 }, then: { error: { status: 503 } } }\n  - { id: never, when: { operation: videos.create }, then: { error: { status: 503 } } }\n'
  const once503 = script(`console.log((await call('/v1/chat/completions', ${chat})).status)`)

  it.each([
    { failure: 'rejected', bad: script(`await call('/v1/chat/completions', {})`), says: /got 400/ },
    {
      failure: 'client-report',
      bad: script(
        `await call('/v1/chat/completions', ${chat}); await call('/v1/chat/completions', { ...${chat}, tempreature: 1 })`,
      ),
      says: /warning: ignored-field.*\n {2}chat\.create was sent with the unknown field "tempreature"/,
    },
    {
      failure: 'unmatched',
      bad: script(`await call('/v1/responses', {})`),
      says: /POST \/v1\/responses got 404/,
    },
    {
      failure: 'no-requests',
      bad: script(''),
      says: /expected clients to take their base URL from the environment/,
    },
    {
      failure: 'unused',
      bad: script(''),
      good: script(
        `await call('/v1/chat/completions', ${chat}); await call('/v1/videos', { model: 'm', prompt: 'p' })`,
      ),
      says: /first-fails/,
    },
  ])(
    '$failure ends with 1 only if the command ended with 0 and there is a finding',
    async ({ failure, bad, good = once503, says }) => {
      const cwd = directoryWith({ 'a.yaml': scenario })
      const asked = (command: string[], ...flags: string[]) =>
        reported(['--scenario', 'a.yaml', ...flags], command, { cwd })
      const failed = await asked(bad, '--fail-on', failure)
      expect(failed).toMatchObject({ code: 1, report: { ok: false, exitCode: 1 } })
      expect(failed.report.checks[failure]).toMatchObject({ fails: true })
      expect(failed.report.checks[failure]?.lines.join('\n')).toMatch(says)
      expect(failed.stderr).toMatch(new RegExp(`failed checks: .*${failure} \\(`))
      expect(await asked(good, '--fail-on', failure)).toMatchObject({ code: 0, report: { ok: true } })
    },
  )

  it('fails a run only for the given kinds', async () => {
    const { code, report } = await reported(
      ['--fail-on', 'unmatched'],
      script(`await call('/v1/chat/completions', {})`),
    )
    expect({ code, report }).toMatchObject({ code: 0, report: { ok: true } })
  })

  it('unused includes the rules of sessions that were reset, deleted or lost the scenario', async () => {
    const cwd = directoryWith({ 'a.yaml': scenario })
    const command = script(`
      const rule = (id) => ({ id, when: { operation: 'chat.create' }, then: { text: id } })
      const make = (name, ...ids) => call('/__sim/sessions', { name, scenarios: [{ title: 'Of ' + ids.join(), rules: ids.map(rule) }] })
      const ask = (name) => call('/s/' + name + '/v1/chat/completions', ${chat})
      const remove = (path) => fetch(process.env.GATEWAY_SIM_URL + path, { method: 'DELETE' })
      await make('stays', 'one', 'two'); await ask('stays')
      await make('reset', 'three'); await ask('reset'); await call('/s/reset/__sim/reset', {})
      await make('deleted', 'four', 'five'); await ask('deleted'); await remove('/__sim/sessions/deleted')
      await make('never-called', 'six'); await remove('/__sim/sessions/never-called')
      await make('first', 'seven'); await make('second', 'seven')
      await call('/__sim/scenarios', { text: JSON.stringify({ title: 'Later', rules: [rule('nine')] }), name: 'later' }); await call('/v1/chat/completions', ${chat}); await remove('/__sim/scenarios/later')
      await call('/__sim/scenarios', { text: JSON.stringify({ title: 'Latest', rules: [rule('ten')] }), name: 'latest' }); await remove('/__sim/scenarios/latest')`)
    const { code, report } = await reported(['--scenario', 'a.yaml', '--fail-on', 'unused'], command, { cwd })
    expect(code).toBe(1)
    expect(report.checks['unused']?.lines.toSorted()).toEqual([
      'first-fails',
      'five (of "Of four,five", in session deleted)',
      'never',
      'seven (of "Of seven", in several sessions)',
      'six (of "Of six", in session never-called)',
      'ten (of "Latest", in session default)',
      'two (of "Of one,two", in session stays)',
    ])
  })

  it('unmatched counts requests rejected by strict', async () => {
    const cwd = directoryWith({ 'a.yaml': scenario })
    const { code, report } = await reported(
      ['--scenario', 'a.yaml', '--strict', '--fail-on', 'unmatched'],
      script(
        `await call('/v1/messages', { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] }, { 'anthropic-version': '2023-06-01' })`,
      ),
      { cwd },
    )
    expect(code).toBe(1)
    expect(report.checks).toMatchObject({
      unmatched: { count: 1, fails: true, lines: ['POST /v1/messages got 422'] },
      rejected: { count: 0 },
    })
  })

  it('client-report prints hints without failing', async () => {
    const { code, report, stderr } = await reported(
      ['--fail-on', 'client-report'],
      script(`await call('/v1/chat/completions', { ...${chat}, max_tokens: 5 })`),
    )
    const lines = [expect.stringMatching(/^hint: deprecated-parameter\n/)]
    expect(code).toBe(0)
    expect(report.checks['client-report']).toMatchObject({ count: 0, fails: false, lines })
    expect(stderr).toMatch(/gateway-sim: client report \(1 hint\)\n {2}hint: deprecated-parameter/)
  })

  it('client-report covers every session, including those that were reset, deleted or evicted before the end', async () => {
    const cwd = directoryWith({ 'gateway-sim.config.yaml': 'memory: { sessions: 2 }\n' })
    const command = script(`
      const bad = { ...${chat}, tempreature: 1 }
      for (let at = 0; at < 9; at++) await call('/s/red' + at + '/v1/chat/completions', bad)
      await fetch(process.env.GATEWAY_SIM_URL + '/__sim/sessions/red8', { method: 'DELETE' })
      await call('/v1/chat/completions', bad)
      await call('/__sim/reset', {})`)
    const { report } = await reported([], command, { cwd })
    const found = report.clientReports.map(({ session, findings }) => [
      session,
      ...findings.map(({ id }) => id),
    ])
    const sessions = ['default', ...Array.from({ length: 9 }, (_, at) => `red${at}`)]
    expect(found.sort()).toEqual(sessions.map((session) => [session, 'ignored-field']))
    expect(report.checks['client-report']).toMatchObject({
      count: 10,
      lines: [
        expect.stringMatching(
          /^warning: ignored-field, 10 times in 10 sessions\n {2}chat\.create .*\n {2}\w/,
        ),
      ],
    })
  })
})

describe('--report', () => {
  it('is written for a failed command, with its exit code', async () => {
    const { code, report } = await reported([], script(`process.kill(process.pid, 'SIGKILL')`))
    expect({ code, report }).toMatchObject({
      code: 137,
      report: { ok: false, exitCode: 137, command: { exitCode: 137, signal: 'SIGKILL' }, requests: 0 },
    })
  })
})
