/**
 * What the tests of timelines share: a simulator whose submissions follow a rule, and the three kinds of
 * resources as a client meets them.
 */
import type { ScenarioInput, Simulator, SimulatorOptions } from '../../../src/index.ts'
import { get, post, simulator } from '../../_setup.ts'

type Json = any

/** A simulator in which submissions of an operation get `then`. */
export function scripted(
  operation: string,
  then: object,
  options: SimulatorOptions = {},
): ReturnType<typeof simulator> {
  return simulator({
    ...options,
    scenarios: [{ title: 'a timeline', rules: [{ when: { operation }, then }] } as ScenarioInput],
  })
}

export interface Kind {
  readonly operation: string
  submit(sim: Simulator): Promise<Response>
  /** What a poll of what `submitted` answered shows; its status is 404 when it is gone. */
  poll(sim: Simulator, submitted: Json): Promise<Response>
}

export const imageJobs: Kind = {
  operation: 'imageJobs.create',
  submit: (sim) => post(sim, '/v1/tob/diffusion', { model: 'v7', text: 'a cat' }),
  poll: (sim, { id }) => get(sim, `/v1/tob/job/${id}`),
}

export const videos: Kind = {
  operation: 'videos.create',
  submit: (sim) => post(sim, '/v1/videos', { model: 'video-1', prompt: 'a fox' }),
  poll: (sim, { id }) => get(sim, `/v1/videos/${id}`),
}

export const operations: Kind = {
  operation: 'videoOperations.submit',
  submit: (sim) =>
    post(sim, '/v1beta/models/veo-3.0:predictLongRunning', { instances: [{ prompt: 'a fox' }] }),
  poll: (sim, { name }) => get(sim, `/v1beta/${name}`),
}

/**
 * Submits and keeps what was answered; `at` polls after moving time on to so many milliseconds after the
 * submission.
 */
export async function submitted(
  sim: Simulator,
  kind: Kind,
): Promise<{ readonly first: Json; poll(): Promise<Json>; at(ms: number): Promise<Json> }> {
  const first = await (await kind.submit(sim)).json()
  const since = sim.clock.now()
  const poll = async (): Promise<Json> => {
    const response = await kind.poll(sim, first)
    const body = await response.json()
    return response.status === 200 ? body : { gone: response.status, message: (body as Json).error.message }
  }
  return {
    first,
    poll,
    at(ms) {
      sim.clock.advance(since + ms - sim.clock.now())
      return poll()
    },
  }
}

/** The same in a simulator of which submissions of this kind get `then`. */
export async function unfolding(kind: Kind, then: object, options: SimulatorOptions = {}) {
  const sim = scripted(kind.operation, then, options)
  return { sim, ...(await submitted(sim, kind)) }
}
