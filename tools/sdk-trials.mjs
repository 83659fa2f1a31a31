// Tries the programs of tools/sdk-trials, each with its SDK's default settings, against every failure, and
// writes tools/sdk-trials/results.json. `npm run generate` then writes the tables of the documentation.
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

process.chdir(resolve(import.meta.dirname, '..'))
// Inside node_modules, so that packages are found.
const outdir = join('node_modules', '.gateway-sim-sdk-trials')
await build({
  entryPoints: ['tools/sdk-trials/main.ts'],
  outdir,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  define: { GATEWAY_SIM_VERSION: '"sdk-trials"' },
  logLevel: 'warning',
})
await import(pathToFileURL(resolve(outdir, 'main.js')).href)
