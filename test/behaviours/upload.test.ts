/** Uploaded files as other operations will find them: by `path` and by address, within their session. */
import { describe, expect, it } from 'vitest'
import { findUpload } from '../../src/behaviours/uploads/upload.ts'
import type { Simulator, SimulatorOptions } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { inside, send, target } from '../endpoints/files/_uploads.ts'

const find = (sim: Simulator, reference: string, session = 'default') =>
  findUpload(reference, {
    sandbox: sim.core.sessions.get(session).sandbox,
    settings: sim.core.settings,
  })

async function withCat(options: SimulatorOptions = {}, more = {}) {
  const sim = simulator(options)
  const there = await target(inside(sim), 'images/big cat.png', more)
  await send(inside(sim), there, 'meow', { 'content-type': 'image/png; x=y' })
  return { sim, there }
}

describe('an uploaded file', () => {
  it('is found by its path, with the facts of its bytes', async () => {
    const { sim, there } = await withCat()
    expect(find(sim, there.path)).toMatchObject({
      scheme: 'cos',
      key: 'images/big cat.png',
      type: 'image/png; x=y',
      uploadedAt: Date.UTC(2026, 0, 1),
      bytes: { size: 4, md5: '4a4be40c96ac6314e91d93f38043a634' },
    })
  })

  it('is found by its address, whatever the host, the base path, the session prefix and the query', async () => {
    const { sim, there } = await withCat()
    const byPath = find(sim, there.path)
    expect(byPath).toBeTypeOf('object')
    const { pathname } = new URL(there.visit_url)
    for (const address of [
      there.visit_url,
      there.upload_url,
      `https://gateway.example${pathname}`,
      `http://10.0.0.1:4010/base/path${pathname}#part`,
      `https://x.example/s/default${pathname}?v=2`,
      pathname,
    ])
      expect(find(sim, address), address).toBe(byPath)
  })

  it('is found in the place of the one before it', async () => {
    const { sim, there } = await withCat()
    await send(inside(sim), there, 'woof!', { 'content-type': 'image/webp' })
    expect(find(sim, there.path)).toMatchObject({ type: 'image/webp', bytes: { size: 5 } })
    expect(find(sim, there.path)).toBe(find(sim, there.visit_url))
  })

  it('is found by the scheme of the provider that has it', async () => {
    const { sim } = await withCat({}, { storage_provider: 'OSS' })
    expect(find(sim, 'oss://images/big cat.png')).toBeTypeOf('object')
    expect(find(sim, 'cos://images/big cat.png')).toBe(
      'the session "default" has no file "cos://images/big cat.png": get a URL from POST ' +
        '/v1/files/upload_url and upload the file to this URL',
    )
  })

  it('is not found in another session: the address says so, the path names nothing there', async () => {
    const { sim, there } = await withCat()
    expect(find(sim, there.visit_url, 'other')).toMatch(
      /^the URL "http:\/\/gateway\.test\/storage\/cos-.*…? does not belong to the session "other"$/,
    )
    expect(find(sim, there.path, 'other')).toMatch(/^the session "other" has no file/)
  })

  it('may have been evicted when it had to make room', async () => {
    const { sim, there } = await withCat({ settings: { memory: { items: 5 } } })
    await send(inside(sim), await target(inside(sim), 'other.png'))
    expect(find(sim, there.path)).toMatch(
      /^the session "default" has no file .* it may have been evicted: this session evicted \d+ items/,
    )
  })
})

describe('a text that names no uploaded file', () => {
  it.each([
    'https://pictures.example/a.png',
    'https://pictures.example/storage/photos/a.png',
    'http://gateway.test/storage/',
    'http://gateway.test/storage/cos-12345678-local',
    's3://a.png',
    'cos:a.png',
    'data:image/png;base64,AAAA',
    'a cat',
    '',
    'https://x.example/?u=/storage/cos-12345678-local/a.png',
    'http://x.example/storage/cos-12345678-local/%ff',
  ])('%s leads elsewhere', async (text) => {
    const { sim } = await withCat()
    expect(find(sim, text)).toBeUndefined()
  })
})
