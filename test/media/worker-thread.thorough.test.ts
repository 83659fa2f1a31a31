/** Media made in a thread of their own: what it gives, and what happens when it cannot start or dies. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readImageFacts } from '../../src/media/image/facts.ts'
import { inspectPixels } from '../../src/media/image/pixels.ts'
import { createPixelInspector } from '../../src/media/inspect-pixels.ts'
import { createMedia } from '../../src/media/media.ts'
import { createMediaWorker } from '../../src/media/worker.ts'
import type { ImageFacts } from '../../src/protocol/call.ts'
import { as, png } from '../endpoints/images/_images.ts'
import { imageMedia, imagesOfEveryKind } from './_images.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('the thread', () => {
  const built = new URL('../../dist/media-worker.js', import.meta.url).href
  const script = (text: string): string =>
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${text}`)}`

  /** A thread that answers each message, unless something happens before. */
  const answering = (before = ''): string =>
    script(
      `parentPort.on('message', ({ media }) => { ${before}; parentPort.postMessage({ file: { bytes: new Uint8Array(1), type: 'x/y' } }) }); parentPort.postMessage('ready')`,
    )

  it('gives the bytes that this thread gives, of every kind of picture', async () => {
    const here = createMedia({ cacheBytes: 0 })
    const there = createMediaWorker(built)
    for (const media of Object.values(imagesOfEveryKind())) {
      const made = await there.render(media)
      expect(made?.type).toBe(`image/${media.format}`)
      expect(sha256(made?.bytes as Uint8Array)).toBe(sha256((await here.render(media)).bytes))
    }
    await there.close()
  })

  it('finds in files what this thread finds, and leaves them as they are', async () => {
    const there = createMediaWorker(built)
    const files = [
      png(300, 300, 'clear'),
      png(300, 300, 'opaque'),
      png(300, 300, 'plain'),
      png(300, 300, 'clear').with(-30, 7),
      await as('webp', 300, 300, 'clear'),
      await as('webp', 300, 300, 'opaque'),
      await as('gif'),
      await as('jpeg'),
    ]
    for (const bytes of files) {
      const inLarger = new Uint8Array(bytes.length + 100)
      inLarger.set(bytes, 50)
      const file = inLarger.subarray(50, 50 + bytes.length)
      const facts = readImageFacts(file) as ImageFacts
      expect(await there.inspectPixels(facts, file)).toEqual(await inspectPixels(facts, bytes))
      expect(Buffer.compare(file, bytes)).toBe(0)
    }
    await there.close()
  })

  it('tells a mistake as what it is, and goes on', async () => {
    const there = createMediaWorker(built)
    const failing = there.render(imageMedia({ width: 0 }))
    await expect(failing).rejects.toThrow(RangeError)
    await expect(failing).rejects.toThrow('got 0x64')
    expect((await there.render(imageMedia()))?.type).toBe('image/png')
    await there.close()
  })

  it('is replaced when it dies, and the new one is asked for what the old one was at', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-thread-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const died = JSON.stringify(join(directory, 'died'))
    const fs = "process.getBuiltinModule('node:fs')"
    const there = createMediaWorker(
      answering(
        `const fs = ${fs}; if (!fs.existsSync(${died})) { fs.writeFileSync(${died}, ''); process.exit(7) }`,
      ),
    )
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await there.close()
  })

  it('is not asked for the same a third time: the call under way fails, the next one does not', async () => {
    const there = createMediaWorker(answering("if (media.seed === 'die') process.exit(7)"))
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await expect(there.render(imageMedia({ seed: 'die' }))).rejects.toThrow(
      'media: the rendering worker exited with code 7',
    )
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await there.close()
  })

  it('is replaced when it throws', async () => {
    const there = createMediaWorker(answering("if (media.seed === 'die') throw new Error('out of order')"))
    await expect(there.render(imageMedia({ seed: 'die' }))).rejects.toThrow('out of order')
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await there.close()
  })

  it('is not asked for what cannot go over, and its end later disturbs nobody', async () => {
    const there = createMediaWorker(answering())
    const unclonable = imageMedia({ seed: (() => {}) as unknown as string })
    await expect(there.render(unclonable)).rejects.toThrow('could not be cloned')
    // A rejection that nobody waits for would fail the run.
    await there.close()
    await expect(there.render(unclonable)).rejects.toThrow('could not be cloned')
    expect(await there.render(imageMedia())).toMatchObject({ type: 'x/y' })
    await there.close()
  })

  // Each thread counts from the beginning what it was asked for.
  const counting = `let count = 0; parentPort.on('message', () => parentPort.postMessage({ file: { bytes: Uint8Array.of(++count), type: 'x/y' } })); parentPort.postMessage('ready')`

  it('ends after ten seconds without work, and not before; the next call gets another', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const there = createMediaWorker(script(counting))
    const count = async (): Promise<number | undefined> => (await there.render(imageMedia()))?.bytes[0]
    expect([await count(), await count()]).toEqual([1, 2])
    vi.advanceTimersByTime(9999)
    expect(await count()).toBe(3)
    vi.advanceTimersByTime(9999)
    expect(await count()).toBe(4)
    vi.advanceTimersByTime(10_000)
    expect(await count()).toBe(1)
    await there.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends when what it is at is done, and not in its middle', async () => {
    const there = createMediaWorker(script(counting))
    const making = there.render(imageMedia())
    await there.close()
    expect((await making)?.bytes[0]).toBe(1)
    expect((await there.render(imageMedia()))?.bytes[0]).toBe(1)
    await there.close()
  })

  it.each([
    ['its file is missing', 'file:///nowhere/at/all.mjs'],
    ['its file is broken', script('throw new Error("no")')],
    ['its address is none', 'http://[nowhere'],
  ])('is not asked again when %s', async (_, file) => {
    const there = createMediaWorker(file)
    expect([
      await there.render(imageMedia()),
      await there.inspectPixels(readImageFacts(png()) as ImageFacts, png()),
      await there.render(imageMedia()),
    ]).toEqual([undefined, undefined, undefined])
    await there.close()
  })

  it('looks at a file before it goes on with what there is to make', async () => {
    const there = createMediaWorker(
      script(
        `const done = []; parentPort.on('message', ({ kind, media }) => { done.push(media?.seed ?? kind); parentPort.postMessage(kind === 'render' ? { file: { bytes: new Uint8Array(1), type: done.join() } } : { facts: {} }) }); parentPort.postMessage('ready')`,
      ),
    )
    const renderer = createMedia({ cacheBytes: 0, worker: there })
    const images = ['a', 'b', 'c'].map((seed) => renderer.render(imageMedia({ seed, width: 500 })))
    const file = png(300, 300)
    await renderer.inspectPixels(readImageFacts(file) as ImageFacts, file)
    expect((await Promise.all(images)).at(-1)?.type).toBe('a,inspect,b,c')
    await there.close()
  })
})

