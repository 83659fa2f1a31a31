import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { run } from './_io.ts'

const { routes } = createSimulator()

describe('gateway-sim routes', () => {
  it('prints one line per operation, including the control API', async () => {
    const { code, stdout } = await run(['routes'])
    expect(code).toBe(0)
    const [head, ...lines] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^METHOD +PATH +OPERATION +AUTH +NOTE$/)
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual(
      routes.map(({ endpoint }) => [endpoint.method, endpoint.path, endpoint.operation]),
    )
    expect(stdout).toContain('/__sim/health')
  })

  it('shows the header of the API key, and marks operations outside the contract', async () => {
    const { stdout } = await run(['routes'])
    expect(stdout).toMatch(/chat\.create +authorization: Bearer <key>$/m)
    expect(stdout).toMatch(/sim\.health +none +not in the contract: /)
    expect(stdout).toMatch(
      /imageJobs\.create .*<key> +inferred: the contract mentions this operation without a path or fields/,
    )
  })

  it('prints the same list as JSON', async () => {
    const { code, stdout } = await run(['routes', '--format', 'json'])
    expect(code).toBe(0)
    const rows = JSON.parse(stdout) as Record<string, unknown>[]
    expect(rows).toHaveLength(routes.length)
    expect(rows.find(({ operation }) => operation === 'videos.create')).toEqual({
      method: 'POST',
      path: '/v1/videos',
      operation: 'videos.create',
      summary: expect.any(String),
      auth: ['authorization: Bearer <key>'],
      notInContract: null,
      inferred: null,
    })
    expect(rows.find(({ operation }) => operation === 'sim.getClock')).toMatchObject({
      auth: [],
      notInContract: expect.any(String),
    })
  })
})
