import { encode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { answered, form, gif, invalid, start } from '../_openai-family.ts'
import { image, pendingVideo, videosSession } from './_videos.ts'

describe('videos.create answers', () => {
  it('a pending video of the defaults, without the fields that come later', async () => {
    const { create } = videosSession()
    const { status, body, headers } = await create({ prompt: 'a fox in the snow' })
    expect(status).toBe(200)
    expect(body).toEqual(pendingVideo({ model: 'sora-2' }))
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
  })

  it('the model, the prompt and the image of a form, as the contract shows it', async () => {
    const { create } = videosSession()
    const { status, body } = await create(
      form(['model', 'video-1'], ['prompt', 'a fox'], ['input_reference', image()]),
    )
    expect(status).toBe(200)
    expect(body).toEqual(pendingVideo())
  })

  it.each([
    ['4', '720x1280'],
    ['8', '1280x720'],
    ['12', '1024x1792'],
    ['4', '1792x1024'],
  ])('with %s seconds of %s from a form, where everything is text', async (seconds, size) => {
    const { create } = videosSession()
    const { status, body } = await create(
      form(['model', 'video-1'], ['prompt', 'a fox'], ['seconds', seconds], ['size', size]),
    )
    expect(status).toBe(200)
    expect(body).toEqual(pendingVideo({ seconds, size }))
  })

  it.each([4, 8, 12])('the number %i as seconds in JSON with the text', async (seconds) => {
    const { create } = videosSession()
    expect((await create({ prompt: 'a fox', seconds })).body.seconds).toBe(String(seconds))
  })

  it('null like a field that was left out, and tolerates unknown fields', async () => {
    const { create } = videosSession()
    const nulls = { model: null, seconds: null, size: null, input_reference: null }
    const { status, body } = await create({ prompt: 'a fox', ...nulls, style: 'noir' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ model: 'sora-2', seconds: '4', size: '720x1280' })
  })

  it.each([
    ['a PNG file', () => form(['prompt', 'a fox'], ['input_reference', image()])],
    [
      'a PNG that is declared as nothing',
      () => form(['prompt', 'a fox'], ['input_reference', image('blob', '')]),
    ],
    [
      'image_url text parts',
      () => form(['prompt', 'a fox'], ['input_reference[image_url]', 'https://images.test/fox.png']),
    ],
    ['file_id text parts', () => form(['prompt', 'a fox'], ['input_reference[file_id]', 'file-123'])],
    ['an object', () => ({ prompt: 'a fox', input_reference: { image_url: 'https://images.test/fox.png' } })],
    ['a data URL', () => ({ prompt: 'a fox', input_reference: 'data:image/png;base64,iVBORw0KGgo=' })],
  ])('with %s as reference', async (_, body) => {
    const { create } = videosSession()
    expect(await create(body())).toMatchObject({ status: 200, body: { object: 'video', status: 'pending' } })
  })

  it('never the prompt: the contract has no field for it', async () => {
    const { create, retrieve } = videosSession()
    const { body } = await create({ prompt: 'xyzzy-secret' })
    expect(JSON.stringify([body, (await retrieve(body.id)).body])).not.toContain('xyzzy')
  })
})

describe('videos.create rejects', () => {
  const notImage = (address: string): string =>
    'expected an image: a file part, an http(s) URL, the `path` of an uploaded file or ' +
    `data:image/(png|jpeg|webp);base64,…, got the string "${address}"`
  const film = 'data:video/mp4;base64,AAAA'
  // As validation sees a file of a form.
  const likeFile = {
    filename: 'a.png',
    contentType: 'image/png',
    size: 1,
    sha256: 'x',
    image: { format: 'png', width: 1, height: 1, hasTransparency: false },
  }
  const both = { image_url: 'https://a.test/', file_id: 'file-1' }

  it.each<[string, unknown, string, string, string?]>([
    ['a reference of nothing', {}, 'input_reference', 'expected either image_url or file_id, got neither'],
    [
      'the description of a file in JSON',
      likeFile,
      'input_reference',
      'expected either image_url or file_id, got neither',
    ],
    ['a reference of both', both, 'input_reference', 'expected either image_url or file_id, got both'],
    [
      'a reference with an empty id',
      { file_id: '' },
      'input_reference',
      'expected the id of a file, got an empty string',
      '.file_id',
    ],
    ['a reference to a film', { image_url: film }, 'input_reference', notImage(film), '.image_url'],
  ])('%s', async (_, value, field, message, within = '') => {
    expect(await videosSession().create({ prompt: 'a', [field]: value })).toEqual(
      answered(400, invalid(field + within, message)),
    )
  })

  const wanted = 'expected a PNG, JPEG or WebP image'
  const png = encode({
    width: 2,
    height: 2,
    channels: 3,
    data: new Uint8Array(12),
  }) as Uint8Array<ArrayBuffer>
  const file = (parts: ConstructorParameters<typeof File>[0], name = 'fox.png', type = 'image/png') =>
    new File(parts, name, { type })

  it.each([
    ['an empty file', file([]), `${wanted}, got "fox.png" (image/png, 0 bytes), which is empty`],
    [
      'a text that calls itself an image',
      file(['not an image']),
      `${wanted}, got "fox.png" (image/png, 12 bytes), whose content is not an image`,
    ],
    [
      'a GIF',
      file([gif], 'fox.gif', 'image/gif'),
      `${wanted}, got "fox.gif" (image/gif, 14 bytes), whose content is a GIF`,
    ],
    [
      'a PNG without its end',
      file([png.slice(0, -4)]),
      `${wanted}, got "fox.png" (image/png, ${png.length - 4} bytes), an invalid png file: the file is truncated`,
    ],
  ])('%s as reference', async (_, file, message) => {
    expect(await videosSession().create(form(['prompt', 'a'], ['input_reference', file]))).toEqual(
      answered(400, invalid('input_reference', message)),
    )
  })
})

describe('videos.create unfolds', () => {
  it('nothing by itself: the response is finished only when the plan says at once', async () => {
    const { create, retrieve } = videosSession()
    const { body } = await create({ prompt: 'a [sim:finished]' })
    expect(body).toEqual(pendingVideo({ model: 'sora-2', status: 'completed', progress: 100 }))
    expect((await retrieve(body.id)).body).toMatchObject({
      status: 'completed',
      completed_at: start,
      expires_at: start + 86_400,
    })
  })
})
