/** The settings file, and other YAML files that are no scenarios. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import * as z from 'zod'
import type { SettingsInput } from '../generated/settings-types.ts'
import { settingsSchema } from '../protocol/settings.ts'
import { readYaml } from '../scenario/load/read-yaml.ts'
import type { ScenarioFinding } from '../scenario/scenario-error.ts'
import { type CommandError, fileError, usageError } from './command.ts'
import { mistakesMessage, type ReportedFile } from './findings-report.ts'

export interface NamedFile {
  readonly path: string
  readonly shown: string
}

export interface YamlFile extends ReportedFile {
  readonly value: unknown
  readonly mistakes: readonly ScenarioFinding[]
}

const names = ['gateway-sim.config.yaml', 'gateway-sim.config.yml', 'gateway-sim.config.json']

export function isSettingsFile(path: string): boolean {
  return names.includes(basename(path))
}

/**
 * The file of `--config`, or the one in the current directory, if any. Throws `CommandError` if the directory
 * contains more than one.
 */
export function findSettingsFile(flag: string | undefined, cwd: string): NamedFile | undefined {
  if (flag !== undefined) return { path: resolve(cwd, flag), shown: flag }
  const found = names.filter((name) => existsSync(join(cwd, name)))
  if (found.length > 1)
    throw fileError(
      `This directory contains ${found.join(' and ')}: keep one of them, or choose one with --config.`,
    )
  const [name] = found
  return name === undefined ? undefined : { path: join(cwd, name), shown: name }
}

/** The settings as written, and their mistakes. Throws `CommandError` if the file cannot be read. */
export function inspectSettings(file: NamedFile): Promise<YamlFile> {
  return inspectYaml(file, settingsSchema, (reason) =>
    fileError(`The config file ${file.shown} cannot be read: ${reason}.`),
  )
}

/** The settings as written. Throws `CommandError` that lists every mistake with its place. */
export async function readSettingsFile(file: NamedFile): Promise<SettingsInput> {
  const read = await inspectSettings(file)
  if (read.mistakes.length === 0) return read.value as SettingsInput
  throw fileError(mistakesMessage(read.mistakes, [read]))
}

/** What the file of a flag says. Throws `CommandError` that lists every mistake with its place. */
export async function readYamlOf(flag: string, file: NamedFile, schema: z.ZodType): Promise<unknown> {
  const refusal = (message: string): CommandError => usageError(`${flag}: ${message}`)
  const read = await inspectYaml(file, schema, (reason) => refusal(`${file.shown} cannot be read: ${reason}`))
  if (read.mistakes.length === 0) return read.value
  throw refusal(mistakesMessage(read.mistakes, [read]))
}

async function inspectYaml(
  { path, shown }: NamedFile,
  schema: z.ZodType,
  refusal: (reason: string) => CommandError,
): Promise<YamlFile> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw refusal(reasonOf(error as NodeJS.ErrnoException))
  }
  // An empty text is an empty object, where a list is expected an empty list.
  const isEmptyList = text.trim() === '' && schema instanceof z.ZodArray
  const { value, mistakes } = readYaml(await import('yaml'), isEmptyList ? '[]' : text, schema)
  return {
    shown,
    lines: text.split(/\r?\n/),
    value,
    mistakes: mistakes.map((mistake) => ({ ...mistake, file: shown, field: '' })),
  }
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a directory',
    ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  }
  return reasons[code] ?? message
}
