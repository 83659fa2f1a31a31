import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createChatCompletion } from '../../src/endpoints/chat/create-chat-completion.ts'
import { chat } from '../../src/endpoints/chat/index.ts'
import { chatRequest } from '../../src/endpoints/chat/schema.ts'
import { createMessage } from '../../src/endpoints/messages/create-message.ts'
import { messages } from '../../src/endpoints/messages/index.ts'
import { messagesRequest } from '../../src/endpoints/messages/request.ts'
import { createReadFields, type ReadFields, RequestReader } from '../../src/protocol/validate.ts'
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
    ['chat, made as a whole', chatRequest(), createReadFields(chatRequest())],
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

  it('gives fields that are left out their defaults, and misses those that must be there', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`field${index}`, z.string().optional()]),
    )
    const read = createReadFields(
      z.looseObject({ ...many, needed: z.number(), usual: z.string().default('red') }),
    )
    expect(read({ needed: 1, other: 2 })).toMatchObject({
      success: true,
      data: { needed: 1, usual: 'red', other: 2 },
    })
    expect(read({ field1: 'a' }).error?.issues).toMatchObject([{ path: ['needed'] }])
  })

  it('looks at all fields of an object that is judged as a whole', () => {
    const schema = z
      .looseObject(
        Object.fromEntries(
          Array.from({ length: 20 }, (_, index) => [`field${index}`, z.number().optional()]),
        ),
      )
      .refine(({ field1, field2 }) => field1 === field2, 'field1 and field2 go together')
    expect(createReadFields(schema)({ field1: 1 }).error?.issues[0]?.message).toBe(
      'field1 and field2 go together',
    )
  })
})
