/** An override with a fault breaks the response that the scenario gives. */
import { expect, it } from 'vitest'
import { post, simulator, withRules } from '../../_setup.ts'

const sunny = 'id: sunny, when: { operation: chat.create }, then: { text: Sunny all day. }'
const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Weather?' }] }

async function streamed(sim: ReturnType<typeof simulator>): Promise<string> {
  const response = await post(sim, '/v1/chat/completions', { ...chat, stream: true })
  return response.text()
}

it('keeps the content of the rule that matches, and breaks it at its place', async () => {
  const sim = simulator({ ...withRules([sunny]), clock: 'auto' })
  sim.overrides.add({ fault: 'malformed-event', when: { operation: 'chat.create' }, times: 1 })
  const broken = await streamed(sim)
  const whole = await streamed(sim)
  expect(broken).toContain('"content":" all"')
  expect(whole.split('\n\n')).toHaveLength(broken.split('\n\n').length)
  expect(whole).not.toBe(broken)
  const { rule, text } = sim.explainRequest(0)
  expect(rule).toBe('override-1')
  expect(text).toContain('Applied fault: malformed-event. The rest of the response is from rule sunny.')
  expect(sim.unusedRules()).toEqual([])
})

it('breaks a sequence where it is, several at once, with the faults of the rule', async () => {
  const rule =
    'id: two, when: { operation: chat.create }, then: { sequence: [{ text: One. }, { text: Two., fault: bom }] }'
  const sim = simulator({ ...withRules([rule]), clock: 'auto' })
  sim.overrides.add({ fault: 'missing-end' })
  sim.overrides.add({ fault: { kind: 'line-ends', ends: 'cr' } })
  expect(await streamed(sim)).not.toContain('[DONE]')
  const second = await streamed(sim)
  expect(second).toContain('Two')
  expect(second).not.toContain('[DONE]')
  expect(second).not.toContain('\n')
  expect(sim.journal().at(-1)?.cause.faults).toEqual(['bom', 'missing-end', 'line-ends'])
})

it('keeps the content of a reserved value', async () => {
  const sim = simulator({ clock: 'auto' })
  sim.overrides.add({ fault: 'missing-end' })
  const body = { ...chat, messages: [{ role: 'user', content: '[sim:refusal]' }], stream: true }
  const text = await (await post(sim, '/v1/chat/completions', body)).text()
  expect(text).toContain('"refusal":"')
  expect(text).not.toContain('[DONE]')
})

it('replaces the response if the fault does: the rule is not used up', async () => {
  const sim = simulator({ ...withRules([sunny.replace('chat.create }', 'chat.create, times: 1 }')]) })
  sim.overrides.add({ fault: 'overloaded', times: 1 })
  expect((await post(sim, '/v1/chat/completions', chat)).status).toBe(503)
  expect(await (await post(sim, '/v1/chat/completions', chat)).text()).toContain('Sunny')
})
