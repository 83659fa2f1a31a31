/** The commands as their users see them: `vitest -u` writes the transcripts again; read the difference. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replayed } from './_transcript.ts'

const folder = join(import.meta.dirname, 'transcripts')

it.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', async (name) => {
  const file = join(folder, name)
  await expect(await replayed(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file)
})
