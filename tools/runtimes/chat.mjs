import { createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'
import OpenAI from 'openai'

const server = await listen(createSimulator())
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test' })
const request = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] }
const { choices } = await client.chat.completions.create(request)
let streamed = ''
for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
  streamed += chunk.choices[0]?.delta.content ?? ''
await server.close()
console.log(choices[0].message.content, streamed)
