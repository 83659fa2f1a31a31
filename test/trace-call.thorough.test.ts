/** How many files and functions warm calls cross: limits to notice when a change makes them longer. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Files and functions at most. Versions of node differ by a few. */
const limits: Readonly<Record<string, readonly [number, number]>> = {
  chat: [40, 120],
  stream: [46, 192],
  tools: [52, 238],
  rule: [48, 148],
  poll: [36, 112],
  // With the findings on retries and fallbacks, and the groups that could not be checked.
  check: [86, 675],
}

/** Without them, V8 counts some functions in some runs only: 793 to 824 of a check. */
const flags = ['--no-lazy-feedback-allocation', '--no-flush-bytecode']

it('warm calls over node:http cross few files and functions', async () => {
  const root = join(import.meta.dirname, '..')
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, 'tools/trace-call.mjs'], {
    cwd: root,
  })
  const crossed = [...stdout.matchAll(/^(\w+): (\d+) files, (\d+) functions/gm)]
  expect(crossed.map(([, kind]) => kind)).toEqual(Object.keys(limits))
  for (const [line, kind = '', files, functions] of crossed) {
    const [mostFiles = 0, mostFunctions = 0] = limits[kind] ?? []
    expect(Number(files), line).toBeLessThanOrEqual(mostFiles)
    expect(Number(functions), line).toBeLessThanOrEqual(mostFunctions)
  }
})
