/** files.createUploadUrl: POST /v1/files/upload_url. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, simulator } from '../../_setup.ts'
import { ask, inside, local, target } from './_uploads.ts'

interface Rejection {
  readonly type: string
  readonly param: string
  readonly message: string
}

async function rejection(body: unknown, settings = {}): Promise<Rejection> {
  const response = await ask(inside(simulator({ settings })), body)
  expect(response.status).toBe(400)
  return ((await response.json()) as { error: Rejection }).error
}

describe('files.createUploadUrl rejects', () => {
  const noFile = (got: string): string => `expected the path of a file, such as images/cat.png, got "${got}"`
  const segment = (got: string): string => `expected no empty segment and no "." or "..", got "${got}"`
  const letters = (got: string): string =>
    `expected Unicode without control characters and backslashes, got ${JSON.stringify(got)}`
  const tooLong = (bytes: number): string => `expected at most 850 UTF-8 bytes, got ${bytes}`

  it.each([
    ['a path of nothing but a slash', '/', noFile('/')],
    ['a path that ends in a slash', 'images/', noFile('images/')],
    ['an empty segment', 'images//cat.png', segment('')],
    ['a way up', '../secret', segment('..')],
    ['a way up in the middle', 'images/../../secret', segment('..')],
    ['a segment of one dot', './cat.png', segment('.')],
    ['a way up in percent signs', 'images/%2e%2E/secret', segment('%2e%2E')],
    ['a backslash', 'images\\cat.png', letters('images\\cat.png')],
    ['a NUL', 'images/cat\u0000.png', letters('images/cat\u0000.png')],
    ['half a character', 'images/\ud83d.png', letters('images/\ud83d.png')],
    ['851 bytes', 'a'.repeat(851), tooLong(851)],
    ['284 characters of 852 bytes', '漢'.repeat(284), tooLong(852)],
    ['another address as a path', 'cos://images/cat.png', segment('')],
  ])('%s (400)', async (_, path, sentence) => {
    expect(await rejection({ path })).toMatchObject({
      type: 'invalid_request_error',
      param: 'path',
      message: `\`path\`: ${sentence}.`,
    })
  })

  const provider = (got: string): string =>
    `expected one of "COS", "OSS" (setting files.providers), got "${got}"`

  it.each([
    ['a provider it does not know', 'storage_provider', 'S3', provider('S3')],
    ['a provider in small letters', 'storage_provider', 'cos', provider('cos')],
    ['a name that every object has', 'storage_provider', 'constructor', provider('constructor')],
  ])('%s (400)', async (_, param, value, sentence) => {
    expect(await rejection({ path: 'a.png', [param]: value })).toMatchObject({
      type: 'invalid_request_error',
      param,
      message: `\`${param}\`: ${sentence}.`,
    })
  })

  it('one provider only, where the settings say so (400)', async () => {
    const settings = { files: { providers: { OSS: 'oss' } } }
    const { message } = await rejection({ path: 'a.png', storage_provider: 'COS' }, settings)
    expect(message).toBe('`storage_provider`: expected "OSS" (setting files.providers), got "COS".')
  })
})

describe('files.createUploadUrl answers', () => {
  it('with the four fields of an upload target', async () => {
    const sim = simulator({ publicUrl: 'https://gateway.example' })
    const answer = await target(inside(sim), 'images/cat.png', { storage_provider: 'COS' })
    const { tag } = sim.core.sessions.get('default').sandbox
    expect(Object.keys(answer)).toEqual(['upload_url', 'method', 'path', 'visit_url'])
    expect(answer).toMatchObject({
      method: 'PUT',
      path: 'cos://images/cat.png',
      visit_url: `https://gateway.example/storage/cos-${tag}-local/images/cat.png`,
    })
    expect(answer.upload_url.startsWith(`${answer.visit_url}?`)).toBe(true)
  })

  it('with an address signed like COS, valid for fifteen minutes', async () => {
    const sim = simulator({ start: '2026-01-01T00:00:00.500Z' })
    const query = new URL((await target(inside(sim))).upload_url).searchParams
    expect([...query.keys()]).toEqual([
      ...['q-sign-algorithm', 'q-ak', 'q-sign-time', 'q-key-time', 'q-header-list', 'q-url-param-list'],
      'q-signature',
    ])
    const start = Date.UTC(2026, 0, 1) / 1000
    // Never shorter than it says: half a second more is a whole one.
    expect(query.get('q-sign-time')).toBe(`${start};${start + 901}`)
    expect(query.get('q-signature')).toMatch(/^[0-9a-f]{64}$/)
  })

  it('with the scheme of the second provider', async () => {
    const answer = await target(inside(simulator()), 'a.png', { storage_provider: 'OSS' })
    expect(answer.path).toBe('oss://a.png')
  })

  it('with the region of `region` in its addresses', async () => {
    expect((await target(inside(simulator()), 'a.png', { region: 'ap-guangzhou' })).visit_url).toMatch(
      /\/storage\/cos-[0-9a-f]{8}-ap-guangzhou\/a\.png$/,
    )
  })

  it('to fields it does not know, and to null where a field may be left out', async () => {
    expect(
      (await target(inside(simulator()), 'a.png', { storage_provider: null, region: null, acl: 'public' }))
        .path,
    ).toBe('cos://a.png')
  })

  it.each([
    ['a slash in front is left out', '/images/cat.png', 'images/cat.png', 'images/cat.png'],
    [
      'letters of any script',
      'bücher/漢字/🐈.png',
      'bücher/漢字/🐈.png',
      'b%C3%BCcher/%E6%BC%A2%E5%AD%97/%F0%9F%90%88.png',
    ],
    [
      'what means something in addresses',
      'a b/50%?#&+=;.png',
      'a b/50%?#&+=;.png',
      'a%20b/50%25%3F%23%26%2B%3D%3B.png',
    ],
    ['what looks encoded stays as it is', 'a%2Fb.png', 'a%2Fb.png', 'a%252Fb.png'],
    ['850 bytes', 'a'.repeat(850), 'a'.repeat(850), 'a'.repeat(850)],
  ])('%s', async (_, path, key, encoded) => {
    const answer = await target(inside(simulator()), path)
    expect(answer.path).toBe(`cos://${key}`)
    expect(answer.visit_url.split('-local/')[1]).toBe(encoded)
  })
})

describeIntegrations('files.createUploadUrl answers', (integration) => {
  it('with addresses of the integration, whose path and query are the same everywhere', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const answer = await target({ fetch: call, url })
    expect(answer.visit_url.startsWith(`${url}/storage/`)).toBe(true)
    expect(local(answer.upload_url)).toBe(local((await target(inside(simulator()))).upload_url))
  })
})
