/**
 * Every call of the control API says the same in-process, over HTTP, by the typed client through both, and by
 * the library's session.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, type SimulatorClient } from '../../src/client.ts'
import { createSimulator, type FaultRequest, type SimulatorSession } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const scenario = {
  title: 'Chat is overloaded once',
  rules: [
    {
      id: 'overloaded-once',
      when: { operation: 'chat.create' as const, times: 1 },
      then: { error: { status: 503 as const } },
    },
  ],
}
const fault: FaultRequest = {
  id: 'cut',
  when: { operation: 'chat.create' },
  fault: 'disconnect',
  count: 1,
  ttl: '30s',
}

type Call = readonly [
  operation: string,
  method: string,
  path: string,
  body: unknown,
  unwrap: (said: never) => unknown,
  client: (client: SimulatorClient, video: string) => Promise<unknown>,
  library: ((session: SimulatorSession, video: string) => unknown) | undefined,
]
const whole = (said: unknown): unknown => said
/** Only a server has a process of its own to speak of. */
const withoutLoop = ({ loop: _, ...said }: { readonly loop?: unknown }): unknown => said

type Entries = readonly { readonly headers: Readonly<Record<string, string>> }[]
/** Without the headers that a socket adds to what was sent. */
const sent = (entries: Entries): unknown =>
  entries.map((entry) => ({ ...entry, headers: Object.keys(entry.headers).includes('authorization') }))

type Listed = readonly { readonly id: string }[]
/**
 * Without the default session, which a client wakes when it asks for others, and in an order that does not
 * tell who was asked last.
 */
const named = (sessions: Listed): unknown =>
  sessions.filter(({ id }) => id !== 'default').sort((a, b) => (a.id < b.id ? -1 : 1))

