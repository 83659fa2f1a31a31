/** `gateway-sim routes`: every operation, however many there are. */
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { run } from './_io.ts'

const { routes } = createSimulator()

describe('gateway-sim routes', () => {
  it('prints every operation, including the control API, in 100 columns', async () => {
    const { code, stdout } = await run(['routes'])
    expect(code).toBe(0)
    const [head, ...lines] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^METHOD +PATH +OPERATION$/)
    expect(lines.filter((line) => line.length > 100)).toEqual([])
    // A path continues on the next line until a line ends with the operation.
    const listed = stdout.matchAll(/^([A-Z]+) +(\/\S+(?:\n {8}\/\S+)*) +(\w+\.\w+)$/gm)
    expect(
      [...listed].map(([, method, path, operation]) => [method, path?.replace(/\s+/g, ''), operation]),
    ).toEqual(routes.map(({ endpoint }) => [endpoint.method, endpoint.path, endpoint.operation]))
    expect(stdout).toContain('/__sim/health')
  })

  it('shows the header of the API key, and marks operations outside the contract', async () => {
    const { stdout } = await run(['routes'])
    expect(stdout).toMatch(/chat\.create\n {8}authorization: Bearer <key>$/m)
    expect(stdout).toMatch(/sim\.health\n {8}none; not in the contract: /)
    expect(stdout).toMatch(/imageJobs\.create\n {8}.*<key>; inferred: the contract mentions this operation/)
  })
})
