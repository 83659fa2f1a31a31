/**
 * CPU time beside bare `node:http` in one run: half of what was reached, so that no change loses it unseen.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('operations keep half of the share of bare node:http that they have reached', async () => {
  const root = join(import.meta.dirname, '..')
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['bench/run.mjs', 'gates'], { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
  expect(said).toMatch(/\b(\d+) of \1 promises kept/)
})
