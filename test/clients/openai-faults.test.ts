/**
 * The openai package, streams that go wrong or are left: what has come before, what is thrown, what the
 * journal says.
 */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectionOf, until } from './_integrations.ts'
import { ask, only, openaiVia } from './_openai.ts'

const messages = ask('Say "one two three four"')

type Chunks = AsyncIterable<OpenAI.Chat.Completions.ChatCompletionChunk>

/** The text of a stream to its end, and how it ended. */
async function readToEnd(stream: Chunks): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  } catch (error) {
    return { text, error }
  }
  return { text, error: undefined }
}

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`openai streams with faults, through ${integration.name}`, () => {
    it('stall: the client waits until it leaves, and keeps what has come', async () => {
      const sim = simulator({ clock: 'auto' })
      const client = await openaiVia(integration, sim)
      const leave = new AbortController()
      let text = ''
      for await (const { choices } of await client.chat.completions.create(
        { model: 'sim-stall-after-2', messages, stream: true },
        { signal: leave.signal },
      )) {
        text += choices[0]?.delta.content ?? ''
        if (text !== '') leave.abort()
      }
      expect(text).toBe('one')
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', eventCount: 2 })
    })
  })
}

for (const integration of clientIntegrations) {
  describe(`openai streams with faults under the stream helper, through ${integration.name}`, () => {
    it('throws what went wrong from the final promise, with the snapshot of what has come', async () => {
      const client = await openaiVia(integration)
      const cut = client.chat.completions.stream({ model: 'sim-disconnect-after-3', messages })
      expect(await rejectionOf(cut.finalChatCompletion())).toMatchObject({ message: 'terminated' })
      expect(cut.currentChatCompletionSnapshot?.choices[0]?.message.content).toBe('one two')

      const failed = client.chat.completions.stream({ model: 'sim-error-after-2', messages })
      expect(await rejectionOf(failed.finalChatCompletion())).toMatchObject({ type: 'api_error', code: 500 })
      expect(failed.currentChatCompletionSnapshot?.choices[0]?.message.content).toBe('one')
    })

    it('throws APIUserAbortError when it is aborted in a stall', async () => {
      const sim = simulator({ clock: 'auto' })
      const client = await openaiVia(integration, sim)
      const stream = client.chat.completions
        .stream({ model: 'sim-stall-after-2', messages })
        .on('content', () => stream.abort())
      expect(await rejectionOf(stream.finalChatCompletion())).toBeInstanceOf(OpenAI.APIUserAbortError)
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', eventCount: 2 })
    })

    it('keeps the partial text of content_filter and length', async () => {
      const client = await openaiVia(integration)
      for (const [model, finish_reason] of [
        ['sim-content-filter', 'content_filter'],
        ['sim-length', 'length'],
      ] as const) {
        const choice = only(await client.chat.completions.stream({ model, messages }).finalChatCompletion())
        expect(choice).toMatchObject({ finish_reason, message: { content: 'one two' } })
      }
    })
  })

  describe(`openai streams on a manual clock, through ${integration.name}`, () => {
    const settings = { chat: { firstEventAfter: '200ms', eventInterval: '50ms' } } as const
    const open = async (model = 'gpt-4o') => {
      const sim = simulator({ clock: 'manual', settings })
      const client = await openaiVia(integration, sim)
      return { sim, stream: await client.chat.completions.create({ model, messages, stream: true }) }
    }

    it('a chunk comes when time passes it, and not a millisecond before', async () => {
      const { sim, stream } = await open()
      const chunks = stream[Symbol.asyncIterator]()
      const sent = (): number | undefined => sim.journal()[0]?.eventCount

      expect(sim.clock.advance(199).events).toBe(0)
      expect(sent()).toBe(0)
      expect(sim.clock.advance(1).events).toBe(1)
      expect((await chunks.next()).value?.choices[0]?.delta).toEqual({
        role: 'assistant',
        content: '',
        refusal: null,
      })
      sim.clock.advance(50)
      expect((await chunks.next()).value?.choices[0]?.delta).toEqual({ content: 'one' })
      sim.clock.advance('49ms')
      expect(sent()).toBe(2)
      sim.clock.advance('1ms')
      expect((await chunks.next()).value?.choices[0]?.delta).toEqual({ content: ' two' })

      sim.clock.advance({ to: 'idle' })
      const rest: string[] = []
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
        rest.push(next.value.choices[0]?.delta.content ?? next.value.choices[0]?.finish_reason ?? '')
      expect(rest).toEqual([' three', ' four', 'stop'])
      expect(sim.journal()[0]).toMatchObject({ ended: 'completed', eventCount: 7 })
    })

    it('aborting between two chunks ends it there: no chunk more, nothing left on the clock', async () => {
      const { sim, stream } = await open()
      const chunks = stream[Symbol.asyncIterator]()
      sim.clock.advance(250)
      await chunks.next()
      expect((await chunks.next()).value?.choices[0]?.delta).toEqual({ content: 'one' })
      sim.clock.advance(49)
      stream.controller.abort()
      expect(await chunks.next()).toEqual({ value: undefined, done: true })
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', eventCount: 2 })
      expect(sim.clock.advance('1h')).toMatchObject({ events: 0, next: null })
    })

    it('aborting before the first chunk throws APIUserAbortError from the helper', async () => {
      const sim = simulator({ clock: 'manual', settings })
      const client = await openaiVia(integration, sim)
      const stream = client.chat.completions.stream({ model: 'gpt-4o', messages })
      await until(() => sim.journal().length === 1)
      stream.abort()
      expect(await rejectionOf(stream.finalChatCompletion())).toBeInstanceOf(OpenAI.APIUserAbortError)
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', eventCount: 0 })
    })

    it('a cut comes when its time has come', async () => {
      const { sim, stream } = await open('sim-disconnect-after-2')
      const reading = readToEnd(stream)
      sim.clock.advance(249)
      expect(sim.journal()[0]).toMatchObject({ ended: 'open', eventCount: 1 })
      sim.clock.advance(1)
      expect(await reading).toMatchObject({ text: 'one', error: { message: 'terminated' } })
    })

    it('a reset of the simulator breaks the open stream', async () => {
      const { sim, stream } = await open()
      const reading = readToEnd(stream)
      sim.clock.advance(250)
      sim.resetAll()
      expect(await reading).toMatchObject({ text: 'one', error: { message: 'terminated' } })
    })
  })
}
