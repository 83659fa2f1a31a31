/** What the contract says of all image-job operations at once, held by each of them. */
import { describe, expect, it } from 'vitest'
import type { Simulator, SimulatorOptions } from '../../../src/index.ts'
import { post, simulator } from '../../_setup.ts'
import { bodyOf, ended, imgUrl, polled, runningJob, tooManyActive, unsuitable, uuid } from './_jobs.ts'

type Body = Readonly<Record<string, unknown>>

const paint = {
  mask: { url: imgUrl },
  canvas: { width: 8, height: 8 },
  imgPos: { width: 4, height: 4, x: 0, y: 0 },
  remixPrompt: 'a hat',
}

/** Every way to submit a job, with a body that is accepted; `jobId` is a source job that has succeeded. */
const submissions: readonly (readonly [string, (jobId: string) => Body])[] = [
  ['diffusion', () => ({ model: 'v7', text: 'a cat' })],
  ['upload-paint', () => ({ model: 'v7', imgUrl, ...paint })],
  ['retexture', () => ({ model: 'v7', imgUrl, remixPrompt: 'in blue' })],
  ['remove-background', () => ({ model: 'v7', imgUrl })],
  ['pan', (jobId) => ({ jobId, imageNo: 0, direction: 0, scale: 1.5, remixPrompt: 'a hat' })],
  ['variation', (jobId) => ({ jobId, imageNo: 0, type: 0, remixPrompt: 'a hat' })],
]

async function prepared(
  settings: SimulatorOptions['settings'] = {},
): Promise<{ sim: Simulator; jobId: string }> {
  const sim = simulator({ settings })
  return { sim, jobId: (await ended(sim, 'a source')).id }
}

describe.each(submissions)('/v1/tob/%s', (name, bodyFor) => {
  const path = `/v1/tob/${name}`

  it('answers 200 with a running job, whose id polling takes', async () => {
    const { sim, jobId } = await prepared()
    const job = await bodyOf(post(sim, path, bodyFor(jobId)))
    expect(job).toEqual(runningJob(job.text))
    expect(job.id).not.toBe(jobId)
    expect(await polled(sim, job.id)).toEqual(job)
    sim.clock.advance('40s')
    expect(await polled(sim, job.id)).toMatchObject({ id: job.id, status: 2, comment: 'JobStatusSuccess' })
  })

  it('answers with a job that has ended, where the settings say so', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { id: jobId } = await bodyOf(post(sim, '/v1/tob/diffusion', { model: 'v7', text: 'a source' }))
    const job = await bodyOf(post(sim, path, bodyFor(jobId)))
    expect(job).toMatchObject({ status: 2, comment: 'JobStatusSuccess' })
    expect(job.urls?.[0]).toBe(`http://gateway.test/media/image-jobs/${job.id}/0.png`)
  })

  it('rejects a callback (400, code 2004)', async () => {
    const { sim, jobId } = await prepared()
    const sentence = 'is not supported: remove it and poll GET /v1/tob/job/{jobId}'
    const called = { ...bodyFor(jobId), callback: 'https://example.com/done' }
    expect(await bodyOf(post(sim, path, called), 400)).toEqual(unsuitable('callback', sentence))
    expect(await bodyOf(post(sim, path, bodyFor(jobId)))).toMatchObject({ status: 1 })
  })

  it('rejects one active job too many (429, code 2007)', async () => {
    const { sim, jobId } = await prepared({ limits: { activeImageJobs: 1 } })
    await bodyOf(post(sim, path, bodyFor(jobId)))
    expect(await bodyOf(post(sim, path, bodyFor(jobId)), 429)).toEqual(
      tooManyActive(1, 'The next job finishes in 40s: submit again after that'),
    )
  })

  it.each([
    [
      'a submit that failed downstream',
      ...(['ambiguous-submit-424', 424, 'downstream_unavailable', 2002] as const),
      'The submit failed: the downstream call is unavailable (reserved value ambiguous-submit-424).',
    ],
    [
      'a submit that was not completed',
      ...(['ambiguous-submit-500', 500, 'api_error', 500] as const),
      'The request was not completed (reserved value ambiguous-submit-500).',
    ],
  ])('names the job that goes on after %s', async (_, word, status, type, code, message) => {
    const { sim, jobId } = await prepared()
    const body = bodyFor(jobId)
    const reserved =
      'model' in body ? { ...body, model: `sim-${word}` } : { ...body, remixPrompt: `a hat [sim:${word}]` }
    const { error } = await bodyOf<{ error: { job_id: string } }>(post(sim, path, reserved), status)
    const { job_id: id } = error
    expect(id).toMatch(uuid)
    const advice = `The job ${id} exists: poll GET /v1/tob/job/${id} instead of submitting again.`
    expect(error).toEqual({
      type,
      code,
      message: `${message} ${advice}`,
      param: null,
      details: [{ code, message: advice, field: 'jobId' }],
      job_id: id,
      trace_id: expect.stringMatching(/^trc_/),
    })
    expect(await polled(sim, id)).toMatchObject({ id, status: 1 })
    sim.clock.advance('40s')
    expect(await polled(sim, id)).toMatchObject({ id, status: 2 })
  })
})

describe('an operation of the upstream that the contract does not have', () => {
  it.each([
    ...['upscale', 'reroll', 'outpaint', 'inpaint', 'remix', 'edit', 'enhance', 'video-diffusion'],
    'callback',
  ])('/v1/tob/%s is an unknown path (404)', async (name) => {
    const { error } = await bodyOf<{ error: { code: number; message: string } }>(
      post(simulator(), `/v1/tob/${name}`, { jobId: 'x' }),
      404,
    )
    expect([error.code, error.message]).toEqual([
      404,
      expect.stringMatching(new RegExp(`^Unknown path: POST /v1/tob/${name}\\. `)),
    ])
  })
})
