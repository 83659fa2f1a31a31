/** A sample of the verdicts that docs/test/sdks-under-failure.md shows, tried again with the installed SDKs. */
import { expect, it } from 'vitest'
import { programs } from '../../tools/sdk-trials/programs.ts'
import { sdkResults } from '../../tools/sdk-trials/results.ts'
import { tryProgram } from '../../tools/sdk-trials/try-program.ts'

const { programs: published } = sdkResults()

/** Failures after which each program ends soon. */
const sample = ['auth', 'empty-object', 'wrong-content-type', 'disconnect', 'error-event', 'malformed-event']

it('there is a column for each program', () => {
  expect(published.map(({ call, packages, streams }) => ({ call, packages, streams }))).toEqual(
    programs.map(({ call, packages, streams }) => ({ call, packages, streams })),
  )
})

it.each(
  programs.map((program, index) => ({ name: `${program.packages[0]} ${program.call}`, program, index })),
)('$name ends as the page says', async ({ program, index }) => {
  const verdicts = published[index]?.verdicts ?? {}
  const only = sample.filter((failure) => failure in verdicts)
  const once = (await tryProgram(program, { only, timeout: 15_000 })).filter(({ nth }) => nth !== undefined)
  expect(Object.fromEntries(once.map(({ failure, verdict }) => [failure, verdict]))).toEqual(
    Object.fromEntries(only.map((failure) => [failure, verdicts[failure]])),
  )
})
