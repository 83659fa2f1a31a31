/** `GET /__sim/metrics`: read by a parser of its format, and what it says. */
import { request } from 'node:http'
import parsePrometheus from 'parse-prometheus-text-format'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCallCounts } from '../../src/control/control.ts'
import { prometheusText } from '../../src/control/metrics.ts'
import { listen } from '../../src/node.ts'
import { post, simulator } from '../_setup.ts'

type Sim = ReturnType<typeof simulator>

const base = 'http://gateway.test'
const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }

async function metricsOf(sim: Sim): Promise<(name: string) => Readonly<Record<string, number>>> {
  const response = await sim.fetch(`${base}/__sim/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return samplesIn(await response.text())
}

/** The samples of a metric by their labels. */
function samplesIn(text: string): (name: string) => Readonly<Record<string, number>> {
  const families = parsePrometheus(text)
  return (name) =>
    Object.fromEntries(
      families
        .find((family) => family.name === name)
        ?.metrics.map(({ labels = {}, value }) => [Object.values(labels).join(' '), Number(value)]) ?? [],
    )
}

describe('metrics', () => {
  it('need the token if the control API has one', async () => {
    const sim = simulator({ settings: { control: { token: 'a-long-token' } } })
    expect((await sim.fetch(`${base}/__sim/metrics`)).status).toBe(401)
    const given = { headers: { authorization: 'Bearer a-long-token' } }
    expect((await sim.fetch(`${base}/__sim/metrics`, given)).status).toBe(200)
  })

  it('count requests of every session by operation and status, across resets', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', chat)
    await post(sim, '/s/other/v1/chat/completions', chat)
    sim.resetAll()
    await post(sim, '/v1/chat/completions', { ...chat, temperature: 9 })
    for (let at = 0; at < 3; at++) await post(sim, `/v1/no-such-thing-${at}`, {})
    expect((await metricsOf(sim))('gateway_sim_requests_total')).toEqual({
      'chat.create 200': 2,
      'chat.create 400': 1,
      'none 404': 3,
    })
  })

  it('report resource counts of all sessions, and evictions', async () => {
    const sim = simulator({
      clock: 'manual',
      settings: { memory: { items: 6, sessions: 20 } },
    })
    for (const path of ['', '', '', '/s/other'])
      await post(sim, `${path}/v1/videos`, { model: 'sora-2', prompt: 'a boat' })
    const metrics = await metricsOf(sim)
    const value = (name: string): number | undefined => metrics(name)['']
    expect(value('gateway_sim_sessions')).toBe(2)
    expect(value('gateway_sim_sessions_limit')).toBe(20)
    expect(value('gateway_sim_resources')).toBe(3)
    expect(metrics('gateway_sim_active_jobs')).toEqual({ video: 3 })
    expect(value('gateway_sim_journal_entries')).toBe(4)
    expect(value('gateway_sim_items')).toBe(9)
    expect(value('gateway_sim_session_items_limit')).toBe(6)
    expect(value('gateway_sim_bytes')).toBeGreaterThan(100)
    expect(value('gateway_sim_evicted_total')).toBe(1)
    sim.clock.advance('1d')
    expect((await metricsOf(sim))('gateway_sim_active_jobs')).toEqual({ video: 1 })
  })

  it('include process metrics only on a server of its own', async () => {
    const sim = simulator()
    expect((await metricsOf(sim))('process_resident_memory_bytes')).toEqual({})
    const server = await listen(sim)
    onTestFinished(() => server.close())
    const text = await new Promise<string>((resolve, reject) => {
      request(`${server.url}/__sim/metrics`, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
        response.on('end', () => resolve(body))
      })
        .on('error', reject)
        .end()
    })
    const metrics = samplesIn(text)
    expect(metrics('process_resident_memory_bytes')['']).toBeGreaterThan(1e6)
    for (const name of ['p50', 'p99', 'max'])
      expect(metrics(`nodejs_eventloop_lag_${name}_seconds`)['']).toBeGreaterThanOrEqual(0)
  })

  it('are documented, each with a type, and counters end in _total', async () => {
    const sim = simulator()
    await post(sim, '/v1/chat/completions', chat)
    const families = parsePrometheus(await (await sim.fetch(`${base}/__sim/metrics`)).text())
    expect(families.length).toBeGreaterThan(15)
    expect(
      families.filter(
        ({ name, help, type }) =>
          help === '' ||
          !/^(?:GAUGE|COUNTER)$/.test(type) ||
          name.endsWith('_total') !== (type === 'COUNTER'),
      ),
    ).toEqual([])
  })
})

it('labels and help texts are escaped', () => {
  const text = prometheusText([
    { name: 'a', type: 'gauge', help: 'b\\c\nd', samples: [{ labels: { of: 'x"y\\z\n' }, value: 1.5 }] },
    { name: 'nothing', type: 'gauge', help: 'no value', samples: [] },
  ])
  expect(text).toBe('# HELP a b\\\\c\\nd\n# TYPE a gauge\na{of="x\\"y\\\\z\\n"} 1.5\n')
  expect(samplesIn(text)('a')).toEqual({ 'x"y\\z\n': 1.5 })
})

it('a count costs one step in a map of operations and one in a map of statuses', () => {
  const counts = createCallCounts()
  const respond = (operation: string | undefined, status: number) =>
    counts.count({ operation, response: { status, headers: [] } })
  for (let at = 0; at < 5; at++) respond('chat.create', at < 3 ? 200 : 429)
  respond(undefined, 404)
  expect([...counts.entries()]).toEqual([
    { operation: 'chat.create', status: 200, count: 3 },
    { operation: 'chat.create', status: 429, count: 2 },
    { operation: 'none', status: 404, count: 1 },
  ])
})
