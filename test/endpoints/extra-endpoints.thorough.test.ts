/**
 * Proves what CONTRIBUTING says about adding an endpoint: operations that stream and submit need only their
 * files under `fixtures/extra-endpoints` and one line each in their group.
 */
import { expect, it } from 'vitest'
import { serviceGroups } from '../../src/endpoints/registry.ts'
import { createSimulator, type ScenarioInput, type Simulator } from '../../src/index.ts'
import { get, post } from '../_setup.ts'
import { prints } from '../fixtures/extra-endpoints/prints/index.ts'
import { stories } from '../fixtures/extra-endpoints/stories/index.ts'

const groups = [...serviceGroups, stories, prints]

const simulator = (rules: readonly object[] = [], given: object = {}): Simulator =>
  createSimulator(
    {
      clock: 'manual',
      selfCheck: true,
      scenarios: [{ title: 'Extra endpoints', given, rules } as unknown as ScenarioInput],
    },
    groups,
  )

const told = async (sim: Simulator, stream = true): Promise<string> =>
  (await post(sim, '/v1/stories', { about: 'a fox', stream })).text()
const submit = async (sim: Simulator) =>
  (await (await post(sim, '/v1/prints', { text: 'Hi' })).json()) as object

it('are routed, validated, listed and journaled', async () => {
  const sim = simulator()
  expect(await told(sim, false)).toBe('{"story":"Once there was a fox. The end."}')
  expect(await told(sim)).toBe('data: {"part":"Once there was a fox. "}\n\ndata: {"part":"The end."}\n\n')
  expect((await post(sim, '/v1/stories', { about: 7 })).status).toBe(400)
  const { id } = (await submit(sim)) as { id: string }
  sim.clock.advance('30s')
  expect(await (await get(sim, `/v1/prints/${id}`)).json()).toEqual({ id, status: 'printing', pages: 4 })

  expect(sim.routes.map(({ endpoint }) => endpoint.operation)).toEqual(
    expect.arrayContaining(['stories.tell', 'prints.create', 'prints.retrieve']),
  )
  expect(sim.journal().map(({ operation, response }) => `${operation} ${response?.status}`)).toEqual([
    'stories.tell 200',
    'stories.tell 200',
    'stories.tell 400',
    'prints.create 200',
    'prints.retrieve 200',
  ])
  expect(sim.journal()[3]?.cause.transitions).toMatchObject([
    { resource: 'print', id, from: null, to: 'queued' },
  ])
})

it('say what stream scripts say, and meet the faults of streams', async () => {
  const sim = simulator([
    {
      when: { operation: 'stories.tell', nth: 1 },
      then: {
        stream: { script: [{ text: ['one', 'two'] }, { fault: 'malformed-event' }, { text: 'three' }] },
      },
    },
    { when: { operation: 'stories.*', nth: 2 }, then: { fault: { kind: 'duplicate', afterEvents: 0 } } },
    { when: { operation: 'stories.tell', nth: 3 }, then: { fault: { kind: 'disconnect', afterEvents: 1 } } },
    { when: { operation: 'stories.tell' }, then: { fault: 'rate-limit' } },
  ])
  expect(await told(sim)).toBe('data: {"part":"one"}\n\ndata: {"part":"two"}\n\ndata: {"part":\n\n')
  expect(await told(sim)).toContain('a fox. "}\n\ndata: {"part":"Once')
  await expect(told(sim)).rejects.toThrow('terminated')
  expect(await told(sim)).toContain('rate_limit_error')
  expect(sim.journal()[2]).toMatchObject({
    cause: { faults: ['disconnect'] },
    ended: 'disconnected',
    response: { eventCount: 1 },
  })
})

it('unfold by timelines, by words for jobs and by faults, and exist when a scenario begins', async () => {
  const sim = simulator(
    [
      {
        when: { operation: 'prints.create', nth: 1 },
        then: { timeline: [{ at: '0s', status: 'printing', pages: { from: 0, to: 10, over: '10s' } }] },
      },
      { when: { operation: 'prints.create', nth: 2 }, then: { job: { failAt: 50 } } },
      { when: { operation: 'prints.create', nth: 3 }, then: { job: 'stuck' } },
      { when: { operation: 'prints.create', nth: 4 }, then: { fault: 'ambiguous-submit' } },
    ],
    { prints: [{ id: 'print_before', key: '*', status: 'printed' }] },
  )
  const ids: string[] = []
  for (let nth = 1; nth < 4; nth++) ids.push(((await submit(sim)) as { id: string }).id)
  expect(await submit(sim)).toMatchObject({ error: { type: 'downstream_unavailable', job_id: /^print_/ } })
  sim.clock.advance('5s')
  expect(await (await get(sim, `/v1/prints/${ids[0]}`)).json()).toMatchObject({
    status: 'printing',
    pages: 5,
  })
  sim.clock.advance('1h')
  const seen = await Promise.all(
    [...ids, 'print_before'].map(async (id) => (await get(sim, `/v1/prints/${id}`)).json()),
  )
  expect(seen).toMatchObject([
    { status: 'printing', pages: 10 },
    { status: 'jammed' },
    { status: 'printing' },
    { status: 'printed' },
  ])
})