// In the order in which they are made, each on what the ones before have left. `VIDEO` stands for the id of a
// video.
const calls: readonly Call[] = [
  [
    'sim.health',
    'GET',
    '/health',
    undefined,
    withoutLoop,
    async (client) => withoutLoop(await client.health()),
    undefined,
  ],
  ['sim.ready', 'GET', '/ready', undefined, whole, (client) => client.ready(), undefined],
  [
    'sim.clock',
    'GET',
    '/clock',
    undefined,
    whole,
    (client) => client.clock.state(),
    (session) => session.clock.state(),
  ],
  [
    'sim.advance',
    'POST',
    '/clock/advance',
    { by: '5s' },
    whole,
    (client) => client.clock.advance('5s'),
    (session) => session.clock.advance('5s'),
  ],
  [
    'sim.advance',
    'POST',
    '/clock/advance',
    { until: 'next' },
    whole,
    (client) => client.clock.advance({ until: 'next' }),
    (session) => session.clock.advance({ until: 'next' }),
  ],
  [
    'sim.advance',
    'POST',
    '/clock/advance',
    { to: '2020-01-01T00:00:00Z' },
    whole,
    (client) => client.clock.advance({ to: '2020-01-01T00:00:00Z' }),
    (session) => session.clock.advance({ to: '2020-01-01T00:00:00Z' }),
  ],
  [
    'sim.freeze',
    'POST',
    '/clock/freeze',
    undefined,
    whole,
    (client) => client.clock.freeze(),
    (session) => session.clock.freeze(),
  ],
  [
    'sim.resume',
    'POST',
    '/clock/resume',
    { speed: 2 },
    whole,
    (client) => client.clock.resume(2),
    (session) => session.clock.resume(2),
  ],
  [
    'sim.loadScenario',
    'POST',
    '/scenarios',
    scenario,
    whole,
    (client) => client.scenarios.load(scenario),
    (session) => session.scenarios.load(scenario),
  ],
  [
    'sim.loadScenario',
    'POST',
    '/scenarios',
    scenario,
    whole,
    (client) => client.scenarios.load(scenario),
    (session) => session.scenarios.load(scenario),
  ],
  [
    'sim.loadScenario',
    'POST',
    '/scenarios',
    { name: 'slow', text: 'title: x\nrules:\n  - then: { delay: 1m }\n' },
    whole,
    (client) => client.scenarios.load({ name: 'slow', text: 'title: x\nrules:\n  - then: { delay: 1m }\n' }),
    (session) =>
      session.scenarios.load({ name: 'slow', text: 'title: x\nrules:\n  - then: { delay: 1m }\n' }),
  ],
  [
    'sim.listScenarios',
    'GET',
    '/scenarios',
    undefined,
    ({ scenarios }: { scenarios: unknown }) => scenarios,
    (client) => client.scenarios.list(),
    (session) => session.scenarios.list(),
  ],
  [
    'sim.unusedRules',
    'GET',
    '/unused-rules',
    undefined,
    ({ rules }: { rules: unknown }) => rules,
    (client) => client.unusedRules(),
    (session) => session.unusedRules(),
  ],
  [
    'sim.removeScenario',
    'DELETE',
    '/scenarios/slow',
    undefined,
    whole,
    (client) => client.scenarios.remove('slow'),
    (session) => session.scenarios.remove('slow'),
  ],
  [
    'sim.removeScenario',
    'DELETE',
    '/scenarios/slow',
    undefined,
    whole,
    (client) => client.scenarios.remove('slow'),
    (session) => session.scenarios.remove('slow'),
  ],
  [
    'sim.armFault',
    'POST',
    '/faults',
    fault,
    whole,
    (client) => client.faults.arm(fault),
    (session) => session.faults.arm(fault),
  ],
  [
    'sim.armFault',
    'POST',
    '/faults',
    { fault: 'explode' },
    whole,
    (client) => client.faults.arm({ fault: 'explode' as never }),
    (session) => session.faults.arm({ fault: 'explode' as never }),
  ],
  [
    'sim.listFaults',
    'GET',
    '/faults',
    undefined,
    ({ faults }: { faults: unknown }) => faults,
    (client) => client.faults.list(),
    (session) => session.faults.list(),
  ],
  [
    'sim.disarmFault',
    'DELETE',
    '/faults/cut',
    undefined,
    whole,
    (client) => client.faults.remove('cut'),
    (session) => session.faults.remove('cut'),
  ],
  [
    'sim.clearFaults',
    'DELETE',
    '/faults',
    undefined,
    ({ faults }: { faults: unknown }) => faults,
    (client) => client.faults.clear(),
    (session) => session.faults.clear(),
  ],
  [
    'sim.listState',
    'GET',
    '/state?kind=video',
    undefined,
    whole,
    (client) => client.state.list({ kind: 'video' }),
    (session) => session.state.list({ kind: 'video' }),
  ],
  [
    'sim.readState',
    'GET',
    '/state/VIDEO',
    undefined,
    whole,
    (client, video) => client.state.get(video),
    (session, video) => session.state.get(video),
  ],
  [
    'sim.changeState',
    'POST',
    '/state/VIDEO',
    { set: { status: 'failed', error: { code: 'moderation_blocked' } } },
    whole,
    (client, video) =>
      client.state.change(video, { set: { status: 'failed', error: { code: 'moderation_blocked' } } }),
    (session, video) =>
      session.state.change(video, { set: { status: 'failed', error: { code: 'moderation_blocked' } } }),
  ],
  [
    'sim.changeState',
    'POST',
    '/state/VIDEO',
    { set: { status: 'finished' } },
    whole,
    (client, video) => client.state.change(video, { set: { status: 'finished' } }),
    (session, video) => session.state.change(video, { set: { status: 'finished' } }),
  ],
  [
    'sim.journal',
    'GET',
    '/journal?operation=videos.*',
    undefined,
    ({ entries }: { entries: Entries }) => sent(entries),
    async (client) => sent((await client.journal({ operation: 'videos.*' })) as Entries),
    undefined,
  ],
  [
    'sim.explainCall',
    'GET',
    '/journal/0/explain',
    undefined,
    whole,
    (client) => client.explainCall(0),
    (session) => session.explainCall(0),
  ],
  [
    'sim.verify',
    'POST',
    '/verify',
    { calls: { operation: 'chat.create' }, exactly: 2 },
    whole,
    (client) => client.safeVerify({ calls: { operation: 'chat.create' }, exactly: 2 }),
    (session) => session.safeVerify({ calls: { operation: 'chat.create' }, exactly: 2 }),
  ],
  [
    'sim.verify',
    'POST',
    '/verify',
    { calls: { operation: 'chat.crate' } },
    whole,
    (client) => client.safeVerify({ calls: { operation: 'chat.crate' as never } }),
    undefined,
  ],
  [
    'sim.clientReport',
    'GET',
    '/client-report',
    undefined,
    whole,
    (client) => client.clientReport(),
    (session) => session.clientReport(),
  ],
  [
    'sim.settled',
    'GET',
    '/settled',
    undefined,
    () => undefined,
    (client) => client.settled(),
    (session) => session.settled(),
  ],
  [
    'sim.createSession',
    'POST',
    '/sessions',
    { name: 'second', seed: 'x' },
    ({ id }: { id: unknown }) => id,
    async (client) => (await client.createSession({ name: 'second', seed: 'x' })).id,
    undefined,
  ],
  [
    'sim.listSessions',
    'GET',
    '/sessions',
    undefined,
    ({ sessions }: { sessions: Listed }) => named(sessions),
    async (client) => named(await client.sessions()),
    undefined,
  ],
  [
    'sim.readSession',
    'GET',
    '/sessions/second',
    undefined,
    ({ id }: { id: unknown }) => id,
    async (client) => (await client.sessions()).find(({ id }) => id === 'second')?.id,
    undefined,
  ],
  [
    'sim.reset',
    'POST',
    '/reset',
    {},
    () => undefined,
    (client) => client.reset(),
    (session) => session.reset(),
  ],
  [
    'sim.deleteSession',
    'DELETE',
    '/sessions/tested',
    undefined,
    () => undefined,
    (client) => client.dispose(),
    (session) => session.dispose(),
  ],
  [
    'sim.clock',
    'GET',
    '/clock',
    undefined,
    whole,
    (client) => client.clock.state(),
    (session) => session.clock.state(),
  ],
]

