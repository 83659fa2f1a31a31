/** A story that holds without one of its rules does not show what the rule is for. */
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { replayInProcess } from '../../src/run/replay.ts'
import { ScenarioError } from '../../src/scenario/scenario-error.ts'
import { library, scenario } from './_library.ts'

const cases = library.flatMap((name) => {
  const { rules = [], ...rest } = scenario(name).spec
  return rules.map(({ id = '' }, index) => ({
    name,
    id,
    without: { ...rest, rules: rules.toSpliced(index, 1) },
  }))
})

it.each(cases)('$name fails without the rule $id', async ({ name, without }) => {
  const { rules, ...rest } = without
  const text = stringify(rules.length === 0 ? rest : without)
  const replay = async (): Promise<unknown> => (await replayInProcess(scenario(name, text))).report.outcome
  const outcome = await replay().catch((error: unknown) => error)
  // A file whose other rules wait for a state that only this one sets is rejected as a whole.
  if (!(outcome instanceof ScenarioError)) expect(outcome).toBe('failed')
})
