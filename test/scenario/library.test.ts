/**
 * The files of scenarios/: each is a story whose steps hold, and whose replay is the bytes of its golden
 * trace in fixtures/traces/; a client that takes the steps is well behaved, but where the story says
 * otherwise. `npx vitest run test/scenario/library.test.ts -u` writes the traces.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportOnList } from '../judges/client-report/_clients.ts'
import { errors, library, replayed, root, scenario, textOf } from './_library.ts'

const traces = join(root, 'fixtures/traces')
const traceOf = (name: string): string => join(traces, name.replace(/\.yaml$/, '.json'))

interface Written {
  readonly title: string
  readonly clock?: { readonly mode?: string }
  readonly description?: string
  readonly rules?: readonly { readonly id?: string }[]
  readonly steps?: readonly {
    readonly expect?: object
    readonly until?: object
  }[]
}

/** Stories of clients that misbehave, and what is found of them. */
const misbehaving: Readonly<Record<string, readonly string[]>> = {
  'chat-cut-by-length-and-filter.yaml': ['deprecated-parameter'],
  'connection-reset-then-success.yaml': ['never-fetched-result'],
  'decision-upstream-rate-limit.yaml': ['ignored-retry-after'],
  'image-job-edits-an-upload.yaml': ['sent-callback'],
  'images-generate-and-edit.yaml': ['fetched-after-expiry'],
  'rate-limit-then-success.yaml': ['ignored-retry-after'],
  'stream-aborted-by-the-client.yaml': ['stream-cut-short'],
  'upstream-outage.yaml': ['ignored-retry-after', 'never-fetched-result'],
  'video-content-expires.yaml': ['fetched-after-expiry'],
  'video-fails-at-60-percent.yaml': ['never-fetched-result'],
}

describe.each(library)('%s', (name) => {
  const written = scenario(name).spec as unknown as Written

  it("has a title, a description of the client's task, and steps with expectations", () => {
    expect(textOf(name).split('\n', 1)[0]).toBe(
      '# yaml-language-server: $schema=../schema/scenario.schema.json',
    )
    expect(written.title).toMatch(/^[A-Z0-9].*[^.]$/)
    expect(written.description?.trim()).toMatch(/^.{60,400}\.$/s)
    const expecting = (written.steps ?? []).filter(
      (step) => step.expect !== undefined || step.until !== undefined,
    )
    expect(expecting.length).toBeGreaterThanOrEqual(1)
  })

  it('replays as expected, with the bytes of its golden trace, using every rule and without further findings', async () => {
    const { report, warnings, decided, trace, journal } = await replayed(scenario(name))
    expect(errors(report)).toEqual([])
    expect(report.outcome).toBe('passed')
    expect(warnings).toEqual([])
    const rules = (written.rules ?? []).map(({ id }) => id)
    expect(rules, 'each rule has a name').not.toContain(undefined)
    expect(
      rules.filter((id) => !decided.has(`rule ${id}`)),
      'rules that no step meets',
    ).toEqual([])
    await expect(trace).toMatchFileSnapshot(traceOf(name))

    const mode = written.clock?.mode === 'auto' ? 'auto' : 'manual'
    const { findings } = reportOnList(journal, mode)
    expect(findings.map(({ code }) => code)).toEqual(misbehaving[name] ?? [])
  })
})

it('has at least 34 scenarios', () => {
  expect(library.length).toBeGreaterThanOrEqual(34)
})

it('has unique rule ids, so that scenarios can be combined', () => {
  const ids = library.flatMap((name) =>
    ((scenario(name).spec as unknown as Written).rules ?? []).map(({ id }) => id),
  )
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

it('docs/scenarios/library.md counts the files and names only existing ones', () => {
  const page = readFileSync(join(root, 'docs/scenarios/library.md'), 'utf8')
  expect(page).toContain(`${library.length} scenarios`)
  const rows = page.split('\n').filter((line) => line.includes(' | '))
  const named = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name}.yaml`))
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !library.includes(name))).toEqual([])
})

// A trace that is missing is written, or fails where vitest knows that it is in CI.
it('has no golden trace without a scenario', () => {
  const known = new Set(library.map((name) => name.replace(/\.yaml$/, '.json')))
  expect(readdirSync(traces).filter((name) => !known.has(name))).toEqual([])
})
