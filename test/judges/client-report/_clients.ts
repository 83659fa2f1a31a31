/**
 * Small clients of the gateway for tests of the client report: well-behaved unless the test makes them
 * otherwise.
 */

import { createServiceVocabulary } from '../../../src/endpoints/registry.ts'
import type { ClientReport, ClockMode, JournalEntry, Simulator } from '../../../src/index.ts'
import { reportOn } from '../../../src/judges/client-report.ts'
import { get, post } from '../../_setup.ts'

export interface Video {
  readonly id: string
  readonly status: string
}

export interface ImageJob {
  readonly id: string
  readonly status: number
}

export const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Are you there?' }] }
export const edit = {
  model: 'image-job-v7',
  imgUrl: 'https://images.test/fox.png',
  remixPrompt: 'a fox in the snow',
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

/** Submits a video and answers with its id. */
export async function createVideo(sim: Simulator, prompt = 'a fox'): Promise<string> {
  return ((await (await post(sim, '/v1/videos', { prompt })).json()) as Video).id
}

/** Submits an image job and answers with its id. */
export async function createImageJob(sim: Simulator, headers: Record<string, string> = {}): Promise<string> {
  return ((await (await post(sim, '/v1/tob/retexture', edit, headers)).json()) as ImageJob).id
}

/** Polls a path so many times, letting so much time pass before each poll. */
export async function poll(sim: Simulator, path: string, times: number, every: string): Promise<void> {
  for (let count = 0; count < times; count++) {
    sim.clock.advance(every)
    await (await get(sim, path)).text()
  }
}

/** The words of what was found. */
export const found = ({ findings }: ClientReport): string[] => findings.map(({ code }) => code)

const { operation } = createServiceVocabulary()

/** The report on a list of calls, on a manual clock. */
export const reportOnList = (entries: readonly JournalEntry[], mode: ClockMode = 'manual'): ClientReport =>
  reportOn({ entries, mode, speed: 1, operation }, entries.length)
