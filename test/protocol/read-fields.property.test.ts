import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { createChatCompletion } from '../../src/endpoints/chat/create-chat-completion.ts'
import { chat } from '../../src/endpoints/chat/index.ts'
import { chatRequest } from '../../src/endpoints/chat/schema.ts'
import { createMessage } from '../../src/endpoints/messages/create-message.ts'
import { messages } from '../../src/endpoints/messages/index.ts'
import { messagesRequest } from '../../src/endpoints/messages/request.ts'
import { type ReadFields, RequestReader } from '../../src/protocol/validate.ts'
import { runs } from '../_counts.ts'

const plain = (result: z.ZodSafeParseResult<unknown>) =>
  result.success
    ? { data: result.data, order: Object.keys((result.data ?? {}) as object) }
    : { issues: result.error.issues }

const anyValueOf = (name: string): fc.Arbitrary<unknown> =>
  name === 'messages'
    ? fc.constantFrom([{ role: 'user', content: 'hi' }], [], [{ role: 'none' }], 3)
    : name === 'model'
      ? fc.constantFrom('gpt-4o', 7, null)
      : fc.constantFrom<unknown>(null, 0, 1, 2.5, -1, 'auto', 'x', true, [], ['a'], {}, { type: 'text' })

describe('reading a body by the fields that it has', () => {
  it.each([
    ['chat', chatRequest(), new RequestReader(createChatCompletion, chat).fields as ReadFields],
    ['messages', messagesRequest(), new RequestReader(createMessage, messages).fields as ReadFields],
  ] as const)('finds and answers what looking at all fields does: %s', (_name, schema, read) => {
    const names = [...Object.keys(schema.shape), 'unknown_field', '__proto__', 'constructor']
    const body = fc
      .uniqueArray(fc.constantFrom(...names), { maxLength: 12 })
      .chain((fields) =>
        fc.tuple(
          ...fields.map((field) =>
            anyValueOf(field).map((value) => `${JSON.stringify(field)}:${JSON.stringify(value)}`),
          ),
        ),
      )
      .map((fields) => JSON.parse(`{${fields.join(',')}}`) as unknown)
    fc.assert(
      fc.property(
        fc.oneof(
          { weight: 9, arbitrary: body },
          { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], 'text', 3, true) },
        ),
        (input) => {
          expect(plain(read(input))).toEqual(plain(schema.safeParse(input)))
        },
      ),
      runs(500),
    )
  })
})
