/** The reports on a trial: each says the same, within the limits of its place. */
import { describe, expect, it } from 'vitest'
import { renderers } from '../../src/report/renderers.ts'
import { reportOf, type Trial } from '../../src/trial/report.ts'
import { post, simulator } from '../_setup.ts'
import { chat } from '../client-report/_clients.ts'
import { again, everyCell, judged, runWith, trialOf } from './_report.ts'

const render = (format: keyof typeof renderers, trial: Trial, command = again): string =>
  renderers[format](reportOf(trial, command))

const twelve = [
  ...[
    'chat.create',
    'messages.create',
    'videos.create',
    'videos.retrieve',
    'videos.content',
    'files.uploadUrl',
  ],
  ...[
    'imageJobs.diffusion',
    'imageJobs.get',
    'images.generate',
    'images.edit',
    'models.list',
    'videos.remix',
  ],
]

describe('the report in a terminal', () => {
  it('fits 100 columns with twelve operations, as signs with a legend', () => {
    const lines = render('text', trialOf(everyCell(twelve))).split('\n')
    const table = lines.slice(0, lines.indexOf('Not acceptable:'))
    expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(table.find((line) => line.startsWith('  stall '))).toMatch(/^ {2}stall +H H( +H H){11}$/)
    expect(table.join(' ')).toContain('12 videos.remix')
    expect(table.join(' ')).toContain('H hung (not acceptable)')
  })

  it('has words where there is room, in capitals where a verdict is not acceptable', () => {
    const cells = [judged({ nth: 1 }), judged({ verdict: 'ignored', acceptable: false })]
    const text = render('text', trialOf(cells))
    expect(text).toMatch(/^ {2}reset +recovered, IGNORED$/m)
    expect(text).toContain(again())
  })

  it('has one sign for partial text, and for a run that did not happen', () => {
    const cells = [
      judged({ nth: 1, verdict: 'fell back', half: true, acceptable: false }),
      ...['messages.create', 'videos.create'].map((operation) => judged({ operation })),
    ]
    expect(render('text', trialOf(cells))).toMatch(/^ {2}reset +½ +\+ +\+$/m)
  })
})

describe('the reports for programs', () => {
  it('have duplicates, waste and the session of each run as JSON', async () => {
    const sim = simulator({
      scenarios: [
        {
          title: 'x',
          rules: [{ when: { operation: 'chat.create', nth: 1 }, then: { error: { status: 503 } } }],
        },
      ],
    })
    await (await post(sim, '/v1/chat/completions', chat)).text()
    await (await post(sim, '/v1/videos', { prompt: 'a fox' })).text()
    const json = reportOf(trialOf([judged({ nth: 1, run: runWith(sim.journal()) })]), again).data as {
      readonly runs: readonly object[]
    }
    expect(json.runs).toEqual([
      expect.objectContaining({
        ...{ operation: 'chat.create', failure: 'reset', nth: 1, always: false, verdict: 'recovered' },
        ...{ acceptable: true, exitCode: 0, evidence: [0], requests: 2, duplicates: 1, seconds: 1.25 },
        ...{ wasted: { requests: 1, tokens: 0 }, findings: [], session: 'chat.create: reset, request 1' },
      }),
    ])
  })

  it('count tokens of responses that were no result', async () => {
    const rule = { id: 'trial', when: { operation: 'chat.create' as const }, then: { text: 'Half of it.' } }
    const sim = simulator({ scenarios: [{ title: 'Damaged', rules: [rule] }] })
    await (await post(sim, '/v1/chat/completions', chat)).text()
    const cell = judged({ failure: 'malformed-json', nth: 1, run: runWith(sim.journal()) })
    const [run] = (reportOf(trialOf([cell]), again).data as { runs: { wasted: { tokens: number } }[] }).runs
    expect(run?.wasted.tokens).toBeGreaterThan(5)
  })

  it('have a case for each run as JUnit', () => {
    const xml = render('junit', trialOf([judged({ nth: 1 }), judged({ verdict: 'hung', acceptable: false })]))
    expect(xml).toContain('tests="2" failures="1"')
  })
})

describe('the report in Markdown', () => {
  it('folds the command and the scenario of each unacceptable run', () => {
    const text = render('markdown', trialOf(everyCell(twelve)))
    expect(text.match(/<details>/g)).toHaveLength(24)
    expect(text).toContain('```yaml\ntitle: "chat.create: stall, request 1"')
    expect(text).toContain('\\<b\\>')
  })

  it('stays below the limit of GitHub, and counts the runs that are not listed', () => {
    const cells = Array.from({ length: 30 }, () => judged({ verdict: 'hung', acceptable: false }))
    const text = render('markdown', trialOf(cells), () => '`'.repeat(50_000))
    expect(text.length).toBeLessThan(1_000_000)
    expect(text).toMatch(/^\d+ more parts are not shown\.$/m)
  })
})
