/** Answers of chat.create in a shape. What fills a schema is proved in test/behaviours. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { answerTo, asking, type Body, completed, envelope, model, only, rejected } from './_chat.ts'

type Json = Record<string, unknown>

const bySchema = (schema: unknown, extra: Json = {}): Body => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true, ...extra } },
})
const objectOf = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const json = { response_format: { type: 'json_object' } }
const person = objectOf({ name: { type: 'string' }, age: { type: 'integer', minimum: 0 } })
const ada = 'Ada Lovelace is 36 years old and lives in London.'
const adaInShape = { name: 'Ada Lovelace', age: 36 }

async function answered(content: string, extra: Body, before: readonly object[] = []): Promise<unknown> {
  const messages = [...before, { role: 'user', content }]
  const { message, finish_reason } = only(await completed({ model, messages, ...extra }))
  expect(finish_reason).toBe('stop')
  return JSON.parse(message.content as string)
}

describe('response_format json_schema', () => {
  it('fills the schema with what the prompt says', async () => {
    expect(await answered(ada, bySchema(person))).toEqual(adaInShape)
  })

  const node = objectOf({
    value: { type: 'string' },
    next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
  })
  const everyType = {
    a: { type: 'string' },
    b: { type: 'number' },
    c: { type: 'integer', minimum: 3, maximum: 4 },
    d: { type: 'boolean' },
    e: { type: 'null' },
    f: { type: 'array', items: { enum: ['x', 'y'] }, minItems: 2 },
  }
  it.each<[string, Json]>([
    ['every type', objectOf(everyType)],
    ['a reference to itself', { $ref: '#/$defs/node', $defs: { node } }],
  ])('gives a value that conforms: %s', async (_, schema) => {
    const conforms = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    for (const seed of [1, 2, 3, 4, 5]) {
      const value = await answered('Tell me about trains', { ...bySchema(schema), seed })
      expect(conforms(value), JSON.stringify([value, conforms.errors])).toBe(true)
    }
  })

  it.each<[string, Json]>([
    ['an array', { type: 'array', items: { type: 'string' }, minItems: 2 }],
    ['no type', { properties: { a: { type: 'string' } }, required: ['a'] }],
    ['alternatives', { anyOf: [{ type: 'object', required: ['a'] }, { type: 'integer' }] }],
  ])('takes %s at the root, unless the schema is strict', async (_, schema) => {
    const conforms = new Ajv2020({ strict: false }).compile(schema)
    expect(conforms(await answered(ada, bySchema(schema, { strict: false })))).toBe(true)
    expect(await rejected(asking(ada, bySchema(schema)))).toMatchObject({
      status: 400,
      body: {
        error: {
          param: 'response_format.json_schema.schema.type',
          message: expect.stringContaining('expected "object" at the root of a strict schema'),
        },
      },
    })
  })

  it('puts a planned refusal in the place of the content', async () => {
    const refusal = "I'm sorry, but I can't help with that."
    expect(await answerTo('Hi [sim:refusal]', bySchema(person))).toMatchObject({
      message: { role: 'assistant', content: null, refusal, annotations: [] },
      finish_reason: 'stop',
    })
  })
})

describe('a schema that cannot be followed is rejected with its place and keyword', () => {
  const bad = objectOf({ a: { type: 'string', not: {} } })
  const parameters = (name: string, schema: unknown): object => ({
    type: 'function',
    function: { name, parameters: schema },
  })

  it.each<[string, unknown, string, RegExp]>([
    ['an unsupported keyword', bad, '.properties.a', /^properties\.a\.not: not supported by the simulator;/],
    ['a reference to nothing', { $ref: '#/$defs/nobody' }, '', /^\$ref: /],
    ['false at the root', false, '', /./],
  ])('%s', async (_, schema, place, why) => {
    const { status, body } = await rejected(asking('Hi', bySchema(schema)))
    const at = 'response_format.json_schema.schema'
    const message = expect.stringMatching(/^Invalid schema at `response_format\.json_schema\.schema`: .+\.$/s)
    expect([status, body]).toEqual([400, envelope({ message, param: `${at}${place}` })])
    expect((body as { error: { message: string } }).error.message.replace(/^.*?`: /, '')).toMatch(why)
  })

  it('in tools and functions too, called or not', async () => {
    const tools = [parameters('fine', undefined), parameters('f', bad)]
    const cases = [
      [{ tools, tool_choice: 'none' }, 'tools[1].function.parameters'],
      [{ functions: [{ name: 'f', parameters: bad }] }, 'functions[0].parameters'],
    ] as const
    for (const [extra, at] of cases)
      expect(await rejected(asking('Hi', extra))).toMatchObject({
        body: {
          error: {
            message: expect.stringContaining(`Invalid schema at \`${at}\`: properties.a.not: `),
            param: `${at}.properties.a`,
          },
        },
      })
  })
})

describe('response_format json_object', () => {
  it('gives an object around the text', async () => {
    expect(await answered('Tell me about trains', json)).toEqual({
      answer: expect.any(String),
    })
  })

  it('gives the object that the prompt asks for word for word', async () => {
    expect(await answered('Reply with exactly: {"a": [1, 2]}', json)).toEqual({ a: [1, 2] })
  })

  it('does not take data for an example', async () => {
    expect(await answered('What is wrong with this record? {"id": 7, "sum": -1}', json)).toEqual({
      answer: expect.any(String),
    })
  })
})
