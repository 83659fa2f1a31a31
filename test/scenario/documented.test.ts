/**
 * docs/scenarios.md and fixtures/scenarios show every key and every word of the format, in files that work:
 * each is loaded, and those with steps are replayed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadScenario } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { run } from '../cli/_io.ts'
import { type Schema, walk } from './_schema-places.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/scenarios.md'), 'utf8')

interface Block {
  readonly name: string
  readonly text: string
  /** Whether it shows what is rejected. */
  readonly rejected: boolean
  /** What a command prints of it, by the command with its flags; it stands behind the file. */
  readonly prints: Readonly<Record<string, string>>
}

const blocks: Block[] = []
for (const [, language = '', command = '', text = ''] of page.matchAll(
  /^```(\w+)(?: ([^\n]+))?\n([\s\S]*?)^```$/gm,
)) {
  if (language === 'yaml') {
    const named = /^# (\S+\.(?:yaml|json))( \(rejected\))?$/m.exec(text)
    // JSON knows no comments.
    blocks.push({
      name: named?.[1] ?? `unnamed-${blocks.length}.yaml`,
      text: named?.[1]?.endsWith('.json') === true ? text.replace(/^#.*\n/, '') : text,
      rejected: named?.[2] !== undefined,
      prints: {},
    })
  } else if (language === 'text' && command !== '') {
    const last = blocks.pop() as Block
    blocks.push({ ...last, prints: { ...last.prints, [command]: text } })
  }
}

// Long lists that the guide does not show in full.
const everyWord = join(root, 'fixtures/scenarios')
for (const name of readdirSync(everyWord))
  blocks.push({ name, text: readFileSync(join(everyWord, name), 'utf8'), rejected: false, prints: {} })

const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-documented-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
for (const { name, text } of blocks) writeFileSync(join(directory, name), text)
const good = blocks.filter(({ rejected }) => !rejected)

describe('the files of the guide', () => {
  it('are some, and each has a name of its own', () => {
    expect(good.length).toBeGreaterThan(20)
    expect(new Set(blocks.map(({ name }) => name)).size).toBe(blocks.length)
  })

  it.each(good.map(({ name }) => name))('%s is loaded', async (name) => {
    expect(simulator({ scenarios: [await loadScenario(join(directory, name))] }).warnings).toEqual([])
    expect((await run(['validate', name], { cwd: directory })).stdout).toMatch(/^1 file valid/)
  })

  it.each(good.filter(({ text }) => /^steps:/m.test(text)).map(({ name }) => name))(
    '%s is replayed, and all of it holds',
    async (name) => {
      const { code, stdout, stderr } = await run(['replay', name], { cwd: directory })
      expect(code, stdout + stderr).toBe(0)
    },
  )

  it.each(
    blocks.flatMap(({ name, prints }) =>
      Object.entries(prints).map(([command, text]) => [command, name, text] as const),
    ),
  )('gateway-sim %s %s prints what stands there', async (command, name, text) => {
    const [word = '', ...flags] = command.split(' ')
    expect((await run([word, name, ...flags], { cwd: directory, env: { LANG: 'C.UTF-8' } })).stdout).toBe(
      text,
    )
  })
})

describe('the first scenario of the README', () => {
  it('can be used', async () => {
    const [, text = ''] =
      /^```yaml\n(# story\.yaml\n[\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    expect(await run(['validate', '-'], { stdin: text })).toEqual({
      code: 0,
      stdout: '1 file valid\n',
      stderr: '',
    })
  })
})

describe('the guide', () => {
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

  it('knows the format: keys and words at their places', () => {
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

  it('shows every key and every word', () => {
    expect([...all].filter((place) => !shown.has(place))).toEqual([])
  })

  it('would notice one that is missing', () => {
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
