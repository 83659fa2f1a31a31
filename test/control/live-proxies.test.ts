/** `GET /__sim/events` behind a proxy that collects bytes, and behind one that speaks HTTP/2. */
import { connect } from 'node:http2'
import { afterEach, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { bufferingProxy, type Front, http2Front } from '../_fronts.ts'

const fronts: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const front of fronts.splice(0)) await front.close()
})

async function behind(make: (target: string) => Promise<Front>) {
  const sim = createSimulator()
  const server = await listen(sim)
  const front = await make(server.url)
  fronts.push(front, server)
  return { sim, url: front.url }
}

/** Reads a stream of text until it contains a text. */
async function readUntil(chunks: AsyncIterator<string>, wanted: string): Promise<string> {
  let text = ''
  while (!text.includes(wanted)) {
    const { value, done } = await chunks.next()
    if (done === true) throw new Error(`the stream ended with ${JSON.stringify(text)}`)
    text += value
  }
  return text
}

it('padding fills the buffer of a proxy, so that each change arrives', async () => {
  const { sim, url } = await behind((target) => bufferingProxy(target, 4096))
  const leave = new AbortController()
  const { body, headers } = await fetch(`${url}/__sim/events?padding=8192`, { signal: leave.signal })
  expect(headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(headers.get('x-accel-buffering')).toBe('no')
  const chunks = (body as NonNullable<typeof body>).pipeThrough(new TextDecoderStream()).values()
  await readUntil(chunks, 'event: hello')
  for (const path of ['/v1/models', '/v1/videos']) {
    await (await sim.fetch(path)).text()
    await readUntil(chunks, `"url":"${path}"`)
  }
  leave.abort()
})

it('arrives over HTTP/2', async () => {
  const { sim, url } = await behind(http2Front)
  const client = connect(url)
  const stream = client.request({ ':path': '/__sim/events' }).setEncoding('utf8')
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<string>
  await readUntil(chunks, 'event: hello')
  await (await sim.fetch('/v1/models')).text()
  await readUntil(chunks, '"url":"/v1/models"')
  client.destroy()
})

it('pads only what it sends, and rejects absurd padding', async () => {
  const { url } = await behind((target) => bufferingProxy(target, 1))
  const rejected = await fetch(`${url}/__sim/events?padding=100000`)
  expect(rejected.status).toBe(400)
  await rejected.text()
  const leave = new AbortController()
  const { body } = await fetch(`${url}/__sim/events`, { signal: leave.signal })
  const chunks = (body as NonNullable<typeof body>).pipeThrough(new TextDecoderStream()).values()
  expect(await readUntil(chunks, 'event: hello')).not.toMatch(/: {10}/)
  leave.abort()
})
