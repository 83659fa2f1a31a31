/** The verdict as a whole: its order, its counts, its bounds, what it is folded from, and how it is shown. */
import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JournalEntry } from '../../../src/exchange/exchange.ts'
import {
  ConfigError,
  clientReportMarkdown,
  clientReportText,
  type SimulatorOptions,
} from '../../../src/index.ts'
import { clientReportSchema } from '../../../src/judges/client-report.ts'
import { listen } from '../../../src/node.ts'
import { findingsText } from '../../../src/vitest/failed-test.ts'
import { get, post, simulator } from '../../_setup.ts'
import { until } from '../../clients/_integrations.ts'
import { chat, createVideo, edit, found, poll, reportOnList } from './_clients.ts'

/** A client that does several things badly, the small ones first. */
async function misbehaved() {
  const sim = simulator()
  await (await post(sim, '/v1/chat/completions', { ...chat, max_tokens: 5 })).text()
  await (
    await post(sim, '/v1/chat/completions', { ...chat, max_tokens: 5, temperature: 0, top_p: 0.1 })
  ).text()
  await (await post(sim, '/v1/tob/retexture', { ...edit, callback: 'x' })).text()
  return sim
}

describe('the verdict', () => {
  it('names errors first, counts what is the same, and points to the calls', async () => {
    const sim = await misbehaved()
    const report = sim.clientReport()
    expect(report).toMatchObject({ ok: false, requests: 3, errors: 1, warnings: 1, hints: 1, more: 0 })
    expect(
      report.findings.map(({ severity, code, times, evidence }) => [
        severity,
        code,
        times,
        evidence.map(({ seq }) => seq),
      ]),
    ).toEqual([
      ['error', 'sent-callback', 1, [2]],
      ['warning', 'temperature-and-top-p', 1, [1]],
      ['hint', 'deprecated-parameter', 2, [0, 1]],
    ])
    expect(report.findings[0]?.evidence[0]?.requestId).toBe(sim.journal()[2]?.cause.requestId)
    expect(clientReportSchema().parse(report)).toEqual(report)
  })

  it('is good with hints alone', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', { ...chat, user: 'someone' })
    expect(sim.clientReport()).toMatchObject({ ok: true, hints: 1 })
  })

  it('may be asked at any time, and says the same when nothing has happened', async () => {
    const sim = simulator()
    const id = await createVideo(sim)
    await poll(sim, `/v1/videos/${id}`, 1, '60s')
    expect(found(sim.clientReport())).toEqual(['never-fetched-result'])
    expect(sim.clientReport()).toEqual(sim.clientReport())
    await (await get(sim, `/v1/videos/${id}/content`)).arrayBuffer()
    expect(found(sim.clientReport())).toEqual([])
  })

  it('begins anew with a reset', async () => {
    const sim = await misbehaved()
    sim.resetAll()
    expect(sim.clientReport()).toEqual({
      ok: true,
      requests: 0,
      errors: 0,
      warnings: 0,
      hints: 0,
      findings: [],
      more: 0,
    })
  })

  it('is of one session', async () => {
    const sim = simulator()
    await post(sim, '/s/other/v1/chat/completions', { ...chat, user: 'someone' })
    expect(found(sim.clientReport())).toEqual([])
    expect(found(sim.core.clientReportOf(sim.core.sessions.get('other').sandbox))).toEqual([
      'deprecated-parameter',
    ])
  })

  it('is the same bytes for the same calls', async () => {
    expect(JSON.stringify((await misbehaved()).clientReport())).toBe(
      JSON.stringify((await misbehaved()).clientReport()),
    )
  })
})

