// Bundles the fuzzer, which is TypeScript, and runs it against the build in dist/.
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

process.chdir(resolve(import.meta.dirname, '..'))
// Inside node_modules, so that packages are found.
const outdir = join('node_modules', '.gateway-sim-fuzz')
await build({
  entryPoints: ['main', 'worker', 'probe'].map((name) => `test/fuzz/${name}.ts`),
  outdir,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  define: { GATEWAY_SIM_VERSION: '"fuzz"' },
  logLevel: 'warning',
})
await import(pathToFileURL(resolve(outdir, 'main.js')).href)
