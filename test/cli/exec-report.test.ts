/**
 * What `exec` says of a run, where a real run would have to be contrived: bugs, hostile text, very many
 * calls, Windows.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { clientEnvironment } from '../../src/cli/exec/exec-command.ts'
import { type ReportOfSession, summarizeClientReports } from '../../src/cli/exec/follow-sessions.ts'
import {
  githubErrors,
  prettyRun,
  type RunFacts,
  type RunReport,
  reportOf,
  runForms,
  Tally,
} from '../../src/cli/exec/report.ts'
import { startProgram } from '../../src/cli/exec/start-program.ts'
import type { Failure } from '../../src/cli/flags.ts'
import { type AnsweredFacts, KeptExchange, noCause } from '../../src/exchange/kept-exchange.ts'
import { plain } from '../../src/text/paint.ts'

type Given = Partial<Omit<AnsweredFacts, 'cause'> & AnsweredFacts['cause']>

/** An exchange with these facts and parts of its cause. */
function exchange({ rule, decidedBy, rejection, bug, unmatched = false, ...facts }: Given): KeptExchange {
  const call: AnsweredFacts = {
    at: 0,
    session: 'default',
    operation: 'chat.create',
    method: 'POST',
    url: '/v1/chat/completions',
    status: 200,
    ...facts,
    cause: { ...noCause, requestId: 'req_1', rule, decidedBy, rejection, bug, unmatched },
  }
  return new KeptExchange(call, -1, 1000)
}

const rule = (name: string) => ({ rule: name, decidedBy: { kind: 'rule', name } }) as const

function report(
  requests: readonly Given[],
  given: Partial<RunFacts> = {},
  failOn: readonly Failure[] = [],
): RunReport {
  const tally = new Tally()
  for (const one of requests) tally.record(exchange(one))
  return reportOf({
    command: ['npm', 'test'],
    end: { kind: 'exited', code: 0 },
    commandCode: 0,
    tally,
    rules: { count: 0, unused: [] },
    clientReports: [],
    uncheckedWaits: 0,
    failOn: new Set(failOn),
    ...given,
  })
}

const check = ({ checks }: RunReport, wanted: string) => checks.find(({ name }) => name === wanted)

describe('a bug of the simulator', () => {
  const buggy = report([{ status: 500, bug: 'TypeError: nope\n    at somewhere' }])

  it('fails every run, with or without --fail-on', () => {
    expect(buggy.exitCode).toBe(1)
    expect(check(buggy, 'bugs')).toMatchObject({
      count: 1,
      fails: true,
      lines: ['POST /v1/chat/completions got 500: TypeError: nope'],
    })
    expect(prettyRun(buggy, plain, true)).toBe(
      'gateway-sim: bugs in gateway-sim (please report them) (1)\n  POST /v1/chat/completions got 500: TypeError: nope\ngateway-sim: failed checks: bugs (1); npm test exited with 0, but gateway-sim exits with 1\n',
    )
  })
})

