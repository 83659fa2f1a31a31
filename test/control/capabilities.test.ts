/** `GET /__sim/capabilities`: what a program can pick from, to break it. */
import { describe, expect, it } from 'vitest'
import type { Capabilities } from '../../src/client.ts'
import { createSimulator } from '../../src/index.ts'
import { faults } from '../../src/scenario/faults/all.ts'
import { jsonCall } from '../_setup.ts'

async function capabilities(sim = createSimulator()): Promise<Capabilities> {
  return (await (await sim.fetch('/__sim/capabilities')).json()) as Capabilities
}

describe('GET /__sim/capabilities', () => {
  it('lists every operation that scenarios can name, and what it does', async () => {
    const sim = createSimulator()
    const { operations } = await capabilities(sim)
    const routes = sim.routes.filter(({ group }) => group.internal !== true)
    expect(operations.map(({ id }) => id)).toEqual(routes.map(({ endpoint }) => endpoint.operation))
    const named = (id: string) => operations.find((operation) => operation.id === id)
    expect(named('chat.create')).toEqual({
      id: 'chat.create',
      method: 'POST',
      path: '/v1/chat/completions',
      summary: expect.any(String),
      streams: true,
      draws: false,
      submits: null,
      polls: null,
    })
    expect(named('videos.create')).toMatchObject({ streams: false, submits: 'video', polls: null })
    expect(named('videos.retrieve')).toMatchObject({ method: 'GET', submits: null, polls: 'video' })
  })

  it('lists every fault with its options and operations', async () => {
    const { operations, faults: listed } = await capabilities()
    expect(listed.map(({ name }) => name)).toEqual(faults.map(({ kind }) => kind))
    const named = (wanted: string) => listed.find(({ name }) => name === wanted)
    expect(named('hang')?.operations).toEqual(operations.map(({ id }) => id))
    expect(named('ambiguous-submit')?.operations).toEqual(
      operations.flatMap(({ id, submits }) => (submits === null ? [] : id)),
    )
    expect(named('disconnect')).toMatchObject({
      part: 'stream',
      operations: operations.flatMap(({ id, streams }) => (streams ? id : [])),
      options: { afterEvents: { type: 'integer', default: 1 }, how: { enum: ['reset', 'close', 'end'] } },
    })
  })

  it('lists faults that an override accepts, with the defaults of their options', async () => {
    const sim = createSimulator()
    for (const { name, operations, options } of (await capabilities(sim)).faults) {
      const defaults = Object.entries(options).flatMap(([option, schema]) =>
        'default' in schema ? [[option, schema['default']]] : [],
      )
      const fault = { kind: name, ...Object.fromEntries(defaults) }
      const response = await sim.fetch(
        '/__sim/overrides',
        jsonCall({ when: { operation: operations }, fault }),
      )
      expect(response.status, `${name}: ${await response.text()}`).toBe(201)
    }
  })

  it('creates no session', async () => {
    const sim = createSimulator()
    await sim.fetch('/s/none/__sim/capabilities')
    const sessions = await (await sim.fetch('/__sim/sessions')).text()
    expect(sessions).not.toContain('none')
  })
})