describe('over HTTP, where sockets say what clients do', () => {
  async function opened(options: SimulatorOptions) {
    const sim = simulator(options)
    const listening = await listen(sim)
    onTestFinished(() => listening.close())
    const send = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
      fetch(listening.url + path, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      })
    return { sim, send }
  }
  const once = (operation: string, fault: object | string): SimulatorOptions => ({
    scenarios: [{ title: 'A story', rules: [{ when: { operation, nth: 1 }, then: { fault } }] } as never],
  })

  it('who leaves a stream is seen to', async () => {
    const { sim, send } = await opened({ settings: { chat: { firstEventAfter: '0s' } } })
    const leave = new AbortController()
    const reader = (
      (await send('/v1/chat/completions', { ...chat, stream: true }, leave.signal))
        .body as ReadableStream<Uint8Array>
    ).getReader()
    await reader.read()
    leave.abort()
    await until(() => sim.journal()[0]?.ended === 'aborted')
    expect(found(sim.clientReport())).toEqual(['stream-cut-short'])
  })

  it('a submission whose socket was reset, or that was aborted, must not be blindly sent again', async () => {
    for (const fault of ['reset', 'hang']) {
      const { sim, send } = await opened(once('videos.create', fault))
      const leave = new AbortController()
      const first = send('/v1/videos', { prompt: 'a fox' }, leave.signal).catch(() => undefined)
      await until(() => sim.journal().length === 1)
      if (fault === 'hang') leave.abort()
      await first
      await until(() => sim.journal()[0]?.ended !== 'open')
      await send('/v1/videos', { prompt: 'a fox' })
      expect(found(sim.clientReport())).toEqual(['retried-create'])
    }
  })

  it('the same request ten times at once is no retry of the one that was rejected', async () => {
    const { sim, send } = await opened({
      ...once('chat.create', { kind: 'rate-limit', retryAfter: '20s' }),
      wallClock: () => 0,
    })
    await sim.preload()
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await send('/v1/chat/completions', chat)).status),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect(found(sim.clientReport())).toEqual([])
  })

  it('the same request a second later is one, and so is one that is sent at once', async () => {
    const then = { fault: { kind: 'rate-limit', retryAfter: '20s' } } as const
    const rules = [{ when: { operation: 'chat.create' }, then } as const]
    for (const connection of ['keep-alive', 'close'])
      for (const gap of [0, 100, 1000]) {
        let now = 0
        const sim = simulator({ scenarios: [{ title: 'A story', rules }], wallClock: () => now })
        const listening = await listen(sim)
        onTestFinished(() => listening.close())
        const agent = new Agent({ keepAlive: connection === 'keep-alive' })
        onTestFinished(() => agent.destroy())
        for (let attempt = 0; attempt < 2; attempt++) {
          await sendOn(agent, `${listening.url}/v1/chat/completions`, chat)
          now += gap
        }
        expect(sim.clientReport().findings).toMatchObject([
          { code: 'ignored-retry-after', evidence: [{ seq: 0 }, { seq: 1 }] },
        ])
      }
  })

  it('in auto, a report says that it has not checked a wait', async () => {
    const { sim, send } = await opened({
      ...once('chat.create', { kind: 'rate-limit', retryAfter: '20s' }),
      clock: 'auto',
    })
    await (await send('/v1/chat/completions', chat)).text()
    await (await send('/v1/chat/completions', chat)).text()
    const report = sim.clientReport()
    expect(report).toMatchObject({ ok: true, findings: [], uncheckedWaits: 1 })
    expect(clientReportText(report)).toBe(
      'Client report: no findings in 2 requests.\nWaits after 1 response with `retry-after` were not checked. ' +
        'Use a `manual` clock, or a `real` clock at speed 1.\n',
    )
  })

  it.each([
    ['at once', 0, { errors: 1 }, undefined],
    ['after the wait, but only by the fast clock', 1000, { errors: 0 }, 1],
    ['after the wait in real time', 20_000, { errors: 0 }, undefined],
  ])('on a fast clock, a request that is repeated %s', async (_when, gap, expected, unchecked) => {
    let wall = 0
    const { sim, send } = await opened({
      ...once('chat.create', { kind: 'rate-limit', retryAfter: '20s' }),
      clock: 'real',
      speed: 60,
      wallClock: () => wall,
    })
    await (await send('/v1/chat/completions', chat)).text()
    // A request on another connection may have been on its way.
    const headers = { authorization: 'Bearer sk-test', 'x-stainless-retry-count': '1' }
    wall += gap
    await (await post(sim, '/v1/chat/completions', chat, headers)).text()
    const report = sim.clientReport()
    expect(report).toMatchObject(expected)
    expect(report.uncheckedWaits).toBe(unchecked)
  })
})

