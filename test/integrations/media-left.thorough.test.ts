/** Clients that leave before their images are drawn: nobody else waits for what nobody wants any more. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import { eventually } from '../_eventually.ts'
import { bodyOf, describeIntegrations, type Integration, simulator } from '../_setup.ts'

/** What was begun to be drawn, by the prompt on it; and what the drawing of the first one waits for. */
const drawing = vi.hoisted(() => ({ begun: [] as string[], gate: Promise.resolve() }))

vi.mock('../../src/media/render.ts', async (original) => {
  const { createRenderer } = await original<typeof import('../../src/media/render.ts')>()
  return {
    createRenderer: () => {
      const render = createRenderer()
      return async (media: Parameters<typeof render>[0]) => {
        if (media.kind === 'image')
          drawing.begun.push(`${media.caption?.prompt}${media.partial === undefined ? '' : ', on its way'}`)
        await drawing.gate
        return render(media)
      }
    },
  }
})

beforeEach(() => {
  drawing.begun.length = 0
  drawing.gate = Promise.resolve()
})

async function open(integration: Integration) {
  const sim = simulator({ clock: 'auto' })
  // It does not share its images with other tests.
  Object.assign(sim.core.media, createMedia({ cacheBytes: 32_000_000 }))
  const { fetch: call, url } = await integration.open(sim)
  const ask = (prompt: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
    call(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-image-1', prompt, size: '1024x1024', ...more }),
      ...(signal === undefined ? {} : { signal }),
    })
  const gateOf = (): (() => void) => {
    let open = (): void => {}
    drawing.gate = new Promise((resolve) => (open = resolve))
    onTestFinished(open)
    return open
  }
  const taken = (count: number) => eventually(() => expect(sim.journal()).toHaveLength(count))
  const ends = () => sim.journal().map(({ ended }) => ended)
  return { sim, call, ask, gateOf, taken, ends }
}

/** What becomes of a call that its client has left. */
const leftBy = (call: Promise<Response>): Promise<unknown> =>
  expect(call.then((response) => response.text())).rejects.toThrow()

describeIntegrations('an image whose client has aborted', (integration) => {
  it('is not drawn, in any format, and the next ones are drawn first', async () => {
    const { sim, call, ask, gateOf, taken, ends } = await open(integration)
    const { data } = await bodyOf(ask('by address', { model: 'dall-e-3', response_format: 'url' }))
    const openGate = gateOf()
    const first = ask('first')
    await taken(2)
    const leaving = new AbortController()
    const left = [leftBy(ask('in base64', { n: 3 }, leaving.signal))]
    await taken(3)
    left.push(leftBy(ask('as a stream', { stream: true, partial_images: 2 }, leaving.signal)))
    await taken(4)
    left.push(leftBy(call((data[0] as { url: string }).url, { signal: leaving.signal })))
    await taken(5)
    const last = ask('last')
    await taken(6)
    leaving.abort()
    await Promise.all(left)
    await eventually(() =>
      expect(ends()).toEqual(['completed', 'open', 'aborted', 'aborted', 'aborted', 'open']),
    )
    openGate()
    expect([(await first).status, (await last).status]).toEqual([200, 200])
    expect(drawing.begun).toEqual(['first', 'last'])
    await sim.settled()
    expect(ends()).toEqual(['completed', 'completed', 'aborted', 'aborted', 'aborted', 'completed'])
  })

  it('is drawn for other clients that wait for it, and for later ones', async () => {
    const { ask, gateOf, taken, ends } = await open(integration)
    const openGate = gateOf()
    const first = ask('first')
    await taken(1)
    const leaving = new AbortController()
    const left = [leftBy(ask('shared', {}, leaving.signal))]
    await taken(2)
    left.push(leftBy(ask('left by all', {}, leaving.signal)))
    await taken(3)
    const staying = ask('shared')
    await taken(4)
    leaving.abort()
    await Promise.all(left)
    await eventually(() => expect(ends().slice(1, 3)).toEqual(['aborted', 'aborted']))
    const back = ask('left by all')
    await taken(5)
    openGate()
    for (const answer of [first, staying, back]) expect((await answer).status).toBe(200)
    expect(drawing.begun).toEqual(['first', 'shared', 'left by all'])
  })

  it('is finished if it was begun, and cached for the next client', async () => {
    const { ask, gateOf, taken, ends } = await open(integration)
    const openGate = gateOf()
    const leaving = new AbortController()
    const gone = leftBy(ask('begun', {}, leaving.signal))
    await taken(1)
    await eventually(() => expect(drawing.begun).toEqual(['begun']))
    leaving.abort()
    await gone
    await eventually(() => expect(ends()).toEqual(['aborted']))
    openGate()
    expect((await ask('begun')).status).toBe(200)
    expect(drawing.begun).toEqual(['begun'])
  })
})
