import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  version: string
}

/** Imports of WebAssembly are its bytes, as in the build (`loader: { '.wasm': 'binary' }`). */
const wasmAsBytes: Plugin = {
  name: 'wasm-as-bytes',
  enforce: 'pre',
  async load(id) {
    if (!id.endsWith('.wasm')) return undefined
    return `export default Uint8Array.from(atob(${JSON.stringify((await readFile(id)).toString('base64'))}), (letter) => letter.charCodeAt(0))`
  },
}

export default defineConfig({
  // As in the build: generated files name the version.
  define: { GATEWAY_SIM_VERSION: JSON.stringify(version) },
  plugins: [wasmAsBytes],
  test: {
    include: ['test/**/*.test.ts'],
    server: { deps: { inline: [/\.wasm$/] } },
    // The suite starts servers and child processes; a slow machine must not turn that into failures.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'threads',
    // One core less, as usual, would leave a machine of two with one worker: the suite would take twice as long.
    maxWorkers: '100%',
    // A test that is skipped by mistake looks like one that passes.
    allowOnly: false,
  },
})
