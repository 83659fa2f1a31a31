/** Every row of docs/default-answers.md, in chat and in messages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { playRow } from './play-row.ts'
import { readTable } from './table.ts'
import { schemas, signatureOf, toolSets } from './tool-sets.ts'

const page = join(import.meta.dirname, '../../../docs/default-answers.md')
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

it('the page shows the sets of tools and the schemas as they are', () => {
  for (const [name, tools] of Object.entries(toolSets))
    expect(shown).toContain(`| ${name} | ${tools.map((tool) => `\`${signatureOf(tool)}\``).join(', ')} |`)
  for (const [name, { properties }] of Object.entries(schemas))
    expect(shown).toContain(`| ${name} | \`{ ${Object.keys(properties as object).join(', ')} }\` |`)
})
