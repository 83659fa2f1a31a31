/** `npm run gallery` as a reader of CONTRIBUTING.md runs it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { requireBuild, root } from './_built.ts'

const run = promisify(execFile)

requireBuild()

async function page(directory: string, name: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['tools/gallery.mjs', join(directory, name)], {
    cwd: root,
  })
  expect(stdout).toBe(`${join(directory, name)}\n`)
  return readFile(join(directory, name), 'utf8')
}

it('the gallery shows every kind of media beside its request', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-sim-gallery-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const gallery = await page(directory, 'gallery.html')
  const types = [...gallery.matchAll(/src="data:([^;]+);base64,([^"]+)"/g)].map(([, type, data]) => ({
    type,
    size: (data as string).length,
  }))
  expect(new Set(types.map(({ type }) => type))).toEqual(
    new Set([
      'image/png',
      'image/webp',
      'image/jpeg',
      'video/mp4',
      'audio/wav',
      'audio/mpeg',
      'audio/flac',
      'audio/ogg',
      'audio/aac',
    ]),
  )
  expect(gallery).toContain('href="data:audio/pcm;base64,')
  expect(types.filter(({ size }) => size < 500)).toEqual([])
  for (const path of [
    '/v1/images/generations',
    '/v1/images/edits',
    '/v1/tob/upload-paint',
    '/v1/tob/retexture',
    '/v1/tob/remove-background',
    '/v1/tob/pan',
    '/v1/tob/variation',
    '/v1/videos',
    ':predictLongRunning',
    '/v1/chat/completions',
  ])
    expect(gallery).toContain(`<pre>POST ${path.startsWith(':') ? '/v1beta/models/veo-3' : ''}${path}`)
}, 120_000)

it('the gallery says how it is called instead of writing a file named as an option', async () => {
  expect((await run(process.execPath, ['tools/gallery.mjs', '--help'], { cwd: root })).stdout).toMatch(
    /^usage: npm run gallery/,
  )
  await expect(run(process.execPath, ['tools/gallery.mjs', '--out'], { cwd: root })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/'--out'[^]*usage: npm run gallery/),
  })
})
