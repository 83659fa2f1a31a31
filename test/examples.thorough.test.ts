/** Each project under examples/ passes its own tests, with the packed package and what it declares. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { manifest, packedProject, root, runNode, runProgram } from './_built.ts'
import { type Example, examples } from './_examples.ts'
import { chromiumPath } from './browser/_chromium.ts'

const packed = packedProject()
const tarball = join(packed.directory, 'node_modules/gateway-sim')

/** Copies an example, with its packages and nothing else. */
function copyOf({ name, folder, packages }: Example, suffix = ''): string {
  const copy = join(packed.directory, 'copies', name + suffix)
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.includes('node_modules') })
  const modules = join(copy, 'node_modules')
  for (const one of [...Object.keys(packages), ...Object.keys(manifest.dependencies)]) {
    mkdirSync(dirname(join(modules, one)), { recursive: true })
    if (one === 'gateway-sim') cpSync(tarball, join(modules, one), { recursive: true })
    else symlinkSync(join(root, 'node_modules', one), join(modules, one), 'junction')
  }
  mkdirSync(join(modules, '.bin'))
  for (const one of Object.keys(packages)) {
    const { bin = {} } = JSON.parse(readFileSync(join(modules, one, 'package.json'), 'utf8')) as {
      bin?: string | Readonly<Record<string, string>>
    }
    for (const [command, path] of Object.entries(typeof bin === 'string' ? { [one]: bin } : bin))
      symlinkSync(join('..', one, path), join(modules, '.bin', command))
  }
  return copy
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

/** Runs `npm test`. */
async function test(cwd: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = {
    HOME: packed.directory,
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    CHROMIUM: chromiumPath,
    PORT: String(await freePort()),
  }
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as Example['manifest']
  // Their limit of five seconds is for a machine that does nothing else.
  const patience = /^(?:vitest|jest)/.test(scripts['test'] ?? '') ? ['--', '--testTimeout=60000'] : []
  const { code, stdout, stderr } = await runProgram('npm', ['test', ...patience], { cwd, env })
  return { code, output: stdout + stderr }
}

const sourcesOf = ({ folder }: Example): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('node_modules'),
  )
const named = (some: readonly Example[]) => some.map((example) => [example.name, example] as const)

it.concurrent.each(named(examples))('%s passes its tests', async (_name, example) => {
  expect(await test(copyOf(example))).toEqual({
    code: 0,
    output: expect.stringContaining(example.manifest['gateway-sim-example'].expect) as string,
  })
})

const typed = named(examples.filter((example) => sourcesOf(example).length > 0))
it.concurrent.each(typed)('%s has types that hold under strict', async (_name, example) => {
  const copy = copyOf(example, '-types')
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ target: 'es2023', lib: ['es2023', 'dom'], module: 'esnext', moduleResolution: 'bundler' },
  }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: sourcesOf(example) }))
  const checked = await runNode([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], copy)
  expect(checked).toEqual({ code: 0, stdout: '', stderr: '' })
})

/** The changes that the READMEs propose: each makes the tests of its example fail. */
it.concurrent.each([
  ['vitest-openai', 'assistant.ts', ', { maxRetries: 0 }', '', 'retried-create'],
  ['jest-anthropic', 'support.js', "stop_reason !== 'end_turn'", 'false', '2 failed, 2 passed'],
  ['node-test-jobs', 'studio.js', 'sleep(interval)', 'sleep(1000)', 'fail 1'],
])('%s notices a bug in %s', async (name, file, code, bug, output) => {
  const example = examples.find((one) => one.name === name)
  if (example === undefined) throw new Error(`there is no example ${name}`)
  const copy = copyOf(example, '-bug')
  const text = readFileSync(join(copy, file), 'utf8')
  expect(text).toContain(code)
  writeFileSync(join(copy, file), text.replace(code, bug))
  expect(await test(copy)).toMatchObject({ code: 1, output: expect.stringContaining(output) as string })
})
