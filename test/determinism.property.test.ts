/**
 * Same seed, same requests, same bytes: in any order, side by side, through every integration.
 */
import { describe, expect, inject, it } from 'vitest'
import { count } from './_counts.ts'
import { type Fetch, inOrder, requests, run, send, shuffled, total } from './_many-answers.ts'
import { integrations, simulator } from './_setup.ts'
import type { Sent } from './many-requests.ts'

/** They start from something that an earlier call has made. */
const startFromEarlier = ['imageJobs.pan', 'imageJobs.variation', 'videos.remix']

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

// `npm test` sees one clock and one socket.
const all = inject('thorough')

describe.each((['auto', 'manual'] as const).slice(0, all ? 2 : 1))('in %s', (mode) => {
  let answers: ReturnType<typeof run> | undefined
  const inTheirOrder = () => (answers ??= run(mode, inOrder, { together: false }))

  it(`${total} different requests are as many different answers, and most of them succeed`, async () => {
    const got = await inTheirOrder()
    expect(got.size).toBe(total)
    expect(
      new Set([...got.values()].map(({ headers }) => headers['x-request-id'] ?? headers['request-id'])).size,
    ).toBe(total)
    expect([...got.values()].filter(({ status }) => status === 200).length).toBeGreaterThan(0.75 * total)
    expect([...got.values()].filter(({ status }) => status >= 400).length).toBeGreaterThan(0.05 * total)
  })

  it('any order gives the same bytes', async () => {
    const first = await inTheirOrder()
    for (let seed = 1; seed <= count(10); seed++)
      expect(await run(mode, shuffled(inOrder, seed), { together: false })).toEqual(first)
  })

  it('all at once gives the same bytes', async () => {
    const first = await inTheirOrder()
    expect(await run(mode, shuffled(inOrder, 99), { together: true })).toEqual(first)
  })

  // Those above came through `fetch`.
  it.each(integrations.slice(1, all ? undefined : 2))(
    'through $name the bytes are the same',
    async (integration) => {
      const first = await inTheirOrder()
      const other = await run(mode, shuffled(inOrder, 5), { together: false, integration })
      for (const index of inOrder) expect(other.get(index), `request ${index}`).toEqual(first.get(index))
    },
  )
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
