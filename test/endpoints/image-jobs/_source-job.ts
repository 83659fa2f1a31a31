/** What an edit of an earlier job rejects because of that job; the same for pan and variation. */
import { expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { described, seenFrom } from '../_described.ts'
import {
  about,
  asKey,
  bodyOf,
  created,
  ended,
  imgUrl,
  type Job,
  polled,
  runningJob,
  tooManyActive,
  unsuitable,
} from './_jobs.ts'

type Rest = Readonly<Record<string, unknown>>
type Sim = ReturnType<typeof simulator>

export function rejectsUnsuitableSources(name: 'pan' | 'variation', rest: Rest): void {
  const path = `/v1/tob/${name}`
  const body = (jobId: unknown, imageNo: unknown = 0): Rest => ({ jobId, imageNo, ...rest })
  const rejectedFor = (sim: Sim, sent: Rest, at = path) => bodyOf(post(sim, at, sent), 400)
  const accepts = async (sim: Sim, sent: Rest): Promise<void> =>
    expect(await bodyOf(post(sim, path, sent))).toMatchObject({ status: 1 })

  it('a source job that this session does not have (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await ended(sim)
    for (const [at, session, job] of [
      ['', 'default', 'nothing'],
      ['/s/blue', 'blue', id],
    ] as const)
      expect(await rejectedFor(sim, body(job), at + path)).toEqual(
        unsuitable(
          'jobId',
          `unknown image job \`${job}\` in the session "${session}": ` +
            'expected the `id` from a submission response',
        ),
      )
  })

  it('a source job of another API key (400, code 2004), whoever the key may be', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat', 'sk-alice')
    const sentence = `the image job ${id} was submitted with another API key: use that API key for the edit`
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence))
    expect(await bodyOf(post(sim, path, body(id), asKey('sk-alice')))).toMatchObject({ status: 1 })
  })

  it('a source job until it has succeeded (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await created(sim)
    sim.clock.advance(39_999)
    const sentence =
      `the image job ${id} has not finished yet (status 1): poll GET /v1/tob/job/${id} until status 2 ` +
      '(succeeded)'
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence))
    sim.clock.advance(1)
    await accepts(sim, body(id))
  })

  it.each<[string, string, (id: string) => string, string?]>([
    [
      'has failed',
      'a cat [sim:fail-at-50]',
      (id) =>
        `the image job ${id} failed (status 3, JobStatusFail): expected a job that succeeded (status 2)`,
    ],
    [
      'is gone',
      'a cat [sim:not-found-at-100]',
      (id) =>
        `the image job "${id}" no longer exists: a scenario or an override removed it from the session ` +
        `"default"`,
    ],
  ])('a source job that %s (400, code 2004)', async (_, text, sentence) => {
    const sim = simulator()
    const { id } = await created(sim, text)
    sim.clock.advance('40s')
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence(id)))
  })

  it('an image that the source job does not have (400, code 2004)', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { id } = await bodyOf(post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl }))
    expect(await rejectedFor(sim, body(id, 1))).toEqual(
      unsuitable('imageNo', 'expected 0 (the source job has 1 image), got 1'),
    )
    expect(await bodyOf(post(sim, path, body(id, 0)))).toMatchObject({ status: 2 })
  })

  it('an image that the audit has blocked (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat [sim:blocked-3]')
    const sentence =
      'expected an image that passed moderation, got image 3 of the source job (blocked by the image audit)'
    expect(await rejectedFor(sim, body(id, 3))).toEqual(unsuitable('imageNo', sentence))
    await accepts(sim, body(id, 2))
  })

  it('a source job whose model does not support it (400, code 2004)', async () => {
    const operations = { 'v8.1': ['retexture' as const, 'uploadPaint' as const, 'removeBackground' as const] }
    const sim = simulator({ settings: { imageJobs: { edits: operations } } })
    const { id } = await ended(sim, 'a cat', 'sk-test', 'v8.1')
    const sentence =
      `the model v8.1 does not support ${name}: it supports retexture, upload-paint, remove-background ` +
      '(setting imageJobs.edits)'
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence))
  })

  it('a source job whose model is not enabled for the key any more (403)', async () => {
    const sim = simulator({ settings: { keys: { 'sk-test': { models: ['v8'] } } } })
    // No call can bring this about while the settings stay as they are.
    sim.core.sessions.get('default').sandbox.store.add({
      kind: 'imageJob',
      id: 'job-1',
      owner: 'sk-test',
      bornAt: sim.clock.now(),
      facts: someFacts,
      timeline: [{ at: 0, patch: { status: 2 } }],
    })
    const message =
      'The model `v7` of the source job is not enabled for this API key. Enabled models: v8 (setting keys).'
    expect(await bodyOf(post(sim, path, body('job-1')), 403)).toEqual(
      about('permission_error', 403, 'jobId', message),
    )
  })

  it('an active job too many (429, code 2007)', async () => {
    const sim = simulator({ settings: { limits: { activeImageJobs: 1 } } })
    const { id } = await ended(sim)
    await created(sim, 'a dog')
    expect(await bodyOf(post(sim, path, body(id)), 429)).toEqual(
      tooManyActive(1, 'The next job finishes in 40s: submit again after that'),
    )
  })
}

