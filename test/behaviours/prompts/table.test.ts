/** Every row of table.md, in chat and in messages. docs/scenarios/default-responses.md shows some of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { playRow } from './play-row.ts'
import { readTable } from './table.ts'
import { schemas, signatureOf, toolSets } from './tool-sets.ts'

const page = join(import.meta.dirname, 'table.md')
const shown = readFileSync(page, 'utf8')
const rows = readTable(shown)

for (const section of new Set(rows.map((row) => row.section)))
  describe(section, () => {
    it.each(rows.filter((one) => one.section === section))('$prompt [$tools] $choice', async (row) => {
      expect(
        { chat: await playRow(row, 'chat'), messages: await playRow(row, 'messages') },
        `line ${row.line} of ${page}`,
      ).toEqual({ chat: undefined, messages: undefined })
    })
  })

it('the table shows the sets of tools and the schemas as they are', () => {
  for (const [name, tools] of Object.entries(toolSets))
    expect(shown).toContain(`| ${name} | ${tools.map((tool) => `\`${signatureOf(tool)}\``).join(', ')} |`)
  for (const [name, { properties }] of Object.entries(schemas))
    expect(shown).toContain(`| ${name} | \`{ ${Object.keys(properties as object).join(', ')} }\` |`)
})

it('the examples of docs/scenarios/default-responses.md are rows of the table', () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../../docs/scenarios/default-responses.md'),
    'utf8',
  )
  const cells = (text: string): string[][] =>
    text
      .split('\n')
      .map((line) => line.replace(/^\| (.*) \|$/, '$1'))
      .filter((line) => / \| .*\| /.test(line) && !/^(?::?--|Prompt |Column )/.test(line))
      .map((line) => line.split(/(?<!\\)\|/))
      .map((row) => row.map((cell) => cell.trim()))
  // The page calls a last text that a pattern judges just text.
  const known = new Set(
    cells(shown).map(([prompt, , , comes = '']) => `${prompt} → ${comes.replace(/\/[^`]+\/$/, 'text')}`),
  )
  const examples = cells(guide).map(([prompt, , comes]) => `${prompt} → ${comes}`)
  expect(examples).toHaveLength(7)
  expect(examples.filter((example) => !known.has(example))).toEqual([])
})
