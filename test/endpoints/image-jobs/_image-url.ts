/**
 * What an operation that is given a picture's address, a model and no job refuses; the same for three of
 * them.
 */
import { expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { about, bodyOf, refusal, unsuitable } from './_jobs.ts'

const wanted =
  'expected an http or https address such as https://example.com/picture.png, or the `path` of an ' +
  'uploaded file'

export function refusesWhatIsWrongWithItsPicture(
  path: string,
  body: Readonly<Record<string, unknown>>,
): void {
  it.each([
    ['an empty address', '', 'expected at least 1 character(s), got an empty string'],
    ['an address that is none', 'cat.png', `${wanted}, got "cat.png"`],
    [
      'an address of another scheme',
      'ftp://example.com/cat.png',
      `${wanted}, got "ftp://example.com/cat.png"`,
    ],
    ['a data address', 'data:image/png;base64,AAAA', `${wanted}, got "data:image/png;base64,AAAA"`],
    ['an address without a host', 'https:///cat.png', `${wanted}, got "https:///cat.png"`],
    [
      'an address with a space',
      'https://example.com/a cat.png',
      `${wanted}, got "https://example.com/a cat.png"`,
    ],
    [
      'an address of 1025 characters',
      `https://example.com/${'a'.repeat(1005)}`,
      'expected at most 1024 character(s), got 1025',
    ],
    ['an address that is no string', 7, 'expected a string, got 7'],
    ['no address', undefined, 'is required: expected a string'],
  ])('%s (400, code 2004)', async (_, imgUrl, sentence) => {
    expect(await bodyOf(post(simulator(), path, { ...body, imgUrl }), 400)).toEqual(
      unsuitable('imgUrl', sentence),
    )
  })

  it('an empty model (400, code 2004)', async () => {
    expect(await bodyOf(post(simulator(), path, { ...body, model: '' }), 400)).toEqual(
      unsuitable('model', 'expected at least 1 character(s), got an empty string'),
    )
  })

  it('no model', async () => {
    expect(await bodyOf(post(simulator(), path, { ...body, model: undefined }), 400)).toEqual(
      unsuitable('model', 'is required: expected a string'),
    )
  })

  it('a model that is not enabled for the key (403)', async () => {
    const sim = simulator({ settings: { keys: { 'sk-test': { models: ['v8'] } } } })
    expect(await bodyOf(post(sim, path, body), 403)).toEqual(
      about(
        'permission_error',
        403,
        'model',
        'The model `v7` is not enabled for this API key: it may use v8 (setting keys).',
      ),
    )
  })

  it('an active job too many (429, code 2007)', async () => {
    const sim = simulator({ settings: { limits: { activeImageJobs: 1 } } })
    await bodyOf(post(sim, path, body))
    expect(await bodyOf(post(sim, path, body), 429)).toEqual(
      refusal({
        type: 'rate_limit_error',
        code: 2007,
        message:
          'too many active image jobs: 1 of this API key, at most 1 (setting limits.activeImageJobs). ' +
          'The next one ends in 40s; submit again when one has ended.',
        param: null,
        details: [],
      }),
    )
  })
}

/**
 * The refusal of a model whose version lacks the operation; `operation` as in the settings, `name` as in the
 * path.
 */
export function refusesModelsWithout(
  operation: string,
  name: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): void {
  it('a model whose version does not support it (400, code 2004); the narrowest pattern counts', async () => {
    const sim = simulator({
      settings: {
        imageJobs: { operations: { 'v*': [], v7: ['variation', 'pan'], 'v7.1': [operation as 'pan'] } },
      },
    })
    expect(await bodyOf(post(sim, path, body), 400)).toEqual(
      unsuitable(
        'model',
        `the model v7 does not support ${name}, it supports variation, pan (setting imageJobs.operations)`,
      ),
    )
    expect(await bodyOf(post(sim, path, { ...body, model: 'v6' }), 400)).toEqual(
      unsuitable(
        'model',
        `the model v6 does not support ${name}, it supports no edit (setting imageJobs.operations)`,
      ),
    )
    expect(await bodyOf(post(sim, path, { ...body, model: 'v7.1' }))).toMatchObject({ status: 1 })
    expect(await bodyOf(post(sim, path, { ...body, model: 'niji' }))).toMatchObject({ status: 1 })
  })
}
