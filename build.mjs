// Builds dist/: one ES module per entry of the package, with what they share in chunks; the types; and the
// licence texts and the list of what is bundled. `node build.mjs generate` writes the generated files of
// the repository instead, `node build.mjs types` only the sources that are not versioned (src/generated).
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { deflate } from 'libdeflate'
import { rolldown } from 'rolldown'
import { minify } from 'rolldown/utils'
import { keepPublicTypes } from './tools/public-types.mjs'

process.chdir(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(await readFile('package.json', 'utf8'))

/** The entries that can be `require`d: all but that of vitest, which requires an ES module. */
const commonJsEntries = ['index', 'msw', 'node', 'express', 'client', 'openapi', 'trial']

/** Chunks below this size that import nothing are one file, whoever loads them. In bytes. */
const smallChunk = 3000

/** @type {import('esbuild').BuildOptions} */
const shared = {
  bundle: true,
  splitting: true,
  format: 'esm',
  // Neither a node nor a browser build: the main entry runs in both, and a node: import stands only where it
  // is written.
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'node20.19',
  external: [
    'node:*',
    ...builtinModules,
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
  ],
  plugins: [plainWidths(), englishErrors(), packedMedia(), tokensApart(), spawnApart(), withoutAjv()],
  // V8 compiles text of one byte a character a sixth faster.
  charset: 'ascii',
  // The thread that media are made in and the tokenizer's table, as seen from the chunks that load them.
  define: {
    GATEWAY_SIM_VERSION: JSON.stringify(manifest.version),
    GATEWAY_SIM_MEDIA_WORKER: JSON.stringify('../media-worker.js'),
    GATEWAY_SIM_TOKEN_PAIRS: JSON.stringify('./token-pairs.js'),
    GATEWAY_SIM_PAGE: JSON.stringify('../ui/'),
  },
  metafile: true,
  logLevel: 'warning',
}

try {
  const [, , task] = process.argv
  if (task === 'generate') await writeGenerated()
  else if (task === 'types') await writeSources()
  else await buildPackage()
} catch (error) {
  // esbuild has already printed its errors.
  if (error.errors === undefined) console.error(error.message)
  process.exitCode = 1
}

/**
 * Stands in for string-width, which sets up tables of all emoji when it is loaded: a quarter of the time
 * until `serve` is ready, spent for a help text that is ASCII.
 */
function plainWidths() {
  return {
    name: 'plain-widths',
    setup(build) {
      build.onResolve({ filter: /^string-width$/ }, () => ({
        path: 'string-width',
        namespace: 'plain-widths',
      }))
      build.onLoad({ filter: /.*/, namespace: 'plain-widths' }, () => ({
        contents: 'export default (text) => text.length',
      }))
    },
  }
}

/**
 * The codecs of images, the films and the letters travel inside the chunks that use them: nothing to be found
 * at run time, in node or a browser. Deflated before they become text, they take less of the tarball.
 */
function packedMedia() {
  const packed = (bytes) => `const packed = '${Buffer.from(deflate(bytes, 12)).toString('base64')}'
const blob = new Blob([Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))])
const bytes = await new Response(blob.stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer()
`
  return {
    name: 'packed-media',
    setup(build) {
      build.onLoad({ filter: /\.wasm$/ }, async ({ path }) => ({
        contents: `${packed(await readFile(path))}export default new Uint8Array(bytes)`,
      }))
      // Modules that export one base64 string.
      build.onLoad({ filter: /[\\/]media[\\/]data[\\/](?:font|video[\\/].*)\.ts$/ }, async ({ path }) => {
        const [, name, text] = /export const (\w+) =\s+'([\w+/=]+)'/.exec(await readFile(path, 'utf8')) ?? []
        if (name === undefined) throw new Error(`build: ${path} exports no base64 string`)
        return {
          contents: `${packed(Buffer.from(text, 'base64'))}let text = ''
for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte)
export const ${name} = btoa(text)`,
        }
      })
    },
  }
}

/** zod brings its messages in fifty languages, of which only the English ones can be seen. */
function englishErrors() {
  return {
    name: 'english-errors',
    setup(build) {
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js'",
      }))
    },
  }
}

