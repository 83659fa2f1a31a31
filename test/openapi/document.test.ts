/** What the OpenAPI document says, and that it says it of every operation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { openapi } from '../../src/openapi.ts'
import { everyRoute, schemasOf } from '../../tools/openapi/document.ts'
import { groupNotes } from '../../tools/openapi/notes.ts'
import { document, noted, operation, operations, resolved } from './_document.ts'

const { routes } = createSimulator()
const contract = await openapi({ contractOnly: true })

describe('the document', () => {
  it('holds every operation, control API included', () => {
    const told = operations
      .map(({ method, path, object }) => `${method} ${path} ${object.operationId} ${object.tags.join()}`)
      .sort()
    expect(told).toEqual(
      routes
        .map(
          ({ endpoint, group }) => `${endpoint.method} ${endpoint.path} ${endpoint.operation} ${group.name}`,
        )
        .sort(),
    )
  })

  it('has no reference to nowhere', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref = '']) => $ref)
    expect(refs.length).toBeGreaterThan(500)
    for (const $ref of new Set(refs)) expect(() => resolved({ $ref }), $ref).not.toThrow()
  })

  it('uses every schema that it names', () => {
    const text = JSON.stringify(document)
    expect(
      Object.keys(document.components.schemas).filter(
        (name) => !text.includes(`"#/components/schemas/${name}"`),
      ),
    ).toEqual([])
  })
})

describe('what the contract says of responses', () => {
  const schemas = contract.components.schemas as Readonly<Record<string, Readonly<Record<string, unknown>>>>

  it('requires what the contract requires', () => {
    expect(schemas['ImageJob']).toMatchObject({ required: ['id', 'status', 'urls', 'comment'] })
    expect(schemas['Video']).not.toHaveProperty('required')
    expect(schemas['Error']).toMatchObject({ required: ['error'] })
  })

  it('has the values and bounds that the contract states, and no others', () => {
    const video = schemas['Video']?.['properties'] as Record<string, unknown>
    expect(video['id']).toEqual({ description: expect.any(String), type: ['string', 'null'] })
    expect(video['progress']).toMatchObject({ type: ['integer', 'null'], minimum: 0, maximum: 100 })
    expect(video['size']).toMatchObject({ anyOf: [{ enum: ['720x1280', '1280x720'] }, { type: 'null' }] })
  })

  it('leaves out what only clients know', () => {
    expect(JSON.stringify(schemas['ImageResult'])).not.toContain('b64_json')
    expect(JSON.stringify(schemas)).not.toContain('generateVideoResponse')
  })
})

describe('an operation', () => {
  it('says whether the contract knows it', () => {
    for (const { endpoint } of routes)
      expect(operation(endpoint.operation)['x-not-in-contract'], endpoint.operation).toBe(
        endpoint.extension === undefined ? undefined : true,
      )
    expect(operation('videos.list').description).toContain(
      'Not in the contract: OpenAI clients use this endpoint',
    )
  })

  it('says what of it is inferred', () => {
    const inferred = operations.filter(({ object }) => object['x-inferred'] === true)
    expect(inferred.map(({ path }) => path)).toEqual(['/v1/tob/diffusion'])
    expect(inferred[0]?.object.description).toContain('Inferred: the contract mentions this operation')
  })

  it('gives a limit of requests to whoever needs a key', () => {
    for (const { object } of noted)
      expect(object.responses['429'] === undefined, object.operationId).toBe(
        routes.find(({ endpoint }) => endpoint.operation === object.operationId)?.endpoint.open === true,
      )
  })
})

describe('what notes are there for', () => {
  it('every operation has example calls (tools/openapi/notes, or `example` of the endpoint)', () => {
    expect(
      routes
        .filter(
          ({ endpoint, group }) =>
            endpoint.example === undefined &&
            groupNotes[group.name]?.operations[endpoint.operation] === undefined,
        )
        .map(({ endpoint }) => endpoint.operation),
    ).toEqual([])
  })

  it('every note speaks of something that is there', () => {
    const { schemas, unused } = schemasOf(everyRoute())
    const properties = (name: string): object => (schemas[name]?.['properties'] ?? {}) as object
    expect(unused).toEqual([])
    const notes = Object.values(groupNotes)
    expect(
      notes
        .flatMap(({ fields }) => Object.keys(fields ?? {}))
        .filter((place) => {
          const [name = '', field] = place.split('.')
          return field === undefined ? schemas[name] === undefined : !Object.hasOwn(properties(name), field)
        }),
    ).toEqual([])
    expect(
      notes
        .flatMap(({ operations: named }) => Object.keys(named))
        .filter((id) => !routes.some(({ endpoint }) => endpoint.operation === id)),
    ).toEqual([])
  })

  it('every rule that JSON Schema cannot say is said in words', () => {
    expect(schemasOf(everyRoute()).unstated).toEqual([])
    expect(JSON.stringify(document.components.schemas['ChatRequest'])).toContain(
      'Expected: a whole number between -9223372036854775808 and 9223372036854775807.',
    )
  })

  it('every field of a request and of a response is described', () => {
    const bodies = noted.flatMap(({ object }) =>
      [
        ...Object.values(object.requestBody?.content ?? {}),
        ...Object.values(object.responses['200']?.content ?? {}),
      ].flatMap(({ schema }) => (schema?.['$ref'] === undefined ? [] : [schema['$ref'] as string])),
    )
    const undescribed = [...new Set(bodies)].flatMap(($ref) =>
      Object.entries(
        (resolved({ $ref }) as { properties?: Record<string, { description?: string }> }).properties ?? {},
      )
        .filter(([, { description }]) => description === undefined)
        .map(([field]) => `${$ref.split('/').at(-1)}.${field}`),
    )
    expect(undescribed).toEqual([])
  })
})

it('costs no calls when it is asked for: the entry reads files and knows nothing of the simulator', () => {
  const source = readFileSync(join(import.meta.dirname, '../../src/openapi.ts'), 'utf8')
  const imported = [...source.matchAll(/^import .* from '(.*)'$/gm)].map(([, name]) => name)
  expect(imported).toEqual(['node:fs'])
})
