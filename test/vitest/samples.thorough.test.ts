/**
 * Runs the TypeScript samples of the documentation that import `gateway-sim/vitest`. Each passes, or fails
 * with the message of the `text` sample that follows it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../_built.ts'
import { importsVitest, type Sample, samples } from '../_samples.ts'
import { runProject } from './_project.ts'

const folder = join(root, 'node_modules/.cache/gateway-sim-vitest-samples')

interface RunnableSample extends Sample {
  readonly failsWith: string | undefined
  readonly failures: string[]
}
const runnable: RunnableSample[] = samples.flatMap((sample, index) => {
  if (!importsVitest(sample)) return []
  const next = samples[index + 1]
  const isOutput = next?.language === 'text' && next.title.split(',')[0] === sample.title.split(',')[0]
  return [{ ...sample, failsWith: isOutput ? next.text : undefined, failures: [] }]
})

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  for (const [index, { text, failures }] of runnable.entries()) {
    const name = `sample-${index}.test.ts`
    writeFileSync(join(folder, name), text)
    failures.push(...Object.values(await runProject(folder, { include: [name] })).flat())
  }
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Without line breaks, the digits of ids and the place of a finding's page, which the pages shorten. */
const normalized = (text: string): string =>
  text
    .replaceAll(/_[0-9a-f]{4,}…?/g, '_…')
    .replaceAll(/(warning: [\w-]+) (?:…|\(.*?\))/g, '$1')
    .replace(/^Error: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A text of which a page shows a part: `…` as a word stands for the rest. */
const shown = (text: string): unknown => {
  const parts = normalized(text).split(' … ')
  const [whole] = parts
  return parts.length === 1
    ? whole
    : expect.stringMatching(new RegExp(`^${parts.map(escaped).join(' .* ')}$`))
}

it('the README and the first pages have such samples', () => {
  const pages = runnable.map(({ title }) => title.split(',')[0])
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/index.md', 'docs/start/first-test.md']))
})

it.each(runnable.map((sample) => [sample.title, sample] as const))(
  '%s',
  (_title, { failsWith, failures }) => {
    expect(failures.map(normalized)).toEqual(failsWith === undefined ? [] : [shown(failsWith)])
  },
)
