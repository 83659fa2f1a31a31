/**
 * What an operation that is given an image's address, a model and no job rejects; the same for three of
 * them.
 */
import { expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { about, bodyOf, tooManyActive, unsuitable } from './_jobs.ts'

const wanted =
  'expected an http or https URL such as https://example.com/image.png, or the `path` of an ' +
  'uploaded file'

export function rejectsWhatIsWrongWithItsImage(path: string, body: Readonly<Record<string, unknown>>): void {
  it.each<[string, unknown, string]>([
    ...[
      ['an address that is none', 'cat.png'] as const,
      ['an address of another scheme', 'ftp://example.com/cat.png'] as const,
      ['a data address', 'data:image/png;base64,AAAA'] as const,
      ['an address without a host', 'https:///cat.png'] as const,
      ['an address with a space', 'https://example.com/a cat.png'] as const,
    ].map(([title, address]): [string, unknown, string] => [title, address, `${wanted}, got "${address}"`]),
  ])('%s (400, code 2004)', async (_, imgUrl, sentence) => {
    expect(await bodyOf(post(simulator(), path, { ...body, imgUrl }), 400)).toEqual(
      unsuitable('imgUrl', sentence),
    )
  })

  it('a model that is not enabled for the key (403)', async () => {
    const sim = simulator({ settings: { keys: { 'sk-test': { models: ['v8'] } } } })
    const message = 'The model `v7` is not enabled for this API key. Enabled models: v8 (setting keys).'
    expect(await bodyOf(post(sim, path, body), 403)).toEqual(about('permission_error', 403, 'model', message))
  })

  it('an active job too many (429, code 2007)', async () => {
    const sim = simulator({ settings: { limits: { activeImageJobs: 1 } } })
    await bodyOf(post(sim, path, body))
    expect(await bodyOf(post(sim, path, body), 429)).toEqual(
      tooManyActive(1, 'The next job finishes in 40s: submit again after that'),
    )
  })
}

/**
 * The rejection of a model whose version lacks the operation; `operation` as in the settings, `name` as in the
 * path.
 */
export function rejectsModelsWithout(
  operation: string,
  name: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): void {
  it('a model whose version does not support it (400, code 2004); the narrowest pattern counts', async () => {
    const operations = { 'v*': [], v7: ['variation' as const, 'pan' as const], 'v7.1': [operation as 'pan'] }
    const sim = simulator({ settings: { imageJobs: { edits: operations } } })
    for (const [model, known] of [
      ['v7', 'variation, pan'],
      ['v6', 'no edits'],
    ]) {
      const sentence = `the model ${model} does not support ${name}: it supports ${known} (setting imageJobs.edits)`
      expect(await bodyOf(post(sim, path, { ...body, model }), 400)).toEqual(unsuitable('model', sentence))
    }
    expect(await bodyOf(post(sim, path, { ...body, model: 'v7.1' }))).toMatchObject({ status: 1 })
    expect(await bodyOf(post(sim, path, { ...body, model: 'niji' }))).toMatchObject({ status: 1 })
  })
}
