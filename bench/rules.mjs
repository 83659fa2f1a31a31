/**
 * What rules cost that fit no call: CPU time of a plain chat call under ten thousand of them as a share of
 * that under none. Rounds alternate, so that drift of the machine affects both.
 */
import { ask, median, start } from './children.mjs'
import { load, postBytes } from './load.mjs'

const rounds = 5

export async function rules(print) {
  const none = await start('simulator')
  const many = await start('rules')
  const requests = Array.from({ length: 200 }, (_, n) =>
    postBytes('/v1/chat/completions', {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: `Tell me about subject ${n}.` }],
    }),
  )
  const costs = { none: [], many: [] }
  for (let round = -1; round < rounds; round++)
    for (const [server, list] of [
      [none, costs.none],
      [many, costs.many],
    ]) {
      const before = (await ask(server, { cpu: true })).cpu
      const { replies } = await load({ port: server.port, requests, seconds: 2 })
      const after = (await ask(server, { cpu: true })).cpu
      if (round >= 0) list.push((after.user + after.system - before.user - before.system) / replies)
    }
  for (const { child } of [none, many]) child.send({ stop: true })
  const wanted = 1.2
  const ratio = median(costs.many.map((cost, round) => cost / costs.none[round]))
  print(
    `plain chat under 10,000 rules that do not fit: ${median(costs.many).toFixed(0)} µs CPU, under none ` +
      `${median(costs.none).toFixed(0)} µs, ratio ${ratio.toFixed(2)} (at most ${wanted.toFixed(2)})`,
  )
  return { ratio, wanted }
}
