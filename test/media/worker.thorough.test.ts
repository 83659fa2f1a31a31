/** Media made in a thread of their own by the built package, as an installation has it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import { createMediaWorker } from '../../src/media/worker.ts'
import type { Media } from '../../src/protocol/media.ts'
import { packedProject } from '../_built.ts'
import { imageMedia, imagesOfEveryKind } from './_images.ts'

async function fileOf(renderer: ReturnType<typeof createMedia>, media: Media) {
  const { bytes, type } = await renderer.render(media)
  return { bytes: new Uint8Array(bytes), type }
}

describe('the built package', () => {
  const project = packedProject()
  // Counts the turns of the event loop while a large image is drawn, which a thread in the way of it would
  // leave at none.
  project.write(
    'draw.mjs',
    `import { createHash } from 'node:crypto'
import { createSimulator } from 'gateway-sim'
const sim = createSimulator({ seed: 'fox', clock: 'manual', publicUrl: 'http://x' })
const ask = (prompt) => sim.fetch('http://x/v1/images/generations', { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' }, body: JSON.stringify({ prompt, size: '1536x1024', output_format: 'png' }) })
// What is loaded for the first picture takes turns of its own.
await (await ask('a hen')).json()
let turns = 0
let running = true
const count = () => { turns++; if (running) setImmediate(count) }
const answer = ask('a fox')
setImmediate(count)
const { data } = await (await answer).json()
running = false
await sim.close()
console.log(JSON.stringify({ sum: createHash('sha256').update(data[0].b64_json).digest('hex'), turns }))
`,
  )
  const run = async (): Promise<{ readonly sum: string; readonly turns: number }> => {
    const { code, stdout, stderr } = await project.node('draw.mjs')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as { sum: string; turns: number }
  }

  it('gives files where the global Uint8Array is not that of node, as under jsdom', async () => {
    project.write(
      'realm.mjs',
      `import { createServer } from 'node:http'
import { runInNewContext } from 'node:vm'
globalThis.Uint8Array = runInNewContext('Uint8Array')
const { createSimulator } = await import('gateway-sim')
const { listen } = await import('gateway-sim/node')
const sim = createSimulator({ clock: 'auto', settings: { imageJobs: { submitted: 'finished' } } })
const { url, close } = await listen(sim)
const sizes = []
for (const [origin, send] of [['http://x', sim.fetch], [url, fetch]]) {
  const post = async (path, body) => (await send(origin + path, { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
  const { data } = await post('/v1/images/generations', { model: 'dall-e-2', prompt: 'a fox', size: '256x256' })
  const { urls } = await post('/v1/tob/retexture', { model: 'v7', imgUrl: 'https://example.com/fox.png', remixPrompt: 'in blue' })
  for (const address of [data[0].url, urls[0]]) sizes.push((await (await send(address)).arrayBuffer()).byteLength)
}
await close()
await sim.close()
console.log(JSON.stringify(sizes))
`,
    )
    const { code, stdout, stderr } = await project.node('realm.mjs')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [one, two, ...again] = JSON.parse(stdout) as number[]
    expect([one, two].filter((size) => (size as number) > 5000)).toHaveLength(2)
    expect(again).toEqual([one, two])
  })

  it('draws elsewhere, and the same where the file of the thread is missing', async () => {
    const there = await run()
    rmSync(join(project.directory, 'node_modules/gateway-sim/dist/media-worker.js'))
    const here = await run()
    expect(here.sum).toBe(there.sum)
    // Here a turn comes before and after the drawing; there as many as fit beside it.
    expect(there.turns).toBeGreaterThan(10 * here.turns)
  })
})

describe('the thread', () => {
  const built = new URL('../../dist/media-worker.js', import.meta.url).href
  const script = (text: string): string =>
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${text}`)}`
  /** A thread that answers each message, unless something happens before. */
  const answering = (before = ''): string =>
    script(
      `parentPort.on('message', ({ id, media }) => { ${before}; parentPort.postMessage({ id, file: { bytes: new Uint8Array(1), type: 'x/y' } }) }); parentPort.postMessage('ready')`,
    )

  it('gives the bytes that this thread gives, of every kind of image, also at the same time', async () => {
    const here = createMedia({ cacheBytes: 0 })
    const there = createMediaWorker(built)
    const images = Object.values(imagesOfEveryKind())
    const made = await Promise.all(images.map((media) => there.render(media)))
    for (const [place, media] of images.entries()) expect(made[place]).toEqual(await fileOf(here, media))
    await there.close()
  })

  it('reports an error, and goes on', async () => {
    const there = createMediaWorker(built)
    const failing = there.render(imageMedia({ width: 0 }))
    await expect(failing).rejects.toThrow(RangeError)
    await expect(failing).rejects.toThrow('got 0x64')
    expect((await there.render(imageMedia()))?.type).toBe('image/png')
    await there.close()
  })

  it.each([
    ['exits', 'process.exit(7)', 'media: the rendering worker exited with code 7'],
    ['throws', 'throw new Error("out of order")', 'media: out of order'],
  ])('is replaced when it %s: only the call in progress fails', async (_, how, message) => {
    const there = createMediaWorker(answering(`if (media.seed === 'die') ${how}`))
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await expect(there.render(imageMedia({ seed: 'die' }))).rejects.toThrow(message)
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await there.close()
  })

  it('rejects what cannot be sent to it, and goes on', async () => {
    const there = createMediaWorker(answering())
    const unclonable = imageMedia({ seed: (() => {}) as unknown as string })
    await expect(there.render(unclonable)).rejects.toThrow('could not be cloned')
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await there.close()
  })

  it.each([
    ['its file is missing', 'file:///nowhere/at/all.mjs'],
    ['its file is broken', script('throw new Error("no")')],
    ['its address is none', 'http://[nowhere'],
  ])('is not used when %s', async (_, file) => {
    const there = createMediaWorker(file)
    expect([await there.render(imageMedia()), await there.render(imageMedia())]).toEqual([
      undefined,
      undefined,
    ])
    await there.close()
  })

  it('ends once its work is done, and starts again for the next', async () => {
    const renderer = createMedia({ cacheBytes: 0, worker: createMediaWorker(answering()) })
    const rendering = renderer.render(imageMedia({ width: 500 }))
    await renderer.close()
    expect((await rendering).type).toBe('x/y')
    expect((await renderer.render(imageMedia({ width: 501 }))).type).toBe('x/y')
    await renderer.close()
  })
})
