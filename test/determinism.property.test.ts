/**
 * Same seed, same requests, same bytes: in any order, side by side, through every door, in another process.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import type { ClockMode } from '../src/index.ts'
import { doors, simulator } from './_setup.ts'
import { manyRequests, type Sent } from './many-requests.ts'

const requests = manyRequests(200)

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

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const copy = [...list]
  let state = seed * 2654435761
  for (let at = copy.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const other = state % (at + 1)
    ;[copy[at], copy[other]] = [copy[other] as T, copy[at] as T]
  }
  return copy
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

const send = (call: Fetch, url: string, { path, init }: Sent): Promise<Response> =>
  call(`${url}${path}`, init)

async function read(response: Response, url: string): Promise<Got> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ofTransport.has(name)))
  // Links hold the address of the door; the rest must be the same.
  return { status: response.status, headers, text: (await response.text()).replaceAll(url, 'http://gateway') }
}

/**
 * All requests in the given order; one after the other, or all at once. Streams in `manual` are let go at the
 * end.
 */
async function run(
  mode: ClockMode,
  order: readonly number[],
  options: { readonly together: boolean; readonly door?: (typeof doors)[number] },
): Promise<Map<number, Got>> {
  const sim = simulator({ clock: mode })
  const door = options.door ?? (doors[0] as (typeof doors)[number])
  const { fetch: call, url } = await door.open(sim)
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

const inOrder = requests.map((_, index) => index)

/** They start from something that an earlier call has made. */
const startFromEarlier = ['imageJobs.pan', 'imageJobs.variation', 'videos.remix', 'operations.fetch']

it('every operation that takes a body and can be called cold takes part', async () => {
  const sim = simulator({ clock: 'auto' })
  for (const request of requests)
    await (await send(sim.fetch as Fetch, 'http://gateway.test', request)).text()
  const seen = new Set(sim.journal().map(({ operation }) => operation))
  const cold = sim.routes.filter(
    ({ endpoint, group }) =>
      group.name !== 'control' &&
      endpoint.accepts.length > 0 &&
      !startFromEarlier.includes(endpoint.operation),
  )
  expect(cold.map(({ endpoint }) => endpoint.operation).filter((operation) => !seen.has(operation))).toEqual(
    [],
  )
})

describe.each(['auto', 'manual'] as const)('in %s', (mode) => {
  it('200 different requests are 200 different answers, and most of them succeed', async () => {
    const got = await run(mode, inOrder, { together: false })
    expect(got.size).toBe(200)
    expect(
      new Set([...got.values()].map(({ headers }) => headers['x-request-id'] ?? headers['request-id'])).size,
    ).toBe(200)
    expect([...got.values()].filter(({ status }) => status === 200).length).toBeGreaterThan(150)
    expect([...got.values()].filter(({ status }) => status >= 400).length).toBeGreaterThan(10)
  })

  it('ten random orders give the same bytes', async () => {
    const first = await run(mode, inOrder, { together: false })
    for (let seed = 1; seed <= 10; seed++)
      expect(await run(mode, shuffled(inOrder, seed), { together: false })).toEqual(first)
  })

  it('all at once gives the same bytes', async () => {
    const first = await run(mode, inOrder, { together: false })
    expect(await run(mode, shuffled(inOrder, 99), { together: true })).toEqual(first)
  })

  it.each(doors.map((door) => [door.name, door] as const))(
    'through %s the bytes are the same',
    async (_name, door) => {
      const first = await run(mode, inOrder, { together: false })
      const other = await run(mode, shuffled(inOrder, 5), { together: false, door })
      for (const index of inOrder) expect(other.get(index), `request ${index}`).toEqual(first.get(index))
    },
  )
})

it('another process gives the same bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
  try {
    const entry = join(folder, 'entry.mjs')
    writeFileSync(
      entry,
      `import { createSimulator } from ${JSON.stringify(resolve('src/index.ts'))}
       import { manyRequests } from ${JSON.stringify(resolve('test/many-requests.ts'))}
       const sim = createSimulator({ clock: 'auto' })
       const said = []
       for (const { path, init } of manyRequests(200).reverse()) said.push(await (await sim.fetch('http://gateway' + path, init)).text())
       process.stdout.write(JSON.stringify(said.reverse()))`,
    )
    const outfile = resolve('node_modules/.cache/gateway-sim-determinism.mjs')
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'error',
    })
    const there: unknown = JSON.parse(
      execFileSync(process.execPath, [outfile], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
    )
    const here = await run('auto', inOrder, { together: false })
    expect(there).toEqual(
      [...here.values()].map(({ text }) => text.replaceAll('http://gateway.test', 'http://gateway')),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('another seed gives other texts and other ids', async () => {
  const one = simulator({ seed: 'one' })
  const two = simulator({ seed: 'two' })
  const [request] = requests as [Sent]
  const [a, b] = await Promise.all(
    [one, two].map(
      async (sim) =>
        (await sim.fetch(`http://gateway.test${request.path}`, request.init)).json() as Promise<{
          id: string
          choices: { message: { content: string } }[]
        }>,
    ),
  )
  expect(a?.id).not.toBe(b?.id)
  expect(a?.choices[0]?.message.content).not.toBe(b?.choices[0]?.message.content)
})

it('the same request twice says the same under another id', async () => {
  const sim = simulator()
  const [request] = requests as [Sent]
  const call = async (): Promise<{ id: string; choices: { message: { content: string } }[] }> =>
    (await (await sim.fetch(`http://gateway.test${request.path}`, request.init)).json()) as never
  const first = await call()
  const second = await call()
  expect(second.choices).toEqual(first.choices)
  expect(second.id).not.toBe(first.id)
})
