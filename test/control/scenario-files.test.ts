/** Scenarios as text: read, and validated without being used. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { withText } from '../../src/client/scenario-source.ts'
import { connect } from '../../src/client.ts'
import { createSimulator } from '../../src/index.ts'
import { root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith } from '../cli/_io.ts'

const text = '# two\ntitle: Busy\nrules:\n  - id: busy\n    then: { error: { status: 503 } }\n'
const object = { title: 'Slow', rules: [{ id: 'slow', then: { delay: '1m' } }] } as const

const clientOf = (sim: ReturnType<typeof createSimulator>) =>
  connect('http://gateway.sim', { fetch: sim.fetch })
const get = async (sim: ReturnType<typeof createSimulator>, path: string) =>
  (await (await sim.fetch(`/__sim/${path}`)).json()) as Record<string, unknown>
const send = async (sim: ReturnType<typeof createSimulator>, path: string, body: unknown) =>
  (await (await sim.fetch(`/__sim/${path}`, jsonCall(body))).json()) as Record<string, unknown>

describe('sim.getScenario', () => {
  it('returns the text as loaded, comments included', async () => {
    const sim = createSimulator()
    await send(sim, 'scenarios', { text, name: 'folder/busy.yaml' })
    expect(await get(sim, 'scenarios/folder/busy.yaml')).toEqual({
      ...{ name: 'folder/busy.yaml', title: 'Busy', of: 'session', text },
    })
  })

  it('is a method of the typed client, also for a name with a slash', async () => {
    const client = clientOf(createSimulator())
    await client.scenarios.add({ text, name: 'folder/busy.yaml' })
    expect(await client.getScenario('folder/busy.yaml')).toEqual({
      ...{ name: 'folder/busy.yaml', title: 'Busy', of: 'session', text },
    })
    await expect(client.getScenario('folder/none')).rejects.toThrow('There is no scenario "folder/none"')
  })

  it('returns YAML of an object, which loads as the same scenario', async () => {
    const sim = createSimulator({ scenarios: [object] })
    const got = await get(sim, 'scenarios/scenario%201')
    expect(got).toMatchObject({ of: 'simulator', title: 'Slow' })
    const again = createSimulator()
    await send(again, 'scenarios', { text: got['text'], name: 'scenario 1' })
    expect(await get(again, 'scenarios')).toMatchObject({ scenarios: [{ rules: [{ id: 'slow' }] }] })
  })

  it('has no text for a scenario with functions', async () => {
    const sim = createSimulator({ scenarios: [{ title: 'x', rules: [{ then: () => ({ text: 'x' }) }] }] })
    expect((await get(sim, 'scenarios/scenario%201'))['text']).toBeNull()
  })

  it('rejects an unknown name', async () => {
    expect(await get(createSimulator(), 'scenarios/none')).toMatchObject({
      status: 404,
      detail: expect.stringContaining('There is no scenario "none"'),
    })
  })
})

describe('a path, with the typed client', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is read by the client, which sends the text', async () => {
    const path = join(directoryWith({ 'busy.yaml': text }), 'busy.yaml')
    const client = clientOf(createSimulator())
    const usage = { name: path, title: 'Busy' }
    expect(await client.scenarios.add(path)).toMatchObject(usage)
    const session = await client.createSession({ scenarios: [path, object] })
    expect(await session.scenarios.list()).toMatchObject([usage, { title: 'Slow' }])
    expect(await client.validateScenario(path)).toMatchObject({ ok: true })
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

describe('sim.validateScenario', () => {
  it('finds every error with its line and column', async () => {
    const wrong = text.replace('error:', 'eror:').replace('id: busy', 'id: 5')
    const { ok, findings } = await send(createSimulator(), 'validate', { text: wrong })
    expect(ok).toBe(false)
    expect(findings).toEqual([
      { severity: 'error', line: 4, column: 9, field: 'rules[0].id', message: expect.any(String) },
      {
        ...{ severity: 'error', line: 5, column: 13, field: 'rules[0].then.eror' },
        message: expect.stringContaining('"eror"'),
      },
    ])
  })

  it('is a method of the typed client', async () => {
    const client = clientOf(createSimulator())
    expect(await client.validateScenario({ text })).toEqual({ ok: true, findings: [] })
    expect(await client.validateScenario({ text: text.replace('error:', 'eror:') })).toMatchObject({
      ok: false,
      findings: [{ severity: 'error', field: 'rules[0].then.eror', line: 5 }],
    })
  })

  it('finds text that is not YAML, and files of the server', async () => {
    const sim = createSimulator()
    expect(await send(sim, 'validate', { text: 'a: {' })).toMatchObject({
      findings: [{ severity: 'error', line: 1, message: expect.stringContaining('}') }],
    })
    const given = { files: [{ path: 'a.txt', content: { file: '/etc/hostname' } }] }
    expect(await send(sim, 'validate', { title: 'x', given })).toMatchObject({ ok: false })
  })

  it('warns of rules that no request reaches, and adds nothing', async () => {
    const sim = createSimulator()
    const rules = [
      { id: 'a', then: { text: 'a' } },
      { id: 'b', then: { text: 'b' } },
    ]
    expect(await send(sim, 'validate', { title: 'x', rules })).toEqual({
      ok: true,
      findings: [
        { severity: 'warning', field: 'rules[1]', message: expect.stringContaining('no request ever') },
      ],
    })
    expect(await get(sim, 'scenarios')).toEqual({ scenarios: [] })
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

it('a scenario of a file is found by its path', async () => {
  const path = join(root, 'scenarios/upstream-outage.yaml')
  const sim = createSimulator({ scenarios: [path] })
  const got = await get(sim, `scenarios/${encodeURIComponent(path)}`)
  expect(got['text']).toBe(readFileSync(path, 'utf8'))
})
