/**
 * Image jobs as teams call them: no SDK exists, so a hand-written client over plain `fetch`, with a base
 * address, retries and a poll loop.
 */
import { describe, expect, it } from 'vitest'
import type { Simulator, SimulatorOptions } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectionOf } from './_integrations.ts'

interface Job {
  readonly id: string
  readonly text?: string
  readonly status: 0 | 1 | 2 | 3
  readonly urls: string[] | null
  readonly comment: string
  readonly audits?: string[]
}

/** What the client throws for a rejection. */
class GatewayError extends Error {
  readonly status: number
  readonly code: number
  readonly jobId: string | undefined

  constructor(
    status: number,
    { code, message, job_id: jobId }: { code: number; message: string; job_id?: string },
  ) {
    super(message)
    this.status = status
    this.code = code
    this.jobId = jobId
  }
}

/**
 * The client under test: what a team writes in an afternoon. `nap` stands for its sleep, so that a test sees
 * how long it would.
 */
function imageJobs(
  call: typeof fetch,
  base: string,
  options: { readonly key?: string; readonly nap?: (ms: number) => void } = {},
) {
  const { key = 'sk-test', nap = () => undefined } = options
  const headers = { authorization: `Bearer ${key}` }

  async function read(response: Response): Promise<Job> {
    const body = (await response.json()) as Job & {
      error: { code: number; message: string; job_id?: string }
    }
    if (!response.ok) throw new GatewayError(response.status, body.error)
    return body
  }

  async function submit(operation: string, body: object): Promise<Job> {
    for (let attempt = 1; ; attempt++) {
      const response = await call(`${base}/v1/tob/${operation}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (response.status !== 429 || attempt === 3) return read(response)
      await response.text()
      nap(Number(response.headers.get('retry-after')) * 1000)
    }
  }

  const poll = async (id: string): Promise<Job> => read(await call(`${base}/v1/tob/job/${id}`, { headers }))

  /** Polls until the job has ended; gives up after a hundred looks. */
  async function wait(id: string): Promise<Job> {
    for (let look = 0; look < 100; look++) {
      const job = await poll(id)
      if (job.status === 2 || job.status === 3) return job
      nap(2000)
    }
    throw new Error(`the job ${id} did not end`)
  }

  /**
   * Submits and waits. An id that comes with a rejection is polled, as the contract asks: never submit twice.
   */
  async function run(operation: string, body: object): Promise<Job> {
    try {
      return await wait((await submit(operation, body)).id)
    } catch (error) {
      if (error instanceof GatewayError && error.jobId !== undefined) return wait(error.jobId)
      throw error
    }
  }

  return { submit, poll, wait, run }
}

/** Kind, width and height of an image that is read without a key. */
async function image(call: typeof fetch, url: string): Promise<string> {
  const response = await call(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return `${response.headers.get('content-type')} ${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`
}

async function opened(
  integration: Integration,
  options: SimulatorOptions = {},
): Promise<{ sim: Simulator; call: typeof fetch; url: string }> {
  const sim = simulator({ clock: 'auto', ...options })
  const { fetch: call, url } = await integration.open(sim)
  return { sim, call, url }
}

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`image jobs by hand, through ${integration.name}`, () => {
    it('submits, polls to the end and reads the images', async () => {
      const { call, url } = await opened(integration)
      const client = imageJobs(call, url)
      const submitted = await client.submit('diffusion', { model: 'v7', text: 'a fox --ar 16:9' })
      expect(submitted).toMatchObject({
        text: 'a fox --ar 16:9',
        status: 1,
        urls: [],
        comment: 'JobStatusRunning',
      })
      const job = await client.wait(submitted.id)
      expect(job).toMatchObject({
        id: submitted.id,
        status: 2,
        comment: 'JobStatusSuccess',
        audits: ['', '', '', ''],
        urls: [0, 1, 2, 3].map((index) => `${url}/media/image-jobs/${submitted.id}/${index}.png`),
      })
      expect(await Promise.all((job.urls ?? []).map((address) => image(call, address)))).toEqual(
        Array(4).fill('image/png 1024x576'),
      )
    })

    it('goes on from an earlier job', async () => {
      const { call, url } = await opened(integration)
      const client = imageJobs(call, url)
      const source = await client.run('diffusion', { model: 'v7', text: 'a fox' })
      const change = { type: 1, remixPrompt: 'at night' }
      const varied = await client.run('variation', { jobId: source.id, imageNo: 2, ...change })
      expect(varied).toMatchObject({ status: 2, text: 'at night' })
      const panned = await client.run('pan', { jobId: varied.id, imageNo: 0, direction: 1, scale: 1.5 })
      expect(await image(call, panned.urls?.[3] ?? '')).toBe('image/png 1536x1024')
      const cut = await client.run('remove-background', { model: 'v7', imgUrl: panned.urls?.[0] })
      expect(cut.urls).toHaveLength(1)
    })
  })
}

for (const integration of clientIntegrations) {
  describe(`image jobs by hand, when things go wrong, through ${integration.name}`, () => {
    for (const [model, status, code] of [
      ['sim-ambiguous-submit-424', 424, 2002],
      ['sim-ambiguous-submit-500', 500, 500],
    ] as const) {
      it(`goes on with the job of a submission that was rejected with ${status}`, async () => {
        const { sim, call, url } = await opened(integration)
        const client = imageJobs(call, url)
        const rejected = (await rejectionOf(
          client.submit('diffusion', { model, text: 'a fox' }),
        )) as GatewayError
        expect(rejected).toMatchObject({
          status,
          code,
          jobId: expect.any(String),
          message: expect.stringContaining('instead of submitting again'),
        })
        expect(await client.wait(rejected.jobId as string)).toMatchObject({
          id: rejected.jobId,
          status: 2,
          text: 'a fox',
        })
        expect(await client.run('diffusion', { model, text: 'a hare' })).toMatchObject({
          status: 2,
          text: 'a hare',
        })
        expect(sim.journal().filter(({ operation }) => operation === 'imageJobs.create')).toHaveLength(2)
      })
    }

    it('waits as long as a full queue says, and is let in', async () => {
      const naps: number[] = []
      const { sim, call, url } = await opened(integration, {
        clock: 'manual',
        settings: { limits: { activeImageJobs: 2 } },
      })
      const client = imageJobs(call, url, { nap: (ms) => (naps.push(ms), void sim.clock.advance(ms)) })
      const jobs = []
      for (const text of ['one', 'two', 'three'])
        jobs.push(await client.submit('diffusion', { model: 'v7', text }))
      expect(jobs.map(({ status }) => status)).toEqual([1, 1, 1])
      expect(naps).toEqual([40_000])
      expect(sim.journal().map(({ response }) => response?.status)).toEqual([200, 200, 429, 200])
    })
  })
}
