/**
 * The cost of media over HTTP, with the built package: images and videos per second when each is rendered
 * once and when the same one comes from the cache, the delays of the event loop meanwhile, and the memory of
 * the process after a thousand images. There are no targets: machines differ too much.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { ask } from './measure.mjs'

const connections = 4
const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }

export async function media(print, written = '1000') {
  const distinct = Number(written)
  if (!Number.isInteger(distinct) || distinct < 10)
    throw new Error(`media: expected a number of images from 10 up, got ${written}`)
  const count = Math.min(100, Math.ceil(distinct / 10))
  print(
    `media: ${count} of each kind, ${connections} connections; p99 and longest: delays of the event loop\n` +
      row(['', 'drawn/s', 'cached/s', 'p99 ms', 'longest ms']),
  )
  const results = []
  for (const [name, kind] of Object.entries(kinds))
    results.push({ name, ...(await measure(print, name, kind, count)) })
  await grow(print, distinct)
  return results
}

const image = (format) => ({
  prepare: (port, n) => () =>
    post(port, '/v1/images/generations', {
      model: 'gpt-image-1',
      prompt: `a lighthouse, the ${n}th`,
      size: '1024x1024',
      output_format: format,
    }),
})

const video = (seconds, query = '') => ({
  async prepare(port, n) {
    const { id } = JSON.parse(
      await post(port, '/v1/videos', {
        model: 'video-1',
        prompt: `a wave, the ${n}th [sim:finished]`,
        seconds,
        size: '1280x720',
      }),
    )
    return () => get(port, `/v1/videos/${id}/content${query}`)
  },
})

/** How to ask for the nth of a kind; what must exist first is made beforehand. */
const kinds = {
  'png 1024 x 1024, base64': image('png'),
  'webp 1024 x 1024, base64': image('webp'),
  'jpeg 1024 x 1024, base64': image('jpeg'),
  'video of 8 s, 1280 x 720': video('8'),
  'its thumbnail': video('8', '?variant=thumbnail'),
  'its spritesheet': video('8', '?variant=spritesheet'),
}

async function measure(print, name, { prepare }, count) {
  const server = await start()
  // The first of a kind loads its encoders.
  await (await prepare(server.port, 0))()
  const calls = []
  for (let n = 1; n <= count; n++) calls.push(await prepare(server.port, n))
  await ask(server, { begin: true })
  const drawn = await rate(calls)
  const { held } = await ask(server, { measure: true })
  const cached = await rate(Array(count * 2).fill(calls[count - 1]))
  await stop(server)
  print(row([name, drawn.toFixed(1), cached.toFixed(1), held.p99.toFixed(1), held.max.toFixed(1)]))
  return { drawn, cached, held }
}

/**
 * The memory of the process while it renders distinct images: the cache is bounded, so it must level off.
 */
async function grow(print, distinct) {
  const server = await start()
  const steps = 5
  const rows = [(await ask(server, { measure: true })).rss]
  for (let step = 0; step < steps; step++) {
    const [from, to] = [step, step + 1].map((at) => Math.round((distinct * at) / steps))
    await rate(Array.from({ length: to - from }, (_, n) => image('png').prepare(server.port, from + n)))
    rows.push((await ask(server, { measure: true })).rss)
  }
  await stop(server)
  const sizes = rows.map((bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`)
  print(`RSS over ${distinct} distinct images (png 1024 x 1024): ${sizes.join(', ')}`)
}

/** Requests per second. */
async function rate(calls) {
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < calls.length) await calls[next++]()
    }),
  )
  return calls.length / ((performance.now() - began) / 1000)
}

async function start() {
  const child = fork(new URL('./media-server.mjs', import.meta.url))
  const [{ port }] = await once(child, 'message')
  return { child, port }
}

async function stop({ child }) {
  child.send({ stop: true })
  await once(child, 'exit')
}

const post = (port, path, body) =>
  whole(fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
const get = (port, path) => whole(fetch(`http://127.0.0.1:${port}${path}`, { headers }))

async function whole(answering) {
  const response = await answering
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200)
    throw new Error(`media: status ${response.status}: ${bytes.toString('utf8', 0, 400)}`)
  return bytes
}

const row = ([name, ...cells]) => name.padEnd(28) + cells.map((cell) => cell.padStart(12)).join('')
