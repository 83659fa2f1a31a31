/** The reports on a trial: each says the same, within the limits of its place. */
import { describe, expect, it } from 'vitest'
import { renderers } from '../../src/report/renderers.ts'
import { reportOf, type Trial } from '../../src/trial/report.ts'
import { post, simulator } from '../_setup.ts'
import { chat } from '../judges/client-report/_clients.ts'
import { everyCell, judged, runWith, trialOf } from './_report.ts'

const render = (format: keyof typeof renderers, trial: Trial, flags = {}): string =>
  renderers[format](reportOf(trial, flags))

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
  it('has one verdict in each cell, in capitals where it is not acceptable', () => {
    const cells = [judged({ nth: 1 }), judged({ verdict: 'ignored', acceptable: false })]
    const text = render('text', trialOf(cells))
    expect(text).toMatch(/^ {2}operation +failure +once +after +always +after$/m)
    expect(text).toMatch(/^ {2}chat\.create +reset +recovered +1s +IGNORED +1s$/m)
    expect(text).toContain('gateway-sim trial --only chat.create:reset -- node app.js')
  })

  it('has a row for each request that fails alone, within 100 columns', () => {
    const cells = [judged({ nth: 1 }), judged({ nth: 2, verdict: 'gave up' }), judged({ verdict: 'hung' })]
    const table = render('text', trialOf(cells))
    expect(table).toMatch(/^ {2}chat\.create +reset \(request 1\) +recovered +1s +hung +1s$/m)
    expect(table).toMatch(/^ {2}chat\.create +reset \(request 2\) +gave up +1s *$/m)
    const lines = render('text', trialOf(everyCell(twelve))).split('\n')
    const rows = lines.slice(0, lines.indexOf('Not acceptable:'))
    expect(Math.max(...rows.map((line) => line.length))).toBeLessThanOrEqual(100)
  })
})

describe('the reports for programs', () => {
  it('have the requests and the session of each run as JSON', async () => {
    const sim = simulator()
    await (await post(sim, '/v1/chat/completions', chat)).text()
    const json = reportOf(trialOf([judged({ nth: 1, run: runWith(sim.journal()) })]), {}).data as {
      readonly runs: readonly object[]
    }
    expect(json.runs).toEqual([
      expect.objectContaining({
        ...{ operation: 'chat.create', failure: 'reset', nth: 1, always: false, verdict: 'recovered' },
        ...{ acceptable: true, exitCode: 0, evidence: [0], requests: 1, seconds: 1.25 },
        ...{ findings: [], session: 'chat.create: reset, request 1' },
      }),
    ])
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
    const text = render('markdown', trialOf(cells), { scenario: ['`'.repeat(50_000)] })
    expect(text.length).toBeLessThan(1_000_000)
    expect(text).toMatch(/^\d+ more parts are not shown\.$/m)
  })
})
