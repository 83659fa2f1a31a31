/**
 * What `gateway-sim init` writes, run by each runner from the packed package. `test/ci/init.thorough.test.ts` runs
 * what it writes for Playwright and Python.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packedProject, root, runNode } from '../_built.ts'

const project = packedProject()
const bin = join(project.directory, 'node_modules/gateway-sim/bin/gateway-sim.js')
project.install('openai', '@anthropic-ai/sdk', '@google/genai', 'ai', '@ai-sdk/openai')
project.install('vitest', '@playwright/test')

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(project.directory, name)
  mkdirSync(path)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

const manifest = (...packages: string[]): string =>
  JSON.stringify({ name: 'x', devDependencies: Object.fromEntries(packages.map((one) => [one, '*'])) })

const tools = {
  vitest: [join(root, 'node_modules/vitest/vitest.mjs'), 'run'],
  jest: [join(root, 'node_modules/jest/bin/jest.js'), '--no-watchman'],
  node: ['--test'],
}

const sdks: Readonly<Record<string, { packages: string[]; finding: string }>> = {
  openai: { packages: ['openai'], finding: 'retried-create' },
  anthropic: { packages: ['@anthropic-ai/sdk'], finding: 'trusted-cut-stream' },
  google: { packages: ['@google/genai'], finding: 'retried-create' },
  ai: { packages: ['ai', '@ai-sdk/openai'], finding: 'trusted-cut-stream' },
  fetch: { packages: [], finding: 'retried-create' },
}
const pairs = Object.keys(sdks).flatMap((sdk) =>
  (['vitest', 'jest', 'node'] as const).map((runner) => [runner, sdk] as const),
)

it.concurrent.each(pairs)('%s with %s: one test passes, one fails and shows why', async (runner, sdk) => {
  const { packages, finding } = sdks[sdk] as (typeof sdks)[string]
  const path = folder(`${runner}-${sdk}`, { 'package.json': manifest(runner, ...packages) })
  expect(await runNode([bin, 'init', '--ci', 'github'], path)).toMatchObject({ code: 0, stderr: '' })
  const { scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const test = scripts['test:gateway']?.split(' ').at(-1) as string
  const { code, stdout, stderr } = await runNode([...tools[runner], test], path)
  const said = stdout + stderr
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining(finding) })
  expect(said).toMatch(/(?:1 failed.*1 passed|# pass 1\n# fail 1|pass 1\n.*fail 1)/s)
})

it('the TypeScript samples have no type errors', async () => {
  const tests = await Promise.all(
    Object.entries(sdks).map(async ([sdk, { packages }]) => {
      const path = folder(`types-${sdk}`, { 'package.json': manifest('vitest', ...packages) })
      await runNode([bin, 'init'], path)
      return `./types-${sdk}/test/gateway.test.ts`
    }),
  )
  project.install('@types/node', 'undici-types')
  project.write('samples.ts', tests.map((test) => `import '${test}'\n`).join(''))
  const options = { module: 'nodenext', skipLibCheck: true, allowImportingTsExtensions: true }
  expect(await project.typesOf('samples.ts', { ...options, lib: ['es2023', 'dom', 'dom.iterable'] })).toBe('')
})

it.concurrent('keeps existing files, and can run again', async () => {
  const path = folder('again', {
    'package.json': manifest('@playwright/test'),
    'gateway-sim.config.json': '{}',
  })
  const [first, second] = [await runNode([bin, 'init'], path), await runNode([bin, 'init'], path)]
  expect(first.stdout).toContain('  kept  gateway-sim.config.json\n  wrote scenarios/lost-response.yaml\n')
  expect(second.stdout).not.toContain('wrote')
  expect(second.stdout).toContain(
    '  kept  test/gateway.spec.mjs\n  kept  script test:gateway in package.json\n',
  )
  expect(existsSync(join(path, 'gateway-sim.config.yaml'))).toBe(false)
  expect(await runNode([bin, 'validate', 'scenarios'], path)).toMatchObject({ code: 0 })
})
