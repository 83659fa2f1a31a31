/** What every operation that takes a body says of a call that it cannot read, in the envelope of its API. */
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'

const types = { json: 'application/json', form: 'multipart/form-data', bytes: '' }
const bodies = { json: 'a JSON object', form: 'multipart/form-data', bytes: '' }
const { routes } = simulator()
const rows = routes
  .filter(({ group }) => group.name !== 'control' && group.name !== 'uploads')
  .filter(({ endpoint }) => endpoint.accepts.length > 0)
  .map(({ group, endpoint }) => ({ ...endpoint, group: group.name }))
type Row = (typeof rows)[number]

async function call({ path }: Row, body?: string, type = types.json, method = 'POST') {
  const sim = simulator({ settings: { limits: { jsonBytes: 1024 } } })
  const headers = { authorization: 'Bearer sk-test', 'anthropic-version': '2023-06-01', 'content-type': type }
  const url = `http://gateway.test${path.replace(/\{\w+\}/g, 'x')}`
  const response = await sim.fetch(url, { method, headers, body: body ?? null })
  const { error } = (await response.json()) as { error: object }
  return { status: response.status, error, allow: response.headers.get('allow') }
}

const rejected = ({ group }: Row, status: number, type: string, message: unknown) => ({
  status,
  error: {
    type: group === 'messages' && status !== 413 ? 'invalid_request_error' : type,
    code: group === 'image-jobs' && status === 400 ? 2004 : status,
    message,
    param: null,
    details: [],
  },
})

describe.each(rows)('$operation', (row) => {
  it('405 for other methods than those of its path', async () => {
    const taken: string[] = routes
      .filter(({ endpoint }) => endpoint.path === row.path)
      .map(({ endpoint }) => endpoint.method)
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'].filter((name) => !taken.includes(name))) {
      const { allow, ...answer } = await call(row, method === 'GET' ? undefined : '{}', types.json, method)
      const message = expect.stringMatching(`^${method} is not supported by /.*: expected .*POST`)
      expect(answer).toMatchObject(rejected(row, 405, 'method_not_allowed', message))
      expect(allow).toBe(taken.includes('GET') ? 'POST, GET, HEAD, OPTIONS' : 'POST, OPTIONS')
    }
  })

  it('415 for a body of a type that it does not take', async () => {
    const wanted = row.accepts.map((kind) => types[kind])
    for (const type of [...Object.values(types), 'text/plain', 'application/x-www-form-urlencoded']) {
      if (type === '' || wanted.includes(type)) continue
      const message = `content-type: expected ${wanted.join(' or ')}, got ${type}.`
      const answer = await call(row, '{}', `${type}; boundary=x`)
      expect(answer).toMatchObject(rejected(row, 415, 'unsupported_media_type', message))
    }
  })

  it('400 for no body', async () => {
    const wanted = row.accepts.map((kind) => bodies[kind]).join(' or ')
    const message = `The request has no body: POST ${row.path} expects ${wanted}.`
    expect(await call(row)).toMatchObject(rejected(row, 400, 'invalid_request_error', message))
  })
})

describe.each(rows.filter(({ accepts }) => accepts.includes('json')))('$operation', (row) => {
  it.each(['{"model":', '{model: 1}', 'hello', '{"a":1}}'])('400 for malformed JSON: %s', async (body) => {
    const message = expect.stringMatching(/^The body is not valid JSON \(.+\)\.$/)
    expect(await call(row, body)).toMatchObject(rejected(row, 400, 'invalid_request_error', message))
  })

  it('413 for a body over the limit', async () => {
    const message =
      'The body is larger than 1024 bytes (setting limits.jsonBytes): send a smaller body, or raise the limit.'
    const answer = await call(row, JSON.stringify('x'.repeat(2000)))
    expect(answer).toMatchObject(rejected(row, 413, 'request_too_large', message))
  })
})
