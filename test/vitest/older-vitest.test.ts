/** A project without vitest, or with a version that lacks the API that the fixtures need. */
import * as vitest from 'vitest'
import { expect, it } from 'vitest'
import { requireVitest } from '../../src/vitest/require-vitest.ts'

const missing = (message: string) => () =>
  Promise.reject(Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' }))

it('is rejected with the required version and the alternative', async () => {
  const older = { ...vitest, test: {} } as unknown as typeof vitest
  await expect(requireVitest(async () => older)).rejects.toThrow(
    /needs vitest 4\.1 or later\. .*`createSimulator`/,
  )
  expect(await requireVitest()).toBe(vitest)
})

it('is rejected with the command that installs it', async () => {
  await expect(requireVitest(missing("Cannot find package 'vitest' imported from a.js"))).rejects.toThrow(
    /needs vitest, which is not installed: npm install --save-dev vitest\. .*`createSimulator`/,
  )
  const other = "Cannot find package 'chai' imported from b.js"
  await expect(requireVitest(missing(other))).rejects.toThrow(other)
})
