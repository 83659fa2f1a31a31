/** All that is sent as one JSON Schema. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { jsonSchema } from '../../src/openapi.ts'

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
    expect(Object.keys(jsonSchema({ operations: ['videos.delete'] }).$defs)).toEqual([
      'DeletedVideo',
      'Error',
      'ErrorBody',
      'ErrorDetail',
      'videos.delete.response',
      'videos.delete.error',
    ])
  })
})
