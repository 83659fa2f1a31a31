// Builds dist/: one ES module per entry of the package, with what they share in chunks; the page; and the types.
// `node build.mjs generate` writes the generated files of the repository instead, `node build.mjs types` only
// the sources that are not versioned (src/generated).
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import license from 'rollup-plugin-license'
import { keepPublicTypes } from './tools/public-types.mjs'

process.chdir(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

/** The entries that can be `require`d: all but that of vitest, which requires an ES module. */
const commonJsEntries = ['index', 'msw', 'node', 'express', 'client', 'openapi', 'trial']

const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })

/** @type {import('rolldown').InputOptions} */
const library = {
  // Neither for node nor for browsers: the main entry runs in both.
  platform: 'neutral',
  resolve: { mainFields: ['module', 'main'] },
  external: [/^node:/, ...builtinModules, ...installed.map((name) => new RegExp(`^${name}(/|$)`))],
  moduleTypes: { '.wasm': 'binary' },
  preserveEntrySignatures: 'allow-extension',
  transform: {
    target: 'node20.19',
    define: {
      GATEWAY_SIM_VERSION: JSON.stringify(manifest.version),
      // Files that are found by their path, as seen from the chunks.
      GATEWAY_SIM_MEDIA_WORKER: JSON.stringify('../media-worker.js'),
      GATEWAY_SIM_TOKEN_PAIRS: JSON.stringify('../token-pairs.js'),
      GATEWAY_SIM_PAGE: JSON.stringify('../ui/'),
    },
  },
}

const [, , task = 'build'] = process.argv
if (task === 'generate') await writeFiles('generated-files', 'generatedFiles')
else {
  await writeFiles('input-types', 'inputTypes')
  await writeFiles('token-pairs', 'tokenPairs')
  if (task === 'build') await buildPackage()
}

async function bundle(input, output) {
  const made = await rolldown(input)
  return made.write({ comments: false, entryFileNames: '[name].js', ...output })
}

async function buildPackage() {
  rmSync('dist', { recursive: true, force: true })
  await bundle(
    {
      ...library,
      input: {
        index: 'src/index.ts',
        msw: 'src/msw.ts',
        node: 'src/node.ts',
        express: 'src/express.ts',
        client: 'src/client.ts',
        openapi: 'src/openapi.ts',
        trial: 'src/trial.ts',
        vitest: 'src/vitest.ts',
        cli: 'src/cli/process.ts',
        'media-worker': 'src/media/worker-entry.ts',
        'media-render': 'src/media/render.ts',
        'media-pixels': 'src/media/image/pixels.ts',
        'token-pairs': 'src/generated/token-pairs.ts',
      },
      plugins: [license({ thirdParty: { output: 'dist/THIRD-PARTY-LICENSES.txt' } })],
    },
    {
      dir: 'dist',
      chunkFileNames: 'chunks/[name]-[hash].js', codeSplitting: { groups: [{ name: 'shared', tags: ['$initial'], minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 30000 }] },
      minify: { compress: false, mangle: { keepNames: { function: true, class: true } } },
    },
  )
}

/** Writes the files that a module of tools/generate makes: a function that gives their texts by their paths. */
async function writeFiles(module, name) {
  // Inside node_modules, where packages are found.
  const dir = join('node_modules', `.gateway-sim-${module}-${process.pid}`)
  try {
    await bundle({ ...library, input: `tools/generate/${module}.ts` }, { dir })
    const made = await import(pathToFileURL(join(dir, `${module}.js`)).href)
    for (const [path, text] of Object.entries(await made[name]())) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
