/** The OpenAPI document in the eyes of a linter, and parts of it. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { jsonSchema, openapi } from '../../src/openapi.ts'
import { document } from './_document.ts'

const { routes } = createSimulator()

// The one response that breaks the contract, because clients need it: docs/decisions/messages.md.
const known = '/examples/thread/value/error/details'

describe('the document', () => {
  // Extensions use components that the linter takes for unused; the last test of this section looks at them.
  it.each([
    ['of what the simulator sends', async () => document],
    ['of what the contract says', () => openapi({ contractOnly: true })],
  ])('%s is valid OpenAPI 3.1 in the eyes of a linter that knows nothing of us', async (_what, make) => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        'operation-4xx-response': 'off',
        'no-unused-components': 'off',
        'no-ambiguous-paths': 'error',
        'no-server-example.com': 'off',
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      },
    })
    const problems = (
      await lintFromString({
        source: JSON.stringify(await make()),
        absoluteRef: 'openapi.json',
        config,
      })
    ).filter(({ location }) => !JSON.stringify(location).includes(known))
    expect(
      problems.map(({ ruleId, message, location }) =>
        [
          `${ruleId}: ${message} at`,
          `${location.map((place) => ('pointer' in place ? place.pointer : '')).join(' ')}`,
        ].join(' '),
      ),
    ).toEqual([])
  })
})

it('every definition of the JSON Schema compiles, with no keyword that a strict validator does not know', () => {
  const schema = jsonSchema()
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
  addFormats.default(ajv)
  ajv.addSchema(schema)
  for (const name of Object.keys(schema.$defs))
    expect(() => ajv.compile({ $ref: `${schema.$id}#/$defs/${name}` }), name).not.toThrow()
})

describe('a choice of operations', () => {
  it('holds these alone, with the same words', async () => {
    const chosen = await openapi({ operations: ['videos.retrieve'], server: 'https://gateway.example/' })
    expect(chosen.paths).toEqual({
      '/v1/videos/{video_id}': { get: document.paths['/v1/videos/{video_id}']?.['get'] },
    })
    expect(Object.keys(chosen.components.schemas)).toEqual([
      'Error',
      'ErrorBody',
      'ErrorDetail',
      'Video',
      'VideoError',
    ])
    expect(chosen['servers']).toMatchObject([
      { url: 'https://gateway.example' },
      { url: 'https://gateway.example/s/{session}' },
    ])
  })

  it('can be what the contract names', async () => {
    const { paths } = await openapi({ contractOnly: true })
    const named = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((object) => (object as { operationId: string }).operationId),
    )
    expect(named.sort()).toEqual(
      routes
        .filter(({ endpoint }) => endpoint.extension === undefined)
        .map(({ endpoint }) => endpoint.operation)
        .sort(),
    )
  })

  it.each([
    ['all operations', {}],
    ['the contract', { contractOnly: true }],
    ['one operation', { operations: ['imageJobs.create'] }],
    ['one operation of the contract', { operations: ['messages.create'], contractOnly: true }],
  ])('leads nowhere that is not there, and holds nothing else: %s', async (_, options) => {
    const { components, ...rest } = await openapi(options)
    const text = JSON.stringify({ ...rest, ...components })
    const named = new Set([...text.matchAll(/"#\/components\/(\w+\/[\w-]+)"/g)].map(([, name]) => name))
    const held = ['schemas', 'responses', 'headers'].flatMap((kind) =>
      Object.keys(components[kind] as object).map((name) => `${kind}/${name}`),
    )
    expect([...named].sort()).toEqual(held.sort())
  })

  it('rejects an operation that there is not', async () => {
    await expect(openapi({ operations: ['chat.crate'] })).rejects.toThrow(
      'expected ids such as chat.create, got "chat.crate"',
    )
    await expect(openapi({ server: 'nowhere' })).rejects.toThrow('server: expected a URL')
  })
})
