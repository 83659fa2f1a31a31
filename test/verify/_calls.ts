/** Calls that the tests of verification are about, and how they read a verdict. */
import { expect } from 'vitest'
import { ConfigError, type Simulator, type VerifyRequest } from '../../src/index.ts'
import { get, post } from '../_setup.ts'

/** A chat call that says `content`. */
export async function chat(
  sim: Simulator,
  content: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
): Promise<void> {
  await (
    await post(
      sim,
      '/v1/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more },
      headers,
    )
  ).text()
}

/** A video that was asked for; its id. */
export async function video(sim: Simulator, prompt: string): Promise<string> {
  const made = (await (await post(sim, '/v1/videos', { prompt })).json()) as { readonly id: string }
  return made.id
}

export async function look(sim: Simulator, id: string): Promise<void> {
  await (await get(sim, `/v1/videos/${id}`)).text()
}

/** The message of a verdict that must not hold, line by line. */
export function complaint(sim: Pick<Simulator, 'safeVerify'>, request: VerifyRequest): string[] {
  const verdict = sim.safeVerify(request)
  expect(verdict.ok, verdict.message).toBe(false)
  return verdict.message.split('\n')
}

/** The errors of a request that cannot be verified, line by line. */
export function errors(sim: Simulator, request: unknown): string[] {
  try {
    sim.safeVerify(request as VerifyRequest)
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim())
    throw error
  }
  return ['nothing was rejected']
}
