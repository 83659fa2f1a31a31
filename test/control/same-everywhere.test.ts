/**
 * Every call of the control API says the same in-process, over HTTP, by the typed client through both, and by
 * the library's session.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, type SimulatorClient } from '../../src/client.ts'
import { headerIn } from '../../src/exchange/exchange.ts'
import type { JournalEntryJson } from '../../src/exchange/plain.ts'
import { createSimulator, type OverrideRequest, type SimulatorSession } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { bodyOf, jsonCall, simulator } from '../_setup.ts'

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
const override: OverrideRequest = {
  when: { operation: 'chat.create' },
  fault: 'disconnect',
  times: 1,
}

interface Call {
  readonly operation: string
  /** Method and path; `VIDEO` stands for the id of a video. */
  readonly request: string
  readonly body: unknown
  /** The result in a response. */
  unwrap(said: never): unknown
  client(client: SimulatorClient, video: string): unknown
  /** Undefined where the library has no such call. */
  readonly library: ((session: SimulatorSession, video: string) => unknown) | undefined
}
const whole = (said: unknown): unknown => said

type Entries = readonly Pick<JournalEntryJson, 'request' | 'response'>[]
/** Without the headers, to which a socket adds its own. */
const sent = (entries: Entries): unknown =>
  entries.map(({ request, response, ...entry }) => ({
    ...entry,
    request: { ...request, headers: headerIn(request.headers, 'authorization') !== undefined },
    response: { ...response, headers: headerIn(response?.headers ?? [], 'x-request-id') !== undefined },
  }))

type Listed = readonly { readonly name: string }[]
/**
 * Without the default session, which a client wakes when it asks for others, and in an order that does not
 * tell who was asked last.
 */
const named = (sessions: Listed): unknown =>
  sessions.filter(({ name }) => name !== 'default').sort((a, b) => (a.name < b.name ? -1 : 1))

/** The functions that a session and a client of a session have in common. */
type Common = Omit<SimulatorSession, 'fetch' | 'on'>
type Act = (target: Common, body: never, video: string) => unknown

/** A call that the library has as well. */
function call(
  operation: string,
  request: string,
  act: Act,
  body?: unknown,
  unwrap: Call['unwrap'] = whole,
): Call {
  const by = (target: unknown, video: string): unknown => act(target as Common, body as never, video)
  return { operation, request, body, unwrap, client: by, library: by }
}

/** A call that only a client has. */
function remote(
  operation: string,
  request: string,
  client: Call['client'],
  unwrap: Call['unwrap'] = whole,
  body?: unknown,
): Call {
  return { operation, request, body, unwrap, client, library: undefined }
}

const field = (name: string) => (said: Readonly<Record<string, unknown>>) => said[name]
const nothing = (): undefined => undefined
const slow = { name: 'slow', text: 'title: x\nrules:\n  - then: { delay: 1m }\n' }
const second = { name: 'second', seed: 'x' }

// In the order in which they are made, each on what the ones before have left.
const calls: readonly Call[] = [
  remote('sim.health', 'GET /health', (it) => it.health()),
  remote('sim.ready', 'GET /ready', (it) => it.ready()),
  call('sim.getClock', 'GET /clock', (it) => it.clock.state()),
  call('sim.advanceClock', 'POST /clock/advance', (it) => it.clock.advance('5s'), { by: '5s' }),
  call('sim.advanceClock', 'POST /clock/advance', (it, to) => it.clock.advance(to), { to: 'next' }),
  call('sim.advanceClock', 'POST /clock/advance', (it, to) => it.clock.advance(to), {
    to: '2020-01-01T00:00:00Z',
  }),
  call('sim.freezeClock', 'POST /clock/freeze', (it) => it.clock.freeze()),
  call('sim.resumeClock', 'POST /clock/resume', (it) => it.clock.resume()),
  call('sim.addScenario', 'POST /scenarios', (it, source) => it.scenarios.add(source), scenario),
  call('sim.addScenario', 'POST /scenarios', (it, source) => it.scenarios.add(source), scenario),
  call('sim.addScenario', 'POST /scenarios', (it, source) => it.scenarios.add(source), slow),
  call('sim.listScenarios', 'GET /scenarios', (it) => it.scenarios.list(), undefined, field('scenarios')),
  call(
    'sim.changeRule',
    'POST /rules/overloaded-once',
    (it, to) => it.scenarios.changeRule('overloaded-once', to),
    {
      enabled: false,
    },
  ),
  call('sim.changeRule', 'POST /rules/overloaded', (it, to) => it.scenarios.changeRule('overloaded', to), {
    enabled: true,
  }),
  call('sim.unusedRules', 'GET /unused-rules', (it) => it.unusedRules(), undefined, field('rules')),
  call('sim.removeScenario', 'DELETE /scenarios/slow', (it) => it.scenarios.remove('slow')),
  call('sim.removeScenario', 'DELETE /scenarios/slow', (it) => it.scenarios.remove('slow')),
  call('sim.addOverride', 'POST /overrides', (it, one) => it.overrides.add(one), override),
  call('sim.addOverride', 'POST /overrides', (it, one) => it.overrides.add(one), { fault: 'explode' }),
  call('sim.listOverrides', 'GET /overrides', (it) => it.overrides.list(), undefined, field('overrides')),
  call('sim.removeOverride', 'DELETE /overrides/override-1', (it) => it.overrides.remove('override-1')),
  call(
    'sim.clearOverrides',
    'DELETE /overrides',
    (it) => it.overrides.clear(),
    undefined,
    field('overrides'),
  ),
  call('sim.listJobs', 'GET /jobs', (it) => it.jobs.list()),
  call('sim.getJob', 'GET /jobs/VIDEO', (it, _, video) => it.jobs.get(video)),
  call('sim.changeJob', 'POST /jobs/VIDEO', (it, change, video) => it.jobs.change(video, change), {
    set: { status: 'failed', error: { code: 'moderation_blocked' } },
  }),
  call('sim.changeJob', 'POST /jobs/VIDEO', (it, change, video) => it.jobs.change(video, change), {
    set: { status: 'finished' },
  }),
  remote(
    'sim.journal',
    'GET /journal?operation=videos.*',
    async (it) => sent(await it.journal({ operation: 'videos.*' })),
    ({ entries }: { entries: Entries }) => sent(entries),
  ),
  call('sim.explainRequest', 'GET /journal/0/explain', (it) => it.explainRequest(0)),
  call('sim.verify', 'POST /verify', (it, request) => it.safeVerify(request), {
    requests: { operation: 'chat.create' },
    times: 2,
  }),
  remote(
    'sim.verify',
    'POST /verify',
    (it) => it.safeVerify({ requests: { operation: 'chat.crate' as never } }),
    whole,
    { requests: { operation: 'chat.crate' } },
  ),
  call('sim.clientReport', 'GET /client-report', (it) => it.clientReport()),
  call('sim.settled', 'GET /settled', (it) => it.settled(), undefined, nothing),
  remote(
    'sim.createSession',
    'POST /sessions',
    async (it) => (await it.createSession(second)).name,
    field('name'),
    second,
  ),
  remote(
    'sim.listSessions',
    'GET /sessions',
    async (it) => named(await it.sessions()),
    ({ sessions }: { sessions: Listed }) => named(sessions),
  ),
  remote(
    'sim.getSession',
    'GET /sessions/second',
    async (it) => (await it.sessions()).find(({ name }) => name === 'second')?.name,
    field('name'),
  ),
  remote(
    'sim.addBreakpoint',
    'POST /breakpoints',
    (it) => it.breakpoints.add({ operation: 'videos.*' }),
    whole,
    { operation: 'videos.*' },
  ),
  remote('sim.listBreakpoints', 'GET /breakpoints', (it) => it.breakpoints.list()),
  remote('sim.removeBreakpoint', 'DELETE /breakpoints/breakpoint-1', (it) =>
    it.breakpoints.remove('breakpoint-1'),
  ),
  remote('sim.releaseRequest', 'POST /held/none', (it) => it.breakpoints.release('none', {}), whole, {}),
  call('sim.reset', 'POST /reset', (it) => it.reset(), {}, field('reset')),
  call('sim.deleteSession', 'DELETE /sessions/tested', (it) => it.dispose(), undefined, nothing),
  call('sim.getClock', 'GET /clock', (it) => it.clock.state()),
]