/** The MCP SDK brings ajv to validate answers to questions that a server asks: `gateway-sim mcp` asks none. */
function withoutAjv() {
  return {
    name: 'without-ajv',
    setup(build) {
      build.onLoad({ filter: /[\\/]sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
        contents: 'export class AjvJsonSchemaValidator {}',
      }))
    },
  }
}

/** Leaves the tokenizer's table out of the chunks: node reads it as bytes. */
function tokensApart() {
  return {
    name: 'tokens-apart',
    setup(build) {
      build.onResolve({ filter: /generated\/token-pairs\.ts$/ }, () => ({
        path: './token-pairs.js',
        external: true,
      }))
    },
  }
}

/** Bundles cross-spawn into a file beside the ES modules: it is CommonJS, and only Windows loads it. */
function spawnApart() {
  return {
    name: 'spawn-apart',
    setup(build) {
      build.onResolve({ filter: /^cross-spawn$/ }, () => ({ path: '../cross-spawn.cjs', external: true }))
    },
  }
}

/**
 * Unversioned files that sources import: the published types of scenarios and settings, and the
 * tokenizer's table.
 */
async function writeSources() {
  await write('input-types', 'inputTypes')
  await write('token-pairs', 'tokenPairs')
}

/** Writes the generated files of the repository; their examples count tokens. */
async function writeGenerated() {
  await write('token-pairs', 'tokenPairs')
  await write('generated-files', 'generatedFiles', 'src/generated/token-pairs.ts')
}

async function buildPackage() {
  await writeSources()
  await rm('dist', { recursive: true, force: true })
  const [{ metafile, outputFiles }] = await Promise.all([
    build({
      ...shared,
      entryPoints: {
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
      },
      outdir: 'dist',
      chunkNames: 'chunks/[name]-[hash]',
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      write: false,
    }),
    // `npm run typecheck` checks them; here they are only written.
    run('node_modules/typescript/bin/tsc', ['--project', 'tsconfig.build.json', '--noCheck']),
  ])
  await mkdir('dist/chunks', { recursive: true })
  const files = await joinChunks(outputFiles, metafile)
  await Promise.all(files.map(async ({ path, text }) => writeFile(path, await withShortNames(path, text))))
  // Valid unchanged: it has no types.
  await cp('src/generated/token-pairs.ts', 'dist/chunks/token-pairs.js')
  const page = await buildPage()
  const bundled = bundledPackages(page, metafile, await bundleCrossSpawn())
  await Promise.all([
    writeFile('dist/THIRD-PARTY-LICENSES.txt', await licences(bundled)),
    writeFile('dist/sbom.cdx.json', await billOfMaterials(bundled)),
    publishTypes().then(writeCommonJs),
  ])
}

