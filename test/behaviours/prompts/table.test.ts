import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runTable } from './run-table.ts'
import { schemas, signatureOf, toolSets } from './tool-sets.ts'

const page = join(import.meta.dirname, '../../../docs/default-answers.md')

runTable(page)

it('the page shows the sets of tools and the schemas as they are', () => {
  const shown = readFileSync(page, 'utf8')
  for (const [name, tools] of Object.entries(toolSets))
    expect(shown).toContain(`| ${name} | ${tools.map((tool) => `\`${signatureOf(tool)}\``).join(', ')} |`)
  for (const [name, { properties }] of Object.entries(schemas))
    expect(shown).toContain(`| ${name} | \`{ ${Object.keys(properties as object).join(', ')} }\` |`)
})
