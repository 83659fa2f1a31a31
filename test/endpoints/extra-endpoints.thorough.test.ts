/**
 * Proves what CONTRIBUTING says about adding an endpoint: operations that stream and submit need only their
 * files under `fixtures/extra-endpoints` and one line each in their group.
 */
import { expect, it } from 'vitest'
import { disk } from '../../src/disk/disk.ts'
import { serviceGroups } from '../../src/endpoints/registry.ts'
import { explainScenario } from '../../src/explain/explain-scenario.ts'
import { drawPage } from '../../src/explain/page.ts'
import { createSimulator, type ScenarioInput, type Simulator } from '../../src/index.ts'
import { createVocabulary } from '../../src/protocol/operations.ts'
import { createReader, scenarioOfObject } from '../../src/scenario/load/scenario.ts'
import { plain } from '../../src/text/paint.ts'
import { everyRoute, openapiDocument } from '../../tools/openapi/document.ts'
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
const errorsOf = (rule: object): string => {
  try {
    simulator([rule])
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

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

it('are known to the checks of rules', () => {
  const submitting = /it acts on imageJobs\.\*|prints\.create/
  expect(errorsOf({ when: { operation: 'stories.tell' }, then: { job: 'stuck' } })).toMatch(submitting)
  expect(errorsOf({ when: { operation: 'prints.create' }, then: { fault: 'disconnect' } })).toContain(
    'only to chat.create, messages.create, images.generate, images.edit, stories.tell',
  )
  expect(
    errorsOf({ when: { operation: 'prints.create' }, then: { timeline: [{ at: 0, status: 'done' }] } }),
  ).toContain('printed')
  expect(errorsOf({ when: { operation: 'stories.create' }, then: {} })).toContain('stories')
})

it('are explained with drawings', async () => {
  const vocabulary = createVocabulary(groups)
  const scenario = {
    title: 'A story that breaks off, and a print that jams',
    rules: [
      {
        id: 'story',
        when: { operation: 'stories.tell' },
        then: { fault: { kind: 'disconnect', afterEvents: 1 } },
      },
      { id: 'print', when: { operation: 'prints.create' }, then: { job: { failAt: 80 } } },
    ],
  }
  const read = scenarioOfObject(scenario, 'extra.yaml', createReader(vocabulary, disk))
  const page = drawPage(await explainScenario(read, vocabulary), { width: 100, paint: plain })
  expect(page).toContain('prints.create returns 200. A client that polls prints.retrieve sees:')
  expect(page).toMatch(/printing/)
  expect(page).toMatch(/jammed/)
  expect(page).toMatch(/Once there was/)
})

it('are described by the OpenAPI document, with examples that were answered', async () => {
  const routes = everyRoute(groups).filter(({ group }) => [stories, prints].includes(group))
  const document = (await openapiDocument(groups, routes)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  expect(Object.keys(document.paths)).toEqual(['/v1/stories', '/v1/prints', '/v1/prints/{print_id}'])
  expect(JSON.stringify(document.paths['/v1/stories'])).toContain('Once there was a fox')
  expect(JSON.stringify(document)).toContain('"StoriesTellEvent"')
})
