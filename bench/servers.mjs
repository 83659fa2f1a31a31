/**
 * The servers of the benchmarks, each in its own process: the simulator, the same under ten thousand
 * rules, and bare node:http.
 */
import { createServer } from 'node:http'
import { createSimulator } from '../dist/index.js'
import { listen } from '../dist/node.js'

const kind = process.argv[2]

if (kind === 'simulator' || kind === 'rules') {
  const sim = createSimulator({
    clock: 'real',
    ...(kind === 'rules' ? { scenarios: [{ title: 'Rules that fit no call', rules: strangers() }] } : {}),
    settings: {
      chat: { firstTokenAfter: 0, tokenEvery: 0 },
      limits: { activeImageJobs: 1_000_000 },
      memory: { resources: 1_000_000 },
    },
  })
  const { port } = await listen(sim)
  process.send({ port })
} else {
  // Sends given replies: those of the simulator, headers and bytes, one per request body in turn; a stream
  // either event by event, as a server of streams does, or in one piece.
  let replies = []
  let turn = 0
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      Buffer.concat(chunks)
      const { headers, parts, encoding = 'utf8' } = replies[turn++ % replies.length]
      response.writeHead(200, headers)
      for (let at = 0; at < parts.length - 1; at++) response.write(parts[at], encoding)
      response.end(parts[parts.length - 1], encoding)
    })
  })
  process.on('message', (message) => {
    if (message.replies !== undefined) {
      replies = message.replies
      process.send({ ready: true })
    }
  })
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
}

/** Rules of chat that none of the calls meets, each kind for a different reason. */
function strangers() {
  const whens = [
    (n) => ({ model: `model-${n}` }),
    (n) => ({ model: 'gpt-4o*', body: { user: `user-${n}` } }),
    (n) => ({ key: `sk-team-${n}` }),
    (n) => ({ body: { messages: [{ content: `question ${n}` }] } }),
    (n) => ({ headers: { 'x-case': `case-${n}` }, nth: 2 }),
  ]
  return Array.from({ length: 10_000 }, (_, n) => ({
    when: { operation: 'chat.create', ...whens[n % whens.length](n) },
    then: { error: { status: 503 } },
  }))
}

process.on('message', (message) => {
  if (message.cpu === true) process.send({ cpu: process.cpuUsage() })
  if (message.stop === true) process.exit(0)
})

// A benchmark that was stopped leaves nothing behind.
process.on('disconnect', () => process.exit(0))
