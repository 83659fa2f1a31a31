/**
 * Runs in a process of its own under Node 22: the msw integration in `setupServer` of msw 3. Says what it saw
 * as JSON.
 */
import * as msw from 'msw'
import { setupServer } from 'msw/node'
import { createSimulator } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'

const warnings: string[] = []
const sim = createSimulator({
  clock: 'manual',
  selfCheck: true,
  onWarning: (message) => warnings.push(message),
})
const server = setupServer(...handlers(sim, { origins: ['https://gateway.test'] }))
server.listen({ onUnhandledRequest: 'error' })

const ask = (body: object, init: RequestInit = {}): Promise<Response> =>
  fetch('https://gateway.test/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Name a colour.' }],
      ...body,
    }),
    ...init,
  })

/** What a body says until it ends or breaks. */
async function read(
  response: Response,
): Promise<{ readonly events: string[]; readonly error: Error | undefined }> {
  const decoder = new TextDecoder()
  let text = ''
  let error: Error | undefined
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk, { stream: true })
  } catch (reason) {
    error = reason as Error
  }
  return { events: text.split('\n\n').filter((event) => event !== ''), error }
}

const chat = (await ask({})).status

const stream = await ask({ stream: true })
sim.clock.advance('1m')
const streamEnd = (await read(stream)).events.at(-1)?.slice('data: '.length)

const broken = await ask({ model: 'sim-disconnect-after-3', stream: true })
sim.clock.advance('1m')
const cut = await read(broken)

const leaving = new AbortController()
const long = await ask({ model: 'sim-stall-after-3', stream: true }, { signal: leaving.signal })
sim.clock.advance('1m')
const reading = read(long)
setImmediate(() => leaving.abort())
const { error } = await reading
const { ended, response } = sim.journal().at(-1) ?? {}

const unknown = (await fetch('https://gateway.test/v1/nothing')).status

server.close()
console.log(
  JSON.stringify({
    generation: 'handleRequest' in msw ? 2 : 3,
    chat,
    streamEnd,
    cut: { events: cut.events.length, error: cut.error?.message },
    left: { error: error?.name, ended, eventCount: response?.eventCount },
    unknown,
    journal: sim
      .journal()
      .map((entry) => `${entry.operation ?? `${entry.request.method} ${entry.request.url}`} ${entry.ended}`),
    warnings,
  }),
)
