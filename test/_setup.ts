/**
 * The one place where tests build a simulator: every response is held against its own schema, and a test
 * fails when the simulator warned of a bug of its own, even when the client under test swallowed it.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { setupServer } from 'msw/node'
import { describe, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { middleware } from '../src/express.ts'
import { createSimulator, type ScenarioInput, type Simulator, type SimulatorOptions } from '../src/index.ts'
import { createMedia } from '../src/media/media.ts'
import { handlers } from '../src/msw.ts'
import { listen } from '../src/node.ts'
import type { TrafficLimits } from '../src/protocol/traffic.ts'
import { bugs } from './_bugs.ts'

/** Draws each description once for all tests of a thread: drawing takes longer than the rest of a call. */
const drawnOnce = createMedia({ cacheBytes: 64_000_000 })

/** A simulator for one test, in `manual` unless the test says otherwise. */
export function simulator(options: SimulatorOptions = {}): Simulator & { readonly warnings: string[] } {
  const warnings: string[] = []
  const sim = createSimulator({
    clock: 'manual',
    selfCheck: true,
    onWarning(message) {
      warnings.push(message)
      if (message.startsWith('internal error in gateway-sim')) bugs.push(message)
    },
    ...options,
  })
  Object.assign(sim.core.media, { render: drawnOnce.render })
  return Object.assign(sim, { warnings })
}

/** Gives a simulator other bounds on data in transit, which no setting changes. */
export function limitTraffic(sim: Simulator, limits: Partial<TrafficLimits>): void {
  const { traffic } = sim.core
  traffic.limits = { ...traffic.limits, ...limits }
}

/**
 * The option of a scenario of these rules, each written in YAML as in a file; `more` stands in front of them.
 */
export const withRules = (rules: readonly string[], more = ''): { scenarios: [ScenarioInput] } => ({
  scenarios: [
    parse(
      `title: story\n${more}rules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}`,
    ) as ScenarioInput,
  ],
})

/** How a test reaches a simulator: a `fetch` and the address to call. */
export interface Integration {
  readonly name: string
  /** Opens the integration; everything is closed when the test ends. */
  open(sim: Simulator): Promise<{ readonly fetch: typeof fetch; readonly url: string }>
}

const viaFetch: Integration = {
  name: 'fetch',
  open: async (sim) => ({ fetch: sim.fetch as typeof fetch, url: 'http://gateway.test' }),
}

const viaHttp: Integration = {
  name: 'HTTP',
  async open(sim) {
    const listening = await listen(sim)
    onTestFinished(() => listening.close())
    return { fetch, url: listening.url }
  },
}

const viaExpress: Integration = {
  name: 'Express',
  async open(sim) {
    const server = createServer(express().use('/gateway', middleware(sim)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      await sim.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    return { fetch, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gateway` }
  },
}

const viaMsw: Integration = {
  name: 'msw',
  async open(sim) {
    const url = 'http://gateway.test'
    const server = setupServer(...handlers(sim, { origins: [url] }))
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    return { fetch: (...args) => fetch(...args), url }
  },
}

export const integrations: readonly Integration[] = [viaFetch, viaHttp, viaExpress, viaMsw]

/**
 * One body of tests, run in process and over a socket. That Express and msw give the same bytes,
 * test/integrations and test/determinism.property.test.ts show of all operations.
 */
export function describeIntegrations(title: string, body: (integration: Integration) => void): void {
  for (const integration of [viaFetch, viaHttp])
    describe(`${title}, through ${integration.name}`, () => body(integration))
}

/** A JSON call with a key that works, for tests that are not about the client. */
export function post(
  sim: Pick<Simulator, 'fetch'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return sim.fetch(`http://gateway.test${path}`, jsonCall(body, headers))
}

/** What `fetch` takes for such a call. */
export const jsonCall = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** The same for reading. */
export function get(
  sim: Pick<Simulator, 'fetch'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return sim.fetch(`http://gateway.test${path}`, { headers: { authorization: 'Bearer sk-test', ...headers } })
}

/** The JSON body of a response. */
export async function bodyOf(response: Response | Promise<Response>): Promise<any> {
  return (await response).json()
}

/** The `data:` texts of a stream that has been read to its end. */
export function dataOf(text: string): string[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const line = block.split('\n').find((candidate) => candidate.startsWith('data: '))
      return line === undefined ? '' : line.slice(6)
    })
}
