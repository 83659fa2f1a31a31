/** A version of vitest without the API that the fixtures need. */
import { expect, it, test } from 'vitest'
import { requireVitest } from '../../src/vitest/require-vitest.ts'

it('is rejected with the required version and the alternative', () => {
  expect(() => requireVitest({ test: {} })).toThrow(/needs vitest 4\.1 or later\. .*`createSimulator`/)
  expect(() => requireVitest({ test })).not.toThrow()
})
