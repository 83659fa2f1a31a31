/** The works that the gallery shows, from the journal and the jobs of a real session. */
import { describe, expect, it } from 'vitest'
import type { JournalEntryJson } from '../../src/exchange/plain.ts'
import type { JobState } from '../../src/generated/control-types.ts'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { seenIn, type Work, worksOf } from '../../src/ui/media/works.ts'
import { bodyOf, jsonCall } from '../_setup.ts'
import { png } from '../endpoints/images/_images.ts'

const auth = { authorization: 'Bearer sk-test' }

async function gallery(sim: Simulator): Promise<readonly Work[]> {
  const { entries } = (await bodyOf(sim.fetch('/__sim/journal'))) as unknown as {
    readonly entries: readonly JournalEntryJson[]
  }
  const { jobs } = (await bodyOf(sim.fetch('/__sim/jobs'))) as unknown as {
    readonly jobs: readonly JobState[]
  }
  const seen = entries.map((entry) => seenIn(entry, entry.operation?.startsWith('images.') === true))
  return worksOf(seen, jobs)
}

const post = (sim: Simulator, path: string, body: object) => bodyOf(sim.fetch(path, jsonCall(body)))

/** Each file can be had from the control API. */
async function typesOf(sim: Simulator, { files }: Work): Promise<(string | null)[]> {
  return Promise.all(
    files.map(async ({ query }) => {
      const response = await sim.fetch(`/__sim/media?${query}`)
      await response.arrayBuffer()
      return response.headers.get('content-type')
    }),
  )
}

describe('the gallery', () => {
  it('has images by URL and as base64, with their requests', async () => {
    const sim = createSimulator()
    await post(sim, '/v1/images/generations', { model: 'dall-e-3', prompt: 'a boat' })
    await post(sim, '/v1/images/generations', { model: 'gpt-image-1', prompt: 'a <b>hill</b>', n: 2 })
    await post(sim, '/v1/images/generations', { model: 'gpt-image-1' })
    const [hills, boat, ...more] = await gallery(sim)
    expect(more).toEqual([])
    expect(hills?.maker).toMatchObject({ seq: 1, operation: 'images.generate', prompt: 'a <b>hill</b>' })
    expect(await typesOf(sim, hills as Work)).toEqual(['image/png', 'image/png'])
    expect(boat?.maker).toMatchObject({ seq: 0, prompt: 'a boat' })
    expect(await typesOf(sim, boat as Work)).toEqual(['image/png'])
  })

  it('reads the fields of forms', async () => {
    const sim = createSimulator()
    const form = new FormData()
    form.set('model', 'gpt-image-1')
    form.set('prompt', 'a "quoted" boat')
    form.set('n', '2')
    form.set('image', new Blob([png()], { type: 'image/png' }), 'source.png')
    await (await sim.fetch('/v1/images/edits', { method: 'POST', headers: auth, body: form })).text()
    const [edit] = await gallery(sim)
    expect(edit?.maker?.prompt).toBe('a "quoted" boat')
    expect(edit?.maker?.uploads).toEqual(['source.png'])
    expect(edit?.problem).toBe('The journal does not keep images made from uploaded files.')
    expect(edit?.files).toEqual([])
  })

  it('has jobs with their states, and their files once they are known', async () => {
    const sim = createSimulator({ clock: 'manual' })
    const { id: videoId } = await post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a fox' })
    const { id: jobId } = await post(sim, '/v1/tob/diffusion', { model: 'image-job-v7', text: 'houses' })
    const model = '/v1beta/models/veo-3.0-generate-preview:predictLongRunning'
    const { name } = await post(sim, model, { instances: [{ prompt: 'waves' }] })
    const shown = async () =>
      (await gallery(sim)).map(({ noun, status, files, maker }) => [
        noun,
        maker?.prompt,
        status,
        files.length,
      ])
    expect(await shown()).toEqual([
      ['video operation', 'waves', 'pending', 0],
      ['image job', 'houses', 'running', 0],
      ['video', 'a fox', 'pending', 0],
    ])
    sim.clock.advance('10m')
    for (const path of [`/v1/videos/${videoId}`, `/v1/tob/job/${jobId}`, `/v1beta/${name}`])
      await (await sim.fetch(path, { headers: auth })).text()
    expect(await shown()).toEqual([
      ['video operation', 'waves', 'succeeded', 1],
      ['image job', 'houses', 'succeeded', 4],
      ['video', 'a fox', 'completed', 1],
    ])
    const [operation, job, video] = (await gallery(sim)) as [Work, Work, Work]
    expect(await typesOf(sim, operation)).toEqual(['video/mp4'])
    expect(await typesOf(sim, job)).toEqual(Array.from({ length: 4 }, () => 'image/png'))
    expect(await typesOf(sim, video)).toEqual(['video/mp4'])
    const poster = await sim.fetch(`/__sim/media?${video.files[0]?.poster}`)
    expect(poster.headers.get('content-type')).toBe('image/webp')
  })

  it('says why a job failed, and nothing of one that did not', async () => {
    const sim = createSimulator({ clock: 'manual' })
    const { id: videoId } = await post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a fox' })
    const { id: jobId } = await post(sim, '/v1/tob/diffusion', { model: 'image-job-v7', text: 'houses' })
    const problems = async () => (await gallery(sim)).map(({ problem }) => problem)
    expect(await problems()).toEqual(['', ''])
    for (const id of [videoId, jobId])
      await post(sim, `/__sim/jobs/${String(id)}`, { set: { status: 'failed' } })
    expect(await problems()).toEqual(['JobStatusFail', 'The video could not be generated.'])
  })
})
