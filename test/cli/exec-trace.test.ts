/** `exec --report har=FILE` and `html=FILE`: all requests of a run, as files that a CI job keeps. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHar } from '../../src/exchange/read-har.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import { chat, exec, script } from './_exec.ts'
import { directoryWith, emptyDirectory, run } from './_io.ts'

/** The data of a saved page. */
function traceIn(html: string): SavedTrace {
  const [, json = ''] = /<script type="application\/json" id="trace">([^<]*)<\/script>/.exec(html) ?? []
  return JSON.parse(json) as SavedTrace
}

describe('the reports with all requests', () => {
  it('are a HAR file, and a page with the requests of all sessions, also of deleted ones', async () => {
    const cwd = emptyDirectory()
    writeFileSync(join(cwd, 'rules.yaml'), '{ title: Rules, rules: [{ id: hi, then: { text: hi } }] }')
    const { code } = await exec(
      [
        '--scenario',
        join(cwd, 'rules.yaml'),
        '--report',
        `har=${join(cwd, 'run.har')}`,
        '--report',
        `html=${join(cwd, 'run.html')}`,
      ],
      script(
        `await (await call('/v1/chat/completions', ${chat})).text();` +
          `await call('/__sim/sessions', { name: 'gone' });` +
          `await (await call('/s/gone/v1/chat/completions', ${chat.replace('hello', '</script><b>')})).text();` +
          `await fetch(process.env.GATEWAY_SIM_URL + '/__sim/sessions/gone', { method: 'DELETE' })`,
      ),
    )
    expect(code).toBe(0)
    const exchanges = readHar(readFileSync(join(cwd, 'run.har'), 'utf8'), 'run.har')
    expect(exchanges.map(({ session }) => session)).toEqual(['default', 'gone'])
    expect(await run(['check', '--recordings', 'run.har'], { cwd })).toMatchObject({ code: 0 })

    const html = readFileSync(join(cwd, 'run.html'), 'utf8')
    const { sessions, title, cut } = traceIn(html)
    expect(title).toContain('--input-type=module')
    expect(cut).toEqual([])
    expect(sessions.map(({ name, entries }) => [name, entries.length])).toEqual([
      ['default', 1],
      ['gone', 1],
    ])
    for (const { scenarios } of sessions)
      expect(scenarios.map(({ rules }) => rules)).toEqual([
        [{ id: 'hi', matched: 1, answered: 1, enabled: true }],
      ])
    expect(sessions[0]?.explanations[0]?.because).not.toBe('')
    expect(html).toContain('content-security-policy')
  })

  it('are those of every scenario that `replay` has run', async () => {
    const scenario = (title: string): string =>
      `{ title: ${title}, steps: [{ call: models.list, expect: { status: 200 } }] }`
    const cwd = directoryWith({ 'a.yaml': scenario('a'), 'b.yaml': scenario('b') })
    const flags = ['--report', 'har=run.har', '--report', 'html=run.html']
    expect(await run(['replay', '.', ...flags], { cwd })).toMatchObject({ code: 0 })
    expect(readHar(readFileSync(join(cwd, 'run.har'), 'utf8'), 'run.har')).toHaveLength(2)
    const { sessions, title } = traceIn(readFileSync(join(cwd, 'run.html'), 'utf8'))
    expect(sessions.map(({ name }) => name)).toEqual(['default', 'default (2)'])
    expect(title).toContain('a.yaml')
    const elsewhere = await run(
      ['replay', '.', '--base-url', 'http://127.0.0.1:9', '--api-key', 'sk-1', ...flags],
      { cwd },
    )
    expect(elsewhere.stderr).toContain('no requests to write as')
  })
})