/** Sends a body over the connections of an agent, and waits until the response and its connection are over. */
function sendOn(agent: Agent, url: string, body: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume().on('close', () => resolve())
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })
}

describe('settings', () => {
  it('switch findings off by their words', async () => {
    const sim = simulator({ settings: { clientReport: { off: ['sent-callback'] } } })
    await post(sim, '/v1/tob/retexture', { ...edit, callback: 'x' })
    expect(found(sim.clientReport())).toEqual([])
  })

  it('reject an unknown name', () => {
    const settings = { clientReport: { off: ['polled-to-fast' as never] } }
    expect(() => simulator({ settings })).toThrow(ConfigError)
    expect(() => simulator({ settings })).toThrow(
      'clientReport.off[0]: expected the code of a finding, got "polled-to-fast"; did you mean polled-too-fast?',
    )
  })
})

describe('folded from a list of entries', () => {
  it('says what was said as they came', async () => {
    const sim = await misbehaved()
    expect(reportOnList(sim.journal())).toEqual(sim.clientReport())
  })

  it('accepts a client that leaves after the answer has ended, but before its end marker', async () => {
    const sim = simulator({ clock: 'auto' })
    await (await post(sim, '/v1/chat/completions', { ...chat, stream: true })).text()
    const [entry] = sim.journal() as [JournalEntry]
    const left = (text: string | undefined): JournalEntry => ({
      ...entry,
      ended: 'aborted',
      response: { status: 200, headers: [], body: { text, size: 1, isComplete: true }, eventCount: 3 },
    })
    const lastWords = entry.response?.body?.text?.replace('data: [DONE]\n\n', '')
    expect(lastWords?.length).toBeLessThan(entry.response?.body?.text?.length ?? 0)
    expect(found(reportOnList([left(lastWords)]))).toEqual([])
    expect(found(reportOnList([left(lastWords?.split('\n\n').slice(0, 3).join('\n\n'))]))).toEqual([
      'stream-cut-short',
    ])
  })
})

describe('bounds', () => {
  it('a thousand findings are kept, the others counted', async () => {
    const sim = simulator({ clock: 'auto' })
    for (let call = 0; call < 60; call++)
      await post(sim, '/v1/chat/completions', {
        ...chat,
        ...Object.fromEntries(Array.from({ length: 20 }, (_, field) => [`field_${call}_${field}`, 1])),
      })
    const report = sim.clientReport()
    expect([report.findings.length, report.more]).toEqual([1000, 200])
    expect(clientReportText(report)).toContain('200 more findings not listed')
  })

  it('what the journal has evicted is not judged, but counted', async () => {
    const sim = simulator({ settings: { memory: { items: 4 } } })
    for (const user of [1, 2, 3, 4, 5]) await post(sim, '/v1/chat/completions', { ...chat, user: `${user}` })
    const report = sim.clientReport()
    const kept = sim.journal().length
    expect(kept).toBeLessThan(5)
    expect(report).toMatchObject({ requests: 5, unseen: 5 - kept, findings: [{ times: kept }] })
    expect(clientReportText(report)).toContain('could not be checked: the journal has evicted')
  })

  it('ten calls of each are named', async () => {
    const sim = simulator({ clock: 'auto' })
    for (let call = 0; call < 15; call++)
      await post(sim, '/v1/chat/completions', { ...chat, user: 'someone' })
    expect(sim.clientReport().findings).toMatchObject([
      { times: 15, evidence: Array.from({ length: 10 }, (_, seq) => ({ seq })) },
    ])
  })

  it('a body of any shape is judged without harm', async () => {
    const sim = simulator({ clock: 'auto' })
    for (const body of [
      null,
      1,
      'text',
      [],
      [[]],
      {},
      { messages: 1 },
      { messages: [null, 1, [], { role: 'assistant' }, {}] },
      { constructor: 1, toString: 2 },
      { temperature: {}, top_p: [] },
    ]) {
      for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/tob/pan', '/v1/videos', '/v1/unknown'])
        await post(sim, path, body)
    }
    expect(sim.clientReport().requests).toBe(50)
  })
})