/** The code with short names of variables. Those of functions and classes help to read a stack trace. */
async function withShortNames(path, text) {
  const { code, errors } = await minify(basename(path), text, {
    module: true,
    compress: false,
    mangle: { toplevel: true, keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true, legalComments: 'none' },
  })
  if (errors.length > 0) throw new Error(`build: ${path}: ${errors[0].message}`)
  // It unescapes the characters of strings. A second run of esbuild would escape them, but lengthen names.
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The page that servers show under /__sim/ui/: it runs in browsers, and shares nothing with the rest. */
async function buildPage() {
  const inputs = [
    ...(await bundlePage('page', {})),
    // A saved page has everything inside, except the views that need a server.
    ...(await bundlePage('saved', { codeSplitting: false })),
  ]
  await build({ entryPoints: ['src/ui/page.css'], outfile: 'dist/ui/page.css', minify: true })
  let html = await readFile('src/ui/index.html', 'utf8')
  await writeFile('dist/ui/index.html', html)
  // Its policy allows the code and the styles by these hashes.
  html = html.replace('src="page.js"', 'src="saved.js"')
  for (const name of ['page.css', 'saved.js']) {
    const hash = createHash('sha256')
      .update(await readFile(`dist/ui/${name}`))
      .digest('base64')
    html = html.replace(`="${name}"`, `$& integrity="sha256-${hash}"`)
  }
  await writeFile('dist/ui/saved.html', html)
  return inputs
}

/** A plugin for a saved page, which never shows these parts of `src/ui/`: they need a server. */
function withoutLiveViews() {
  const views = {
    'breakpoints-view.tsx': 'BreakpointsView',
    'calls/request-copies.tsx': 'RequestCopies',
    'contract/contract-view.tsx': 'ContractView',
  }
  const load = (id) => {
    const path = Object.keys(views).find((one) => id.endsWith(`/src/ui/${one}`))
    return path === undefined ? undefined : `export const ${views[path]} = () => null`
  }
  return { name: 'without-live-views', load }
}

/** A plugin that leaves out the code of a saved page, or that of the page of a server. */
function decided(isSaved) {
  const transform = (code, id) =>
    id.includes('/src/ui/')
      ? code.replace(/\bsaved (===|!==) undefined\b/g, (_, sign) => String(isSaved === (sign === '!==')))
      : undefined
  return { name: 'decided', transform }
}

/**
 * Bundles the page; resolves to the paths of what it contains. Not with esbuild, which would move what the
 * entry shares with later chunks to one more file, for which the first view would wait.
 */
async function bundlePage(name, output) {
  const bundle = await rolldown({
    input: { [name]: 'src/ui/main.tsx' },
    platform: 'browser',
    plugins: name === 'saved' ? [withoutLiveViews(), decided(true)] : [decided(false)],
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
    preserveEntrySignatures: 'allow-extension',
    logLevel: 'warn',
  })
  const { output: chunks } = await bundle.write({
    dir: 'dist/ui',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    minify: true,
    // The page calls nearly all its functions at once: Chromium compiles them beside the main thread.
    postBanner: ({ name }) => (name === 'page' ? '//# allFunctionsCalledOnLoad' : ''),
    ...output,
  })
  await bundle.close()
  return chunks.flatMap(({ modules = {} }) =>
    Object.entries(modules).flatMap(([path, { renderedLength }]) => (renderedLength > 0 ? [path] : [])),
  )
}

/**
 * The files that `require` finds in Jest, which cannot load ES modules with it: they load the ES modules with
 * node's own `require`. Jest replaces that of its sandbox, but not the one of the surrounding program.
 */
async function writeCommonJs() {
  await mkdir('dist/cjs/types', { recursive: true })
  await writeFile('dist/cjs/package.json', '{ "type": "commonjs" }\n')
  for (const name of commonJsEntries) {
    await writeFile(
      `dist/cjs/${name}.js`,
      `const { getBuiltinModule } = require('node:vm').runInThisContext('process')
module.exports = getBuiltinModule('node:module').createRequire(__filename)('../${name}.js')
`,
    )
    const types = commonJsTypes(name, await import(`./dist/${name}.js`))
    await writeFile(`dist/cjs/types/${name}.d.ts`, types)
  }
}

async function bundleCrossSpawn() {
  const { metafile } = await build({
    ...{ bundle: true, platform: 'node', target: shared.target, format: 'cjs', metafile: true },
    ...{ minify: true, legalComments: 'none', logLevel: 'warning' },
    entryPoints: ['node_modules/cross-spawn/index.js'],
    outfile: 'dist/cross-spawn.cjs',
  })
  return metafile
}

/**
 * Joins the chunks that the same entries load: esbuild makes one for each set of modules that any `import()`
 * may load without the others, thirty for the main entry, and node takes as long to find files as to read
 * them.
 */
async function joinChunks(outputFiles, { outputs }) {
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const entries = Object.keys(outputs).filter((path) => !path.includes('/chunks/'))
  const loaded = entries.map((entry) => loadedBy(entry, outputs))
  // What the main entry may load later must not bring what only servers load: it runs in browsers.
  const inBrowsers = loadedBy('dist/index.js', outputs, true)
  const groups = new Map()
  for (const [path, { bytes, entryPoint, imports }] of Object.entries(outputs)) {
    const statically = entries.filter((_, at) => loaded[at].has(path))
    // To find a small file takes longer than to read it in vain: one that only commands load joins those of all.
    const isSmall = bytes < smallChunk && imports.every(({ external }) => external)
    const ofCommands = isSmall && statically.length === 0 && !inBrowsers.has(path)
    const by = [...(ofCommands ? ['dist/cli.js'] : statically), inBrowsers.has(path)].join(' ')
    if (!by.includes('/') || !path.includes('/chunks/') || entryPoint !== undefined) continue
    const group = isSmall && imports.length === 0 && !ofCommands ? 'small' : by
    groups.set(group, [...(groups.get(group) ?? []), path])
  }
  const shared = [...groups.values()].filter((chunks) => chunks.length > 1)
  // Two chunks may export the same name: behind it stands the number of its chunk.
  const places = new Map()
  for (const [at, chunks] of shared.entries())
    for (const [number, path] of chunks.entries())
      places.set(basename(path), { file: `joined-${at}.js`, number })
  const redirected = (text, own) =>
    text.replace(/(?:\{([^{}]*)\}from)?"(\.\/(?:chunks\/)?)([\w-]+\.js)"/g, (whole, names, folder, name) => {
      const place = places.get(name)
      if (place === undefined || place.file === own) return whole
      const renamed = names?.split(',').map((one) => one.replace(/^\S+/, `$&_${place.number} as $&`))
      const list = renamed?.map((one) => one.replace(/ as \S+ as /, ' as '))
      return `${list === undefined ? '' : `{${list}}from`}"${folder}${place.file}"`
    })
  const joined = shared.map(async (chunks, at) => {
    const file = `joined-${at}.js`
    const parts = new Map(chunks.map((path) => [basename(path), redirected(texts.get(basename(path)), file)]))
    const exported = chunks.map((path, number) => {
      const names = outputs[path].exports.map((name) => `${name} as ${name}_${number}`)
      return `export { ${names} } from './${basename(path)}'`
    })
    const made = await build({
      ...{ bundle: true, format: 'esm', platform: 'neutral', target: 'node20.19', charset: 'ascii' },
      ...{ minifySyntax: true, minifyWhitespace: true, legalComments: 'none', logLevel: 'warning' },
      stdin: { contents: exported.join('\n') },
      plugins: [fromTexts(parts)],
      write: false,
    })
    return { path: join(dirname(chunks[0]), file), text: made.outputFiles[0].text }
  })
  const others = outputFiles.filter(({ path }) => !places.has(basename(path)))
  return [
    ...(await Promise.all(joined)),
    ...others.map(({ path, text }) => ({ path, text: redirected(text) })),
  ]
}

/** The chunks that an output loads statically, or also later, including itself. */
function loadedBy(path, outputs, also = false, found = new Set()) {
  if (outputs[path] === undefined || found.has(path)) return found
  found.add(path)
  for (const { path: next, kind } of outputs[path].imports)
    if (also || kind === 'import-statement') loadedBy(next, outputs, also, found)
  return found
}

/** A plugin that bundles the given texts by name. */
function fromTexts(texts) {
  return {
    name: 'from-texts',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) =>
        texts.has(basename(path)) ? { path: basename(path), namespace: 'texts' } : { path, external: true },
      )
      build.onLoad({ filter: /.*/, namespace: 'texts' }, ({ path }) => ({ contents: texts.get(path) }))
    },
  }
}

