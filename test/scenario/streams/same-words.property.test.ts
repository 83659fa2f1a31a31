/**
 * Whatever a script says: the chunks of a stream put together are the plain body, in both families that talk.
 */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.ts'
import { runs } from '../../_counts.ts'
import { simulator } from '../../_setup.ts'
import { asking, chunksOf, completed, joined, withoutIds } from '../../endpoints/chat/_chat.ts'
import { messageOf, request, streamOf } from '../../endpoints/messages/_messages.ts'
import type { Item } from './_scripted.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('', 'Hello there, how are you?', '\ud83e', 'a\udd16b', '"\\\n\u2028', '漢字🤖'),
)
const written = fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 5 }))
const json = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
const call = fc.record(
  {
    name: fc.constantFrom('get_weather', 'run', 'nobody_offers_this'),
    arguments: fc.oneof(json as fc.Arbitrary<Readonly<Record<string, unknown>>>, written),
    id: fc.option(fc.constantFrom('one', 'two', 'three'), { nil: undefined }),
  },
  { requiredKeys: ['name', 'arguments'] },
)
const count = fc.option(fc.nat(1000), { nil: undefined })
const item = fc
  .oneof(
    { weight: 3, arbitrary: fc.record({ text: written }) },
    fc.record({ reasoning: written }),
    fc.record({ refusal: written }),
    fc.record({ toolCall: call }),
    fc.record({ toolCalls: fc.array(call, { minLength: 2, maxLength: 4 }) }),
    fc.record({ usage: fc.record({ input: count, output: count, reasoning: count, cached: count }) }),
    fc.record({ finish: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter') }),
    fc.record({ wait: fc.nat(5000) }),
    fc.constant({ raw: ': nothing\n\n' }),
  )
  .filter(isPlain) as fc.Arbitrary<Item>
// Some at once: a simulator that reads a scenario takes its time.
const scripts = fc.array(fc.array(item, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 20 })

/** A simulator that says script 0 to whoever calls itself 0, and so on. */
function saying(
  all: readonly (readonly Item[])[],
  user: (name: string) => object,
): ReturnType<typeof simulator> {
  const rules = all.map((items, index) => ({
    when: { body: user(String(index)) },
    then: { stream: { script: items } },
  }))
  return simulator({ clock: 'auto', scenarios: [{ title: 'Many scripts', rules } as ScenarioInput] })
}
const chatUser = (user: string) => ({ user })
const messagesUser = (user_id: string) => ({ metadata: { user_id } })

describe('an assembled stream equals the plain body', () => {
  it('in chat', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (all) => {
        const sim = saying(all, chatUser)
        for (const index of all.keys()) {
          const body = asking('Hi', chatUser(String(index)))
          const chunks = await chunksOf({ ...body, stream_options: { include_usage: true } }, sim)
          expect(withoutIds(joined(chunks))).toEqual(withoutIds(await completed(body, sim)))
        }
        // Nothing that the schemas of the responses do not allow.
        expect(sim.warnings).toEqual([])
      }),
      runs(25),
    )
  })

  it('in messages', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (all) => {
        const sim = saying(
          all.map((items) => items.map((one) => ('raw' in one ? { wait: 1 } : one))),
          messagesUser,
        )
        for (const index of all.keys()) {
          const body = request('Hi', messagesUser(String(index)))
          const { inputs, content, id: _, ...streamed } = await streamOf(sim, body)
          const { content: blocks, id: __, ...plain } = await messageOf(sim, body)
          expect(streamed).toEqual(plain)
          expect(content.map(({ id: ___, input: ____, ...block }) => block)).toEqual(
            blocks.map(({ id: ___, input: ____, ...block }) => block),
          )
          for (const [at, block] of blocks.entries())
            if (block.type === 'tool_use' && isObject(inputs[at] as string))
              expect(block.input).toEqual(JSON.parse(inputs[at] as string))
        }
        expect(sim.warnings).toEqual([])
      }),
      runs(25),
    )
  })
})

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Whether no `${…}` is in it, not even in chunks: it would be filled in from the request. */
function isPlain(value: unknown): boolean {
  return !JSON.stringify(value).replaceAll('","', '').includes('${')
}