describe('the counts', () => {
  it('list requests by operation and by status in order of occurrence, those without an operation last', () => {
    const { requests, sessions, operations } = report([
      {},
      { status: 429 },
      { session: 'red' },
      { operation: undefined, url: '/nope', status: 404 },
      { operation: 'models.list' },
      { status: 0 },
    ])
    expect({ requests, sessions }).toEqual({ requests: 6, sessions: 2 })
    const ofChat = [
      [200, 2],
      [429, 1],
      [0, 1],
    ] as const
    expect(operations).toEqual([
      {
        operation: 'chat.create',
        requests: 4,
        statuses: ofChat.map(([status, requests]) => ({ status, requests })),
      },
      { operation: 'models.list', requests: 1, statuses: [{ status: 200, requests: 1 }] },
      { operation: undefined, requests: 1, statuses: [{ status: 404, requests: 1 }] },
    ])
  })

  it('count a request as rejected only if the request itself was the cause', () => {
    const rejection = { type: 'overloaded_error', code: 503 }
    const seen = report([
      { status: 503, rejection },
      { status: 503, rejection, ...rule('a') },
      { status: 503, rejection, decidedBy: { kind: 'reserved-model' } },
      { status: 422, rejection, unmatched: true, decidedBy: { kind: 'strict' } },
    ])
    expect(check(seen, 'rejected')?.count).toBe(1)
    expect(check(seen, 'unmatched')?.count).toBe(1)
  })

  it('count a request as rejected or unmatched, never both', () => {
    const seen = report([
      { operation: undefined, url: '/nope', status: 404, rejection: { type: 'not_found_error', code: 404 } },
    ])
    expect([check(seen, 'unmatched')?.count, check(seen, 'rejected')?.count]).toEqual([1, 0])
  })

  it('show URLs without signatures', () => {
    const rejected = { status: 403, rejection: { type: 'permission_error', code: 403 } }
    const queries = ['part=1', `q-signature=${'0'.repeat(64)}`]
    const seen = report(queries.map((query) => ({ url: `/storage/a.png?${query}`, ...rejected })))
    expect(check(seen, 'rejected')?.lines).toEqual([
      expect.stringMatching(/a\.png\?part=1 got/),
      expect.stringMatching(/a\.png\?\.\.\. got/),
    ])
  })

  it('count responses of user handlers as matched', () => {
    expect(
      check(report([{ operation: undefined, decidedBy: { kind: 'user-handler' } }]), 'unmatched')?.count,
    ).toBe(0)
  })

  it('include the rules that never responded', () => {
    const rules = { count: 3, unused: ['never', 'nor-this'] }
    const seen = report([rule('used')], { rules })
    expect(check(seen, 'unused')).toMatchObject({ count: 2, lines: rules.unused })
  })

  it('have bounded output, however many there are', () => {
    const many = report(
      Array.from({ length: 500 }, (_, at) => ({ operation: undefined, url: `/nope/${at}`, status: 404 })),
    )
    expect(check(many, 'unmatched')).toMatchObject({ count: 500, more: 480 })
    expect(prettyRun(many, plain, false).split('\n').length).toBeLessThan(60)
    expect(prettyRun(many, plain, false)).toContain('\n  and 480 more\n')
  })
})

describe('the end of a report', () => {
  const rejected = { status: 400, rejection: { type: 'invalid_request_error', code: 400 } }
  const failed = { end: { kind: 'exited', code: 1 }, commandCode: 1 } as const

  it('says how the command ended, and which checks failed', () => {
    expect(prettyRun(report([rejected], failed, ['rejected']), plain, false)).toMatch(
      /gateway-sim: failed checks: rejected \(1\); npm test exited with 1\n$/,
    )
    const title = (given: RunReport): string | undefined => runForms.markdown(given).split('\n')[0]
    expect(title(report([rejected]))).toBe('## gateway-sim: passed')
    expect(title(report([rejected], failed))).toBe('## gateway-sim: npm test exited with 1')
    expect(title(report([rejected], failed, ['rejected']))).toBe(
      '## gateway-sim: failed checks: rejected (1); npm test exited with 1',
    )
    const odd = report([rejected], { ...failed, command: ['node', '*a*'] })
    expect(title(odd)).toBe('## gateway-sim: node \\*a\\* exited with 1')
    const script = ['bash', '-e', '-o', 'pipefail', '-c', 'npx playwright test --retries 1\nnpm test']
    const inShell = title(report([rejected], { ...failed, command: script }))
    expect(inShell).toBe('## gateway-sim: npx playwright test … exited with 1')
    expect(title(report([rejected], {}, ['rejected']))).toBe('## gateway-sim: failed checks: rejected (1)')
  })

  it('names the page with the requests in Markdown', () => {
    expect(runForms.markdown(report([{}], { requestsFile: 'sim.html' }))).toContain(
      '. All requests: sim.html.',
    )
  })
})

