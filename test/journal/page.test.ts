/** docs/reference/journal.md names every field of an entry and every filter. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { journalQuery } from '../../src/journal/filter.ts'
import { root } from '../_built.ts'

const page = readFileSync(join(root, 'docs/reference/journal.md'), 'utf8')

/** The names in the first column below a heading. */
function namesIn(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const lines = (section.split('\n## ')[0] as string).split('\n').filter((line) => line.startsWith('`'))
  return lines.flatMap((line) =>
    [...(line.split(' | ')[0] as string).matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
  )
}

it('names every field of an entry', async () => {
  const sim = createSimulator()
  await sim.fetch('/v1/models')
  const { entries } = (await (await sim.fetch('/__sim/journal')).json()) as { entries: object[] }
  expect(namesIn('Fields').sort()).toEqual(Object.keys(entries[0] as object).sort())
})

it('names every filter', () => {
  const filters = Object.keys(journalQuery().shape).filter((name) => name !== 'format')
  expect(namesIn('Filters').sort()).toEqual(filters.sort())
})
