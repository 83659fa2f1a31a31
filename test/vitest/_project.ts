/** Runs vitest on a small project, in a process of its own, and says how each of its tests ended. */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireBuild, root } from '../_built.ts'

export interface ProjectOptions {
  /** The files with tests. */
  readonly include: readonly string[]
  readonly globals?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs vitest, such as `gateway-sim exec --`. */
  readonly through?: readonly string[]
  /** Receives what vitest prints. */
  readonly printed?: (output: string) => void
}

/**
 * The full name of each test with what it was told; nothing when it passed. The package is the built one,
 * which is loaded sooner than its sources. Rejects when vitest could not run.
 */
export async function runProject(
  directory: string,
  { include, globals = false, env = {}, through = [], printed }: ProjectOptions,
): Promise<Record<string, string[]>> {
  requireBuild()
  const id = include.join('-').replace(/[^a-z0-9]+/gi, '-')
  const config = join(directory, `vitest.${id}.config.mjs`)
  const report = join(directory, `report.${id}.json`)
  writeFileSync(
    config,
    `const dist = (name) => ${JSON.stringify(join(root, 'dist'))} + '/' + name + '.js'
const alias = [
  { find: /^(?:gateway-sim|.*\\/src)\\/vitest(?:\\.ts)?$/, replacement: dist('vitest') },
  { find: 'gateway-sim/node', replacement: dist('node') },
  { find: 'gateway-sim/client', replacement: dist('client') },
  { find: 'gateway-sim', replacement: dist('index') },
]
export default { resolve: { alias }, test: { root: ${JSON.stringify(directory)}, include: ${JSON.stringify(include)}, exclude: [], globals: ${globals}, server: { deps: { inline: [/\\.test\\.js$/], external: [/\\/dist\\//] } }, testTimeout: 30000, maxWorkers: 1, reporters: ['default', 'json'], outputFile: { json: ${JSON.stringify(report)} } } }\n`,
  )
  try {
    const said = await new Promise<string>((done) => {
      const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs')]
      const [program = '', ...words] = [...through, ...vitest, 'run', '--config', config]
      execFile(
        program,
        words,
        { cwd: directory, env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env }, maxBuffer: 1e8 },
        (_error, stdout, stderr) => done(stdout + stderr),
      )
    })
    printed?.(said)
    const { testResults } = readReport(report, said)
    const broken = testResults.filter(({ assertionResults }) => assertionResults.length === 0)
    if (broken.length > 0)
      throw new Error(broken.map(({ name, message }) => `${name}: ${message}`).join('\n'))
    // The first line of a stack is where it was thrown; what was said stands before it.
    return Object.fromEntries(
      testResults.flatMap(({ assertionResults }) =>
        assertionResults.map(({ fullName, status, failureMessages }) => [
          fullName,
          (status === 'passed' ? [] : failureMessages).map(
            (message) => message.split(/\n {4}at /)[0] as string,
          ),
        ]),
      ),
    )
  } finally {
    rmSync(config, { force: true })
    rmSync(report, { force: true })
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

function readReport(path: string, said: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    throw new Error(`vitest wrote no report:\n${said}`)
  }
}