const make = () => simulator({ wallClock: () => 0 })

/** What a rejection says, whoever says it. */
const rejected = (error: unknown): unknown => ({ rejected: (error as Error).message })

/** All calls one after the other, and what came of each. */
async function played(
  fetch: typeof globalThis.fetch,
  url: string,
  one: (call: Call, video: string) => unknown,
): Promise<unknown[]> {
  const post = (path: string, body: unknown) => fetch(`${url}/s/tested${path}`, jsonCall(body))
  const { id } = await bodyOf(post('/v1/videos', { model: 'sora-2', prompt: 'a sunset' }))
  await (await post('/v1/chat/completions', chat)).text()
  const said: unknown[] = []
  for (const call of calls) {
    const result = await (async () => one(call, id))().catch(rejected)
    said.push([
      call.operation,
      JSON.parse((JSON.stringify(result) ?? 'null').replaceAll(url, 'http://here')) as unknown,
    ])
  }
  return said
}

async function raw(fetch: typeof globalThis.fetch, url: string): Promise<unknown[]> {
  return played(fetch, url, async ({ request, body, unwrap }, video) => {
    const [method = '', path = ''] = request.split(' ')
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

describe('every control', () => {
  it('is in the table', () => {
    const known = createSimulator()
      .routes.filter(({ group }) => group.name === 'control')
      .map(({ endpoint }) => endpoint.operation)
      // Text and files are no controls.
      .filter((operation) => !/^sim\.get(?:Events|Media|Trace)$/.test(operation))
    expect([...new Set(calls.map(({ operation }) => operation))].sort()).toEqual(known.sort())
  })

  it('works over HTTP as in-process, and through the typed client for both', async () => {
    const fetched = await inProcess()
    const expected = await raw(fetched, 'http://gateway.sim')
    expect(expected.filter((said) => JSON.stringify(said).includes('"rejected"')).length).toBe(10)
    expect(await raw(fetch, await served())).toEqual(expected)
    const client = async (send: typeof globalThis.fetch, url: string) =>
      played(send, url, (one, video) => one.client(connect(url, { session: 'tested', fetch: send }), video))
    expect(await client(await inProcess(), 'http://gateway.sim')).toEqual(expected)
    expect(await client(fetch, await served())).toEqual(expected)
  })

  it('works through the session of the library, where it has such a method', async () => {
    const expected = (await raw(await inProcess(), 'http://gateway.sim')) as [string, unknown][]
    const sim = make()
    const session = sim.createSession({ name: 'tested' })
    const said = (await played(
      sim.fetch as typeof globalThis.fetch,
      'http://gateway.sim',
      ({ operation, library }, video) =>
        library === undefined
          ? operation === 'sim.createSession' && void sim.createSession(second)
          : library(session, video),
    )) as [string, unknown][]
    for (const [index, { operation, library }] of calls.entries()) {
      if (library === undefined) continue
      const [mine, theirs] = [said[index]?.[1], expected[index]?.[1]]
      expect(mine, `${operation}, call ${index}`).toEqual(theirs)
    }
  })
})
