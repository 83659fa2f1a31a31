/** What an edit of an earlier job refuses because of that job; the same for pan and variation. */
import { expect, it } from 'vitest'
import type { SimulatorOptions } from '../../../src/index.ts'
import { post, simulator } from '../../_setup.ts'
import { described, seenFrom } from '../_described.ts'
import { about, bodyOf, created, ended, imgUrl, refusal, unsuitable } from './_jobs.ts'

export function refusesUnsuitableSources(
  name: 'pan' | 'variation',
  rest: Readonly<Record<string, unknown>>,
): void {
  const path = `/v1/tob/${name}`
  const body = (jobId: unknown, imageNo: unknown = 0): Record<string, unknown> => ({
    jobId,
    imageNo,
    ...rest,
  })
  const settings = (given: NonNullable<SimulatorOptions['settings']>): SimulatorOptions => ({
    settings: given,
  })

  it.each([
    ['no job', { jobId: undefined }, 'jobId', 'is required: expected a string'],
    ['an empty job id', { jobId: '' }, 'jobId', 'expected at least 1 character(s), got an empty string'],
    ['no picture', { imageNo: undefined }, 'imageNo', 'is required: expected a number'],
    ['picture -1', { imageNo: -1 }, 'imageNo', 'expected at least 0, got -1'],
    ['picture 4', { imageNo: 4 }, 'imageNo', 'expected at most 3, got 4'],
    ['picture 0.5', { imageNo: 0.5 }, 'imageNo', 'expected a whole number, got 0.5'],
    [
      'an empty prompt',
      { remixPrompt: '' },
      'remixPrompt',
      'expected at least 1 character(s), got an empty string',
    ],
    [
      'a prompt of 8193 characters',
      { remixPrompt: 'a'.repeat(8193) },
      'remixPrompt',
      'expected at most 8192 character(s), got 8193',
    ],
  ])('%s (400, code 2004)', async (_, change, field, sentence) => {
    const sim = simulator()
    const { id } = await ended(sim)
    expect(await bodyOf(post(sim, path, { ...body(id), ...change }), 400)).toEqual(
      unsuitable(field, sentence),
    )
  })

  it('a source job that this session does not have (400, code 2004)', async () => {
    const sim = simulator()
    expect(await bodyOf(post(sim, path, body('nothing')), 400)).toEqual(
      unsuitable(
        'jobId',
        `there is no image job \`nothing\` in the session "default": ` +
          'expected the `id` of a reply to a submission there',
      ),
    )
    const { id } = await ended(sim)
    expect(await bodyOf(post(sim, `/s/blue${path}`, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `there is no image job \`${id}\` in the session "blue": ` +
          'expected the `id` of a reply to a submission there',
      ),
    )
  })

  it('a source job of another API key (400, code 2004), whoever the key may be', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat', 'sk-alice')
    expect(await bodyOf(post(sim, path, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `the image job ${id} was submitted with another API key: send the edit with the key that ` +
          'submitted it',
      ),
    )
    expect(await bodyOf(post(sim, path, body(id), { authorization: 'Bearer sk-alice' }))).toMatchObject({
      status: 1,
    })
  })

  it('a source job until it has succeeded (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await created(sim)
    sim.clock.advance(39_999)
    expect(await bodyOf(post(sim, path, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `the image job ${id} has not ended yet (status 1): expected a job that has succeeded (status 2), ` +
          `poll GET /v1/tob/job/${id} until it has`,
      ),
    )
    sim.clock.advance(1)
    expect(await bodyOf(post(sim, path, body(id)))).toMatchObject({ status: 1 })
  })

  it('a source job that has failed (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat [sim:fail-at-50]')
    expect(await bodyOf(post(sim, path, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `the image job ${id} has failed (status 3, JobStatusFail): expected a job that has succeeded ` +
          '(status 2), start from another one',
      ),
    )
  })

  it('a source job that is gone (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await created(sim, 'a cat [sim:vanish-at-100]')
    sim.clock.advance('40s')
    expect(await bodyOf(post(sim, path, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `the image job "${id}" is gone: it existed in the session "default" and has vanished as planned`,
      ),
    )
  })

  it('a source job that the session has dropped for want of room (400, code 2004)', async () => {
    const sim = simulator(settings({ memory: { resources: 1 } }))
    const { id } = await ended(sim)
    await created(sim, 'a dog')
    expect(await bodyOf(post(sim, path, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `the image job \`${id}\` was dropped: the session "default" keeps 1 jobs and videos, ` +
          'the oldest finished ones go first (setting memory.resources)',
      ),
    )
  })

  it('a picture that the source job does not have (400, code 2004)', async () => {
    const sim = simulator(settings({ imageJobs: { submitted: 'terminal' } }))
    const { id } = await bodyOf(post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl }))
    expect(await bodyOf(post(sim, path, body(id, 1)), 400)).toEqual(
      unsuitable('imageNo', 'expected 0 since the source job has 1 picture(s), got 1'),
    )
    expect(await bodyOf(post(sim, path, body(id, 0)))).toMatchObject({ status: 2 })
  })

  it('a picture that the audit has blocked (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat [sim:blocked-3]')
    expect(await bodyOf(post(sim, path, body(id, 3)), 400)).toEqual(
      unsuitable(
        'imageNo',
        'expected a picture that passed the audit, got picture 3 of the source job (blocked by the ' +
          'picture audit)',
      ),
    )
    expect(await bodyOf(post(sim, path, body(id, 2)))).toMatchObject({ status: 1 })
  })

  it('a source job whose model does not support it (400, code 2004)', async () => {
    const sim = simulator(
      settings({ imageJobs: { operations: { 'v8.1': ['retexture', 'uploadPaint', 'removeBackground'] } } }),
    )
    const { id } = await ended(sim, 'a cat', 'sk-test', 'v8.1')
    expect(await bodyOf(post(sim, path, body(id)), 400)).toEqual(
      unsuitable(
        'jobId',
        `the model v8.1 does not support ${name}, it supports retexture, upload-paint, remove-background ` +
          '(setting imageJobs.operations)',
      ),
    )
  })

  it('a source job whose model is not enabled for the key any more (403)', async () => {
    const sim = simulator(settings({ keys: { 'sk-test': { models: ['v8'] } } }))
    // No call can bring this about while the settings stay as they are.
    const { world } = sim.core.sessions.get('default')
    const facts = {
      model: 'v7',
      text: 'a cat',
      seed: 1,
      images: {
        count: 4,
        width: 8,
        height: 8,
        format: 'png',
        transparent: false,
        seed: 'x',
        prompt: 'a cat',
        facts: ['v7'],
      },
      blocked: [],
    }
    world.store.add({
      kind: 'imageJob',
      id: 'job-1',
      owner: 'sk-test',
      bornAt: sim.clock.now(),
      facts,
      timeline: [{ at: 0, patch: { status: 2 } }],
    })
    expect(await bodyOf(post(sim, path, body('job-1')), 403)).toEqual(
      about(
        'permission_error',
        403,
        'jobId',
        'The model `v7` of the source job is not enabled for this API key: it may use v8 (setting keys).',
      ),
    )
  })

  it('an active job too many (429, code 2007)', async () => {
    const sim = simulator(settings({ limits: { activeImageJobs: 1 } }))
    const { id } = await ended(sim)
    await created(sim, 'a dog')
    expect(await bodyOf(post(sim, path, body(id)), 429)).toEqual(
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

/** What an edit inherits from its source job. */
export function inheritsFromItsSource(
  name: 'pan' | 'variation',
  rest: Readonly<Record<string, unknown>>,
): void {
  const path = `/v1/tob/${name}`

  it('with a running job of the same text, and a new id', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat')
    const edited = await bodyOf(post(sim, path, { jobId: id, imageNo: 3, ...rest }))
    expect(edited).toEqual({
      id: expect.not.stringContaining(id),
      text: 'a cat',
      status: 1,
      urls: [],
      comment: 'JobStatusRunning',
      cost: null,
      audits: [],
      seed: expect.any(Number),
    })
  })

  it('with the new text when there is one, tolerating a model and other fields', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat')
    expect(
      await bodyOf(
        post(sim, path, { jobId: id, imageNo: 0, ...rest, remixPrompt: 'a hat', model: 'v1', foo: 1 }),
      ),
    ).toMatchObject({ text: 'a hat', status: 1 })
  })

  it.each([0, 1, 2, 3])('to picture %i of four', async (imageNo) => {
    const sim = simulator()
    const { id } = await ended(sim)
    expect(await bodyOf(post(sim, path, { jobId: id, imageNo, ...rest }))).toMatchObject({ status: 1 })
  })

  it.each([
    ['one character', 'a'],
    ['8192 characters', 'a'.repeat(8192)],
  ])('to a new prompt of %s', async (_, remixPrompt) => {
    const sim = simulator()
    const { id } = await ended(sim)
    expect(await bodyOf(post(sim, path, { jobId: id, imageNo: 0, ...rest, remixPrompt }))).toMatchObject({
      status: 1,
      text: remixPrompt,
    })
  })

  it('from an edited job as from a first one, with the model of the first', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'terminal', operations: { v7: [name] } } } })
    const { id } = await created(sim)
    const edited = await bodyOf(post(sim, path, { jobId: id, imageNo: 0, ...rest }))
    expect(await bodyOf(post(sim, path, { jobId: edited.id, imageNo: 0, ...rest }))).toMatchObject({
      status: 2,
      text: 'a cat',
    })
  })

  it('in the session of the source job although nothing else names it', async () => {
    const sim = simulator()
    const { id } = await bodyOf(
      post(sim, '/s/blue/v1/tob/diffusion', { model: 'v7', text: 'a cat [sim:at-once]' }),
    )
    const edited = await bodyOf(post(sim, path, { jobId: id, imageNo: 0, ...rest, remixPrompt: 'a hat' }))
    expect(edited.id.slice(0, 8)).toBe(id.slice(0, 8))
  })

  it('once it has succeeded by its own time, in `auto`', async () => {
    const sim = simulator({ clock: 'auto' })
    const { id } = await created(sim)
    for (let i = 0; i < 3; i++)
      await sim.fetch(`http://gateway.test/v1/tob/job/${id}`, {
        headers: { authorization: 'Bearer sk-test' },
      })
    const edited = await bodyOf(post(sim, path, { jobId: id, imageNo: 0, ...rest }))
    expect(edited.status).toBe(1)
    const poll = () =>
      bodyOf<{ status: number; cost: { costAt: string } | null }>(
        sim.fetch(`http://gateway.test/v1/tob/job/${edited.id}`, {
          headers: { authorization: 'Bearer sk-test' },
        }),
      )
    expect([(await poll()).status, (await poll()).cost?.costAt, (await poll()).status]).toEqual([
      1,
      '2026-01-01T00:00:50.000Z',
      2,
    ])
  })

  it('with its pictures drawn from the picture it starts from, not from the id of its job', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'terminal' } } })
    const picture = async (jobId: string, imageNo: number): Promise<string> => {
      const { urls } = await bodyOf(post(sim, path, { jobId, imageNo, ...rest }))
      return seenFrom(described(sim, urls?.[0] as string))
    }
    const [first, again] = [await created(sim), await created(sim)]
    const drawn = await picture(first.id, 0)
    expect(await picture(again.id, 0)).toBe(drawn)
    expect(await picture(first.id, 1)).not.toBe(drawn)
  })
}
