/**
 * Errors and warnings in scenario files, as `validate` prints them: each file of `errors/` has a text file with
 * the expected output. `vitest -u` writes them; read the difference.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../cli/_io.ts'

const folder = join(import.meta.dirname, 'errors')
const files = readdirSync(folder).filter((name) => !name.endsWith('.txt'))

it.each(files)('%s', async (name) => {
  const { code, stdout } = await run(['validate', name], { cwd: folder })
  await expect(`${stdout}exit code ${code}\n`).toMatchFileSnapshot(join(folder, `${name}.txt`))
})
