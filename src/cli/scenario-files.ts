/** Finds and reads the scenario files of a command line: files, directories, `-` for standard input. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { unreadable } from '../disk/disk.ts'
import { gatewayApi } from '../disk/load-scenario.ts'
import { type Scenario, scenarioOf, textOf } from '../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario/scenario-error.ts'
import { CommandError, exitCodes, type Io } from './command.ts'

/** A file of a command line. */
export interface FoundFile {
  /** Its name in messages. */
  readonly shown: string
  /** Undefined for standard input. */
  readonly path: string | undefined
  /** Whether it was found in a directory rather than given by name. */
  readonly inDirectory: boolean
}

/** A file that was read. */
export interface ScenarioFile extends FoundFile {
  /** Undefined if it is invalid. */
  readonly scenario: Scenario | undefined
  /** Its text, for reports; empty if it cannot be read. */
  readonly lines: readonly string[]
  readonly mistakes: readonly ScenarioFinding[]
  /** The mistakes as one error; undefined if it is valid. */
  readonly error: ScenarioError | undefined
}

/** Expands directories. Throws `CommandError` for a directory without scenario files. */
export async function findScenarioFiles(files: readonly string[], cwd: string): Promise<FoundFile[]> {
  const lists = await Promise.all(
    files.map(async (file): Promise<FoundFile[]> => {
      if (file === '-') return [{ shown: '<stdin>', path: undefined, inDirectory: false }]
      const path = resolve(cwd, file)
      const isDirectory = await stat(path).then(
        (facts) => facts.isDirectory(),
        () => false,
      )
      if (!isDirectory) return [{ shown: file, path, inDirectory: false }]
      const names = (await readdir(path, { recursive: true }))
        .filter((name) => /\.(?:ya?ml|json)$/.test(name) && !/(?:^|[\\/])node_modules[\\/]/.test(name))
        .sort()
      if (names.length === 0)
        throw new CommandError(
          exitCodes.file,
          `${file}: this directory contains no scenario files (.yaml, .yml or .json).`,
        )
      return names.map((name) => ({
        shown: join(file, name).replaceAll('\\', '/'),
        path: join(path, name),
        inDirectory: true,
      }))
    }),
  )
  return lists.flat()
}

/** What is needed to read files; skipped ones are reported on `stderr`. */
export type FileInput = Pick<Io, 'cwd' | 'readStdin'> & { readonly stderr?: Pick<Io['stderr'], 'write'> }

/**
 * Reads all files and collects their mistakes. JSON files in a directory that are obviously not scenarios are
 * skipped. Throws `CommandError` if none is left.
 */
export async function readScenarioFiles(files: readonly FoundFile[], io: FileInput): Promise<ScenarioFile[]> {
  const yaml = await import('yaml')
  const read: ScenarioFile[] = []
  const skipped: string[] = []
  for (const file of files) {
    let lines: readonly string[] = []
    try {
      const text = textOf(await readBytes(file, io), file.shown)
      lines = text.split(/\r?\n/)
      if (file.inDirectory && isOtherJson(file.shown, text)) {
        skipped.push(file.shown)
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
          gatewayApi().reader,
        ),
      })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      read.push({ ...file, lines, mistakes: error.findings, error, scenario: undefined })
    }
  }
  if (skipped.length > 0) {
    const names = skipped.slice(0, maxNamed).join(', ')
    if (read.length === 0)
      throw new CommandError(
        exitCodes.file,
        `${names}: no scenario file found, only JSON without \`title\`, \`rules\` and \`steps\`.`,
      )
    const more = skipped.length > maxNamed ? ` and ${skipped.length - maxNamed} more` : ''
    io.stderr?.write(`gateway-sim: skipped, not a scenario: ${names}${more}\n`)
  }
  return read
}

/** More files than these are counted, not named. */
const maxNamed = 5

/** Whether it is other JSON: a trace, a report, a package.json. */
function isOtherJson(shown: string, text: string): boolean {
  if (!shown.endsWith('.json')) return false
  try {
    const value = JSON.parse(text) as unknown
    if (value === null || typeof value !== 'object') return true
    if (typeof (value as { format?: unknown }).format === 'string') return true
    return !scenarioKeys.some((key) => Object.hasOwn(value, key))
  } catch {
    // Invalid, or with comments, as in a tsconfig.json.
    return !scenarioKeys.some((key) => text.includes(`"${key}"`))
  }
}

const scenarioKeys = ['title', 'rules', 'steps'] as const

async function readBytes(
  { path, shown }: FoundFile,
  { readStdin }: Pick<Io, 'readStdin'>,
): Promise<Uint8Array> {
  if (path === undefined) return readStdin()
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(shown, error)
  }
}