/**
 * Writes the files that a module of tools/generate makes: a function that gives their texts by their paths.
 */
async function write(module, name, tokenPairs) {
  // Inside node_modules, where external packages are resolved.
  const outdir = join('node_modules', `.gateway-sim-${module}-${process.pid}`)
  try {
    await build({ ...shared, entryPoints: [`tools/generate/${module}.ts`], outdir })
    if (tokenPairs !== undefined) await cp(tokenPairs, join(outdir, 'token-pairs.js'))
    const made = await import(pathToFileURL(join(outdir, `${module}.js`)).href)
    for (const [path, text] of Object.entries(await made[name]())) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
  } finally {
    await rm(outdir, { recursive: true, force: true })
  }
}

async function publishTypes() {
  const entries = Object.values(manifest.exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(types)],
  )
  await keepPublicTypes(join('dist/types'), entries)
}

/** The types of a CommonJS entry: those of the ES module, which TypeScript would not let `require` reach. */
function commonJsTypes(name, entry) {
  const module = `"../../types/${name}.js" with { "resolution-mode": "import" }`
  const values = Object.entries(entry).flatMap(([value, made]) => [
    `export declare const ${value}: typeof entry.${value};`,
    ...(String(made).startsWith('class') ? [`export type ${value} = entry.${value};`] : []),
  ])
  return [`import type * as entry from ${module};`, `export type * from ${module};`, ...values, ''].join('\n')
}

