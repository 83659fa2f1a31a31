/**
 * The cost of rules that do not match: CPU time of a plain chat call with a hundred of them, over none.
 */
import { postBytes } from './load.mjs'
import { measure, start, ways } from './measure.mjs'

export async function rules(print) {
  const requests = Array.from({ length: 200 }, (_, n) =>
    postBytes('/v1/chat/completions', {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: `Tell me about subject ${n}.` }],
    }),
  )
  const none = { server: await start('simulator'), requests }
  const many = { server: await start('rules'), requests }
  const { cpu, ratio } = await measure({ none, many }, ways.many)
  for (const { server } of [none, many]) server.stop()
  print(
    `plain chat with 100 rules that do not match: ${cpu.many.toFixed(0)} µs of CPU, with none ` +
      `${cpu.none.toFixed(0)} µs, ratio ${ratio.many.toFixed(2)} (at most 8.00)`,
  )
  return [{ name: '100 rules over none', got: ratio.many, atMost: 8 }]
}
