/** docs/test/try-every-failure.md and the README: the program, and the table of its trial. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../_built.ts'
import { samplesOf } from '../_samples.ts'
import { run } from '../cli/_io.ts'

/** The operation, the failure and both verdicts, without the times: back-offs of SDKs are random. */
const verdictsIn = (row: string): string[] => {
  const [operation = '', failure = '', once = '', , always = ''] = row.trim().split(/ {2,}/)
  return [operation, failure, once, always]
}

it('the README shows the verdicts on the program of the page', async () => {
  const program = samplesOf('docs/test/try-every-failure.md').find(({ language }) => language === 'js')
  const [, table = ''] =
    /^```text\n(operation .*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  const rows = table
    .trimEnd()
    .split('\n')
    .slice(1)
    .filter((line) => line !== '…')
    .map(verdictsIn)
  expect(rows.length).toBeGreaterThan(3)
  // Inside the checkout, so that the program finds the SDK.
  const cwd = join(root, 'node_modules/.cache/gateway-sim-trial-page')
  mkdirSync(cwd, { recursive: true })
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, 'ask.mjs'), program?.text ?? '')
  const only = rows.flatMap(([, failure = '']) => ['--only', failure])
  const { stdout, stderr } = await run(
    ['trial', '--jobs', '4', '--timeout', '20s', '--quiet', ...only, '--', process.execPath, 'ask.mjs'],
    { cwd },
  )
  expect(stderr).toBe('')
  const printed = stdout.split('\n').map(verdictsIn)
  expect(printed).toEqual(expect.arrayContaining(rows))
})