describe('rules, reserved values and faults', () => {
  const cut = { ...rule('lost'), faults: [{ kind: 'cut' }] }
  const requests = [
    cut,
    {},
    { decidedBy: { kind: 'reserved-model', name: 'sim-503' }, status: 503 } as const,
    cut,
    { decidedBy: { kind: 'outage' }, faults: [{ kind: 'outage' }] } as const,
  ]
  const seen = report(requests, { end: { kind: 'exited', code: 1 }, commandCode: 1 })
  const lines = ['rule lost, fault cut: 2 requests', 'reserved model sim-503: 1 request', 'outage: 1 request']

  it('are named with their requests in every report', () => {
    const list = `rules, reserved values and faults\n  ${lines.join('\n  ')}\n`
    expect(prettyRun(seen, plain, false)).toContain(`gateway-sim: ${list}`)
    expect(prettyRun(seen, plain, true)).not.toContain('rule lost')
    for (const line of lines) expect(runForms.markdown(seen)).toContain(`- ${line}\n`)
    expect(runForms.junit(seen)).toMatch(/<system-out>[^<]*rule lost, fault cut: 2 req/)
    expect(JSON.parse(runForms.json(seen))).toMatchObject({
      decisions: [{ decidedBy: { kind: 'rule', name: 'lost' }, faults: ['cut'], requests: 2 }, {}, {}],
    })
  })

  it('are named with the sessions, and the event after which a stream was cut', () => {
    const cuts = ['makes-an-image', 'default', 'b', 'c', 'd'].map((session) => ({ ...cut, session }))
    const tally = new Tally()
    const entries = cuts.map((one) => exchange({ ...one, events: [] }))
    for (const entry of entries) tally.record(entry)
    // A stream ends after its call was recorded.
    Object.assign(entries[0] as KeptExchange, { ended: 'disconnected', eventCount: 3 })
    expect(tally.decisions.lines()).toEqual([
      'rule lost, fault cut: 5 requests (session makes-an-image, after event 3; session b; …)',
    ])
    expect(tally.decisions.all()).toEqual([
      { decidedBy: { kind: 'rule', name: 'lost' }, faults: ['cut'], requests: 5 },
    ])
  })

  it('are not mentioned if all responses are default responses', () =>
    expect(prettyRun(report([{}]), plain, false)).not.toContain('faults'))

  it('have bounded output and memory', () => {
    const many = Array.from({ length: 1200 }, (_, at) => ({
      decidedBy: { kind: 'reserved-model', name: String(at) } as const,
    }))
    const { decisions } = report(many)
    expect(decisions.all()).toHaveLength(1000)
    expect(decisions.lines()).toHaveLength(21)
    expect(decisions.lines().at(-1)).toBe('others: 1180 requests')
  })
})

describe('waits that the client reports could not check', () => {
  it('are a note of the case client-report in JUnit, also if the run passed', () => {
    const xml = runForms.junit(report([{}], { uncheckedWaits: 2 }))
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml)
    const { testcase } = testsuites.testsuite
    const noted = testcase.filter((one: object) => 'system-out' in one)
    expect(noted).toEqual([
      {
        '@_name': 'client-report',
        '@_classname': 'gateway-sim exec',
        'system-out': 'waits after 2 responses with retry-after were not checked: use --clock real --speed 1',
      },
    ])
  })

  it('are not mentioned if there are none', () =>
    expect(runForms.junit(report([{}]))).not.toContain('system-out'))
})

