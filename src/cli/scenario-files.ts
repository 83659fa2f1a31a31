/** Finds and reads the scenario files of a command line: files, directories, `-` for standard input. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { unreadable } from '../disk/disk.ts'
import { gatewayApi } from '../disk/load-scenario.ts'
import { ConfigError } from '../protocol/findings.ts'
import { type Scenario, scenarioOf, textOf } from '../scenario/load/scenario.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario/scenario-error.ts'
import { fileError, type Io } from './command.ts'
import { errorsMessage, isPolicyFile, isSettingsFile, type ReportedFile } from './settings-file.ts'

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
  readonly errors: readonly ScenarioFinding[]
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
      const all = await readdir(path, { recursive: true })
      const names = all
        .filter((name) => /\.(?:ya?ml|json)$/.test(name) && !/(?:^|[\\/])node_modules[\\/]/.test(name))
        .sort()
      if (names.length === 0) throw fileError(noScenarios(file, all))
      return names.map((name) => ({
        shown: join(file, name).replaceAll('\\', '/'),
        path: join(path, name),
        inDirectory: true,
      }))
    }),
  )
  return lists.flat()
}

function noScenarios(folder: string, names: readonly string[]): string {
  return names.some((name) => name.endsWith('.har'))
    ? recordingMessage(folder)
    : `${folder}: this folder contains no scenario files (.yaml, .yml or .json).`
}

/** What is needed to read files; skipped ones are reported on `stderr`. */
export type FileInput = Pick<Io, 'cwd' | 'readStdin'> & { readonly stderr?: Pick<Io['stderr'], 'write'> }

/** Reads all files with their errors; skips other JSON in a directory. Throws if none is left. */
export async function readScenarioFiles(files: readonly FoundFile[], io: FileInput): Promise<ScenarioFile[]> {
  const yaml = await import('yaml')
  const read: ScenarioFile[] = []
  const skipped: string[] = []
  for (const file of files) {
    if (file.path !== undefined && file.inDirectory && isPolicyFile(file.path)) continue
    if (file.path !== undefined && isSettingsFile(file.path)) {
      if (file.inDirectory) continue
      throw fileError(
        `${file.shown} is a settings file, not a scenario: pass it with --config, or check it with validate.`,
      )
    }
    let text = ''
    let lines: readonly string[] = []
    try {
      text = textOf(await readBytes(file, io), file.shown)
      lines = text.split(/\r?\n/)
      if (isRecording(file.shown, text)) throw fileError(recordingMessage(file.shown))
      if (file.inDirectory && isOtherJson(file.shown, text)) {
        skipped.push(file.shown)
        continue
      }
      const directory = file.path === undefined ? io.cwd : dirname(file.path)
      const scenario = scenarioOf(text, file.shown, directory, yaml, gatewayApi().reader)
      read.push({ ...file, lines, errors: [], scenario, title: scenario.spec.title })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      read.push({ ...file, lines, errors: error.findings, scenario: undefined })
    }
  }
  reportSkipped(skipped, read.length > 0, io)
  return read
}

/** More files than these are counted, not named. */
const maxNamed = 5

function reportSkipped(skipped: readonly string[], foundOthers: boolean, { stderr }: FileInput): void {
  if (skipped.length === 0) return
  const names = skipped.slice(0, maxNamed).join(', ')
  if (!foundOthers)
    throw fileError(`${names}: no scenario file found, only JSON without \`title\`, \`rules\` or \`steps\`.`)
  const more = skipped.length > maxNamed ? ` and ${skipped.length - maxNamed} more` : ''
  stderr?.write(`gateway-sim: skipped, not a scenario: ${names}${more}\n`)
}

/** Reads the files of the command line. Throws `CommandError` that lists every error. */
export async function readValidScenarios(
  files: readonly string[],
  io: FileInput,
): Promise<(ScenarioFile & { readonly scenario: Scenario })[]> {
  const read = await readScenarioFiles(await findScenarioFiles(files, io.cwd), io)
  const errors = read.flatMap((file) => file.errors)
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
    const isPlaced = error instanceof ScenarioError && files.length > 0 && error.findings.length > 0
    throw fileError(isPlaced ? errorsMessage(error.findings, files) : error.message)
  }
}

/** Whether a file is a HAR file, by its name or its content. */
function isRecording(shown: string, text: string): boolean {
  return /\.har$/i.test(shown) || /^\s*\{\s*"log"\s*:\s*\{/.test(text)
}

const recordingMessage = (shown: string): string =>
  `${shown} is a recording, not a scenario. Play it back with gateway-sim serve --recordings ${shown}, ` +
  `or write a scenario from it with gateway-sim scenario from-recording ${shown}.`

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
