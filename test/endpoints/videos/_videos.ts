/** What the tests of videos share: a session in which videos are made, read and rejected. */
import { encode } from 'fast-png'
import { expect } from 'vitest'
import type { SimulatorOptions } from '../../../src/index.ts'
import { simulator } from '../../_setup.ts'
import { answered, rejection, start } from '../_openai-family.ts'

export interface Answer {
  readonly status: number
  readonly body: any
  readonly headers: Headers
}

export type Key = { readonly key?: string; readonly headers?: Record<string, string> }

/**
 * A simulator with short words for what the tests do. Times: 60 s per video unless the settings say
 * otherwise.
 */
export function videosSession(options: SimulatorOptions = {}) {
  const sim = simulator(options)
  const call = async (
    method: string,
    path: string,
    body?: string | FormData,
    { key = 'sk-test', headers = {} }: Key = {},
  ): Promise<Answer> => {
    const type: Record<string, string> =
      typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const init = {
      method,
      headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    }
    const response = await sim.fetch(`http://gateway.test${path}`, init)
    const json = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: json ? await response.json() : new Uint8Array(await response.arrayBuffer()),
    }
  }
  const create = (body: unknown = { model: 'video-1', prompt: 'a fox in the snow' }, key?: Key) =>
    call('POST', '/v1/videos', body instanceof FormData ? body : JSON.stringify(body), key)
  const retrieve = (id: string, key?: Key) => call('GET', `/v1/videos/${id}`, undefined, key)
  return {
    sim,
    call,
    create,
    retrieve,
    content: (id: string, query = '', key?: Key) =>
      call('GET', `/v1/videos/${id}/content${query}`, undefined, key),
    remix: (id: string, body: unknown = { prompt: 'now at night' }, key?: Key) =>
      call('POST', `/v1/videos/${id}/remix`, JSON.stringify(body), key),
    list: (query = '', key?: Key) => call('GET', `/v1/videos${query}`, undefined, key),
    remove: (id: string, key?: Key) => call('DELETE', `/v1/videos/${id}`, undefined, key),
    /** The id of a video that has just been submitted. */
    newId: async (body?: unknown, key?: Key): Promise<string> => (await create(body, key)).body.id,
    /** The id of a completed video (only where the clock can be moved). */
    completedId: async (body?: unknown, key?: Key): Promise<string> => {
      const { id } = (await create(body, key)).body
      sim.clock.advance('60s')
      return id
    },
  }
}

/** A video as its submission answers it. */
export const pendingVideo = (change: object = {}) => ({
  id: expect.stringMatching(/^video_[0-9a-f]{32}$/),
  object: 'video',
  created_at: start,
  model: 'video-1',
  status: 'pending',
  progress: 0,
  seconds: '4',
  size: '720x1280',
  error: null,
  ...change,
})
/** What a status query shows besides. */
export const unset = { completed_at: null, expires_at: null, remixed_from_video_id: null }

/** The rejection of a video that cannot be found. */
export const missing = (message: string) =>
  answered(404, rejection('not_found_error', 404, message, 'video_id'))
/** The rejection of a video that is not in the state for this. */
export const unsuitable = (message: string) =>
  answered(400, rejection('invalid_request_error', 400, message, 'video_id'))
export const anotherKeys = (id: string) =>
  missing(`This API key has no video \`${id}\` in the session "default": use the API key that submitted it.`)

/** A small real image. */
export function image(name = 'fox.png', type = 'image/png'): File {
  return new File(
    [encode({ width: 2, height: 2, channels: 3, data: new Uint8Array(12) }) as Uint8Array<ArrayBuffer>],
    name,
    { type },
  )
}