describe('text sent by a client', () => {
  const hostile = '/v1/<b>&"]]>\u001b[2J\u0000|`![x](http://evil)\n# heading'
  const seen = report(
    [{ operation: undefined, url: hostile, status: 404 }],
    { command: ['npm', '<&"\u0001'] },
    ['unmatched'],
  )

  it('is escaped in XML', () => {
    const xml = runForms.junit(seen)
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(xml).not.toMatch(/[\u0000-\u0008\u001b]/)
    const { testsuites } = new XMLParser({ ignoreAttributes: false, processEntities: true }).parse(xml)
    const cases = testsuites.testsuite.testcase as readonly { readonly failure?: { '#text': string } }[]
    expect(cases.flatMap(({ failure }) => failure?.['#text'] ?? [])[0]).toContain('/v1/<b>&"]]>')
  })

  it('cannot control the terminal or add Markdown', () => {
    expect(prettyRun(seen, plain, false)).not.toMatch(/[\u0000\u001b]/)
    expect(runForms.markdown(seen)).toContain('/v1/\\<b\\>&"\\]\\]\\>')
    expect(runForms.markdown(seen)).not.toMatch(/^# heading|!\[x\]\(/m)
    expect(JSON.parse(runForms.json(seen))).toMatchObject({
      ok: false,
      checks: { unmatched: { count: 1, fails: true } },
    })
  })
})

describe('client reports as text', () => {
  const finding = (id: string, severity: 'error' | 'warning' | 'hint', message: string) => ({
    id,
    severity,
    subject: message,
    message,
    remedy: `Do not ${id}.`,
    docs: 'docs/reference/findings.md#a',
    times: 2,
    evidence: [{ seq: 3, requestId: 'req_3' }],
  })
  const failed = (message: string) => finding('a', 'error', message)
  const sessions: readonly ReportOfSession[] = [
    { session: 'default', findings: [finding('c', 'hint', 'hinted'), ...['one', 'two'].map(failed)] },
    {
      session: 'red',
      findings: [...['one', 'three', 'four'].map(failed), finding('b', 'warning', 'warned')],
    },
  ]

  it('have a block per kind, errors first, with the first distinct cases', () => {
    expect(summarizeClientReports(sessions)).toEqual({
      count: 6,
      sum: '5 errors, 1 warning, 1 hint',
      examples: [
        'error: a, 10 times in 2 sessions\n  one (#3 req_3)\n  two (#3 req_3)\n  three (#3 req_3, session red)\n  and 1 more case\n  Do not a.',
        'warning: b, 2 times\n  warned (#3 req_3, session red)\n  Do not b.',
        'hint: c, 2 times\n  hinted (#3 req_3)\n  Do not c.',
      ],
    })
  })
})

it('the page about findings is named only in the terminal: elsewhere, the package may not be installed', () => {
  const evidence = [{ seq: 0, requestId: 'req_1' }]
  const bug = {
    id: 'a',
    severity: 'error',
    subject: 'x',
    message: 'Bad.',
    remedy: 'Do b.',
    docs: 'x',
  } as const
  const clientReports = [{ session: 'default', findings: [{ ...bug, times: 1, evidence }] }]
  const seen = report([{}], { clientReports }, ['client-report'])
  const page = 'node_modules/gateway-sim/docs/reference/findings.md'
  expect(prettyRun(seen, plain, false)).toContain(`  For each finding, see ${page}\n`)
  const others = [runForms.markdown(seen), runForms.junit(seen), githubErrors(seen)]
  for (const text of others) expect(text).toMatch(/^(?![^]*findings\.md)[^]*Do b\./)
})

it('each failed check is an annotation in GitHub', () => {
  const seen = report([{ operation: undefined, url: '/a%\nb' }, {}], {}, ['unmatched', 'client-report'])
  expect(githubErrors(seen)).toMatch(
    /^::error title=gateway-sim::unmatched requests \(1\)%0APOST \/a%25.*\n$/,
  )
  expect(githubErrors(report([{}]))).toBe('')
})

describe('the environment', () => {
  it('adds the host once to the no-proxy lists, in both spellings', () => {
    const env = clientEnvironment({ no_proxy: ' 127.0.0.1 , example.org' }, 'http://127.0.0.1:1', 'k')
    expect([env['NO_PROXY'], env['no_proxy']]).toEqual(['127.0.0.1', '127.0.0.1,example.org'])
  })

  it('has no Google key that would make its SDK complain, unless one was set', () => {
    expect(Object.keys(clientEnvironment({}, 'http://127.0.0.1:1', 'k'))).not.toContain('GOOGLE_API_KEY')
    expect(clientEnvironment({ GOOGLE_API_KEY: 'real' }, 'http://127.0.0.1:1', 'k')['GOOGLE_API_KEY']).toBe(
      'k',
    )
  })
})

describe.each(['linux', 'win32'])('a program started on %s', (platform) => {
  const start = async (...words: string[]) =>
    (await startProgram(words, { PATH: process.env['PATH'] ?? '' }, platform)).ended

  it('passes on its exit code', async () => {
    expect(await start(process.execPath, '-e', 'process.exit(3)')).toEqual({ kind: 'exited', code: 3 })
    expect(await start('no-such-command')).toEqual({ kind: 'not started', reason: 'ENOENT' })
    expect(await start('a\0b')).toMatchObject({ kind: 'not started' })
  })
})