describe('a look at pixels', () => {
  const facts = (bytes: Uint8Array): ImageFacts => readImageFacts(bytes) as ImageFacts
  const asked: number[] = []
  const inspectPixels = createPixelInspector(
    async (found, bytes) => (asked.push(bytes.length), { ...found, pixels: 'transparent' as const }),
  )

  it.each<readonly [string, 'here' | 'there', () => Promise<Uint8Array> | Uint8Array]>([
    ['a small PNG', 'here', () => png(128, 128, 'opaque')],
    ['a PNG of more pixels', 'there', () => png(129, 128, 'opaque')],
    [
      'a small PNG of many bytes',
      'there',
      () => Buffer.concat([png(4, 4, 'opaque'), new Uint8Array(16 * 1024)]),
    ],
    ['a small WebP', 'here', () => as('webp', 64, 64, 'opaque')],
    ['a WebP of more pixels', 'there', () => as('webp', 300, 300, 'opaque')],
    ['a JPEG, of which nothing is unpacked,', 'here', () => as('jpeg', 300, 300)],
  ])('of %s is taken %s', async (_, where, make) => {
    asked.length = 0
    const bytes = await make()
    const { pixels } = await inspectPixels(facts(bytes), bytes)
    expect([pixels, asked]).toEqual(where === 'there' ? ['transparent', [bytes.length]] : ['opaque', []])
  })

  it('is taken here where there is no thread', async () => {
    const bytes = png(300, 300, 'opaque')
    const inspectHere = createPixelInspector(async () => undefined)
    expect(await inspectHere(facts(bytes), bytes)).toMatchObject({ pixels: 'opaque' })
  })

  it('that the thread dies of is not taken here: nothing is known of the pixels', async () => {
    const bytes = png(300, 300, 'opaque')
    const inspectDying = createPixelInspector(() => Promise.reject(new Error('the thread has ended')))
    expect(await inspectDying(facts(bytes), bytes)).toEqual({ ...facts(bytes), pixels: 'unseen' })
  })
})
