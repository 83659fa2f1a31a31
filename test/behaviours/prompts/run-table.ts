/** Registers a test for every row of the tables in a file. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { playRow } from './play-row.ts'
import { readTable } from './table.ts'

export function runTable(path: string): void {
  const rows = readTable(readFileSync(path, 'utf8'))
  for (const section of new Set(rows.map((row) => row.section)))
    describe(section, () => {
      for (const row of rows.filter((one) => one.section === section))
        it(`${row.prompt} [${row.tools}] ${row.choice}`, async () => {
          expect(
            { chat: await playRow(row, 'chat'), messages: await playRow(row, 'messages') },
            `line ${row.line} of ${path}`,
          ).toEqual({ chat: undefined, messages: undefined })
        })
    })
}
