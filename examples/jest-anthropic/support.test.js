const Anthropic = require('@anthropic-ai/sdk')
const { clientReportText, createSimulator } = require('gateway-sim')
const { answer } = require('./support.js')

const sim = createSimulator()
const client = new Anthropic({
  baseURL: 'http://gateway.test',
  apiKey: 'sk-any',
  fetch: sim.fetch,
  maxRetries: 0,
})

afterEach(() => {
  try {
    sim.verify({ usedRules: true })
    const report = sim.clientReport()
    if (!report.ok) throw new Error(clientReportText(report))
  } finally {
    sim.resetAll()
  }
})
afterAll(() => sim.close())

test('answers a question', async () => {
  sim.overrides.add({ when: { operation: 'messages.create' }, then: { text: 'Within 30 days.' } })
  expect(await answer(client, 'When can I return my order?')).toBe('Within 30 days.')
})

test('falls back to the smaller model', async () => {
  sim.overrides.add({ when: { model: 'claude-sonnet-4-5' }, then: { fault: 'overloaded' } })
  expect(await answer(client, 'Reply with exactly: pong')).toBe('pong')
  sim.verify({ requests: { operation: 'messages.create', model: 'claude-haiku-4-5' }, times: 1 })
})

// The value in brackets needs no rule: node_modules/gateway-sim/docs/start/failures-without-setup.md
test.each([
  ['length', 'max_tokens'],
  ['refusal', 'refusal'],
])('rejects an answer with [sim:%s]', async (value, reason) => {
  await expect(answer(client, `When can I return my order? [sim:${value}]`)).rejects.toThrow(reason)
})
