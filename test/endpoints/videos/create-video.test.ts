import { describe, expect, it } from 'vitest'
import { form, invalid, refusal, start } from '../_openai-family.ts'
import { picture, videosSession } from './_videos.ts'

describe('videos.create answers', () => {
  it('a pending video of the defaults, without the fields that come later', async () => {
    const { create } = videosSession()
    const { status, body, headers } = await create({ prompt: 'a fox in the snow' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^video_[0-9a-f]{32}$/),
      object: 'video',
      created_at: start,
      model: 'sora-2',
      status: 'pending',
      progress: 0,
      seconds: '4',
      size: '720x1280',
      error: null,
    })
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
  })

  it('the model, the prompt and the picture of a form, as the contract shows it', async () => {
    const { create } = videosSession()
    const { status, body } = await create(
      form(['model', 'video-1'], ['prompt', 'a fox'], ['input_reference', picture()]),
    )
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(String),
      object: 'video',
      created_at: start,
      model: 'video-1',
      status: 'pending',
      progress: 0,
      seconds: '4',
      size: '720x1280',
      error: null,
    })
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
    expect(body).toEqual({
      id: expect.any(String),
      object: 'video',
      created_at: start,
      model: 'video-1',
      status: 'pending',
      progress: 0,
      seconds,
      size,
      error: null,
    })
  })

  it.each([4, 8, 12])('the number %i as seconds in JSON with the text', async (seconds) => {
    const { create } = videosSession()
    expect((await create({ prompt: 'a fox', seconds })).body.seconds).toBe(String(seconds))
  })

  it('null like a field that was left out, and tolerates unknown fields', async () => {
    const { create } = videosSession()
    const { status, body } = await create({
      prompt: 'a fox',
      model: null,
      seconds: null,
      size: null,
      input_reference: null,
      style: 'noir',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ model: 'sora-2', seconds: '4', size: '720x1280' })
  })

  it.each([
    ['a PNG file', () => form(['prompt', 'a fox'], ['input_reference', picture()])],
    [
      'a PNG that is declared as nothing',
      () => form(['prompt', 'a fox'], ['input_reference', picture('blob', '')]),
    ],
    [
      'image_url text parts',
      () => form(['prompt', 'a fox'], ['input_reference[image_url]', 'https://pictures.test/fox.png']),
    ],
    ['file_id text parts', () => form(['prompt', 'a fox'], ['input_reference[file_id]', 'file-123'])],
    [
      'an object',
      () => ({ prompt: 'a fox', input_reference: { image_url: 'https://pictures.test/fox.png' } }),
    ],
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

describe('videos.create refuses', () => {
  it.each([
    ['no prompt', { model: 'video-1' }, invalid('prompt', 'is required: expected a string')],
    [
      'an empty prompt',
      { prompt: '' },
      invalid('prompt', 'expected at least 1 character(s), got an empty string'),
    ],
    ['a prompt that is no text', { prompt: 7 }, invalid('prompt', 'expected a string, got 7')],
    [
      'an empty model',
      { prompt: 'a', model: '' },
      invalid('model', 'expected at least 1 character(s), got an empty string'),
    ],
    [
      'a size of nobody',
      { prompt: 'a', size: '100x100' },
      invalid('size', 'expected one of "720x1280", "1280x720", "1024x1792", "1792x1024", got "100x100"'),
    ],
    [
      'seconds in between',
      { prompt: 'a', seconds: 5 },
      invalid('seconds', 'expected one of 4, 8, 12 (as text or number), got 5'),
    ],
    [
      'seconds with a unit',
      { prompt: 'a', seconds: '4s' },
      invalid('seconds', 'expected one of 4, 8, 12 (as text or number), got "4s"'),
    ],
    [
      'a reference that is no address',
      { prompt: 'a', input_reference: './fox.png' },
      invalid(
        'input_reference',
        'expected a picture: a file part, an http(s) URL, the `path` of an uploaded file or ' +
          'data:image/(png|jpeg|webp);base64,…, got the text "./fox.png"',
      ),
    ],
    [
      'a reference of nothing',
      { prompt: 'a', input_reference: {} },
      invalid('input_reference', 'expected either image_url or file_id, got neither'),
    ],
    [
      'a reference of both',
      { prompt: 'a', input_reference: { image_url: 'https://a.test/', file_id: 'file-1' } },
      invalid('input_reference', 'expected either image_url or file_id, got both'),
    ],
    [
      'a reference with an empty id',
      { prompt: 'a', input_reference: { file_id: '' } },
      invalid('input_reference.file_id', 'expected the id of a file, got an empty string'),
    ],
    [
      'a reference to a film',
      { prompt: 'a', input_reference: { image_url: 'data:video/mp4;base64,AAAA' } },
      invalid(
        'input_reference.image_url',
        'expected a picture: a file part, an http(s) URL, the `path` of an uploaded file or ' +
          'data:image/(png|jpeg|webp);base64,…, got the text "data:video/mp4;base64,AAAA"',
      ),
    ],
  ])('%s', async (_, body, expected) => {
    const { create } = videosSession()
    const answer = await create(body)
    expect(answer.body).toEqual(expected)
    expect(answer.status).toBe(400)
  })

  it.each([
    [
      'an empty file',
      new File([], 'fox.png', { type: 'image/png' }),
      'expected a picture, got the empty file "fox.png"',
    ],
    [
      'a text that calls itself a picture',
      new File(['not a picture'], 'fox.png', { type: 'image/png' }),
      'expected a PNG, JPEG or WebP picture, got "fox.png" (image/png, 13 bytes), whose bytes are no picture',
    ],
    [
      'a GIF',
      new File(
        [
          new Uint8Array(
            [...'GIF89a'].map((letter) => letter.charCodeAt(0)).concat([1, 0, 1, 0, 0, 0, 0, 59]),
          ),
        ],
        'fox.gif',
        { type: 'image/gif' },
      ),
      'expected a PNG, JPEG or WebP picture, got "fox.gif", whose bytes are a GIF',
    ],
  ])('%s as reference', async (_, file, message) => {
    const { create } = videosSession()
    const { status, body } = await create(form(['prompt', 'a'], ['input_reference', file]))
    expect(body).toEqual(invalid('input_reference', message))
    expect(status).toBe(400)
  })

  it('two references at once', async () => {
    const { create } = videosSession()
    const { status, body } = await create(
      form(['prompt', 'a'], ['input_reference', picture('a.png')], ['input_reference', picture('b.png')]),
    )
    expect(status).toBe(400)
    expect(body.error.message).toBe('`input_reference`: expected an object or a string, got an array of 2.')
  })

  it('everything that is wrong at once, the first in the message', async () => {
    const { create } = videosSession()
    const { body } = await create({ model: 1, seconds: 3 })
    expect(body.error.details.map((detail: { field: string }) => detail.field)).toEqual([
      'model',
      'prompt',
      'seconds',
    ])
    expect(body.error.message).toBe('`model`: expected a string, got 1 (and 2 more, see details).')
  })

  it('a model that the catalogue does not know, and one that the key may not use', async () => {
    const { create } = videosSession({
      settings: {
        models: { videos: ['video-1', 'video-2'] },
        keys: { 'sk-test': {}, 'sk-one': { models: ['video-1'] } },
      },
    })
    const unknown = await create({ model: 'video-9', prompt: 'a' })
    expect(unknown.body).toEqual(
      refusal(
        'not_found_error',
        404,
        'The model `video-9` does not exist or you do not have access to it. Known are video-1, video-2 ' +
          '(setting models.videos).',
        'model',
      ),
    )
    expect(unknown.status).toBe(404)
    const barred = await create({ model: 'video-2', prompt: 'a' }, { key: 'sk-one' })
    expect(barred.body).toEqual(
      refusal(
        'permission_error',
        403,
        'The model `video-2` is not enabled for this API key: it may use video-1 (setting keys).',
        'model',
      ),
    )
    expect(barred.status).toBe(403)
    expect((await create({ model: 'video-1', prompt: 'a' }, { key: 'sk-one' })).status).toBe(200)
  })

  it('a call without a key', async () => {
    const { sim } = videosSession()
    const response = await sim.fetch('http://gateway.test/v1/videos', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"prompt":"a"}',
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual(
      refusal(
        'authentication_error',
        401,
        'No API key: send `authorization: Bearer <API_KEY>` (no such header was sent).',
      ),
    )
  })

  it('a body that is neither form nor JSON', async () => {
    const { call } = videosSession()
    expect(
      await call('POST', '/v1/videos', 'prompt=a', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ).toMatchObject({ status: 415 })
    expect(await call('POST', '/v1/videos', '[]')).toMatchObject({
      status: 400,
      body: { error: { message: 'The body: expected an object, got an array of 0.' } },
    })
    expect(await call('POST', '/v1/videos')).toMatchObject({ status: 400 })
  })
})

describe('videos.create unfolds', () => {
  it('nothing by itself: the reply is finished only when the plan says at once', async () => {
    const { create, retrieve } = videosSession()
    const { body } = await create({ prompt: 'a [sim:at-once]' })
    expect(body).toEqual({
      id: expect.any(String),
      object: 'video',
      created_at: start,
      model: 'sora-2',
      status: 'completed',
      progress: 100,
      seconds: '4',
      size: '720x1280',
      error: null,
    })
    expect((await retrieve(body.id)).body).toMatchObject({
      status: 'completed',
      completed_at: start,
      expires_at: start + 86_400,
    })
  })
})
