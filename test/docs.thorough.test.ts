/**
 * Every TypeScript sample of the documentation is run as it stands; what it prints is what it says. Tests run in
 * test/vitest/samples.thorough.test.ts.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from './_built.ts'
import { importsVitest, samples } from './_samples.ts'

const run = promisify(execFile)
// Inside the checkout, so that the samples find the packages they import.
const folder = join(root, 'node_modules/.cache/gateway-sim-docs')

/** This entry reads files beside it, and so is taken from the build as it is. */
const builtOpenapi: Plugin = {
  name: 'built-openapi',
  setup({ onResolve }) {
    onResolve({ filter: /^gateway-sim\/openapi$/ }, () => ({
      path: pathToFileURL(join(root, 'dist/openapi.js')).href,
      external: true,
    }))
  },
}

const typescript = samples.filter((sample) => sample.language === 'ts' && !importsVitest(sample))
const sources = typescript.map((_, index) => join(folder, `sample-${index}.ts`))

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  for (const [index, { text }] of typescript.entries()) writeFileSync(sources[index] as string, text)
  await build({
    entryPoints: sources,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    alias: {
      'gateway-sim/msw': join(root, 'src/msw.ts'),
      'gateway-sim/node': join(root, 'src/node.ts'),
      'gateway-sim/express': join(root, 'src/express.ts'),
      'gateway-sim/client': join(root, 'src/client.ts'),
      'gateway-sim': join(root, 'src/index.ts'),
    },
    plugins: [builtOpenapi],
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('there are TypeScript samples', () => {
  expect(typescript.length).toBeGreaterThanOrEqual(6)
})

it.each(typescript.map(({ title, text }, index) => ({ title, text, index })))(
  'TypeScript sample $title prints what it says',
  async ({ text, index }) => {
    const { stdout } = await run(process.execPath, [join(folder, `sample-${index}.mjs`)], { timeout: 60_000 })
    const promised = [...text.matchAll(/console\.log\(.*\/\/ → (.*)$/gm)].map(([, line]) => line)
    expect(promised.length).toBeGreaterThan(0)
    expect(stdout.trimEnd().split('\n')).toEqual(promised)
  },
)