/** What the store keeps of a job, as far as these tests need it. */
export const someFacts = {
  model: 'v7',
  text: 'a cat',
  seed: 7,
  images: {
    count: 2,
    width: 8,
    height: 8,
    format: 'png' as const,
    transparent: false,
    seed: 'x',
    prompt: 'a cat',
    facts: ['v7'],
  },
  blocked: [1],
}

/** What an edit inherits from its source job. */
export function inheritsFromItsSource(name: 'pan' | 'variation', rest: Rest): void {
  const edited = (sim: Sim, jobId: string, more: Rest = {}): Promise<Job> =>
    bodyOf(post(sim, `/v1/tob/${name}`, { jobId, imageNo: 0, ...rest, ...more }))

  it('with a running job of the same text, and a new id', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat')
    const job = await edited(sim, id, { imageNo: 3 })
    expect(job).toEqual({ ...runningJob('a cat'), id: expect.not.stringContaining(id) })
  })

  it('with the new text when there is one, tolerating a model and other fields', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat')
    expect(await edited(sim, id, { remixPrompt: 'a hat', model: 'v1', foo: 1 })).toMatchObject({
      text: 'a hat',
      status: 1,
    })
  })

  it('from an edited job as from a first one, with the model of the first', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished', edits: { v7: [name] } } } })
    const { id } = await created(sim)
    const first = await edited(sim, id)
    expect(await edited(sim, first.id)).toMatchObject({ status: 2, text: 'a cat' })
  })

  it('in the session of the source job although nothing else names it', async () => {
    const sim = simulator()
    const { id } = await bodyOf(
      post(sim, '/s/blue/v1/tob/diffusion', { model: 'v7', text: 'a cat [sim:finished]' }),
    )
    expect((await edited(sim, id, { remixPrompt: 'a hat' })).id.slice(0, 8)).toBe(id.slice(0, 8))
  })

  it('once it has succeeded by its own time, in `auto`', async () => {
    const sim = simulator({ clock: 'auto' })
    const { id } = await created(sim)
    for (let i = 0; i < 3; i++) await polled(sim, id)
    const job = await edited(sim, id)
    expect(job.status).toBe(1)
    const polls = [await polled(sim, job.id), await polled(sim, job.id), await polled(sim, job.id)]
    expect(polls).toMatchObject([
      { status: 1 },
      { cost: { costAt: '2026-01-01T00:00:50.000Z' } },
      { status: 2 },
    ])
  })

  it('with its images drawn from the image it starts from, not from the id of its job', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const image = async (jobId: string, imageNo: number): Promise<string> => {
      const { urls } = await edited(sim, jobId, { imageNo })
      return seenFrom(described(sim, urls?.[0] as string))
    }
    const [first, again] = [await created(sim), await created(sim)]
    const drawn = await image(first.id, 0)
    expect(await image(again.id, 0)).toBe(drawn)
    expect(await image(first.id, 1)).not.toBe(drawn)
  })
}
