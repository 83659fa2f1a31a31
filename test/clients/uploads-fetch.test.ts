/**
 * The story of an upload in the words of those who write clients: `fetch` with every kind of body, streams of
 * files, an axios-like client.
 */
import { createReadStream, openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { describeIntegrations, simulator } from '../_setup.ts'
import type { Target } from '../endpoints/files/_uploads.ts'

const image = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 13) % 251)

/** A gateway client as teams write it: the key in every call, the answer or an error. */
function gateway(call: typeof fetch, baseUrl: string) {
  return {
    async createUploadUrl(path: string): Promise<Target> {
      const response = await call(`${baseUrl}/v1/files/upload_url`, {
        method: 'POST',
        headers: { Authorization: 'Bearer sk-my-key', 'Content-Type': 'application/json' },
        body: JSON.stringify({ path, storage_provider: 'COS' }),
      })
      if (!response.ok) throw new Error(await response.text())
      return (await response.json()) as Target
    },
  }
}

async function imageFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-sim-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'cat.png')
  await writeFile(file, image)
  return file
}

describeIntegrations('a developer uploads an image', (integration) => {
  const bodies: readonly [string, () => Promise<{ body: RequestInit['body']; duplex?: 'half' }>][] = [
    ['a Uint8Array', async () => ({ body: image })],
    ['a Buffer', async () => ({ body: Buffer.from(image) })],
    ['an ArrayBuffer', async () => ({ body: image.slice().buffer })],
    ['a Blob', async () => ({ body: new Blob([image], { type: 'image/png' }) })],
    ['a File', async () => ({ body: new File([image], 'cat.png', { type: 'image/png' }) })],
    [
      'a Blob of a file on disk',
      async () => ({ body: await openAsBlob(await imageFile(), { type: 'image/png' }) }),
    ],
    ['a web stream', async () => ({ body: new Blob([image]).stream(), duplex: 'half' })],
    [
      'a stream of a file on disk',
      async () => ({
        body: Readable.toWeb(createReadStream(await imageFile())) as ReadableStream<Uint8Array>,
        duplex: 'half',
      }),
    ],
  ]

  it.each(bodies)('with fetch and %s, and reads it back', async (_, make) => {
    const { fetch: call, url } = await integration.open(simulator())
    const { upload_url, method, visit_url, path } = await gateway(call, url).createUploadUrl('images/cat.png')
    const { body, ...more } = await make()
    const sent = await call(upload_url, {
      method,
      body,
      headers: { 'Content-Type': 'image/png' },
      ...more,
    } as RequestInit)
    expect(sent.ok).toBe(true)
    expect(path).toBe('cos://images/cat.png')
    const read = await call(visit_url)
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await read.arrayBuffer()).equals(image)).toBe(true)
  })

  it('and leaves in the middle: nothing is stored', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const { upload_url, method, visit_url } = await gateway(call, url).createUploadUrl('images/cat.png')
    const leave = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(image),
      // It never says more.
      pull: () => leave.abort(),
    })
    await expect(
      call(upload_url, { method, body, duplex: 'half', signal: leave.signal } as RequestInit),
    ).rejects.toThrow()
    await sim.settled()
    expect((await call(visit_url)).status).toBe(404)
    expect(sim.core.sessions.get('default').sandbox.uploads.size).toBe(0)
  })
})
