import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonSchema } from '../../src/openapi.ts'
import { run } from './_io.ts'

const committed = readFileSync(join(import.meta.dirname, '../../schema/openapi.json'), 'utf8')

describe('gateway-sim openapi', () => {
  it('prints the document as JSON, identical to schema/openapi.json', async () => {
    const { code, stdout, stderr } = await run(['openapi'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(JSON.parse(committed))
  })

  it('prints the JSON Schema', async () => {
    const { code, stdout } = await run(['openapi', '--json-schema'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(jsonSchema())
  })
})