const make = () => simulator({ wallClock: () => 0 })

/** What a refusal says, whoever says it. */
const refused = (error: unknown): unknown => ({ refused: (error as Error).message })

/** All calls one after the other, and what came of each. */
async function played(
  fetch: typeof globalThis.fetch,
  url: string,
  one: (call: Call, video: string) => unknown,
): Promise<unknown[]> {
  const post = (path: string, body: unknown) =>
    fetch(`${url}/s/tested${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { id } = (await (await post('/v1/videos', { model: 'sora-2', prompt: 'a sunset' })).json()) as {
    id: string
  }
  await (await post('/v1/chat/completions', chat)).text()
  const said: unknown[] = []
  for (const call of calls) {
    const result = await (async () => one(call, id))().catch(refused)
    said.push([
      call[0],
      JSON.parse((JSON.stringify(result) ?? 'null').replaceAll(url, 'http://here')) as unknown,
    ])
  }
  return said
}

async function raw(fetch: typeof globalThis.fetch, url: string): Promise<unknown[]> {
  return played(fetch, url, async ([, method, path, body, unwrap], video) => {
    const address = `${url}/s/tested/__sim${path.replace('VIDEO', video)}`
    const response = await fetch(address, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const said = (await response.json()) as { detail: string }
    if (!response.ok) throw new Error(said.detail)
    return unwrap(said as never)
  })
}

async function served(): Promise<string> {
  const sim = make()
  sim.createSession({ name: 'tested' })
  const listening = await listen(sim)
  onTestFinished(() => listening.close())
  return listening.url
}

async function inProcess(): Promise<typeof globalThis.fetch> {
  const sim = make()
  sim.createSession({ name: 'tested' })
  return sim.fetch as typeof globalThis.fetch
}

describe('every control call', () => {
  it('is in the table', () => {
    const known = createSimulator()
      .routes.filter(({ group }) => group.name === 'control')
      .map(({ endpoint }) => endpoint.operation)
      // A text for Prometheus, which the typed client does not read: metrics.test.ts.
      .filter((operation) => operation !== 'sim.readMetrics')
    expect([...new Set(calls.map(([operation]) => operation))].sort()).toEqual(known.sort())
  })

  it('works over HTTP as in-process, and by the typed client through both', async () => {
    const fetched = await inProcess()
    const expected = await raw(fetched, 'http://gateway.sim')
    expect(expected.filter((said) => JSON.stringify(said).includes('"refused"')).length).toBe(8)
    expect(await raw(fetch, await served())).toEqual(expected)
    const client = async (send: typeof globalThis.fetch, url: string) =>
      played(send, url, ([, , , , , by], video) =>
        by(connect(url, { session: 'tested', fetch: send }), video),
      )
    expect(await client(await inProcess(), 'http://gateway.sim')).toEqual(expected)
    expect(await client(fetch, await served())).toEqual(expected)
  })

  it('works by the session of the library, where it has such a call', async () => {
    const expected = (await raw(await inProcess(), 'http://gateway.sim')) as [string, unknown][]
    const sim = make()
    const session = sim.createSession({ name: 'tested' })
    const said = (await played(
      sim.fetch as typeof globalThis.fetch,
      'http://gateway.sim',
      ([operation, , , , , , by], video) =>
        by === undefined
          ? operation === 'sim.createSession' && void sim.createSession({ name: 'second', seed: 'x' })
          : by(session, video),
    )) as [string, unknown][]
    for (const [index, [operation, , , , , , by]] of calls.entries()) {
      if (by === undefined) continue
      const [mine, theirs] = [said[index]?.[1], expected[index]?.[1]]
      expect(mine, `${operation}, call ${index}`).toEqual(theirs)
    }
  })
})
