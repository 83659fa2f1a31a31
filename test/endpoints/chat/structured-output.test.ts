import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { asking, type Body, chatSimulator, completed, envelope, model, only, refused } from './_chat.ts'

type Json = Record<string, unknown>

const bySchema = (schema: unknown, extra: Json = {}): Body => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true, ...extra } },
})
const json = { response_format: { type: 'json_object' } }
const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
}
const ada = 'Ada Lovelace is 36 years old and lives in London.'

async function answered(content: string, extra: Body, before: readonly object[] = []): Promise<unknown> {
  const { message, finish_reason } = only(
    await completed({ model, messages: [...before, { role: 'user', content }], ...extra }),
  )
  expect(finish_reason).toBe('stop')
  return JSON.parse(message.content as string)
}

describe('response_format json_schema', () => {
  it('fills the schema with what the prompt says', async () => {
    expect(await answered(ada, bySchema(person))).toEqual({ name: 'Ada Lovelace', age: 36 })
  })

  it.each<[string, Json]>([
    [
      'every type',
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'number' },
          c: { type: 'integer' },
          d: { type: 'boolean' },
          e: { type: 'null' },
          f: { type: 'array', items: { type: 'string' } },
        },
        required: ['a', 'b', 'c', 'd', 'e', 'f'],
        additionalProperties: false,
      },
    ],
    [
      'bounds',
      {
        type: 'object',
        properties: {
          a: { type: 'integer', minimum: 3, maximum: 4 },
          b: { type: 'string', minLength: 200, maxLength: 210 },
          c: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
        },
        required: ['a', 'b', 'c'],
      },
    ],
    [
      'choices',
      {
        type: 'object',
        properties: {
          a: { enum: ['x', 'y'] },
          b: { const: 7 },
          c: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        required: ['a', 'b', 'c'],
      },
    ],
    [
      'a pattern and a format',
      {
        type: 'object',
        properties: {
          code: { type: 'string', pattern: '^[A-Z]{2}\\d{4}$' },
          mail: { type: 'string', format: 'email' },
          day: { type: 'string', format: 'date' },
        },
        required: ['code', 'mail', 'day'],
      },
    ],
    [
      'a reference to itself',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: {
              value: { type: 'string' },
              next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            },
            required: ['value', 'next'],
            additionalProperties: false,
          },
        },
      },
    ],
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
    const { status, body } = await refused(asking(ada, bySchema(schema)))
    const { error } = body as { error: { param: string; message: string } }
    expect({ status, param: error.param }).toEqual({
      status: 400,
      param: 'response_format.json_schema.schema.type',
    })
    expect(error.message).toContain('expected "object" at the root of a strict schema')
  })

  it('gives an object when there is no schema', async () => {
    expect(
      await answered(ada, { response_format: { type: 'json_schema', json_schema: { name: 'any' } } }),
    ).toEqual({})
  })

  it('gives different choices, each conforming', async () => {
    const { choices } = await completed(asking('Make up a person', { ...bySchema(person), n: 8 }))
    const names = choices.map(
      ({ message }) => (JSON.parse(message.content as string) as { name: string }).name,
    )
    expect(new Set(names).size).toBeGreaterThan(4)
  })

  it('takes over what tools have found', async () => {
    const schema = {
      type: 'object',
      properties: { temperature: { type: 'number' }, sky: { type: 'string' } },
      required: ['temperature', 'sky'],
      additionalProperties: false,
    }
    const before = [
      { role: 'user', content: 'What is the weather in Paris?' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"temperature":18,"sky":"clear"}' },
    ]
    const { message } = only(await completed({ model, messages: before, ...bySchema(schema) }))
    expect(JSON.parse(message.content as string)).toEqual({ temperature: 18, sky: 'clear' })
  })

  it('puts a planned refusal in the place of the content', async () => {
    const { message, finish_reason } = only(await completed(asking('Hi [sim:refusal]', bySchema(person))))
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      refusal: "I'm sorry, but I can't help with that.",
      annotations: [],
    })
    expect(finish_reason).toBe('stop')
  })
})

