/** What the tests of `listen` share: a server, a chat call by fetch or as bytes, and reading what came. */
import type { Server } from 'node:http'
import { onTestFinished } from 'vitest'
import { type ListenOptions, listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'

export type Sim = ReturnType<typeof simulator>

/** A server, closed when the test ends. */
export async function serve({
  listen: how,
  ...options
}: Parameters<typeof simulator>[0] & { readonly listen?: ListenOptions } = {}): Promise<{
  sim: Sim
  url: string
  port: number
  server: Server
  close(): Promise<void>
}> {
  const sim = simulator(options)
  const listening = await listen(sim, how)
  onTestFinished(() => listening.close())
  return {
    sim,
    url: listening.url,
    port: listening.port,
    server: listening.server,
    close: () => listening.close(),
  }
}

export const key = { authorization: 'Bearer sk-test' }
export const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }

/** A chat call. */
export const ask = (url: string, body: unknown = question, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  })

/** The bytes of a chat call. */
export function chatBytes(body: unknown, headers = ''): string {
  const text = JSON.stringify(body)
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway.test\r\nauthorization: Bearer sk-test\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`
}

/**
 * What a chunked response says, as far as it has come: chunk sizes left out. Only for texts without line ends
 * of their own before them.
 */
export function unchunked(raw: string): {
  readonly head: string
  readonly body: string
  readonly ended: boolean
} {
  const at = raw.indexOf('\r\n\r\n')
  const head = at < 0 ? raw : raw.slice(0, at)
  const rest = at < 0 ? '' : raw.slice(at + 4)
  return {
    head,
    body: rest.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '').replaceAll('\r\n', ''),
    ended: rest.endsWith('0\r\n\r\n'),
  }
}

/** Lets the server take everything that is under way: a whole call goes to it and back. */
export const roundTrip = (url: string): Promise<unknown> =>
  fetch(`${url}/__sim/health`).then((response) => response.text())
