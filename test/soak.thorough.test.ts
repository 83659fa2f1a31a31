/** `npm run soak` for a few seconds: every action of its traffic works. Whether anything grows takes longer. */
import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { requireBuild, root } from './_built.ts'

it('makes every kind of call, and leaves nothing open', async () => {
  requireBuild()
  const [code, stdout] = await new Promise<[number, string]>((resolve) =>
    execFile(
      process.execPath,
      ['bench/soak.mjs', '--minutes', '0.1', '--rate', '60'],
      { cwd: root },
      (error, printed) => resolve([error === null ? 0 : Number(error.code), printed]),
    ),
  )
  expect(code, stdout).toBe(0)
  expect(stdout).toContain('nothing grew, nothing went wrong')
})
