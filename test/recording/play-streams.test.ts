/** Recorded streams: equal bytes and events, at their recorded distances on the clock. */
import { describe, expect, it } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'
import { exchange, posting, recordingsOf } from './_record.ts'

const url = 'https://gateway.example/v1/chat/completions'
const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] }
const frames = [
  'data: {"n":1,"ä":"€"}\n\n',
  ': a comment\n\n',
  'event: x\r\ndata: {"n":2}\r\n\r\n',
  'data: [DONE]\n\n',
] as const
const stream = frames.join('')

/** The stream cut into chunks at these bytes, which need not be where frames end. */
function streamed(chunks: readonly { readonly at: number; readonly bytes: number }[]) {
  return exchange({ url, body }, { type: 'text/event-stream', body: stream, chunks })
}

async function playing(recorded: ReturnType<typeof streamed>, options: SimulatorOptions) {
  const sim = createSimulator({ onWarning: () => {}, ...options, recordings: await recordingsOf([recorded]) })
  const response = await sim.fetch('http://sim/v1/chat/completions', posting(body))
  return { sim, response }
}

const size = (text: string): number => new TextEncoder().encode(text).length

describe('a recorded stream', () => {
  it('has the bytes that were recorded, without a wait in `auto`', async () => {
    const { response } = await playing(streamed([{ at: 500, bytes: size(stream) }]), { clock: 'auto' })
    expect(await response.text()).toBe(stream)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
  })

  it('sends each event when its last byte came', async () => {
    const half = size(frames[0]) + 5
    const { sim, response } = await playing(
      streamed([
        { at: 200, bytes: half },
        { at: 1000, bytes: size(stream) - half },
      ]),
      { clock: 'manual' },
    )
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const next = async () => new TextDecoder().decode((await reader.read()).value)
    await sim.clock.advance(200)
    expect(await next()).toBe(frames[0])
    await sim.clock.advance(799)
    const rest = next()
    expect(await Promise.race([rest, Promise.resolve('nothing yet')])).toBe('nothing yet')
    await sim.clock.advance(1)
    expect(await rest).toBe(frames.slice(1).join(''))
  })

  it('is cut where a fault cuts it, and its events are what faults count', async () => {
    const { response } = await playing(streamed([{ at: 0, bytes: size(stream) }]), {
      scenarios: [
        { title: 'A cut', rules: [{ when: {}, then: { fault: { kind: 'disconnect', afterEvents: 1 } } }] },
      ],
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(frames[0])
    await expect(reader.read()).rejects.toThrow()
  })

  it('breaks off where the gateway broke off', async () => {
    const { response } = await playing(
      { ...streamed([{ at: 0, bytes: size(stream) }]), ended: 'disconnected' },
      {},
    )
    const read: string[] = []
    const all = async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        read.push(new TextDecoder().decode(chunk))
    }
    await expect(all()).rejects.toThrow()
    expect(read.join('')).toBe(stream)
  })
})
