/** Media made in a thread of their own by the built package, as an installation has it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packedProject } from '../_built.ts'
import { as, png } from '../endpoints/images/_images.ts'

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

describe('files of a form, in the built package over HTTP', () => {
  const project = packedProject()
  // What the thread of media is asked to do is counted: to look at a file, or to draw the result.
  project.write(
    'look.mjs',
    `import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'
let asked = 0
const { postMessage } = Worker.prototype
Worker.prototype.postMessage = function (...given) { asked++; return postMessage.apply(this, given) }
const sim = createSimulator({ clock: 'auto' })
const { url, close } = await listen(sim)
const answers = []
for (const [image, mask] of JSON.parse(readFileSync('files.json', 'utf8'))) {
  const form = new FormData()
  form.set('model', 'gpt-image-1')
  form.set('prompt', 'a fox')
  form.set('image', new File([Buffer.from(image, 'base64')], 'a.png', { type: 'image/png' }))
  if (mask) form.set('mask', new File([Buffer.from(mask, 'base64')], 'm.png', { type: 'image/png' }))
  const before = asked
  const response = await fetch(url + '/v1/images/edits', { method: 'POST', headers: { authorization: 'Bearer sk-test' }, body: form })
  const { error } = await response.json()
  answers.push({ status: response.status, message: error?.message, asked: asked - before })
}
await close()
console.log(JSON.stringify(answers))
`,
  )
  const large = (look: 'opaque' | 'clear', side = 400): Uint8Array => png(side, side, look)
  const small = png(64, 64, 'clear')

  it('are looked at elsewhere unless they are small, and with the same findings where there is no thread', async () => {
    const webp = await as('webp', 400, 400, 'clear')
    const broken = large('clear').with(-30, 7)
    const forms = [
      [large('opaque'), large('clear')],
      [large('opaque'), large('opaque')],
      [large('opaque'), broken],
      [webp, webp],
      [small, small],
    ]
    project.write(
      'files.json',
      JSON.stringify(forms.map((files) => files.map((bytes) => Buffer.from(bytes).toString('base64')))),
    )
    const run = async (): Promise<{ status: number; message?: string; asked: number }[]> => {
      const { code, stdout, stderr } = await project.node('look.mjs')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout) as { status: number; asked: number }[]
    }
    const there = await run()
    rmSync(join(project.directory, 'node_modules/gateway-sim/dist/media-worker.js'))
    const here = await run()
    const findings = ({ status, message }: { status: number; message?: string }) => ({ status, message })
    expect(there.map(findings)).toEqual(here.map(findings))
    expect(there.map(({ status }) => status)).toEqual([200, 400, 400, 400, 200])
    expect(there.map(({ asked }) => asked)).toEqual([2, 1, 1, 1, 1])
    expect(here.map(({ asked }) => asked)).toEqual([0, 0, 0, 0, 0])
  })
})
