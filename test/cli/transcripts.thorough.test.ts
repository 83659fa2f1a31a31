/** Transcripts that start many programs, or the build. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { requireBuild } from '../_built.ts'
import { replayed } from './_transcript.ts'

beforeAll(requireBuild)

const folder = join(import.meta.dirname, 'transcripts/thorough')

it.each(readdirSync(folder))('%s', async (name) => {
  const file = join(folder, name)
  await expect(await replayed(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file)
})
