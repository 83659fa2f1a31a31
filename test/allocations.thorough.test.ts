/** How many bytes warm calls allocate: limits to notice when a change makes them heavier. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { requireBuild, root } from './_built.ts'

/** Kilobytes at most: a tenth more than they took when they were written down. */
const limits: Readonly<Record<string, number>> = {
  chat: 34,
  stream: 82,
  messages: 35,
  messagesStream: 67,
  job: 27,
  poll: 27,
  decision: 49,
}

it('warm calls allocate little', async () => {
  requireBuild()
  const tool = join(root, 'tools', 'count-allocations.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [tool])
  const counted = [...stdout.matchAll(/^(\w+): (\d+) bytes$/gm)]
  expect(counted.map(([, kind]) => kind)).toEqual(Object.keys(limits))
  for (const [line, kind = '', bytes] of counted)
    expect(Number(bytes) / 1000, line).toBeLessThanOrEqual(limits[kind] ?? 0)
})
