/** Scenario files as a command line names them: paths, directories, `-` for standard input. Reads; says nothing of what they hold. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { scenarioOf, scenarioReader, textOf, unreadable, type Scenario } from '../load-scenario.ts'
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

/** The files that are meant; a directory stands for the scenario files inside it. Throws `CommandError` for an empty one. */
export async function namedFiles(files: readonly string[], cwd: string): Promise<NamedFile[]> {
  const lists = await Promise.all(
    files.map(async (file): Promise<NamedFile[]> => {
      if (file === '-') return [{ shown: '<stdin>', path: undefined, found: false }]
      const path = resolve(cwd, file)
      const isDirectory = await stat(path).then((facts) => facts.isDirectory(), () => false)
      if (!isDirectory) return [{ shown: file, path, found: false }]
      const inside = (await readdir(path, { recursive: true })).filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort()
      if (inside.length === 0) throw new CommandError(exitCodes.file, `${file}: this directory holds no scenario file (.yaml, .yml or .json).`)
      return inside.map((name) => ({ shown: join(file, name).replaceAll('\\', '/'), path: join(path, name), found: true }))
    }),
  )
  return lists.flat()
}

/** Reads all files; what is wrong with one is told beside it. */
export async function readScenarioFiles(files: readonly NamedFile[], io: Pick<Io, 'cwd' | 'readStdin'>): Promise<ScenarioFile[]> {
  const yaml = await import('yaml')
  const read: ScenarioFile[] = []
  for (const file of files) {
    let lines: readonly string[] = []
    try {
      const text = textOf(await bytesOf(file, io), file.shown)
      lines = text.split(/\r?\n/)
      read.push({ ...file, lines, mistakes: [], error: undefined, scenario: scenarioOf(text, file.shown, file.path === undefined ? io.cwd : dirname(file.path), yaml, scenarioReader()) })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      read.push({ ...file, lines, mistakes: error.findings, error, scenario: undefined })
    }
  }
  return read
}

async function bytesOf({ path, shown }: NamedFile, { readStdin }: Pick<Io, 'readStdin'>): Promise<Uint8Array> {
  if (path === undefined) return readStdin()
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(shown, error)
  }
}
