/** Finds and reads the scenario files of a command line: files, directories, `-` for standard input. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { unreadable } from '../disk/disk.ts'
import { gatewayApi } from '../disk/load-scenario.ts'
import { isFields, jsonIn } from '../engine/fields.ts'
import { ConfigError } from '../protocol/field-errors.ts'
import type { ReportedFile } from '../report/file-item.ts'
import { type Scenario, scenarioOf, textOf } from '../scenario/load/scenario.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'
import { ScenarioError, type ScenarioFieldError } from '../scenario/scenario-error.ts'
import { fileError, type Io } from './command.ts'
import { errorsMessage, isSettingsFile } from './settings-file.ts'

export interface FoundFile {
  /** Its name in messages. */
  readonly shown: string
  /** Undefined for standard input. */
  readonly path: string | undefined
  /** Whether it was found in a directory rather than given by name. */
  readonly inDirectory: boolean
}

export interface ScenarioFile extends FoundFile, ReportedFile {
  readonly scenario: Scenario | undefined
  readonly errors: readonly ScenarioFieldError[]
}

/** Expands directories. Throws `CommandError` for a directory without scenario files. */
export async function findScenarioFiles(files: readonly string[], cwd: string): Promise<FoundFile[]> {
  const lists = await Promise.all(
    files.map(async (file): Promise<FoundFile[]> => {
      if (file === '-') return [{ shown: '<stdin>', path: undefined, inDirectory: false }]
      const path = resolve(cwd, file)
      const facts = await stat(path).catch(() => undefined)
      return facts?.isDirectory() === true ? filesIn(file, path) : [{ shown: file, path, inDirectory: false }]
    }),
  )
  return lists.flat()
}

async function filesIn(folder: string, path: string): Promise<FoundFile[]> {
  const all = await readdir(path, { recursive: true })
  const names = all
    .filter((name) => /\.(?:ya?ml|json)$/.test(name) && !/(?:^|[\\/])node_modules[\\/]/.test(name))
    .sort()
  if (names.length === 0) {
    if (all.some((name) => name.endsWith('.har'))) throw fileError(recordingMessage(folder))
    throw fileError(`${folder}: this folder contains no scenario files (.yaml, .yml or .json).`)
  }
  return names.map((name) => ({
    shown: join(folder, name).replaceAll('\\', '/'),
    path: join(path, name),
    inDirectory: true,
  }))
}

/** What is needed to read files. */
export type FileInput = Pick<Io, 'cwd' | 'readStdin'>

/** Reads all files with their errors; skips other files in a directory. Throws if none is left. */
export async function readScenarioFiles(files: readonly FoundFile[], io: FileInput): Promise<ScenarioFile[]> {
  const yaml = await import('yaml')
  const read: ScenarioFile[] = []
  for (const file of files) {
    const { shown, path, inDirectory } = file
    const isSettings = path !== undefined && isSettingsFile(path)
    if (inDirectory && isSettings) continue
    if (isSettings)
      throw fileError(
        `${shown} is a settings file, not a scenario: pass it with --config, or check it with validate.`,
      )
    let lines: readonly string[] = []
    try {
      const text = textOf(path === undefined ? await io.readStdin() : await bytesOf(path, shown), shown)
      lines = text.split(/\r?\n/)
      if (/\.har$/i.test(shown)) throw fileError(recordingMessage(shown))
      if (inDirectory && isOtherJson(shown, text)) continue
      const directory = path === undefined ? io.cwd : dirname(path)
      const scenario = scenarioOf(text, shown, directory, yaml, gatewayApi().reader)
      read.push({ ...file, lines, errors: [], scenario, title: scenario.spec.title })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      read.push({ ...file, lines, errors: error.errors, scenario: undefined })
    }
  }
  const [first] = files
  if (read.length === 0 && first?.inDirectory === true)
    throw fileError(`${dirname(first.shown)}: this folder contains no scenario files.`)
  return read
}

/**
 * Reads the files of the command line. Throws `CommandError` that lists every error, with those that
 * `moreErrors` finds in a valid file.
 */
export async function readValidScenarios(
  files: readonly string[],
  io: FileInput,
  moreErrors: (scenario: Scenario) => readonly ScenarioFieldError[] = () => [],
): Promise<(ScenarioFile & { readonly scenario: Scenario })[]> {
  const read = await readScenarioFiles(await findScenarioFiles(files, io.cwd), io)
  const errors = read.flatMap((file) => [
    ...file.errors,
    ...(file.scenario === undefined ? [] : moreErrors(file.scenario)),
  ])
  if (errors.length > 0) throw fileError(errorsMessage(errors, read))
  return read.flatMap((file) => (file.scenario === undefined ? [] : [{ ...file, scenario: file.scenario }]))
}

/** Reads the files of the command line as one set. Throws `CommandError` that lists every error. */
export async function readScenarioSet(
  files: readonly string[],
  allowFiles: readonly string[],
  io: FileInput,
): Promise<ScenarioSet> {
  const read = await readValidScenarios(files, io)
  const scenarios = read.map(({ scenario }) => scenario)
  return withFileErrors(() => createScenarioSet(scenarios, { ...gatewayApi().reader, allowFiles }), read)
}

/** Turns a `ScenarioError` into a `CommandError` that quotes the lines of `files`. */
export function withFileErrors<Result>(act: () => Result, files: readonly ReportedFile[] = []): Result {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    const isPlaced = error instanceof ScenarioError && files.length > 0 && error.errors.length > 0
    throw fileError(isPlaced ? errorsMessage(error.errors, files) : error.message)
  }
}

const recordingMessage = (shown: string): string =>
  `${shown} is a recording, not a scenario. Play it back with gateway-sim serve --recordings ${shown}, ` +
  `or write a scenario from it with gateway-sim scenario ${shown}.`

/** Whether it is other JSON: a trace, a report, a package.json. */
function isOtherJson(shown: string, text: string): boolean {
  if (!shown.endsWith('.json')) return false
  const value = jsonIn(text)
  return !isFields(value) || typeof value['format'] === 'string' || !('title' in value || 'rules' in value)
}

async function bytesOf(path: string, shown: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(shown, error)
  }
}
