/**
 * The servers of the benchmarks, each in its own process: the simulator, the same under a hundred rules,
 * and what it is compared with. `bare`, `express`, `fastify` and `msw` answer with given responses, those of
 * the simulator; `aimock` answers with its own for the same text.
 *
 *   node bench/servers.mjs KIND [ROOT]   ROOT is a built checkout, this one unless given
 */
import { createServer } from 'node:http'

const [kind, root = new URL('..', import.meta.url).href] = process.argv.slice(2)

/** The responses that are sent in turn: `{ headers, parts, encoding }`. */
let responses = []
let turn = 0
const next = () => responses[turn++ % responses.length]
/** The headers of a response that is sent whole. */
const whole = ({ headers: { 'content-length': _, ...headers }, parts, encoding = 'utf8' }) => ({
  headers,
  body: encoding === 'utf8' ? parts.join('') : Buffer.from(parts.join(''), encoding),
})

const listening = (server) =>
  new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)))

const kinds = {
  simulator: () => simulator([]),
  rules: () => simulator([{ title: 'Rules that match no request', rules: strangers() }]),

  // A stream goes out event by event, as from a server of streams, or in one chunk.
  bare: () =>
    listening(
      createServer((request, response) => {
        const chunks = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => {
          Buffer.concat(chunks)
          const { headers, parts, encoding = 'utf8' } = next()
          response.writeHead(200, headers)
          for (let at = 0; at < parts.length - 1; at++) response.write(parts[at], encoding)
          response.end(parts[parts.length - 1], encoding)
        })
      }),
    ),

  async express() {
    const { default: express } = await import('express')
    const app = express().disable('etag').disable('x-powered-by')
    app.use(express.json({ limit: '10mb' }), (_request, response) => {
      const { headers, body } = whole(next())
      response.set(headers).end(body)
    })
    return listening(createServer(app))
  },

  async fastify() {
    const { default: fastify } = await import('fastify')
    const app = fastify()
    app.all('/*', (_request, response) => {
      const { headers, body } = whole(next())
      return response.headers(headers).send(body)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },

  async msw() {
    // One after the other: the middleware requires msw, which must be loaded by then.
    const { HttpResponse, http } = await import('msw')
    const { createMiddleware } = await import('@mswjs/http-middleware')
    const { default: express } = await import('express')
    const handler = http.all('*', async ({ request }) => {
      await request.json()
      const { headers, body } = whole(next())
      return new HttpResponse(body, { headers })
    })
    return listening(createServer(express().use(createMiddleware(handler))))
  },

  async aimock() {
    const { LLMock } = await import('@copilotkit/aimock')
    const mock = new LLMock({ port: 0, latency: 0, chunkSize: 5, logLevel: 'silent' })
    answerOfAimock = (content) => {
      mock.clearFixtures()
      mock.on({}, { content })
    }
    await mock.start()
    return Number(new URL(mock.url).port)
  },
}

let answerOfAimock = () => {}

async function simulator(scenarios) {
  const [{ createSimulator }, { listen }] = await Promise.all(
    ['index', 'node'].map((entry) => import(new URL(`dist/${entry}.js`, root))),
  )
  const sim = createSimulator({
    clock: 'real',
    scenarios,
    settings: {
      chat: { firstEventAfter: 0, eventInterval: 0 },
      limits: { activeImageJobs: 1_000_000 },
    },
  })
  return (await listen(sim)).port
}

/** Chat rules that match none of the requests, each kind for a different reason. */
function strangers() {
  const whens = [
    (n) => ({ model: `model-${n}` }),
    (n) => ({ model: 'gpt-4o*', body: { user: `user-${n}` } }),
    (n) => ({ key: `sk-team-${n}` }),
    (n) => ({ body: { messages: [{ content: `question ${n}` }] } }),
    (n) => ({ headers: { 'x-case': `case-${n}` }, nth: 2 }),
  ]
  return Array.from({ length: 100 }, (_, n) => ({
    when: { operation: 'chat.create', ...whens[n % whens.length](n) },
    then: { error: { status: 503 } },
  }))
}

process.on('message', (message) => {
  if (message.cpu === true) process.send({ cpu: process.cpuUsage() })
  if (message.responses !== undefined) {
    responses = message.responses
    answerOfAimock(message.content)
    process.send({ ready: true })
  }
  if (message.stop === true) process.exit(0)
})

// A stopped benchmark leaves no process running.
process.on('disconnect', () => process.exit(0))

process.send({ port: await kinds[kind]() })
