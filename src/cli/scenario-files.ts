/**
 * Scenario files as a command line names them: paths, directories, `-` for standard input. Reads; says
 * nothing of what they hold.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type Scenario,
  scenarioOf,
  scenarioReader,
  textOf,
  unreadable,
} from '../scenario/load/load-scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario/scenario-error.ts'
import { CommandError, exitCodes, type Io } from './command.ts'

/** A file as a command line names it. */
export interface NamedFile {
  /** As it was written; inside a directory, behind it. */
  readonly shown: string
  /** Where it is; undefined for standard input. */
  readonly path: string | undefined
  /** True when a directory was named and not the file. */
  readonly found: boolean
}

/** A file that was read. */
export interface ScenarioFile extends NamedFile {
  /** Undefined when it cannot be used. */
  readonly scenario: Scenario | undefined
  /** Its lines as they stand, for reports; empty when it cannot be read. */
  readonly lines: readonly string[]
  readonly mistakes: readonly ScenarioFinding[]
  /** The same as one error; undefined when it can be used. */
  readonly error: ScenarioError | undefined
}

/**
 * The files that are meant; a directory stands for the scenario files inside it. Throws `CommandError` for an
 * empty one.
 */
export async function namedFiles(files: readonly string[], cwd: string): Promise<NamedFile[]> {
  const lists = await Promise.all(
    files.map(async (file): Promise<NamedFile[]> => {
      if (file === '-') return [{ shown: '<stdin>', path: undefined, found: false }]
      const path = resolve(cwd, file)
      const isDirectory = await stat(path).then(
        (facts) => facts.isDirectory(),
        () => false,
      )
      if (!isDirectory) return [{ shown: file, path, found: false }]
      const inside = (await readdir(path, { recursive: true }))
        .filter((name) => /\.(?:ya?ml|json)$/.test(name) && !/(?:^|[\\/])node_modules[\\/]/.test(name))
        .sort()
      if (inside.length === 0)
        throw new CommandError(
          exitCodes.file,
          `${file}: this directory holds no scenario file (.yaml, .yml or .json).`,
        )
      return inside.map((name) => ({
        shown: join(file, name).replaceAll('\\', '/'),
        path: join(path, name),
        found: true,
      }))
    }),
  )
  return lists.flat()
}

/** What reading takes of the outside: `stderr` hears of files that are passed over. */
export type Reading = Pick<Io, 'cwd' | 'readStdin'> & { readonly stderr?: Pick<Io['stderr'], 'write'> }

/**
 * Reads all files; what is wrong with one is told beside it. What lies in a directory and is plainly no
 * scenario is passed over. Throws `CommandError` when nothing is left.
 */
export async function readScenarioFiles(files: readonly NamedFile[], io: Reading): Promise<ScenarioFile[]> {
  const yaml = await import('yaml')
  const read: ScenarioFile[] = []
  const passed: string[] = []
  for (const file of files) {
    let lines: readonly string[] = []
    try {
      const text = textOf(await bytesOf(file, io), file.shown)
      lines = text.split(/\r?\n/)
      if (file.found && isSomethingElse(file.shown, text)) {
        passed.push(file.shown)
        continue
      }
      read.push({
        ...file,
        lines,
        mistakes: [],
        error: undefined,
        scenario: scenarioOf(
          text,
          file.shown,
          file.path === undefined ? io.cwd : dirname(file.path),
          yaml,
          scenarioReader(),
        ),
      })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      read.push({ ...file, lines, mistakes: error.findings, error, scenario: undefined })
    }
  }
  if (passed.length > 0 && read.length === 0)
    throw new CommandError(
      exitCodes.file,
      `${passed.slice(0, maxNamed).join(', ')}: no scenario file was found, only JSON without \`title\`, \`rules\` and \`steps\`.`,
    )
  if (passed.length > 0)
    io.stderr?.write(
      `gateway-sim: passed over, no scenario: ${passed.slice(0, maxNamed).join(', ')}${passed.length > maxNamed ? ` and ${passed.length - maxNamed} more` : ''}\n`,
    )
  return read
}

/** More files than these are counted, not named. */
const maxNamed = 5

/** Whether JSON is no scenario and nobody took it for one: a trace or a report of ours, a package.json. */
function isSomethingElse(shown: string, text: string): boolean {
  if (!shown.endsWith('.json')) return false
  try {
    const value = JSON.parse(text) as unknown
    if (value === null || typeof value !== 'object') return true
    if (typeof (value as { format?: unknown }).format === 'string') return true
    return !words.some((word) => Object.hasOwn(value, word))
  } catch {
    // With comments in it, as in a tsconfig.json, or broken.
    return !words.some((word) => text.includes(`"${word}"`))
  }
}

const words = ['title', 'rules', 'steps'] as const

async function bytesOf(
  { path, shown }: NamedFile,
  { readStdin }: Pick<Io, 'readStdin'>,
): Promise<Uint8Array> {
  if (path === undefined) return readStdin()
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(shown, error)
  }
}
