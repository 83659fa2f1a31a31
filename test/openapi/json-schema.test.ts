/** All that is sent as one JSON Schema. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createSimulator } from '../../src/index.ts'
import { jsonSchema } from '../../src/openapi.ts'
import { componentsOf } from '../../tools/openapi/components.ts'
import { jsonSchemaOf } from '../../tools/openapi/json-schema.ts'

const schema = jsonSchema()
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
addFormats.default(ajv)
ajv.addSchema(schema)

describe('the JSON Schema of everything', () => {
  it('has a definition for each request, response, event and error of each operation', () => {
    for (const { endpoint } of createSimulator().routes) {
      const wanted = [
        ...(endpoint.accepts.includes('json') ? ['request'] : []),
        ...(endpoint.accepts.includes('form') ? ['form'] : []),
        ...(endpoint.response === undefined ? [] : ['response']),
        ...(endpoint.event === undefined ? [] : ['event', 'streamError']),
        'error',
      ]
      expect(Object.keys(schema.$defs)).toEqual(
        expect.arrayContaining(wanted.map((part) => `${endpoint.operation}.${part}`)),
      )
    }
  })

  const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  const words = { type: 'not_found_error', code: 404, message: 'gone' }
  const gone = { ...words, param: null, details: [], trace_id: 'trc_1' }
  it.each([
    ['chat.create.request', hello, true],
    ['chat.create.request', { model: 'm', messages: [] }, false],
    ['chat.create.request', { ...hello, temperature: 3 }, false],
    ['imageJobs.create.request', { model: 'm', text: 'a fox' }, true],
    ['imageJobs.create.request', { model: 'm', text: 'a fox', callback: 'https://client.example' }, false],
    ['imageJobs.create.request', { model: 'm' }, false],
    ['imageJobs.uploadPaint.request', { model: 'm' }, false],
    ['videos.create.error', { error: gone }, true],
    ['videos.create.error', { error: 'gone' }, false],
  ])('judges as the simulator does: %s of %j is %s', (name, value, holds) => {
    expect(ajv.validate({ $ref: `${schema.$id}#/$defs/${name}` }, value)).toBe(holds)
  })

  it('can hold a choice of operations', () => {
    expect(Object.keys(jsonSchema({ operations: ['videos.list'] }).$defs)).toEqual([
      'Error',
      'ErrorBody',
      'ErrorDetail',
      'Video',
      'VideoError',
      'VideoList',
      'videos.list.response',
      'videos.list.error',
    ])
  })
})

describe('a schema on its way into the document', () => {
  const text = z.string()

  it('keeps what leads back to itself', () => {
    const tree = z.strictObject({
      name: text,
      get branches() {
        return z.array(tree)
      },
    })
    const { schemas, nameOf } = componentsOf(
      [
        { place: 'a response', name: 'Tree', schema: jsonSchemaOf(tree) },
        {
          place: 'b response',
          name: 'Pair',
          schema: jsonSchemaOf(z.strictObject({ left: tree, right: tree })),
        },
      ],
      {},
    )
    expect(schemas[nameOf('a response')]).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string' },
        branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
      required: ['name', 'branches'],
      additionalProperties: false,
    })
    expect(schemas[nameOf('b response')]).toMatchObject({
      properties: {
        left: { $ref: '#/components/schemas/PairPart' },
        right: { $ref: '#/components/schemas/PairPart' },
      },
    })
    expect(schemas['PairPart']).toMatchObject({
      properties: { branches: { items: { $ref: '#/components/schemas/PairPart' } } },
    })
  })

  it('gives shared shapes and tagged variants a name, of the notes where they have one', () => {
    const point = z.strictObject({ x: z.int(), y: z.int() })
    const shape = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('line'), from: point, to: point }),
      z.strictObject({ kind: z.literal('dot'), at: point }),
    ])
    const { schemas, unused } = componentsOf(
      [
        {
          place: 'a body',
          name: 'Drawing',
          schema: jsonSchemaOf(z.strictObject({ shapes: z.array(shape) })),
        },
      ],
      { 'a body.shapes[]<dot>': 'Dot', 'a body.colour': 'Colour' },
    )
    expect(Object.keys(schemas)).toEqual(['Dot', 'Drawing', 'DrawingShapeLine', 'DrawingShapeLineFrom'])
    expect(schemas['Drawing']).toMatchObject({
      properties: {
        shapes: {
          items: {
            oneOf: [{ $ref: '#/components/schemas/DrawingShapeLine' }, { $ref: '#/components/schemas/Dot' }],
            discriminator: {
              propertyName: 'kind',
              mapping: { line: '#/components/schemas/DrawingShapeLine', dot: '#/components/schemas/Dot' },
            },
          },
        },
      },
    })
    expect(unused).toEqual(['a body.colour'])
  })

  it('says in words what is a function, and names what has no words', () => {
    const unstated: string[] = []
    const made = jsonSchemaOf(
      z.strictObject({
        even: z
          .int()
          .refine((n) => n % 2 === 0, {
            error: ({ input }) => `expected an even number, got ${String(input)}`,
          })
          .describe('How many.'),
        plain: z
          .string()
          .refine((word) => word !== 'no', 'is not taken')
          .nullish(),
        silent: z.string().superRefine(() => {}),
        described: z
          .string()
          .superRefine(() => {})
          .describe('A word of the list.'),
      }),
      unstated,
    )
    expect(made['properties']).toEqual({
      even: { type: 'integer', description: 'How many. Expected: an even number.' },
      plain: { type: ['string', 'null'], description: 'Is not taken.' },
      silent: { type: 'string' },
      described: { type: 'string', description: 'A word of the list.' },
    })
    expect(unstated).toEqual(['properties/silent'])
  })
})
