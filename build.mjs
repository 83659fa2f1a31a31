// Builds dist/: an ES module for each entry of the package, with what they share in chunks; types; the page.
// `node build.mjs generate` writes the generated files of the repository instead, `node build.mjs types` only
// the sources that are not versioned (src/generated).
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, normalize } from 'node:path'
import { build } from 'rolldown'
import license from 'rollup-plugin-license'
import { keepPublicTypes } from './tools/public-types.mjs'

process.chdir(import.meta.dirname)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
const entries = ['index', 'msw', 'node', 'express', 'client', 'openapi', 'trial', 'vitest']

/** Licences of what the bundle contains without importing it: tokens, and the C code of codecs. */
const moreLicences = [
  'gpt-tokenizer/LICENSE',
  '@jsquash/jpeg/codec/LICENSE.codec.md',
  '@jsquash/webp/codec/LICENSE.codec.md',
]
const licenceTexts = (packages) =>
  [
    'The files in this directory contain parts of these packages.',
    ...packages.map((one) => `${one.name} ${one.version} (${one.license})\n\n${one.licenseText}`),
    ...moreLicences.map((path) => `${path}\n\n${readFileSync(`node_modules/${path}`, 'utf8')}`),
  ].join(`\n\n${'-'.repeat(80)}\n\n`)
const licenceFile = { file: 'dist/THIRD-PARTY-LICENSES.txt', template: licenceTexts }
const plugins = [license({ thirdParty: { output: licenceFile } })]

/** @type {import('rolldown').InputOptions} */
const library = {
  // Neither for node nor for browsers: the main entry runs in both.
  platform: 'neutral',
  resolve: { mainFields: ['module', 'main'] },
  external: [/^node:/, ...builtinModules, ...installed.map((name) => new RegExp(`^${name}(/|$)`))],
  moduleTypes: { '.wasm': 'binary' },
  checks: { ineffectiveDynamicImport: false },
  transform: {
    target: 'node20.19',
    define: {
      GATEWAY_SIM_VERSION: JSON.stringify(manifest.version),
      // Files that are found by their path, as seen from the chunks.
      GATEWAY_SIM_MEDIA_WORKER: JSON.stringify('../media-worker.js'),
      GATEWAY_SIM_TOKEN_PAIRS: JSON.stringify('../token-pairs.js'),
      GATEWAY_SIM_CLIENT_TIME: JSON.stringify('../client-time.cjs'),
      GATEWAY_SIM_PAGE: JSON.stringify('../ui/'),
    },
  },
}

const [, , task = 'build'] = process.argv
if (task === 'generate') await writeFiles('generated-files', 'generatedFiles')
else {
  await writeFiles('input-types', 'inputTypes')
  await writeFiles('token-pairs', 'tokenPairs')
}
if (task === 'build') {
  rmSync('dist', { recursive: true, force: true })
  await buildLibrary()
  await buildPage()
  await buildTypes()
  writeCommonJs()
}

async function bundle(input, output) {
  const usual = { entryFileNames: '[name].js', comments: false, charset: 'ascii' }
  await build({ ...input, output: { ...usual, ...output } })
}

async function buildLibrary() {
  const input = {
    ...Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
    cli: 'src/cli/process.ts',
    'media-worker': 'src/media/worker-entry.ts',
    'media-render': 'src/media/render.ts',
    'token-pairs': 'src/generated/token-pairs.ts',
  }
  // Node takes as long to find a file as to read it: what every simulator needs is in one.
  const groups = [
    { name: 'engine', test: /src[\\/](engine|text|protocol[\\/]docs-page)/, tags: ['$initial'] },
    { name: 'core', test: /src[\\/](core|disk)[\\/]/, tags: ['$initial'] },
  ]
  // Names of functions and classes help to read a stack trace.
  const minify = { compress: false, mangle: { keepNames: { function: true, class: true } } }
  const output = { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', codeSplitting: { groups }, minify }
  await bundle({ ...library, input, plugins }, output)
  // Node loads it into programs of any kind before their code.
  const clientTime = { 'client-time': 'src/trial/client-time/program/preload.ts' }
  await bundle(
    { ...library, input: clientTime },
    { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs' },
  )
}

/** The page that servers show under /__sim/ui/, and that a saved trace contains. */
async function buildPage() {
  const transform = { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } }
  const input = { page: 'src/ui/main.tsx' }
  await bundle({ platform: 'browser', transform, plugins, input }, { dir: 'dist/ui', minify: true })
  cpSync('src/ui/page.css', 'dist/ui/page.css')
  // The policy of a saved page allows the code and the styles by these hashes.
  let html = readFileSync('src/ui/index.html', 'utf8')
  for (const name of ['page.css', 'page.js']) {
    const hash = createHash('sha256')
      .update(readFileSync(`dist/ui/${name}`))
      .digest('base64')
    html = html.replace(`="${name}"`, `="${name}" integrity="sha256-${hash}"`)
  }
  writeFileSync('dist/ui/index.html', html)
}

/** Only what the entries export. `npm run typecheck` checks the sources. */
async function buildTypes() {
  const tsc = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json', '--noCheck']
  execFileSync(process.execPath, tsc)
  await keepPublicTypes(
    normalize('dist/types'),
    entries.map((name) => normalize(`dist/types/${name}.d.ts`)),
  )
}

/** What `require` finds in Jest, which cannot load ES modules: it loads them with node's own `require`. */
function writeCommonJs() {
  cpSync('dist/types', 'dist/cjs/types', { recursive: true })
  writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')
  // Jest replaces the `require` of its sandbox, but not the one of the surrounding program.
  const process = "require('node:vm').runInThisContext('process')"
  const load = `${process}.getBuiltinModule('node:module').createRequire(__filename)`
  // The entry of vitest requires an ES module.
  for (const name of entries.filter((name) => name !== 'vitest'))
    writeFileSync(`dist/cjs/${name}.js`, `module.exports = ${load}('../${name}.js')\n`)
}

/** Writes the files that a function of tools/generate makes: texts by their paths. */
async function writeFiles(module, name) {
  // Inside node_modules, where packages are found.
  const dir = `./node_modules/.gateway-sim-${module}-${process.pid}`
  await bundle({ ...library, input: `tools/generate/${module}.ts` }, { dir })
  const made = await import(`${dir}/${module}.js`)
  for (const [path, text] of Object.entries(await made[name]())) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  rmSync(dir, { recursive: true })
}
