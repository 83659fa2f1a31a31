/**
 * Every fault on some operations, others with each seed, through a socket and in-process: the call ends
 * somehow, and the simulator goes on serving.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.ts'
import { listen } from '../../../src/node.ts'
import type { Operation } from '../../../src/protocol/operations.ts'
import { faults } from '../../../src/scenario/faults/all.ts'
import { some } from '../../_counts.ts'
import { simulator } from '../../_setup.ts'
import { type Given, pathOf, prepare, validJson, welcome } from '../../hostile/_examples.ts'

type Sim = ReturnType<typeof simulator>

/** Nothing ever comes of these; the client leaves. */
const endless = ['hang', 'stall', 'stall-body']

/**
 * A film in chunks of 16 bytes takes its time on a socket; a service that is away for one call is there for
 * the next.
 */
const options: Readonly<Record<string, object>> = { dribble: { bytes: 100_000 }, outage: { times: 1 } }

interface Call {
  readonly operation: string
  readonly path: string
  readonly init: RequestInit
}

/** Calls of every operation, those that can stream as a stream too. */
function callsOf(sim: Sim, given: Given): Call[] {
  const headers = { ...welcome, 'content-type': 'application/json' }
  const posts = validJson(sim, given).map(
    ({ route: { endpoint }, path, json }): Call => ({
      operation: endpoint.operation,
      path,
      init: { method: endpoint.method, headers, body: JSON.stringify(json) },
    }),
  )
  const others = sim.routes
    .filter(({ endpoint }) => !posts.some(({ operation }) => operation === endpoint.operation))
    .map(
      (route): Call => ({
        operation: route.endpoint.operation,
        path: pathOf(route, given),
        init: {
          method: route.endpoint.method,
          headers: welcome,
          ...(route.endpoint.method === 'GET' ? {} : { body: 'some bytes' }),
        },
      }),
    )
  return [...posts, ...others].filter(({ operation }) => !operation.startsWith('sim.'))
}

/** Makes a call that meets a fault, and says how it ended. */
async function meet(
  call: typeof fetch,
  url: string,
  { operation, path, init }: Call,
  kind: string,
): Promise<string> {
  const leaving = new AbortController()
  const outcome = call(url + path, {
    ...init,
    headers: { ...(init.headers as object), 'x-fault': kind },
    signal: leaving.signal,
  })
    .then(async (response) => {
      const text = await response.text()
      return `${response.status}${text.includes('simulator_bug') ? ', a bug of the simulator' : ''}`
    })
    .catch((error: Error) => error.message)
  if (endless.includes(kind)) {
    await call(`${url}/__sim/health`)
    leaving.abort(new Error('the client left'))
  }
  return `${operation}: ${await outcome}`
}

describe.each(['a socket', 'fetch'])('through %s', (integration) => {
  let sim: Sim
  let calls: readonly Call[]
  let call: typeof fetch
  let url = 'http://gateway.test'
  let close = (): Promise<void> => sim.close()

  beforeAll(async () => {
    const rules = faults.map(({ kind }) => ({
      when: { headers: { 'x-fault': kind } },
      then: { fault: { kind, ...options[kind] } },
    }))
    sim = simulator({ clock: 'auto', scenarios: [{ title: 'every fault', rules } as ScenarioInput] })
    calls = callsOf(sim, await prepare(sim))
    call = sim.fetch as typeof fetch
    if (integration === 'fetch') return
    const listening = await listen(sim)
    ;({ url } = listening)
    call = fetch
    close = () => listening.close()
  })
  afterAll(() => close())

  it.each(faults.map(({ kind, on }) => [kind, on] as const))(
    '%s leaves the simulator serving',
    async (kind, on) => {
      const routes = new Map(sim.routes.map((route) => [route.endpoint.operation, route]))
      const outcomes: string[] = []
      for (const one of some(calls.filter(({ operation }) => on(routes.get(operation) as Operation))))
        outcomes.push(await meet(call, url, one, kind))
      expect(outcomes.length).toBeGreaterThan(0)
      expect(outcomes.filter((outcome) => outcome.includes('bug') || /: 5(?!03|29)/.test(outcome))).toEqual(
        [],
      )

      const next = await call(`${url}/v1/models`, { headers: welcome })
      await next.text()
      expect(next.status).toBe(200)
      await sim.settled()
      const { open, sandbox } = sim.core.sessions.get('default')
      expect({ open: open.size, waiting: sandbox.clock.pending }).toEqual({ open: 0, waiting: 0 })
      expect(sim.warnings.filter((warning) => warning.includes('bug'))).toEqual([])
    },
  )
})
