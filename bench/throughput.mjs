/**
 * Requests per second of the simulator as a share of what bare node:http reaches with the same bytes, in one
 * run: plain chat, and a stream of about a hundred chunks without delays, which bare node:http writes event
 * by event and, for comparison, in one piece. 1,000 distinct bodies; validation, auth, tokens and journal are
 * on. Rounds alternate, so that drift of the machine affects both.
 */
import { ask, median, start } from './children.mjs'
import { load, postBytes } from './load.mjs'

const rounds = 5

const subjects = [
  'gardening',
  'music',
  'sailing',
  'bread',
  'chess',
  'weather',
  'trains',
  'glass',
  'maps',
  'bees',
]
const bodyOf = (index, stream) => ({
  model: 'gpt-4o-mini',
  temperature: 0.7,
  messages: [
    { role: 'system', content: 'You are a helpful assistant who answers briefly.' },
    {
      role: 'user',
      content:
        `Please tell me about ${subjects[index % subjects.length]}, part ${index}` +
        `${stream ? ', in nine sentences' : ''}.`,
    },
  ],
  ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
})

export async function throughput(print) {
  const simulator = await start('simulator')
  const bare = await start('bare')
  const results = []
  for (const [name, stream, wanted] of [
    ['plain chat', false, 0.5],
    ['stream, undelayed', true, 0.5],
    ['the same in one piece', 'whole', undefined],
  ]) {
    const bodies = Array.from({ length: 1000 }, (_, index) => bodyOf(index, stream !== false))
    const requests = bodies.map((body) => postBytes('/v1/chat/completions', body))
    const replies = []
    let chunks = 0
    for (const body of bodies.slice(0, 200)) {
      const response = await fetch(`http://127.0.0.1:${simulator.port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-bench', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      chunks += (text.match(/^data: /gm) ?? []).length
      const { 'transfer-encoding': _coding, ...headers } = Object.fromEntries(response.headers)
      replies.push({
        headers: { ...headers, connection: 'keep-alive' },
        parts: stream === true ? text.split(/(?<=\n\n)/) : [text],
      })
    }
    await ask(bare, { replies })
    const ours = []
    const theirs = []
    const cpu = { ours: [], theirs: [] }
    for (let round = -1; round < rounds; round++) {
      for (const [server, list, costs] of [
        [bare, theirs, cpu.theirs],
        [simulator, ours, cpu.ours],
      ]) {
        const before = (await ask(server, { cpu: true })).cpu
        const result = await load({ port: server.port, requests, seconds: 3 })
        const after = (await ask(server, { cpu: true })).cpu
        if (round < 0) continue
        list.push(result.perSecond)
        costs.push((after.user + after.system - before.user - before.system) / result.replies)
      }
    }
    const ratios = ours.map((value, index) => value / theirs[index])
    const row = {
      name,
      wanted,
      chunks: Math.round(chunks / replies.length),
      bare: median(theirs),
      simulator: median(ours),
      ratio: median(ratios),
      least: Math.min(...ratios),
      cpuBare: median(cpu.theirs),
      cpuSimulator: median(cpu.ours),
    }
    results.push(row)
    const rate = (perSecond, cpu) => `${Math.round(perSecond)} req/s (${cpu.toFixed(0)} µs CPU)`
    const target = wanted === undefined ? '' : `; target ${wanted.toFixed(2)}`
    print(
      `${name} (${row.chunks} event(s) on average): bare node:http ${rate(row.bare, row.cpuBare)}, ` +
        `simulator ${rate(row.simulator, row.cpuSimulator)}, ratio ${row.ratio.toFixed(2)} ` +
        `(least ${row.least.toFixed(2)}${target})`,
    )
  }
  simulator.child.send({ stop: true })
  bare.child.send({ stop: true })
  return results
}
