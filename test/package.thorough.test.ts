/** The published package: what is in it, and that it works in a project that has nothing else. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { manifest, packedProject, root } from './_built.ts'

const project = packedProject()
const entries = Object.keys(manifest.exports).filter((name) => name !== './package.json')
const bin = 'node_modules/gateway-sim/bin/gateway-sim.js'
const nameOf = (entry: string): string => `gateway-sim${entry.slice(1)}`

describe('the tarball', () => {
  it('holds every file that package.json points to', () => {
    const targets = [
      ...Object.values(manifest.exports).flatMap((target) =>
        typeof target === 'string'
          ? [target]
          : Object.values(target).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one))),
      ),
      ...Object.values(manifest.bin),
    ]
    expect(
      targets
        .map((target) => target.replace(/^\.\//, ''))
        .filter((target) => !project.files.includes(target)),
    ).toEqual([])
  })

  it('is built before it is packed: a fresh clone has no dist', () => {
    expect(manifest.scripts['prepack']).toBe('npm run --silent build')
  })

  it('holds the schema, the licences and what a reader looks for, and no sources or tests', () => {
    const schemas = ['config.schema', 'openapi', 'contract.schemas', 'scenario.schema']
    expect(project.files).toEqual(
      expect.arrayContaining([
        ...schemas.map((name) => `schema/${name}.json`),
        ...['README.md', 'LICENSE', 'SECURITY.md', 'dist/THIRD-PARTY-LICENSES.txt'],
        ...['scenarios/README.md', 'scenarios/upstream-outage.yaml', 'docs/start/failures-without-setup.md'],
      ]),
    )
    expect(
      project.files.filter((name) => /^(?:src|test|bench|fixtures)\/|\.map$|tsconfig|\.tgz$/.test(name)),
    ).toEqual([])
  })

  it('is at most 2.7 megabytes, without what only the repository is for', () => {
    expect(project.packedBytes).toBeLessThan(2.7e6)
    expect(project.files.filter((name) => /docs\/(?:decisions|spec-coverage)/.test(name))).toEqual([])
  })

  it('names every bundled package with its version and its licence, and what has no import', () => {
    const file = 'node_modules/gateway-sim/dist/THIRD-PARTY-LICENSES.txt'
    const [, ...texts] = readFileSync(join(project.directory, file), 'utf8').split(
      `\n\n${'-'.repeat(80)}\n\n`,
    )
    const headings = texts.map((text) => text.split('\n', 1)[0] as string)
    const unexplained = texts.filter(
      (text) => !/permi(?:t|ssion)|terms|licen[cs]e/i.test(text.split('\n').slice(1).join('\n')),
    )
    expect(unexplained).toEqual([])

    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; license: string }>
    }
    const locked = Object.entries(lock.packages).map(
      ([path, { version, license }]) => `${path.split('node_modules/').at(-1)} ${version} (${license})`,
    )
    const data = [
      'gpt-tokenizer/LICENSE',
      '@jsquash/jpeg/codec/LICENSE.codec.md',
      '@jsquash/webp/codec/LICENSE.codec.md',
    ]
    expect(headings.filter((heading) => !locked.includes(heading))).toEqual(data)

    const imported = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('generated'))
      .flatMap((name) => [
        ...readFileSync(join(root, 'src', name), 'utf8').matchAll(
          /^(?:import|export) (?!type\b)[^'"]*?from '((?:@[\w-]+\/)?[\w-]+)[/']|import\('((?:@[\w-]+\/)?[\w-]+)[/']/gm,
        ),
      ])
      .map(([, still, lazy]) => still ?? (lazy as string))
    const own = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    const bundled = [...new Set(imported)].filter((name) => !own.includes(name)).sort()
    expect(bundled).toEqual([
      '@jsquash/jpeg',
      '@jsquash/webp',
      '@modelcontextprotocol/sdk',
      '@preact/signals',
      'mediabunny',
      'preact',
      'yargs',
      'zod',
    ])
    const named = headings.map((heading) => heading.split(' ', 1)[0])
    expect(bundled.filter((name) => !named.includes(name))).toEqual([])
  })

  it('holds the types that the entries lead to and no others', () => {
    const types = project.files.filter((name) => name.startsWith('dist/types/'))
    expect(types.length).toBeGreaterThan(4)
    expect(types.filter((name) => /\/(?:endpoints|behaviours|scenario|cli)\//.test(name)).sort()).toEqual([
      'dist/types/scenario/faults/nature.d.ts',
      'dist/types/scenario/load/scenario-set.d.ts',
      'dist/types/scenario/load/scenario.d.ts',
      'dist/types/scenario/rule-call.d.ts',
      'dist/types/scenario/scenario-error.d.ts',
    ])
    // Which is bundled, so that nobody who installs the package has it.
    const withZod = types.filter((name) =>
      readFileSync(join(project.directory, 'node_modules/gateway-sim', name), 'utf8').includes("'zod'"),
    )
    expect(withZod).toEqual([])
  })
})

describe('the tools of this repository', () => {
  // npm runs scripts with this folder first in PATH: a `node` in it would run the build, the server and every
  // test.
  it("bring no node that would stand in for the developer's", () => {
    expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(false)
  })
})

describe('without msw and express', () => {
  it('is not accompanied by them', () => {
    for (const name of ['msw', '@mswjs/http-middleware', 'express', 'zod', 'yargs', 'gpt-tokenizer'])
      expect(existsSync(join(project.directory, 'node_modules', name)), name).toBe(false)
  })

  it('answers chat, images, forms and files through fetch and over HTTP', async () => {
    project.write(
      'use.mjs',
      `import { createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'
import { middleware } from 'gateway-sim/express'
const sim = createSimulator()
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const post = async (fetch, url, body) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
const chat = await (await post(sim.fetch, 'http://x/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] })).json()
const shaped = await (await post(sim.fetch, 'http://x/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'who?' }], response_format: { type: 'json_schema', json_schema: { name: 'p', schema: { type: 'object', properties: { email: { type: 'string', format: 'email' } }, required: ['email'], additionalProperties: false } } } })).json()
const form = new FormData()
form.set('model', 'sora-2')
form.set('prompt', 'a sunset')
const video = await (await sim.fetch('http://x/v1/videos', { method: 'POST', headers: { authorization: headers.authorization }, body: form })).json()
const job = await (await post(sim.fetch, 'http://x/v1/tob/diffusion', { model: 'sim-finished', text: 'a fox' })).json()
const { urls } = await (await sim.fetch('http://x/v1/tob/job/' + job.id, { headers })).json()
const image = new Uint8Array(await (await sim.fetch(urls[0])).arrayBuffer())
const drawn = async (output_format) => (await (await post(sim.fetch, 'http://x/v1/images/generations', { prompt: 'a fox', output_format })).json()).data[0].b64_json.slice(0, 4)
const formats = [await drawn('png'), await drawn('webp'), await drawn('jpeg')]
const { url, close } = await listen(sim)
const health = (await fetch(url + '/__sim/health')).status
await close()
console.log(JSON.stringify({ chat: chat.choices[0].message.content, email: JSON.parse(shaped.choices[0].message.content).email, video: video.object, image: String.fromCharCode(...image.subarray(1, 4)), formats, health, middleware: typeof middleware(sim) }))
`,
    )
    const { code, stdout, stderr } = await project.node('use.mjs')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      chat: 'pong',
      email: expect.stringContaining('@'),
      video: 'video',
      image: 'PNG',
      formats: ['iVBO', 'UklG', '/9j/'],
      health: 200,
      middleware: 'function',
    })
  })

  it('says which package gateway-sim/msw lacks', async () => {
    const { code, stderr } = await project.node(
      '--input-type=module',
      '-e',
      "await import('gateway-sim/msw')",
    )
    expect(code).toBe(1)
    expect(stderr).toContain("Cannot find package 'msw'")
  })

  it('can be loaded by require, entry by entry', async () => {
    project.write(
      'load.cjs',
      `console.log(JSON.stringify(process.argv.slice(2).map((name) => Object.keys(require(name)).sort())))`,
    )
    const { code, stdout, stderr } = await project.node(
      'load.cjs',
      ...entries.filter((entry) => entry !== './msw' && entry !== './vitest').map(nameOf),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const errors = ['ConfigError', 'ScenarioError', 'SimulatorClosedError', 'VerificationError']
    const reports = ['clientReportMarkdown', 'clientReportText']
    expect(JSON.parse(stdout)).toEqual([
      [...errors, ...reports, 'createSimulator', 'defineScenario', 'loadScenario'],
      ['HarError', 'listen', 'loadRecordings'],
      ['middleware'],
      ['ControlError', 'VerificationError', 'connect'],
      ['jsonSchema', 'openapi'],
      ['trialText', 'tryFailures'],
    ])
  })

  it.each([
    ['nodenext', 'nodenext', 'use.ts'],
    ['nodenext', 'nodenext', 'use.cts'],
    ['esnext', 'bundler', 'use.ts'],
  ])(
    'has types that hold under strict, with module %s and resolution %s, in %s',
    async (module, moduleResolution, file) => {
      project.install('@types/node', 'undici-types')
      project.write(
        file,
        `import { createSimulator, type Simulator, type SimulatorOptions, ScenarioError } from 'gateway-sim'
import { listen, type SimulatorServer } from 'gateway-sim/node'
import { middleware } from 'gateway-sim/express'

const options: SimulatorOptions = { clock: 'manual', settings: { chat: { firstEventAfter: '1s' }, keys: { 'sk-alice': { models: ['gpt-4o'] } } } }
export const sim: Simulator = createSimulator(options)
export const answer: Promise<Response> = sim.fetch('http://gateway.test/v1/models')
export const clock: number = sim.clock.advance('5s').fired.length + sim.clock.now()
export const paths: string[] = sim.routes.map(({ endpoint, group }) => endpoint.path + group.name)
export const server: Promise<SimulatorServer> = listen(sim, { port: 0, accessLog: ({ status, path }) => console.log(status.toFixed(), path) })
export const mounted = middleware(sim)
export const findings = (error: ScenarioError): string[] => error.errors.map(({ field, message }) => field + message)
// @ts-expect-error an unknown setting
createSimulator({ settings: { sede: 'x' } })
// @ts-expect-error what the integrations use is not for clients
export const inside: unknown = sim.core
`,
      )
      const options = { exactOptionalPropertyTypes: true, skipLibCheck: false, module, moduleResolution }
      expect(await project.typesOf(file, options)).toBe('')
    },
  )

  it('has a command line', async () => {
    const [version, document] = await Promise.all([
      project.node(bin, '--version'),
      project.node(bin, 'openapi', '--operation', 'chat.create'),
    ])
    expect(version).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
    expect(document).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(document.stdout)).toMatchObject({ paths: { '/v1/chat/completions': {} } })
  })

  it('replays the scenarios that it brings along, by the command line and in a simulator', async () => {
    const all = await project.node(bin, 'replay', 'node_modules/gateway-sim/scenarios')
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toMatch(/\n(\d+) scenarios: \1 passed, 0 failed; /)
    project.write(
      'story.mjs',
      `import { createSimulator } from 'gateway-sim'
const sim = createSimulator({ scenarios: ['node_modules/gateway-sim/scenarios/image-job-ambiguous-submit-424.yaml'] })
const { status } = await sim.fetch('http://x/v1/tob/diffusion', { method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' }, body: JSON.stringify({ model: 'm', text: 'a fox' }) })
console.log(status)
`,
    )
    expect(await project.node('story.mjs')).toEqual({ code: 0, stdout: '424\n', stderr: '' })
  })

  it('rejects --handlers with 3 and says what to install', async () => {
    project.write(
      'handlers.mjs',
      "import { http, HttpResponse } from 'msw'\nexport default [http.get('/v1/models', () => HttpResponse.json({}))]\n",
    )
    const words = ['serve', '--port', '0', '--handlers', 'handlers.mjs']
    const { code, stdout, stderr } = await project.node(bin, ...words)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(
      'it imports msw, which is not installed: npm install --save-dev msw@2 @mswjs/http-middleware',
    )
  })
})

describe('with msw', () => {
  it('gateway-sim/msw can be imported and required, has types, and answers', async () => {
    project.install('msw')
    project.write(
      'with-msw.mjs',
      `import { createRequire } from 'node:module'
import { setupServer } from 'msw/node'
import { createSimulator } from 'gateway-sim'
import { handlers } from 'gateway-sim/msw'
const server = setupServer(...handlers(createSimulator(), { origins: ['https://api.example.test'] }))
server.listen()
const { status } = await fetch('https://api.example.test/v1/models', { headers: { authorization: 'Bearer sk-test' } })
server.close()
console.log(JSON.stringify({ status, required: Object.keys(createRequire(import.meta.url)('gateway-sim/msw')) }))
`,
    )
    project.write(
      'with-msw.ts',
      "import { createSimulator } from 'gateway-sim'\nimport { handlers } from 'gateway-sim/msw'\nimport { setupServer } from 'msw/node'\nexport const server = setupServer(...handlers(createSimulator(), { origins: ['https://api.example.test'], unknown: 'passthrough' }))\n",
    )
    // msw's own types are msw's business.
    const options = { skipLibCheck: true, lib: ['es2023', 'dom'], module: 'nodenext' }
    const [used, types] = await Promise.all([
      project.node('with-msw.mjs'),
      project.typesOf('with-msw.ts', options),
    ])
    expect(used).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(used.stdout)).toEqual({ status: 200, required: ['handlers'] })
    expect(types).toBe('')
  })
})

describe('with vitest', () => {
  it('gateway-sim/vitest gives tests their session and its matchers, with types', async () => {
    project.install('vitest', '@types/node', 'undici-types')
    const text = `import { expect, test, type TestSession } from 'gateway-sim/vitest'
const models = async (sim: TestSession): Promise<number> => (await sim.fetch('/v1/models', { headers: sim.headers })).status
test('one', async ({ sim }) => {
  expect(await models(sim)).toBe(200)
  await expect(sim).toHaveReceived('models.list', { times: 1, noOthers: true })
  await expect(sim).toBeWellBehaved()
})
test.scenario({ title: 'x', rules: [{ id: 'unused', when: { operation: 'chat.create' }, then: { error: { status: 503 } } }] })('two', async ({ sim }) => {
  // @ts-expect-error an operation that does not exist
  await expect(expect(sim).toHaveReceived('models.lst')).rejects.toThrow('did you mean models.list?')
})
`
    project.write('with-vitest.test.ts', text)
    const options = { skipLibCheck: true, lib: ['es2023', 'dom', 'esnext.disposable'], module: 'nodenext' }
    const [ran, types] = await Promise.all([
      project.node('node_modules/vitest/vitest.mjs', 'run', '--reporter=json', 'with-vitest.test.ts'),
      project.typesOf('with-vitest.test.ts', options),
    ])
    expect(types).toBe('')
    const { testResults } = JSON.parse(ran.stdout) as {
      testResults: {
        message: string
        assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
      }[]
    }
    expect(testResults).toMatchObject([
      {
        assertionResults: [
          { fullName: 'one', status: 'passed' },
          {
            fullName: 'two',
            status: 'failed',
            failureMessages: [
              expect.stringContaining('UnassertedError: A rule has not responded to any request: unused.'),
            ],
          },
        ],
      },
    ])
  })
})

describe('bundled for a browser', () => {
  it('the main entry leads to nothing of node, not even by a dynamic import', async () => {
    const found: string[] = []
    const { metafile } = await build({
      entryPoints: [join(project.directory, 'node_modules/gateway-sim/dist/index.js')],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      outdir: join(project.directory, 'bundle'),
      write: false,
      metafile: true,
      logLevel: 'silent',
      plugins: [
        {
          name: 'node-imports',
          setup({ onResolve }) {
            onResolve({ filter: /^(?:node:|[a-z_]+(?:\/|$))/ }, ({ path, importer }) => {
              if (!path.startsWith('node:') && !builtinModules.includes(path)) return undefined
              found.push(`${importer} imports ${path}`)
              return { path, external: true }
            })
          },
        },
      ],
    })
    expect(found).toEqual([])
    // The libraries behind dynamic imports were looked at too.
    const inputs = Object.keys(metafile.inputs).join('\n')
    for (const name of ['token-pairs', '@faker-js/faker', 'yaml/browser', 'media-render'])
      expect(inputs).toContain(name)
  })
})
