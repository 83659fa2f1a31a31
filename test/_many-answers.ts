/** Sends many requests in any order, and reads what came back. */
import type { ClockMode } from '../src/index.ts'
import { count } from './_counts.ts'
import { integrations, simulator } from './_setup.ts'
import { manyRequests, type Sent } from './many-requests.ts'

/** How many requests are sent. */
export const total = Math.max(count(200), 60)
export const requests = manyRequests(total)

/** Headers that a transport adds by itself, whatever the simulator says. */
const ofTransport = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'x-powered-by',
])

interface Got {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const copy = [...list]
  let state = seed * 2654435761
  for (let at = copy.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const other = state % (at + 1)
    ;[copy[at], copy[other]] = [copy[other] as T, copy[at] as T]
  }
  return copy
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export const send = (call: Fetch, url: string, { path, init }: Sent): Promise<Response> =>
  call(`${url}${path}`, init)

async function read(response: Response, url: string): Promise<Got> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ofTransport.has(name)))
  // Links hold the address of the integration; the rest must be the same.
  return { status: response.status, headers, text: (await response.text()).replaceAll(url, 'http://gateway') }
}

/**
 * All requests in the given order; one after the other, or all at once. Streams in `manual` are let go at the
 * end.
 */
export async function run(
  mode: ClockMode,
  order: readonly number[],
  options: { readonly together: boolean; readonly integration?: (typeof integrations)[number] },
): Promise<Map<number, Got>> {
  const sim = simulator({ clock: mode })
  const integration = options.integration ?? (integrations[0] as (typeof integrations)[number])
  const { fetch: call, url } = await integration.open(sim)
  const responses = new Map<number, Response>()
  const one = async (index: number): Promise<void> => {
    responses.set(index, await send(call as Fetch, url, requests[index] as Sent))
  }
  if (options.together) await Promise.all(order.map(one))
  else for (const index of order) await one(index)
  await sim.settled()
  sim.clock.advance('1h')
  const got = new Map<number, Got>()
  for (const index of [...responses.keys()].sort((a, b) => a - b))
    got.set(index, await read(responses.get(index) as Response, url))
  return got
}

export const inOrder = requests.map((_, index) => index)
