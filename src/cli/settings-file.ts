/** The settings file, other YAML files that are not scenarios, and the message for errors in files. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import * as z from 'zod'
import type { SettingsInput } from '../generated/settings-types.ts'
import { unknownFindingCodes } from '../judges/codes.ts'
import { settingsSchema } from '../protocol/settings.ts'
import { errorsInWords, maxErrors } from '../protocol/wording.ts'
import { fileItem, type ReportedFile } from '../report/file-item.ts'
import { itemLines } from '../report/text.ts'
import { readYaml } from '../scenario/load/read-yaml.ts'
import type { ScenarioFieldError } from '../scenario/scenario-error.ts'
import { plain } from '../text/paint.ts'
import { type CommandError, fileError, usageError } from './command.ts'

export interface NamedFile {
  readonly path: string
  readonly shown: string
}

export interface YamlFile extends NamedFile, ReportedFile {
  readonly value: unknown
  readonly errors: readonly ScenarioFieldError[]
}

const names = ['gateway-sim.config.yaml', 'gateway-sim.config.yml', 'gateway-sim.config.json']

export const isSettingsFile = (path: string): boolean => names.includes(basename(path))

/** The file of `--config`, or the one in the current directory. Throws `CommandError` for more than one. */
export function findSettingsFile(flag: string | undefined, cwd: string): NamedFile | undefined {
  if (flag !== undefined) return { path: resolve(cwd, flag), shown: flag }
  const found = names.filter((name) => existsSync(join(cwd, name)))
  if (found.length > 1)
    throw fileError(`This folder contains ${found.join(' and ')}: keep one, or choose one with --config.`)
  const [name] = found
  return name === undefined ? undefined : { path: join(cwd, name), shown: name }
}

/** The settings as written, and their errors. Throws `CommandError` if the file cannot be read. */
export function inspectSettings(file: NamedFile): Promise<YamlFile> {
  const schema = settingsSchema().superRefine((settings, context) => {
    for (const { path, message } of unknownFindingCodes(settings.clientReport.off))
      context.addIssue({ code: 'custom', path: [...path], message })
  })
  return inspectYaml(file, schema, (reason) =>
    fileError(`The settings file ${file.shown} cannot be read: ${reason}.`),
  )
}

export interface UsedSettings {
  readonly settings: SettingsInput
  /** Undefined without a file. */
  readonly file?: NamedFile | undefined
}

/** The settings of a command as written. Throws `CommandError` that lists every error with its place. */
export async function usedSettings(flag: string | undefined, cwd: string): Promise<UsedSettings> {
  const file = findSettingsFile(flag, cwd)
  if (file === undefined) return { settings: {} }
  const read = await inspectSettings(file)
  if (read.errors.length === 0) return { settings: read.value as SettingsInput, file }
  throw fileError(errorsMessage(read.errors, [read]))
}

/** The list in the file of `--accept`, empty without it. Throws `CommandError` that lists every error. */
export async function readAcceptFile<Entry>(
  shown: string | undefined,
  schema: z.ZodType<readonly Entry[]>,
  cwd: string,
): Promise<readonly Entry[]> {
  if (shown === undefined) return []
  const rejection = (message: string): CommandError => usageError(`--accept: ${message}`)
  const read = await inspectYaml({ path: resolve(cwd, shown), shown }, schema, (reason) =>
    rejection(`${shown} cannot be read: ${reason}`),
  )
  if (read.errors.length === 0) return read.value as readonly Entry[]
  throw rejection(errorsMessage(read.errors, [read]))
}

async function inspectYaml(
  { path, shown }: NamedFile,
  schema: z.ZodType,
  rejection: (reason: string) => CommandError,
): Promise<YamlFile> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw rejection(reasonOf(error as NodeJS.ErrnoException))
  }
  // An empty text is an empty object, where a list is expected an empty list.
  const isEmptyList = text.replace(/^\s*#.*$/gm, '').trim() === '' && schema instanceof z.ZodArray
  const { value, errors } = readYaml(await import('yaml'), isEmptyList ? '[]' : text, schema)
  return {
    path,
    shown,
    lines: text.split(/\r?\n/),
    value,
    errors: errors.map((error) => ({ ...error, file: shown, field: '' })),
  }
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'file not found',
    EISDIR: 'it is a directory',
    ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  }
  return reasons[code] ?? message
}

/** The message of a command that fails because of errors in files. */
export function errorsMessage(errors: readonly ScenarioFieldError[], files: readonly ReportedFile[]): string {
  const shown = errors.slice(0, maxErrors)
  const places = [...new Set(shown.map(({ file }) => file ?? 'together'))]
  const lines = shown.flatMap((error) => itemLines(fileItem({ ...error, severity: 'error' }, files), plain))
  // A file that cannot be read has one error without a place.
  const [only] = errors.length === 1 ? errors : []
  if (only !== undefined && only.line === undefined && only.field === '') return lines.join('\n')
  return `${errorsInWords(errors.length)} in ${places.join(', ')}:\n${lines.join('\n')}`
}
