/**
 * Every sample of the documentation is run: TypeScript as it stands, curl against a server; what it prints is
 * what it says.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../src/node.ts'
import { simulator } from './_setup.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
// Inside the checkout, so that the samples find the packages they import.
const folder = join(root, 'node_modules/.cache/gateway-sim-docs')

interface Sample {
  readonly title: string
  readonly language: string
  readonly text: string
}

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const samples: Sample[] = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = ''], index) => ({ title: `${page}, sample ${index + 1}`, language, text }),
  ),
)

beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('TypeScript samples', () => {
  const typescript = samples.filter(({ language }) => language === 'ts')

  it('exist', () => {
    expect(typescript.length).toBeGreaterThanOrEqual(6)
  })

  it.each(typescript.map((sample, index) => [sample.title, sample.text, index] as const))(
    '%s prints what it says',
    async (_title, text, index) => {
      const entry = join(folder, `sample-${index}.ts`)
      const outfile = join(folder, `sample-${index}.mjs`)
      writeFileSync(entry, text)
      await build({
        entryPoints: [entry],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        logLevel: 'error',
        alias: {
          'gateway-sim/msw': join(root, 'src/msw.ts'),
          'gateway-sim/node': join(root, 'src/node.ts'),
          'gateway-sim/express': join(root, 'src/express.ts'),
          'gateway-sim/client': join(root, 'src/client.ts'),
          'gateway-sim/openapi': join(root, 'src/openapi.ts'),
          'gateway-sim': join(root, 'src/index.ts'),
        },
      })
      const { stdout } = await run(process.execPath, [outfile], { timeout: 60_000 })
      const promised = [...text.matchAll(/console\.log\(.*\/\/ → (.*)$/gm)].map(([, line]) => line)
      expect(promised.length).toBeGreaterThan(0)
      expect(stdout.trimEnd().split('\n')).toEqual(promised)
    },
  )
})

describe('shell samples', () => {
  const shell = samples
    .filter(({ language }) => language === 'sh')
    .flatMap(({ title, text }) =>
      text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => ({ title, line: line.trim() })),
    )

  it('know only commands that a test knows', () => {
    expect(
      shell.filter(
        ({ line }) =>
          !/^(?:curl -s http:\/\/127\.0\.0\.1:4010\/|(?:npx )?gateway-sim |npm |npx vitest|npx openapi-typescript )/.test(
            line,
          ),
      ),
    ).toEqual([])
  })

  it.each(shell.filter(({ line }) => line.startsWith('curl')).map(({ title, line }) => [title, line]))(
    '%s: %s',
    async (_title, line) => {
      const listening = await listen(simulator({ clock: 'real' }))
      try {
        const { stdout } = await run('bash', [
          '-c',
          `${line.replace('http://127.0.0.1:4010', listening.url)} -m 20 -w '\\n%{http_code}'`,
        ])
        expect(stdout.trim().split('\n').at(-1)).toMatch(/^20[01]$/)
      } finally {
        await listening.close()
      }
    },
  )
})
