/**
 * What the tests of user handlers share: a server with handlers, a chat call, and promises that tests wait
 * on.
 */
import type { Server } from 'node:http'
import { onTestFinished } from 'vitest'
import { type AccessLogLine, listen } from '../../src/node.ts'
import { jsonCall, simulator } from '../_setup.ts'

/** A server with user handlers, closed when the test ends. */
export async function serve(
  handlers: readonly unknown[],
  options: Parameters<typeof simulator>[0] = {},
): Promise<{
  sim: ReturnType<typeof simulator>
  url: string
  port: number
  server: Server
  lines: AccessLogLine[]
}> {
  const sim = simulator(options)
  const lines: AccessLogLine[] = []
  const listening = await listen(sim, { handlers, accessLog: (line) => lines.push(line) })
  onTestFinished(() => listening.close())
  return { sim, url: listening.url, port: listening.port, server: listening.server, lines }
}

export const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }

/** A chat call. */
export function ask(url: string, body: unknown = question): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, jsonCall(body))
}

/** A promise and what settles it: tests wait for what happens, never for time. */
export function signalOf<T = void>(): { readonly seen: Promise<T>; say(value: T): void } {
  let say!: (value: T) => void
  const seen = new Promise<T>((done) => (say = done))
  return { seen, say }
}
