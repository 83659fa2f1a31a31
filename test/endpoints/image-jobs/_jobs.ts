/** What the tests of image jobs share: usual requests, and the rejections as whole bodies. */
import { expect } from 'vitest'
import type { Simulator } from '../../../src/index.ts'
import { get, post } from '../../_setup.ts'
import { described } from '../_described.ts'
import { invalid, rejection } from '../_openai-family.ts'

export interface Job {
  readonly id: string
  readonly text?: string
  readonly status: number
  readonly urls: string[] | null
  readonly comment: string
  readonly cost: unknown
  readonly audits: string[]
  readonly seed: number
}

export const imgUrl = 'https://example.com/cat.png'
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The body of a response that must have this status. */
export async function bodyOf<Body = Job>(pending: Promise<Response>, status = 200): Promise<Body> {
  const response = await pending
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} `))
  return JSON.parse(text) as Body
}

/** A job from a prompt, just submitted. */
export function created(sim: Simulator, text = 'a cat', key = 'sk-test', model = 'v7'): Promise<Job> {
  return bodyOf(post(sim, '/v1/tob/diffusion', { model, text }, asKey(key)))
}

/** A job that has ended: submitted, then time moved on. */
export async function ended(sim: Simulator, text?: string, key?: string, model?: string): Promise<Job> {
  const { id } = await created(sim, text, key, model)
  sim.clock.advance('40s')
  return polled(sim, id, key)
}

/** What a poll shows. */
export function polled(sim: Simulator, id: string, key = 'sk-test'): Promise<Job> {
  return bodyOf(get(sim, `/v1/tob/job/${id}`, asKey(key)))
}

/** 400 with code 2004 about one field; `sentence` is what follows the field's name, without the full stop. */
export const unsuitable = (field: string, sentence: string): unknown => invalid(field, sentence, 2004)

/** A rejection whose one detail repeats its message, without the full stop. */
export const about = (type: string, code: number, field: string, message: string): unknown =>
  rejection(type, code, message, field, [{ code, message: message.replace(/\.$/, ''), field }])

/** The rejection of one active job more than a key may have; `next` says when to come again. */
export const tooManyActive = (most: number, next: string): unknown =>
  rejection(
    'rate_limit_error',
    2007,
    `too many active image jobs: this API key has ${most}, expected at most ${most} (setting ` +
      `limits.activeImageJobs). ${next}.`,
  )

/** A job as a submission answers it. */
export const runningJob = (text?: string) => ({
  id: expect.stringMatching(uuid),
  ...(text === undefined ? {} : { text }),
  status: 1,
  urls: [],
  comment: 'JobStatusRunning',
  cost: null,
  audits: [],
  seed: expect.any(Number),
})

export const asKey = (key: string) => ({ authorization: `Bearer ${key}` })

/** Width and height of an image, which is not drawn. */
export function imageSize(sim: Simulator, address: string): [number, number] {
  const { width, height } = described(sim, address)
  return [width, height]
}
