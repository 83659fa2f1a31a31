/** The package as it is published: what `npm pack` puts into the tarball, unpacked into an empty project. */
import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, inject } from 'vitest'

export const root = resolve(import.meta.dirname, '..')
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly exports: Readonly<
    Record<string, string | Readonly<Record<string, string | Readonly<Record<string, string>>>>>
  >
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** Throws when the build is not there; `npm test` makes it before the tests. */
export function requireBuild(): void {
  if (!existsSync(join(root, 'dist', 'cli.js')))
    throw new Error('dist/ is not there: run `npm run build` first (`npm test` does)')
}

export interface Project {
  readonly directory: string
  /** The path of the tarball, which all projects share. */
  readonly tarball: string
  /** The files of the tarball, from its root. */
  readonly files: readonly string[]
  readonly packedBytes: number
  /** Makes packages of this repository available, as an installation would. */
  install(...names: string[]): void
  write(name: string, text: string): string
  /** Runs node in the project; what it wrote, and how it ended. */
  node(...args: string[]): Promise<Ended>
  /** What tsc says to a file of the project under `strict`: nothing when its types hold. */
  typesOf(file: string, options: Readonly<Record<string, unknown>>, compiler?: string): Promise<string>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Packed {
  readonly tarball: string
  readonly files: readonly string[]
  readonly size: number
}

/** Packs the package once in a run: the first test file that needs the tarball makes it for all others. */
function pack(): Packed {
  const folder = join(inject('shared'), 'packed')
  if (!existsSync(folder)) {
    const own = mkdtempSync(`${folder}-`)
    const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', own], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    writeFileSync(join(own, 'packed.json'), said)
    try {
      renameSync(own, folder)
    } catch (error) {
      // Two files started at the same time, and the other one was faster.
      if (!existsSync(folder)) throw error
    }
  }
  const [packed] = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8')) as [
    {
      readonly filename: string
      readonly size: number
      readonly files: readonly { readonly path: string }[]
    },
  ]
  const files = packed.files.map(({ path }) => path)
  return { tarball: join(folder, packed.filename), files, size: packed.size }
}

/**
 * A project with the packed package and what it depends on, and nothing else. It is gone after the tests of
 * the file.
 */
export function packedProject(): Project {
  requireBuild()
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-sim-package-')))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const installed = join(directory, 'node_modules', 'gateway-sim')
  mkdirSync(installed, { recursive: true })
  const { tarball, files, size } = pack()
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
  writeFileSync(
    join(directory, 'package.json'),
    '{ "name": "empty-project", "private": true, "type": "module" }\n',
  )

  const install = (...names: string[]): void => {
    for (const name of names) {
      const at = join(directory, 'node_modules', name)
      mkdirSync(dirname(at), { recursive: true })
      if (!existsSync(at)) symlinkSync(join(root, 'node_modules', name), at, 'junction')
    }
  }
  install(...Object.keys(manifest.dependencies))
  return {
    directory,
    tarball,
    files,
    packedBytes: size,
    install,
    write(name, text) {
      const path = join(directory, name)
      writeFileSync(path, text)
      return path
    },
    node: (...args) => runNode(args, directory),
    async typesOf(file, options, compiler = 'typescript') {
      const strict = { strict: true, noEmit: true, target: 'es2022', lib: ['es2023'], types: ['node'] }
      const compilerOptions = { ...strict, ...options }
      writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
      const tsc = join(root, `node_modules/${compiler}/bin/tsc`)
      const { code, stdout, stderr } = await runNode([tsc, '--project', '.'], directory)
      return code === 0 ? stdout : `${code}: ${stdout}${stderr}`
    },
  }
}

/** Runs node to its end. */
export function runNode(args: readonly string[], cwd: string): Promise<Ended> {
  return runProgram(process.execPath, args, { cwd })
}

/** Runs a program to its end. Its environment is PATH and `env`. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk))
    child.on('error', fail)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}
