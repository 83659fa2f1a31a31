/** Every form of the document that `gateway-sim openapi` writes, and what it costs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { countBlocks } from '../_work.ts'

const blocksRun = await countBlocks()
const { emptyDirectory, run } = await import('./_io.ts')

const root = join(import.meta.dirname, '../..')
const committed = readFileSync(join(root, 'schema/openapi.json'), 'utf8')

describe('gateway-sim openapi', () => {
  it('prints YAML without aliases', async () => {
    const { code, stdout } = await run(['openapi', '--format', 'yaml'])
    expect(code).toBe(0)
    expect(parse(stdout)).toEqual(JSON.parse(committed))
    expect(stdout).not.toMatch(/: [&*]a\d/)
  })

  // The schemas of a document that is made anew are 700,000 alone. What YAML costs is the cost of writing it.
  it.each([[], ['--contract-only'], ['--json-schema']])(
    'does not regenerate the document: it runs at most 200,000 blocks of code: %j',
    async (...flags) => {
      expect(await blocksRun(() => run(['openapi', ...flags]))).toBeLessThan(200_000)
    },
  )

  it('omits everything outside the contract', async () => {
    const { stdout } = await run(['openapi', '--contract-only'])
    expect(stdout).toContain('"operationId": "chat.create"')
    expect(stdout).not.toContain('"operationId": "sim.clock"')
  })

  it('writes a file', async () => {
    const cwd = emptyDirectory()
    expect(await run(['openapi', '--output', 'api.json'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(JSON.parse(readFileSync(`${cwd}/api.json`, 'utf8'))).toEqual(JSON.parse(committed))
  })
})