describe('as text', () => {
  it('a terminal sees the sum, the facts, the remedy and the calls', async () => {
    const sim = await misbehaved()
    const [first, second, third] = sim.journal().map(({ cause }) => cause.requestId)
    expect(
      clientReportText(sim.clientReport()),
    ).toBe(`Client report: 1 error, 1 warning, 1 hint in 3 requests.
error: sent-callback (node_modules/gateway-sim/docs/reference/findings.md#sent-callback)
  imageJobs.retexture was sent with \`callback\`, which is not supported (status 400).
  Remove \`callback\` and poll \`GET /v1/tob/job/{jobId}\`.
  requests: #2 ${third}
warning: temperature-and-top-p (node_modules/gateway-sim/docs/reference/findings.md#temperature-and-top-p)
  chat.create was sent with both \`temperature: 0\` and \`top_p: 0.1\`.
  Set either \`temperature\` or \`top_p\`.
  requests: #1 ${second}
hint: deprecated-parameter (node_modules/gateway-sim/docs/reference/findings.md#deprecated-parameter), 2 times
  chat.create was sent with the deprecated parameter \`max_tokens\`: use \`max_completion_tokens\`.
  Use \`max_completion_tokens\` instead of \`max_tokens\`, \`safety_identifier\` and \`prompt_cache_key\` instead of \`user\`, \`tools\` instead of \`functions\`, and \`tool_choice\` instead of \`function_call\`.
  requests: #0 ${first}, #1 ${second}
`)
  })

  it('names the rule that answered a request', async () => {
    const rules = [{ id: 'lost', when: { operation: 'videos.create', times: 1 }, then: { fault: 'reset' } }]
    const sim = simulator({ scenarios: [{ title: 'A story', rules }] as never })
    const submit = async () => post(sim, '/v1/videos', { prompt: 'a fox' }).catch(() => undefined)
    await submit()
    await submit()
    const [first, second] = sim.journal().map(({ cause }) => cause.requestId)
    const line = `#0 ${first} [rule lost], #1 ${second}`
    const report = sim.clientReport()
    expect(report.findings).toMatchObject([{ code: 'retried-create', evidence: [{ rule: 'lost' }, {}] }])
    expect(clientReportText(report)).toContain(`  requests: ${line}\n`)
    expect(clientReportMarkdown(report)).toContain(`| ${line} |\n`)
    expect(findingsText(report, [])).toMatch(/ \[rule lost\]\n/)
  })

  it('a good client is told so', () => {
    expect(clientReportText(simulator().clientReport())).toBe('Client report: no findings in 0 requests.\n')
    expect(clientReportMarkdown(simulator().clientReport())).toBe(
      '## Client report\n\nno findings in 0 requests.\n',
    )
  })

  it('Markdown has a row for each finding, whatever a client has written', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', { ...chat, 'a|b\n<script>': 1 })
    const rows = clientReportMarkdown(sim.clientReport())
      .trimEnd()
      .split('\n')
      .filter((line) => line.startsWith('|'))
    expect(rows.length).toBe(3)
    expect(rows[2]?.replaceAll('\\|', '').split('|').length).toBe(7)
    expect(rows[2]).not.toContain('<script>')
  })
})
