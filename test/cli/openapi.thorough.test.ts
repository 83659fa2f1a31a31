/** Every form of the document that `gateway-sim openapi` writes, and what it costs. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { emptyDirectory, run } from './_io.ts'

const root = join(import.meta.dirname, '../..')
const committed = readFileSync(join(root, 'schema/openapi.json'), 'utf8')

describe('gateway-sim openapi', () => {
  it('prints it as YAML, without aliases', async () => {
    const { code, stdout } = await run(['openapi', '--yaml'])
    expect(code).toBe(0)
    expect(parse(stdout)).toEqual(JSON.parse(committed))
    expect(stdout).not.toMatch(/: [&*]a\d/)
  })

  const cpuOf = (...args: readonly string[]): number => {
    const cpu = 'process.on("exit", () => process.stderr.write(String(process.cpuUsage().user)))'
    const all = ['--import', `data:text/javascript,${cpu}`, ...args]
    return Number(spawnSync(process.execPath, all, { cwd: root, encoding: 'utf8' }).stderr)
  }

  // It takes 8 to 11 of them; a document that is made anew takes 50.
  it.each([[], ['--yaml'], ['--contract-only'], ['--json-schema']])(
    'needs the CPU of at most 25 empty programs: %j',
    (...flags) => {
      const least = (...args: readonly string[]): number => Math.min(...[1, 2, 3].map(() => cpuOf(...args)))
      expect(least('bin/gateway-sim.js', 'openapi', ...flags)).toBeLessThan(25 * least('-e', '0'))
    },
  )

  it('leaves out what the contract does not name', async () => {
    const { stdout } = await run(['openapi', '--contract-only'])
    expect(stdout).toContain('"operationId": "chat.create"')
    expect(stdout).not.toContain('"operationId": "sim.clock"')
  })

  it('writes a file and says so on stderr', async () => {
    const cwd = emptyDirectory()
    expect(await run(['openapi', '--output', 'api.json'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'gateway-sim: wrote api.json\n',
    })
    expect(readFileSync(`${cwd}/api.json`, 'utf8')).toBe(committed)
  })
})
