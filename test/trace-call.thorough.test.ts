/** How many files and functions a warm chat call crosses: a limit to notice when a change makes it longer. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('a warm chat call over node:http crosses few files and functions', async () => {
  const root = join(import.meta.dirname, '..')
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/trace-call.mjs'], { cwd: root })
  const [, files, functions] = /: (\d+) files, (\d+) functions, \d+ calls/.exec(stdout) ?? []
  // Versions of node differ by a few.
  expect(Number(files), stdout).toBeLessThanOrEqual(43)
  expect(Number(functions), stdout).toBeLessThanOrEqual(127)
})
