/** `explain-call` says which tools were considered for a call, with what score, and why none was called. */
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../_setup.ts'

const text = { type: 'string' }
const tools = [
  ['get_weather', 'Get the weather of a city', { city: text }],
  ['delete_file', 'Delete a file', { path: text }],
].map(([name, description, properties]) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties, required: Object.keys(properties as object) },
  },
}))

async function explained(content: string, more: object = {}): Promise<string> {
  const sim = simulator()
  await post(sim, '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
    tools,
    ...more,
  })
  return (await sim.explainRequest(0)).text
}

describe('an explanation of a call with tools', () => {
  it('lists them, the best first, with the parts of their scores', async () => {
    expect(await explained('What is the weather in Paris?')).toMatch(
      /Candidate tools.*\n {2}- get_weather: \d.*words in the tool name.*\n {2}- delete_file: -\d.*tool with side effects/,
    )
  })

  it('says why none was called', async () => {
    expect(await explained('Write a poem about trains')).toContain(
      'No tool was called: no score reached 2.5.',
    )
    expect(await explained('Tell me a joke')).toContain('the prompt addresses the model itself')
    expect(await explained('Weather in Paris? Do not use tools.')).toContain('the prompt declines tools')
  })

  it('says nothing of tools in a call without them', async () => {
    expect(await explained('Hello', { tools: undefined })).not.toMatch(/tool/i)
  })
})
