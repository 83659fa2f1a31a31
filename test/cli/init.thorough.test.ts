/** What `gateway-sim init` writes, run by each runner from the packed package. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packedProject, root, runNode } from '../_built.ts'

const project = packedProject()
const bin = join(project.directory, 'node_modules/gateway-sim/bin/gateway-sim.js')
project.install('vitest')

function folder(name: string, manifest = '{}'): string {
  const path = join(project.directory, name)
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), manifest)
  return path
}

const withVitest = '{"devDependencies":{"vitest":"*"}}'

it.concurrent.each([
  ['vitest', withVitest, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/gateway.test.ts']],
  ['node', '{}', ['--test', 'test/gateway.test.mjs']],
])('%s: one test passes, one fails and shows why', async (runner, manifest, command) => {
  const path = folder(runner, manifest)
  expect(await runNode([bin, 'init'], path)).toMatchObject({ code: 0, stderr: '' })
  const { code, stdout, stderr } = await runNode(command, path)
  const printed = stdout + stderr
  expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining('retried-create') })
  expect(printed).toMatch(/(?:1 failed.*1 passed|# pass 1\n# fail 1|pass 1\n.*fail 1)/s)
  expect(await runNode([bin, 'validate', 'scenarios'], path)).toMatchObject({ code: 0 })
})

it('the TypeScript sample has no type errors', async () => {
  await runNode([bin, 'init'], folder('types', withVitest))
  project.install('@types/node', 'undici-types')
  project.write('samples.ts', `import './types/test/gateway.test.ts'\n`)
  const options = { module: 'nodenext', skipLibCheck: true, allowImportingTsExtensions: true }
  expect(await project.typesOf('samples.ts', { ...options, lib: ['es2023', 'dom', 'dom.iterable'] })).toBe('')
})
