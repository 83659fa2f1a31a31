/** A rejection that does not need the body still reaches the client, however the body is sent. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serve } from './_listen.ts'
import { listenTo, openSocket } from './_socket.ts'

const mebibyte = 1024 * 1024
const limit = mebibyte
const settings = { limits: { jsonBytes: limit, fileBytes: limit / 2 } }

/**
 * Sends each call four times from a thread of its own, as real clients do: within one event loop, a client
 * always reads the response before the connection breaks. Reports the statuses, or why there is none.
 */
const client = /* js */ `
const { parentPort, workerData: { url, calls } } = require('node:worker_threads')
const file = (size) => new File(['x'.repeat(size)], 'a.png')
const bodies = {
  text: (size) => ({ body: 'x'.repeat(size) }),
  form(size) {
    const body = new FormData()
    body.set('file', file(size))
    return { body }
  },
  stream: (size) => ({
    duplex: 'half',
    body: new ReadableStream({
      start(controller) {
        for (let left = size; left > 0; left -= 65536) controller.enqueue(new Uint8Array(Math.min(left, 65536)))
        controller.close()
      },
    }),
  }),
}
async function send({ kind, method, path, size }) {
  if (kind === 'the OpenAI SDK') {
    const { default: OpenAI } = await import('openai')
    const sdk = new OpenAI({ baseURL: url + '/v1', apiKey: 'sk-test', maxRetries: 0 })
    return sdk.files.create({ file: file(size), purpose: 'batch' }).catch(({ status, message }) => status ?? message)
  }
  const headers = { authorization: 'Bearer sk-test' }
  if (kind !== 'form') headers['content-type'] = 'application/json'
  const response = await fetch(url + path, { method, headers, ...bodies[kind](size) })
  await response.json()
  return response.status
}
async function main() {
  const seen = new Set()
  for (const call of calls)
    for (let round = 0; round < 4; round++)
      seen.add(await send(call).catch((error) => String(error.cause ?? error)))
  parentPort.postMessage([...seen])
}
main()
`

interface Sent {
  readonly kind: string
  readonly method: string
  readonly path: string
  readonly size: number
}

async function outcomesOf(url: string, calls: readonly Sent[]): Promise<unknown> {
  const worker = new Worker(client, { eval: true, workerData: { url, calls } })
  onTestFinished(() => void worker.terminate())
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
}

describe.each([
  { status: 404, method: 'POST', path: '/v1/nothing', sizes: [12, limit] },
  { status: 405, method: 'DELETE', path: '/v1/videos', sizes: [12, limit] },
  { status: 413, method: 'POST', path: '/v1/videos', sizes: [limit + 1, 3 * limit] },
])('$status', ({ status, method, path, sizes }) => {
  it('reaches `fetch` that sends a string, a form or a stream', async () => {
    const { url } = await serve({ settings })
    const calls = ['text', 'form', 'stream'].flatMap((kind) =>
      sizes.map((size) => ({ kind, method, path, size })),
    )
    expect(await outcomesOf(url, calls)).toEqual([status])
  })

  it('reaches curl', async () => {
    const { url } = await serve({ settings })
    for (const size of sizes) {
      const form = ['-F', 'file=@-;filename=a.png', '-H', 'authorization: Bearer sk-test']
      const running = promisify(execFile)('curl', [
        ...['-sS', '-X', method, '-w', ' %{http_code}', ...form, url + path],
      ])
      running.child.stdin?.end('x'.repeat(size))
      expect((await running).stdout).toMatch(new RegExp(`"message":.* ${status}$`))
    }
  })
})

describe('an unread body', () => {
  it('does not cost an OpenAI SDK client its hint', async () => {
    const { url } = await serve({ settings })
    const call = { kind: 'the OpenAI SDK', method: '', path: '', size: 500_000 }
    expect(await outcomesOf(url, [call])).toEqual([404])
  })

  it('ends the connection after the response once it exceeds the largest limit', async () => {
    const { port, sim } = await serve({ settings })
    const socket = await openSocket(port)
    const said = listenTo(socket)
    socket.write(`POST /v1/nothing HTTP/1.1\r\nhost: a\r\ncontent-length: ${64 * mebibyte}\r\n\r\n`)
    const send = (): void => {
      while (socket.writable)
        if (!socket.write(new Uint8Array(65_536))) return void socket.once('drain', send)
    }
    send()
    expect(await said.until('trace_id')).toContain('404 Not Found')
    await said.closed
    expect(sim.journal()).toMatchObject([{ response: { status: 404 }, ended: 'completed' }])
  })
})
