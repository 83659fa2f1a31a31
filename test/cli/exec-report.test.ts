/**
 * What `exec` says of a run, where a real run would have to be contrived: bugs, hostile text, very many
 * calls, Windows.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { clientEnvironment } from '../../src/cli/exec/client-environment.ts'
import { type SessionReport, Tally } from '../../src/cli/exec/record-run.ts'
import {
  type Failure,
  type RunFacts,
  type RunResult,
  resultOf,
  runReport,
} from '../../src/cli/exec/run-report.ts'
import { startProgram } from '../../src/cli/exec/start-program.ts'
import { type AnsweredFacts, KeptExchange, noCause } from '../../src/exchange/kept-exchange.ts'
import { renderers } from '../../src/report/renderers.ts'

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
): RunResult {
  const tally = new Tally()
  for (const one of requests) tally.record(exchange(one))
  return resultOf({
    command: ['npm', 'test'],
    end: { kind: 'exited', code: 0 },
    commandCode: 0,
    tally,
    rules: [],
    clientReports: [],
    failOn: new Set(failOn),
    ...given,
  })
}

const text = (run: RunResult, quiet = false): string => renderers.text(runReport(run, quiet))
const as =
  (format: keyof typeof renderers) =>
  (run: RunResult): string =>
    renderers[format](runReport(run))
const render = { markdown: as('markdown'), junit: as('junit'), json: as('json'), github: as('github') }

const check = ({ checks }: RunResult, wanted: string) => checks.find(({ name }) => name === wanted)

describe('a bug of the simulator', () => {
  const buggy = report([{ status: 500, bug: 'TypeError: nope\n    at somewhere' }])

  it('fails every run, with or without --fail-on', () => {
    expect(buggy.exitCode).toBe(1)
    expect(check(buggy, 'bugs')).toMatchObject({
      count: 1,
      fails: true,
      items: [{ title: 'POST /v1/chat/completions got 500: TypeError: nope' }],
    })
    expect(text(buggy, true)).toBe(
      `gateway-sim exec: npm test

bugs in gateway-sim, please report them (1):
  POST /v1/chat/completions got 500: TypeError: nope

failed checks: bugs (1); npm test exited with 0, but gateway-sim exits with 1
`,
    )
  })
})

describe('the counts', () => {
  it('list requests by operation and by status in order of occurrence, those without an operation last', () => {
    const { tally } = report([
      {},
      { status: 429 },
      { session: 'red' },
      { operation: undefined, url: '/nope', status: 404 },
      { operation: 'models.list' },
      { status: 0 },
    ])
    expect({ requests: tally.requests, sessions: tally.sessions }).toEqual({ requests: 6, sessions: 2 })
    expect(tally.operations().map(({ operation, statuses }) => [operation, ...statuses])).toEqual([
      ['chat.create', [200, 2], [429, 1], [0, 1]],
      ['models.list', [200, 1]],
      [undefined, [404, 1]],
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
    expect(check(seen, 'rejected')?.items.map(({ title }) => title)).toEqual([
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
    const rules = ['used', 'never', 'nor-this']
    const seen = report([rule('used')], { rules })
    expect(check(seen, 'unused')?.items.map(({ title }) => title)).toEqual(['never', 'nor-this'])
  })

  it('have bounded output, however many there are', () => {
    const many = report(
      Array.from({ length: 500 }, (_, at) => ({ operation: undefined, url: `/nope/${at}`, status: 404 })),
    )
    expect(check(many, 'unmatched')).toMatchObject({ count: 500 })
    expect(text(many).split('\n').length).toBeLessThan(60)
    expect(text(many)).toContain('\n  and 480 more\n')
  })
})

describe('the end of a report', () => {
  const rejected = { status: 400, rejection: { type: 'invalid_request_error', code: 400 } }
  const failed = { end: { kind: 'exited', code: 1 }, commandCode: 1 } as const

  it('says how the command ended, and which checks failed', () => {
    const summary = (...given: Parameters<typeof report>): string => runReport(report(...given)).summary
    expect(summary([rejected])).toBe('npm test exited with 0')
    expect(summary([rejected], failed)).toBe('npm test exited with 1')
    expect(summary([rejected], failed, ['rejected'])).toBe(
      'failed checks: rejected (1); npm test exited with 1',
    )
    expect(summary([rejected], {}, ['rejected'])).toBe(
      'failed checks: rejected (1); npm test exited with 0, but gateway-sim exits with 1',
    )
    const script = ['bash', '-e', '-o', 'pipefail', '-c', 'npx playwright test --retries 1\nnpm test']
    expect(summary([rejected], { ...failed, command: script })).toBe(
      'npx playwright test --retries 1 exited with 1',
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
    expect(text(seen)).toContain(`\nrules, reserved values and faults:\n  ${lines.join('\n  ')}\n`)
    expect(text(seen, true)).not.toContain('rule lost')
    for (const line of lines) expect(render.markdown(seen)).toContain(`- ${line}\n`)
    expect(JSON.parse(render.json(seen))).toMatchObject({
      sources: { 'rule lost, fault cut': 2, 'reserved model sim-503': 1, outage: 1 },
    })
  })
})

describe('what the client reports could not check', () => {
  it('is a note of the case client-report in JUnit, also if the run passed', () => {
    const xml = render.junit(
      report([{}], {
        clientReports: [{ session: 'default', findings: [], uncheckedWaits: 2, unseen: 7 }],
      }),
    )
    expect(xml).toMatch(
      /name="client-report"[^>]*>\n +<system-out>no findings\nThe first 7 requests could not be checked[^<]*\nWaits after 2 responses with `retry-after` were not checked/,
    )
  })

  it('is not mentioned if there is nothing', () =>
    expect(render.junit(report([{}]))).not.toMatch(/Waits|could not be checked/))
})

describe('text sent by a client', () => {
  const hostile = '/v1/<b>&"]]>\u001b[2J\u0000|`![x](http://evil)\n# heading'
  const seen = report(
    [{ operation: undefined, url: hostile, status: 404 }],
    { command: ['npm', '<&"\u0001'] },
    ['unmatched'],
  )

  it('is escaped in XML', () => {
    const xml = render.junit(seen)
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(xml).not.toMatch(/[\u0000-\u0008\u001b]/)
    const { testsuites } = new XMLParser({ ignoreAttributes: false, processEntities: true }).parse(xml)
    const cases = testsuites.testsuite.testcase as readonly { readonly failure?: { '#text': string } }[]
    expect(cases.flatMap(({ failure }) => failure?.['#text'] ?? [])[0]).toContain('/v1/<b>&"]]>')
  })

  it('cannot control the terminal or add Markdown', () => {
    expect(text(seen)).not.toMatch(/[\u0000\u001b]/)
    expect(render.markdown(seen)).toContain('/v1/\\<b\\>&"\\]\\]\\>')
    expect(render.markdown(seen)).not.toMatch(/^# heading|!\[x\]\(/m)
    expect(JSON.parse(render.json(seen))).toMatchObject({
      ok: false,
      checks: { unmatched: { count: 1, fails: true } },
    })
  })
})

describe('client reports as text', () => {
  const finding = (code: string, severity: 'error' | 'warning' | 'hint', message: string) => ({
    code,
    severity,
    subject: message,
    message,
    remedy: `Do not ${code}.`,
    docs: 'docs/reference/findings.md#a',
    times: 2,
    evidence: [{ seq: 3, requestId: 'req_3' }],
  })
  const failed = (message: string) => finding('a', 'error', message)
  const sessions: readonly SessionReport[] = [
    { session: 'default', findings: [finding('c', 'hint', 'hinted'), ...['one', 'two'].map(failed)] },
    {
      session: 'red',
      findings: [...['one', 'three', 'four'].map(failed), finding('b', 'warning', 'warned')],
    },
  ]

  it('have a block per kind, errors first, with the first distinct cases', () => {
    expect(check(report([{}], { clientReports: sessions }), 'client-report')).toMatchObject({
      count: 6,
      title: 'client report (5 errors, 1 warning, 1 hint)',
      items: [
        {
          outcome: 'failed',
          title: 'error: a, 10 times in 2 sessions',
          lines: [
            'one (#3 req_3)',
            'two (#3 req_3)',
            'three (#3 req_3, session red)',
            'and 1 more case',
            'Do not a.',
          ],
        },
        {
          outcome: 'warning',
          title: 'warning: b, 2 times',
          lines: ['warned (#3 req_3, session red)', 'Do not b.'],
        },
        { outcome: 'note', title: 'hint: c, 2 times', lines: ['hinted (#3 req_3)', 'Do not c.'] },
      ],
    })
  })
})

it('each failed check is one annotation in GitHub, and a finding that fails nothing is none', () => {
  const bug = {
    code: 'a',
    severity: 'error',
    subject: 'x',
    message: 'Bad.',
    remedy: 'Do b.',
    docs: 'x',
  } as const
  const findings = [{ ...bug, times: 1, evidence: [{ seq: 0, requestId: 'req_1' }] }]
  const clientReports = [{ session: 'default', findings }]
  const given = (failOn: readonly Failure[]) =>
    render.github(report([{ operation: undefined, url: '/a%\nb' }, {}], { clientReports }, failOn))
  expect(given(['unmatched'])).toMatch(
    /^::error title=gateway-sim::unmatched requests \(1\)%0APOST \/a%25.*\n$/,
  )
  expect(given(['client-report'])).toMatch(
    /^::error title=gateway-sim::client report \(1 error\)%0Aerror: a%0ABad\. .*%0ADo b\.\n$/,
  )
  expect(given([])).toBe('')
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
