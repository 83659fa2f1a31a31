/** `gateway-sim init`. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFields, jsonIn } from '../engine/fields.ts'
import { defineCommand, exitCodes, fileError } from './command.ts'
import { text } from './flags.ts'
import { findSettingsFile } from './settings-file.ts'

const runners = ['vitest', 'node'] as const
type Runner = (typeof runners)[number]

const kinds: Readonly<Record<Runner, { readonly test: string; readonly run: string }>> = {
  vitest: { test: 'gateway.test.ts', run: 'npx vitest run' },
  node: { test: 'gateway.test.mjs', run: 'node --test' },
}

const scenario = 'scenarios/lost-response.yaml'

export const command = defineCommand({
  examples: [
    ['gateway-sim init', 'Write a test for vitest if it is installed, else for node:test'],
    ['gateway-sim init --runner node', 'Write a test for node:test'],
  ],
  flags: { runner: { ...text('Test runner', 'detected'), choices: runners } },
  async handler({ runner: given }, { cwd, stdout }) {
    const packages = await packagesIn(cwd)
    const runner: Runner = given ?? (packages.includes('vitest') ? 'vitest' : 'node')
    const { test: name, run } = kinds[runner]
    const folder = ['test', 'tests', '__tests__'].find((one) => existsSync(join(cwd, one))) ?? 'test'
    const test = `${folder}/${name}`
    const settings = 'gateway-sim.config.yaml'
    const lines = [`gateway-sim: tests with ${runner === 'node' ? 'node:test' : runner}`]
    const templates = {
      [findSettingsFile(undefined, cwd)?.shown ?? settings]: settings,
      [scenario]: scenario,
    }
    for (const [file, template] of Object.entries({ ...templates, [test]: name })) {
      const isNew = await writeNew(join(cwd, file), await readTemplate(template))
      lines.push(isNew ? `  wrote ${file}` : `  kept  ${file}`)
    }
    lines.push('Next:')
    if (!packages.includes('gateway-sim')) lines.push('  npm install -D gateway-sim')
    lines.push(
      `  ${run} ${test}`,
      '      Run both tests: the second fails on purpose and explains why',
      `To remove the example, delete ${test} and ${scenario}.`,
    )
    stdout.write(`${lines.join('\n')}\n`)
    return exitCodes.ok
  },
})

/** The packages that package.json lists. Throws `CommandError` if it is not an object. */
async function packagesIn(cwd: string): Promise<string[]> {
  const path = join(cwd, 'package.json')
  if (!existsSync(path)) return []
  const manifest = jsonIn(await readFile(path, 'utf8'))
  if (!isFields(manifest)) throw fileError('package.json: expected a JSON object')
  const { dependencies, devDependencies } = manifest
  return [dependencies, devDependencies].flatMap((list) => (isFields(list) ? Object.keys(list) : []))
}

/** Returns false if the file exists. */
async function writeNew(path: string, content: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { flag: 'wx' })
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && existsSync(path)) return false
    throw fileError(`${path} cannot be written: ${message}`)
  }
}

/** Templates are next to `dist/` in the package, next to `src/` in the repository. */
function readTemplate(name: string): Promise<string> {
  const folders = ['../templates/', '../../templates/']
  const paths = folders.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url)))
  return readFile(paths.find((path) => existsSync(path)) ?? (paths[0] as string), 'utf8')
}
