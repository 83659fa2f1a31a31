/**
 * What waits in the process keeps node running for as long as a signal may end it, and no longer. Each test
 * runs a program of its own: under vitest node never ends.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Project, packedProject } from '../_built.ts'

let project: Project
beforeAll(() => {
  project = packedProject()
})

const setUp = `
import { createSimulator } from 'gateway-sim'
const url = 'http://gateway.test/v1/chat/completions'
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const body = (stream) => JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'Hello' }] })
const waiting = (then, options) => createSimulator({ scenarios: [{ title: 't', rules: [{ id: 'r', then }] }], onWarning() {}, ...options })
const call = (sim, init) => sim.fetch(url, { method: 'POST', headers, body: body(false), ...init })
const why = (error) => error.name
`

async function said(program: string): Promise<{ stdout: string; code: number | null }> {
  const file = project.write('program.mjs', `${setUp}\n${program}`)
  const { stdout, code } = await project.node(file)
  return { stdout: stdout.trim(), code }
}

describe('a program with a pending request', () => {
  const signal = 'signal: AbortSignal.timeout(100)'

  it('without end receives its abort', async () => {
    expect(
      await said(`console.log(await call(waiting({ fault: 'hang' }), { ${signal} }).catch(why))`),
    ).toEqual({ stdout: 'TimeoutError', code: 0 })
  })

  it('inside a stream receives its abort', async () => {
    expect(
      await said(`
        const sim = waiting({ fault: { kind: 'stall', afterBytes: 30 } })
        await sim.preload()
        // Time enough for its headers on a busy machine.
        const response = await call(sim, { body: body(true), signal: AbortSignal.timeout(3000) })
        console.log(response.status, await response.text().catch(why))`),
    ).toEqual({ stdout: '200 TimeoutError', code: 0 })
  })

  it('ends when the simulator is closed, reset or has responded, although the signal still exists', async () => {
    expect(
      await said(`
        const { signal } = new AbortController()
        const closed = waiting({ fault: 'hang' })
        const one = call(closed, { signal }).catch(why)
        await closed.close()
        const reset = waiting({ fault: 'hang' })
        const two = call(reset, { signal }).catch(why)
        reset.resetAll()
        const moved = waiting({ delay: '1m' }, { clock: 'manual' })
        const three = call(moved, { signal }).then(({ status }) => status)
        moved.clock.advance('1m')
        const paced = waiting({ stream: { eventInterval: '1s' } }, { clock: 'manual' })
        const four = call(paced, { body: body(true), signal }).then((response) => response.text())
        await paced.settled()
        paced.clock.advance('1h')
        console.log(await one, await two, await three, (await four).endsWith('[DONE]\\n\\n'))`),
    ).toEqual({
      stdout: expect.stringMatching(/^(?:SimulatorClosedError|TypeError) TypeError 200 true$/) as string,
      code: 0,
    })
  })

  it('without a signal and without other work, ends with an error from node', async () => {
    expect(await said(`await call(waiting({ fault: 'hang' }))`)).toMatchObject({ code: 13 })
  })
})
