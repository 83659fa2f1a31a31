/**
 * The files of scenarios/: each is a story whose steps hold, whose rules are all needed, and whose replay is
 * the bytes of its golden trace in fixtures/traces/. `npx vitest run test/scenario/library.test.ts -u`
 * writes the traces.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { ScenarioError } from '../../src/scenario/scenario-error.ts'
import { library, mistakes, replayed, root, scenario, textOf } from './_library.ts'

const traces = join(root, 'fixtures/traces')
const traceOf = (name: string): string => join(traces, name.replace(/\.yaml$/, '.json'))

interface Written {
  readonly title: string
  readonly description?: string
  readonly rules?: readonly { readonly id?: string }[]
  readonly steps?: readonly {
    readonly expect?: object
    readonly until?: object
    readonly parallel?: readonly object[]
  }[]
}

describe.each(library)('%s', (name) => {
  const written = scenario(name).spec as unknown as Written

  it('has a title, says what a client must do, and has steps with expectations', () => {
    expect(textOf(name).split('\n', 1)[0]).toBe(
      '# yaml-language-server: $schema=../schema/scenario.schema.json',
    )
    expect(written.title).toMatch(/^[A-Z0-9].*[^.]$/)
    expect(written.description?.trim()).toMatch(/^.{60,400}\.$/s)
    const expecting = (written.steps ?? [])
      .flatMap((step) => (step.parallel as typeof written.steps) ?? [step])
      .filter((step) => step.expect !== undefined || step.until !== undefined)
    expect(expecting.length).toBeGreaterThanOrEqual(1)
  })

  it('replays as expected, in the bytes of its golden trace, using every rule', async () => {
    const { report, warnings, decided, trace } = await replayed(scenario(name))
    expect(mistakes(report)).toEqual([])
    expect(report.outcome).toBe('held')
    expect(warnings).toEqual([])
    const rules = (written.rules ?? []).map(({ id }) => id)
    expect(rules, 'each rule has a name').not.toContain(undefined)
    expect(
      rules.filter((id) => !decided.has(`rule ${id}`)),
      'rules that no step meets',
    ).toEqual([])
    await expect(trace).toMatchFileSnapshot(traceOf(name))
  })

  // A story that holds without one of its rules does not show what the rule is for.
  it.each((written.rules ?? []).map(({ id }) => id as string))(
    'does not hold without the rule %s',
    async (id) => {
      const rules = (written.rules ?? []).filter((rule) => rule.id !== id)
      const { rules: _, ...rest } = written
      const without = async (): Promise<string> =>
        (await replayed(scenario(name, stringify({ ...rest, ...(rules.length === 0 ? {} : { rules }) }))))
          .report.outcome
      // A file whose other rules wait for a state that only this one sets is refused as a whole.
      const outcome = await without().catch((error: unknown) =>
        error instanceof ScenarioError ? 'refused' : Promise.reject(error as Error),
      )
      expect(outcome).toMatch(/^(?:failed|refused)$/)
    },
  )
})

it('is a library of at least 34 stories', () => {
  expect(library.length).toBeGreaterThanOrEqual(34)
})

it('names each rule once, so that stories can be used together', () => {
  const ids = library.flatMap((name) =>
    ((scenario(name).spec as unknown as Written).rules ?? []).map(({ id }) => id),
  )
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

// A trace that is missing is written, or fails where vitest knows that it is in CI.
it('has no golden trace of a story that is gone', () => {
  const known = new Set(library.map((name) => name.replace(/\.yaml$/, '.json')))
  expect(readdirSync(traces).filter((name) => !known.has(name))).toEqual([])
})