/** Runs a node program; prints its output only if it fails. */
function run(tool, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tool, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${tool} failed:\n${said}`))))
  })
}

/** The folders of every package that is partly bundled. */
function bundledPackages(ofPage, ...metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  )
  const held = new Set()
  for (const path of [...inputs, ...ofPage]) {
    const directory = /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
    if (directory !== undefined) held.add(directory)
  }
  // Whose letters stand in src/media/data/font.ts, and whose table in src/generated/token-pairs.ts.
  held.add('node_modules/@fontsource/noto-sans').add('node_modules/gpt-tokenizer')
  return [...held].sort()
}

/** Their licence texts. Equal terms are printed once. */
async function licences(directories) {
  const texts = []
  const termsOf = new Map()
  for (const directory of directories) {
    const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined)
      throw new Error(
        `build: ${directory} has no licence file, so it cannot be bundled; make it a dependency`,
      )
    const text = [file, ...(await licencesOfCodecs(directory))].map((path) =>
      readFile(join(directory, path), 'utf8'),
    )
    const own = (await Promise.all(text)).map((part) => {
      const lines = part.trim().split('\n')
      const isCopyright = (line) => /^\W*copyright\b/i.test(line)
      const terms = lines
        .filter((line) => !isCopyright(line))
        .join(' ')
        .replace(/\W+/g, ' ')
      const first = termsOf.get(terms)
      if (first === undefined) termsOf.set(terms, name)
      return first === undefined
        ? lines.join('\n')
        : `${lines.filter(isCopyright).join('\n')}\n\nThe terms are those printed above for ${first}.`.trim()
    })
    texts.push(`${name} ${version} (${license})\n\n${own.join('\n\n')}\n`)
  }
  const rule = `\n${'-'.repeat(80)}\n\n`
  return `The files in this directory contain parts of these packages.\n\n${texts.join(rule)}`
}

/**
 * What an installation consists of, as CycloneDX: the packages that npm installs with it, and those that are
 * bundled, which `npm sbom` does not know. The same for every build of one commit: no time, no random number.
 */
async function billOfMaterials(bundled) {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  const installed = Object.keys(packages).filter((path) => {
    const { dev, peer, devOptional } = packages[path]
    return path !== '' && !dev && !peer && !devOptional
  })
  const component = async (directory) => {
    const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    // npm writes base64, CycloneDX wants hexadecimal.
    const sha512 = /^sha512-(\S+)/.exec(packages[directory]?.integrity)?.[1]
    return {
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
      ...(sha512 === undefined
        ? {}
        : { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }),
      ...(bundled.includes(directory)
        ? { properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] }
        : {}),
    }
  }
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: await component('.') },
    components: await Promise.all([...new Set([...installed, ...bundled])].sort().map(component)),
  }
  return `${JSON.stringify(document)}\n`
}

/** What the codecs inside a package were made from has licences of its own. */
async function licencesOfCodecs(directory) {
  const files = await readdir(join(directory, 'codec')).catch(() => [])
  return files.filter((file) => /^licen[cs]e/i.test(file)).map((file) => join('codec', file))
}
