/** docs/reference/journal.md names every field of an entry and every filter. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { journalQuery } from '../../src/exchange/filter.ts'
import { causeSchema, entrySchema } from '../../src/exchange/plain.ts'
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

it('names every field of an entry and of its cause', () => {
  const fields = [entrySchema(), causeSchema()].flatMap(({ shape }) => Object.keys(shape))
  expect(namesIn('Fields').sort()).toEqual(fields.filter((name) => name !== 'source').sort())
})

it('names every filter', () => {
  const filters = Object.keys(journalQuery().shape).filter((name) => name !== 'format')
  expect(namesIn('Filters').sort()).toEqual(filters.sort())
})
