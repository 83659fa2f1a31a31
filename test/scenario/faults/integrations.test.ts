/**
 * What clients make of faults on the wire, through every integration: the same, whether there is a socket or
 * not.
 */
import { expect, it } from 'vitest'
import { describeIntegrations, simulator } from '../../_setup.ts'
import { ask, faulty, frames, key, question, readChunks, type WrittenFault } from './_wire.ts'

const streamed = { ...question, stream: true }

/** What the same call gets without a fault. */
const plain = async (body: object): Promise<string> => (await ask(simulator({ clock: 'auto' }), body)).text()

describeIntegrations('faults on the wire', (integration) => {
  const meet = async (
    fault: WrittenFault,
    body: object,
  ): Promise<{ text: string; chunks: number; error: string | undefined; code?: unknown }> => {
    const { fetch: call, url } = await integration.open(faulty(fault))
    const response = await call(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify(body),
    })
    const { chunks, error } = await readChunks(response)
    const { code } = (error?.cause ?? {}) as { readonly code?: unknown }
    const text = Buffer.concat(chunks).toString()
    return { text, chunks: chunks.length, error: error?.message, ...(code === undefined ? {} : { code }) }
  }

  it.each([
    ['reset', 'ECONNRESET'],
    ['close', 'UND_ERR_SOCKET'],
  ])('disconnect (%s): the content before it arrives, then the body breaks with %s', async (how, broken) => {
    const expected = frames(await plain(streamed))
    const { text, error, code } = await meet({ kind: 'disconnect', afterEvents: 3, how }, streamed)
    expect([frames(text), error, code]).toEqual([expected.slice(0, 3), 'terminated', broken])
  })

  it('disconnect (end): the body ends cleanly', async () => {
    const expected = frames(await plain(streamed))
    const { text, error } = await meet({ kind: 'disconnect', afterEvents: 3, how: 'end' }, streamed)
    expect({ frames: frames(text), error }).toEqual({ frames: expected.slice(0, 3), error: undefined })
  })

  it('truncate: half of a JSON body arrives, then it breaks', async () => {
    const expected = await plain(question)
    const { text, error } = await meet('truncate', question)
    expect({ text, error }).toEqual({
      text: expected.slice(0, Math.floor(expected.length / 2)),
      error: 'terminated',
    })
  })

  it('wrong-length: a body shorter than declared breaks', async () => {
    expect(await meet({ kind: 'wrong-length', by: 10 }, question)).toMatchObject({
      text: await plain(question),
      error: 'terminated',
    })
  })

  it('wrong-length: a body longer than declared ends early', async () => {
    expect(await meet({ kind: 'wrong-length', by: -10 }, question)).toMatchObject({
      text: (await plain(question)).slice(0, -10),
      error: undefined,
    })
  })

  it('malformed-json: the body is complete and invalid', async () => {
    const { text, error } = await meet('malformed-json', question)
    expect(error).toBeUndefined()
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  })

  it('split: the same text in two chunks', async () => {
    expect(await meet('split', streamed)).toEqual({
      text: await plain(streamed),
      chunks: 2,
      error: undefined,
    })
  })

  it('dribble: the same text in many small chunks', async () => {
    const dribbled = await meet({ kind: 'dribble', bytes: 500 }, streamed)
    expect(dribbled).toMatchObject({ text: await plain(streamed), error: undefined })
    expect(dribbled.chunks).toBeGreaterThan(3)
  })
})