describe('a schema that cannot be followed is refused with its place and keyword', () => {
  it.each<[string, unknown, string, RegExp]>([
    [
      'an unsupported keyword',
      { type: 'object', properties: { a: { type: 'string', not: {} } } },
      '.properties.a',
      /^properties\.a\.not: not supported by the simulator; write what is allowed/,
    ],
    [
      'bounds that leave nothing',
      { type: 'object', properties: { a: { type: 'integer', minimum: 5, maximum: 3 } }, required: ['a'] },
      '.properties.a',
      /^properties\.a\.minimum: no number is left between the bounds/,
    ],
    [
      'a type that does not exist',
      { type: 'object', properties: { a: { type: 'strng' } } },
      '.properties.a',
      /^properties\.a\.type: got "strng"; write one of null, boolean/,
    ],
    ['a reference to nothing', { $ref: '#/$defs/nobody' }, '', /^\$ref: /],
    [
      'a pattern that is none',
      { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
      '.properties.a',
      /^properties\.a\.pattern: /,
    ],
    ['false at the root', false, '', /./],
  ])('%s', async (_, schema, place, why) => {
    const at = 'response_format.json_schema.schema'
    const { status, body } = await refused(asking('Hi', bySchema(schema)))
    expect(status).toBe(400)
    expect(body).toEqual(
      envelope({
        message: expect.stringMatching(/^Invalid schema at `response_format\.json_schema\.schema`: .+\.$/s),
        param: `${at}${place}`,
      }),
    )
    expect((body as { error: { message: string } }).error.message.replace(/^.*?`: /, '')).toMatch(why)
  })

  it.each([
    [{ parameters: { type: 'array', items: {} } }],
    [{ parameters: { type: ['object', 'null'] } }],
    [{ parameters: { properties: {} }, strict: true }],
  ])('arguments that are no object: %j', async (definition) => {
    const tools = [{ type: 'function', function: { name: 'f', ...definition } }]
    const { status, body } = await refused(asking('Hi', { tools, tool_choice: 'none' }))
    const { param } = (body as { error: { param: string } }).error
    expect({ status, param }).toEqual({ status: 400, param: 'tools[0].function.parameters.type' })
  })

  it('in tools and functions too, called or not', async () => {
    const bad = { type: 'object', properties: { a: { type: 'string', not: {} } } }
    const tools = [
      { type: 'function', function: { name: 'fine' } },
      { type: 'function', function: { name: 'f', parameters: bad } },
    ]
    expect((await refused(asking('Hi', { tools, tool_choice: 'none' }))).body).toEqual(
      envelope({
        message: expect.stringMatching(
          /^Invalid schema at `tools\[1\]\.function\.parameters`: properties\.a\.not: /,
        ),
        param: 'tools[1].function.parameters.properties.a',
      }),
    )
    expect((await refused(asking('Hi', { functions: [{ name: 'f', parameters: bad }] }))).body).toEqual(
      envelope({
        message: expect.stringMatching(
          /^Invalid schema at `functions\[0\]\.parameters`: properties\.a\.not: /,
        ),
        param: 'functions[0].parameters.properties.a',
      }),
    )
  })

  it('with its place in the request when only some tools are allowed', async () => {
    const tools = [
      { type: 'function', function: { name: 'fine' } },
      { type: 'function', function: { name: 'f', parameters: false } },
    ]
    const tool_choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
    }
    expect((await refused(asking('Hi', { tools, tool_choice }))).body).toMatchObject({
      error: { param: 'tools[1].function.parameters' },
    })
    const others = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'fine' } }] },
    }
    expect((await refused(asking('Hi', { tools, tool_choice: others }))).body).toMatchObject({
      error: { param: 'tools[1].function.parameters' },
    })
  })
})

describe('response_format json_object', () => {
  it('gives an object around the text', async () => {
    expect(await answered('Tell me about trains', json)).toEqual({
      answer: expect.stringContaining('trains'),
    })
  })

  it('gives the object that the prompt asks for word for word', async () => {
    expect(await answered('Reply with exactly: {"a": [1, 2]}', json)).toEqual({ a: [1, 2] })
  })

  it('follows a schema in the system message, as the AI SDK writes it', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...person }
    const system = {
      role: 'system',
      content:
        `JSON schema:\n${JSON.stringify(schema)}\nYou MUST answer with a JSON object that matches the JSON ` +
        'schema above.',
    }
    expect(await answered(ada, json, [system])).toEqual({ name: 'Ada Lovelace', age: 36 })
  })

  it('follows a schema in the message of the user', async () => {
    expect(await answered(`${ada}\nAnswer by this schema: ${JSON.stringify(person, null, 2)}`, json)).toEqual(
      { name: 'Ada Lovelace', age: 36 },
    )
  })

  it('does not take data for an example', async () => {
    expect(await answered('What is wrong with this record? {"id": 7, "sum": -1}', json)).toEqual({
      answer: expect.any(String),
    })
  })
})

it('text that only has to be text is left alone by response_format text', async () => {
  const sim = chatSimulator()
  const said = async (extra: Body): Promise<unknown> =>
    only(await completed(asking('Say "x"', extra), sim)).message.content
  expect(await said({ response_format: { type: 'text' } })).toBe('x')
})

it('JSON is asked for even by words that a reserved one has parted', async () => {
  const { message } = only(await completed(asking('Return j[sim:refused]son with name and age')))
  expect(message.content).toBeTypeOf('string')
})
