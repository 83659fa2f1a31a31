import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  version: string
}

// Sources that are not versioned (src/generated): types, for whoever runs tests has an editor, and the table of
// the tokenizer.
const changed = (name: string): number =>
  statSync(join(import.meta.dirname, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
const newest = (folder: string): number =>
  Math.max(
    0,
    ...readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      changed(join(folder, name)),
    ),
  )
const described = ['src/scenario/format', 'src/protocol/settings', 'src/sessions', 'src/control']
const written = Math.min(
  ...['control-types', 'token-pairs'].map((name) => changed(`src/generated/${name}.ts`)),
)
if (written < Math.max(changed('tools/generate/token-pairs.ts'), ...described.map(newest)))
  execFileSync(process.execPath, ['build.mjs', 'types'], { cwd: import.meta.dirname })

/** Imports of WebAssembly are its bytes, as in the build (`moduleTypes: { '.wasm': 'binary' }`). */
const wasmAsBytes: Plugin = {
  name: 'wasm-as-bytes',
  enforce: 'pre',
  async load(id) {
    if (!id.endsWith('.wasm')) return undefined
    const text = JSON.stringify((await readFile(id)).toString('base64'))
    return `export default Uint8Array.from(atob(${text}), (letter) => letter.charCodeAt(0))`
  },
}

/** `src/msw.ts?msw3` is the integration with the third generation of msw, beside the one with the second. */
const msw3: Plugin = {
  name: 'msw3',
  enforce: 'pre',
  resolveId(source, importer) {
    return source === 'msw' && importer?.endsWith('?msw3') ? this.resolve('msw3', importer) : undefined
  },
}

/** Of `npm test`. The thorough part draws another one each time; SEED=<number> repeats what it has found. */
const fixedSeed = 20_260_101
const randomSeed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))

export default defineConfig({
  // As in the build: generated files name the version.
  define: { GATEWAY_SIM_VERSION: JSON.stringify(version) },
  plugins: [wasmAsBytes, msw3],
  test: {
    server: { deps: { inline: [/\.wasm$/] } },
    setupFiles: ['test/_each-file.ts'],
    // The suite starts servers and child processes; a slow machine must not turn that into failures.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'threads',
    // One core less, the default, would leave a machine of two with one worker.
    maxWorkers: '100%',
    // A test that is skipped by mistake looks like one that passes.
    allowOnly: false,
    // A file's name says where it runs. `*.property.test.ts` generates its input, and runs in both parts.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.thorough.test.ts'],
          // Loading the sources anew for each file would take as long as the tests.
          isolate: false,
          provide: { thorough: false, seed: fixedSeed },
        },
      },
      {
        extends: true,
        test: {
          name: 'thorough',
          include: ['test/**/*.thorough.test.ts'],
          globalSetup: ['test/_each-run.ts'],
          // Concurrent tests start programs: more of them at once would exceed the time limits of these programs.
          maxConcurrency: 2,
          provide: { thorough: true, seed: randomSeed },
        },
      },
      {
        extends: true,
        test: {
          name: 'properties',
          include: ['test/**/*.property.test.ts'],
          isolate: false,
          provide: { thorough: true, seed: randomSeed },
        },
      },
    ],
  },
})
