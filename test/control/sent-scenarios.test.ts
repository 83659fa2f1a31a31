/** Scenarios that a client sends, and sessions without those of the simulator. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../../src/client.ts'
import { createSimulator } from '../../src/index.ts'
import { withText } from '../../src/sessions/controls/scenario-source.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith } from '../cli/_io.ts'

const text = '# two\ntitle: Busy\nrules:\n  - id: busy\n    then: { error: { status: 503 } }\n'
const object = { title: 'Slow', rules: [{ id: 'slow', then: { delay: '1m' } }] } as const

const clientOf = (sim: ReturnType<typeof createSimulator>) =>
  connect('http://gateway.sim', { fetch: sim.fetch })
const get = async (sim: ReturnType<typeof createSimulator>, path: string) =>
  (await (await sim.fetch(`/__sim/${path}`)).json()) as Record<string, unknown>

describe('a path, with the typed client', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is read by the client, which sends the text', async () => {
    const path = join(directoryWith({ 'busy.yaml': text }), 'busy.yaml')
    const client = clientOf(createSimulator())
    const usage = { name: path, title: 'Busy' }
    expect(await client.scenarios.add(path)).toMatchObject(usage)
    const session = await client.createSession({ scenarios: [path, object] })
    expect(await session.scenarios.list()).toMatchObject([usage, { title: 'Slow' }])
    writeFileSync(path, 'title: 1')
    await expect(client.createSession({ scenarios: [path] })).rejects.toThrow(
      'line 1, column 8: title: expected',
    )
  })

  it('rejects if the file is missing, or no file system is available', async () => {
    const client = clientOf(createSimulator())
    await expect(client.scenarios.add('none.yaml')).rejects.toThrow('none.yaml: file not found')
    await expect(client.createSession({ scenarios: ['none.yaml'] })).rejects.toThrow(
      'none.yaml: file not found',
    )
    vi.stubGlobal('process', undefined)
    expect(() => withText('none.yaml')).toThrow(
      'The scenario "none.yaml" cannot be read: no file system is available. Pass the scenario as an object ' +
        'or as { text }.',
    )
  })
})

describe('a session without the scenarios of the simulator', () => {
  it('may repeat their rule ids, and nothing of theirs applies', async () => {
    const sim = createSimulator({ scenarios: [object] })
    const edited = { text: 'title: Edited\nrules:\n  - id: slow\n    then: { error: { status: 418 } }\n' }
    const body = { name: 'try', scenarios: [edited], inheritScenarios: false }
    expect((await sim.fetch('/__sim/sessions', jsonCall(body))).status).toBe(201)
    expect(await get(sim, 's')).toMatchObject({ status: 404 })
    const listed = await (await sim.fetch('/s/try/__sim/scenarios')).json()
    expect(listed).toMatchObject({ scenarios: [{ title: 'Edited', of: 'session' }] })
    const chat = jsonCall({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] })
    expect((await sim.fetch('/s/try/v1/chat/completions', chat)).status).toBe(418)
    await sim.fetch('/s/try/__sim/reset', jsonCall({}))
    expect((await sim.fetch('/s/try/v1/chat/completions', chat)).status).toBe(418)
  })

  it('gives default responses if it has none of its own', async () => {
    const sim = createSimulator({
      scenarios: [{ title: 'x', rules: [{ then: { error: { status: 503 } } }] }],
    })
    const session = sim.createSession({ inheritScenarios: false })
    const chat = jsonCall({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] })
    expect((await session.fetch('/v1/chat/completions', chat)).status).toBe(200)
    expect(session.unusedRules()).toEqual([])
  })
})
