/** A web app whose server calls the gateway. The SDK reads OPENAI_BASE_URL and OPENAI_API_KEY. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'

const page = readFileSync(new URL('index.html', import.meta.url))

createServer(async (request, response) => {
  if (request.method === 'GET') return response.setHeader('content-type', 'text/html').end(page)
  try {
    response.end(await answer(await text(request), request.headers['x-sim-session']))
  } catch (error) {
    response.writeHead(error.status === 503 ? 503 : 500).end()
  }
}).listen(process.env.PORT ?? 3000)

/** Each test has a session. In production, nothing sends the header `x-sim-session`. */
async function answer(question, session) {
  const client = new OpenAI({ maxRetries: 0, defaultHeaders: session && { 'x-sim-session': session } })
  const messages = [{ role: 'user', content: question }]
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o-mini', messages })
  return choices[0].message.content
}
