/** How much the control API takes at once; the rejection names the limit and what to do. */
import { expect, it } from 'vitest'
import { bodyOf, describeIntegrations, jsonCall, simulator } from '../_setup.ts'

describeIntegrations('a control request', (integration) => {
  const open = async () => {
    const { fetch: call, url } = await integration.open(simulator())
    return (path: string, body: unknown): Promise<unknown> =>
      bodyOf(call(`${url}/__sim/${path}`, jsonCall(body)))
  }
  const long = 'a'.repeat(256 * 1024)

  it.each([
    ['overrides', 'sim.addOverride', { fault: 'hang', id: long }],
    ['verify', 'sim.verify', { calls: long }],
  ])('%s limits its body', async (path, operation, body) => {
    const send = await open()
    expect(await send(path, body)).toMatchObject({
      status: 413,
      detail: `The body is larger than 262144 bytes, the maximum for ${operation}: send a smaller body.`,
    })
  })

  it('accepts larger scenarios as objects than as text', async () => {
    const send = await open()
    expect(await send('scenarios', { title: 'a', description: long })).toHaveProperty('name')
    expect(await send('sessions', { scenarios: [{ title: 'a', description: long }] })).toHaveProperty('name')
    expect(await send('scenarios', { text: `title: a\n# ${long}` })).toMatchObject({
      status: 400,
      detail: '`text`: is longer than 262144 characters: send the scenario as an object, or split it.',
    })
  })
})
