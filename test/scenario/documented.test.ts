/**
 * The files of fixtures/scenarios show every key and every value of the format, and work: each is loaded, and
 * those with steps are replayed. The same holds for the whole files on the pages. Excerpts on the pages of
 * docs/scenarios are completed and loaded.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadScenario } from '../../src/index.ts'
import { pages, samplesOf } from '../_samples.ts'
import { simulator } from '../_setup.ts'
import { run } from '../cli/_io.ts'
import { type Schema, walk } from './_schema-places.ts'

const root = join(import.meta.dirname, '../..')
const fixtures = join(root, 'fixtures/scenarios')

interface Block {
  readonly name: string
  readonly text: string
}

const files: Block[] = readdirSync(fixtures).map((name) => ({
  name,
  text: readFileSync(join(fixtures, name), 'utf8'),
}))

const isWhole = (text: string): boolean => /^title:/m.test(text)
/** Whole scenarios on pages, and the excerpts of docs/scenarios as whole ones, each named by its place. */
const samples: Block[] = pages
  // Other tests read these: docs/ci/validate.md shows files with errors, and the tutorial parts of one file.
  .filter((page) => !/^docs\/(?:decisions\/|ci\/validate|scenarios\/tutorial)/.test(page))
  .flatMap((page) =>
    samplesOf(page)
      .filter(({ language, text }) => language === 'yaml' && (isWhole(text) || inGuide(page)))
      .map(({ title, text }) => ({
        name: `${title.replaceAll(/\W+/g, '-')}.yaml`,
        text: isWhole(text) ? text : completed(text),
      })),
  )

function inGuide(page: string): boolean {
  return /^docs\Wscenarios\W/.test(page)
}

/** A scenario with what an excerpt shows: some keys of a file, a list of rules, or one rule. */
function completed(text: string): string {
  const shown = parse(text) as Record<string, unknown> | unknown[]
  const isRule = 'when' in shown || 'then' in shown
  const rules = Array.isArray(shown) ? shown : isRule ? [{ then: {}, ...shown }] : undefined
  return JSON.stringify({ title: 'An excerpt', ...(rules === undefined ? shown : { rules }) })
}

const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-documented-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
for (const { name, text } of [...files, ...samples]) writeFileSync(join(directory, name), text)
const good = [...files, ...samples]

describe('the files', () => {
  it('exist, each with a different name', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(samples.length).toBeGreaterThan(20)
    expect(new Set(good.map(({ name }) => name)).size).toBe(good.length)
  })

  it.each(good.map(({ name }) => name))('%s loads', async (name) => {
    expect(simulator({ scenarios: [await loadScenario(join(directory, name))] }).warnings).toEqual([])
    expect((await run(['validate', name], { cwd: directory })).stdout).toMatch(/^1 file valid/)
  })

  it.each(
    good
      .filter(({ name, text }) => /^steps:/m.test(text) && (!name.startsWith('docs-') || inGuide(name)))
      .map(({ name }) => name),
  )('%s is replayed, and all steps pass', async (name) => {
    const { code, stdout, stderr } = await run(['replay', name], { cwd: directory })
    expect(code, stdout + stderr).toBe(0)
  })
})

describe('command output for them', () => {
  const printed = (...args: string[]): Promise<string> =>
    run(args, { cwd: directory, env: { LANG: 'C.UTF-8' } }).then(({ stdout }) => stdout)
  const snapshot = (name: string): string => join(import.meta.dirname, 'documented', name)

  it('explain draws a timeline', async () => {
    const drawn = await printed('explain', 'timeline.yaml', '--operation', 'videos.create')
    await expect(drawn).toMatchFileSnapshot(snapshot('timeline.txt'))
    const page = readFileSync(join(root, 'docs/scenarios/jobs.md'), 'utf8')
    const [, shown = 'nothing'] = /^```text\n([\s\S]*?)^```$/m.exec(page) ?? []
    expect(drawn, 'docs/scenarios/jobs.md shows it').toContain(shown)
  })

  it('explain draws streams', async () => {
    const drawn = await printed('explain', 'streams.yaml', '--operation', 'chat.create')
    await expect(drawn).toMatchFileSnapshot(snapshot('streams.txt'))
  })
})

describe('the first scenario of the README', () => {
  it('is valid', async () => {
    const [, text = ''] =
      /^```yaml\n(# story\.yaml\n[\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    expect(await run(['validate', '-'], { stdin: text })).toEqual({
      code: 0,
      stdout: '1 file valid\n',
      stderr: '',
    })
  })
})

describe('the files together', () => {
  const schema = JSON.parse(readFileSync(join(root, 'schema/scenario.schema.json'), 'utf8')) as Schema
  // What says the same at two places is shown once: answers of a sequence, faults in a script, timelines of
  // given things, operations of steps, types of errors.
  const called = (definition: string): string =>
    definition === 'Answer'
      ? 'Then'
      : definition === 'Operation'
        ? 'OperationPattern'
        : definition.replace(/^StreamFault/, 'Fault')
  const shownAs = (place: string): string =>
    place
      .replace(/^Given\.\w+\[\]\.timeline\[\]/, 'TimelineEntry')
      .replace('Scenario.clock = ', 'Scenario.clock.mode = ')
      .replace('FaultErrorEvent.type = ', 'ErrorAnswer.type = ')

  const all = new Set<string>()
  walk(schema, (place) => all.add(shownAs(place)), called)
  const shown = new Set<string>()
  for (const { text } of good)
    walk(schema, (place) => shown.add(shownAs(place)), called, parse(text, { merge: true }))

  it('find keys and values of the format at their places', () => {
    expect(all.size).toBeGreaterThan(500)
    for (const place of [
      'Scenario.title',
      'When.nth',
      'Operators.contains',
      'Then.sequence',
      'FaultDisconnect.afterEvents',
      'Job = stuck',
      'StreamExpectation.ended = stalled',
      'OperationPattern = chat.create',
    ])
      expect([...all]).toContain(place)
  })

  it('show every key and every value', () => {
    expect([...all].filter((place) => !shown.has(place))).toEqual([])
  })

  it('would reveal a missing one', () => {
    const few = new Set<string>()
    walk(schema, (place) => few.add(shownAs(place)), called, {
      title: 'a',
      rules: [{ when: { nth: 2 }, then: { job: 'stuck' } }],
    })
    expect([...few].sort()).toEqual([
      'Job = stuck',
      'Rule.then',
      'Rule.when',
      'Scenario.rules',
      'Scenario.title',
      'Then.job',
      'When.nth',
    ])
  })
})
