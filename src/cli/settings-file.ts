/** The settings file, other YAML files that are not scenarios, and reports of errors in files. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import * as z from 'zod'
import { wrongNames } from '../core/setting-names.ts'
import { gatewayApi } from '../disk/load-scenario.ts'
import type { SettingsInput } from '../generated/settings-types.ts'
import { settingsSchema } from '../protocol/settings.ts'
import { errorsInWords, maxErrors } from '../protocol/wording.ts'
import { readYaml } from '../scenario/load/read-yaml.ts'
import type { ScenarioFinding } from '../scenario/scenario-error.ts'
import { githubAnnotation } from '../text/github.ts'
import { type Paint, plain } from '../text/paint.ts'
import { counted } from '../text/printable.ts'
import { type CommandError, fileError, usageError } from './command.ts'

export interface NamedFile {
  readonly path: string
  readonly shown: string
}

export interface YamlFile extends ReportedFile {
  readonly value: unknown
  readonly errors: readonly ScenarioFinding[]
}

const names = ['gateway-sim.config.yaml', 'gateway-sim.config.yml', 'gateway-sim.config.json']

/** The file with the accepted verdicts of `gateway-sim trial`. */
export const policyName = 'gateway-sim.trial.yaml'

export const isPolicyFile = (path: string): boolean => basename(path) === policyName

export function isSettingsFile(path: string): boolean {
  return names.includes(basename(path))
}

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
    const { operations } = gatewayApi().reader.vocabulary
    for (const { path, message } of wrongNames(settings, operations))
      context.addIssue({ code: 'custom', path: [...path], message })
  })
  return inspectYaml(file, schema, (reason) =>
    fileError(`The settings file ${file.shown} cannot be read: ${reason}.`),
  )
}

/** The settings as written. Throws `CommandError` that lists every error with its place. */
export async function readSettingsFile(file: NamedFile): Promise<SettingsInput> {
  const read = await inspectSettings(file)
  if (read.errors.length === 0) return read.value as SettingsInput
  throw fileError(errorsMessage(read.errors, [read]))
}

/** The content of the file of `--accept`. Throws `CommandError` that lists every error with its place. */
export async function readAcceptFile(file: NamedFile, schema: z.ZodType): Promise<unknown> {
  const rejection = (message: string): CommandError => usageError(`--accept: ${message}`)
  const read = await inspectYaml(file, schema, (reason) =>
    rejection(`${file.shown} cannot be read: ${reason}`),
  )
  if (read.errors.length === 0) return read.value
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

export interface RankedFinding extends ScenarioFinding {
  readonly severity: 'error' | 'warning'
}

export interface ReportedFile {
  readonly shown: string
  /** Its text; empty if it cannot be read. */
  readonly lines: readonly string[]
  readonly title?: string | undefined
}

export interface FindingsReport {
  readonly files: readonly ReportedFile[]
  readonly findings: readonly RankedFinding[]
  /** How many of the files contain settings. */
  readonly settingsFiles: number
  /** Whether the files were also checked as one set. */
  readonly together: boolean
  /** How many warnings are allowed. Default: any number. */
  readonly maxWarnings?: number | undefined
}

export function isTooMany({ findings, maxWarnings }: FindingsReport): boolean {
  const warnings = findings.filter(({ severity }) => severity === 'warning').length
  return maxWarnings !== undefined && warnings > maxWarnings
}

/** The width of an excerpt from a long line. */
const excerptWidth = 90

export function prettyFindings(report: FindingsReport, paint: Paint): string {
  const { files, findings } = report
  const blocks = findings.map((finding) => findingBlock(finding, files, paint))
  return `${[...blocks, summary(report, paint)].join('\n')}\n`
}

/** The message of a command that fails because of errors in files. */
export function errorsMessage(errors: readonly ScenarioFinding[], files: readonly ReportedFile[]): string {
  const shown = errors.slice(0, maxErrors)
  const names = [...new Set(shown.map(({ file }) => file ?? 'together'))]
  const blocks = shown.map((error) => findingBlock({ severity: 'error', ...error }, files, plain))
  // A file that cannot be read has one error without a place.
  const [only] = errors.length === 1 ? errors : []
  if (only !== undefined && only.line === undefined && only.field === '') return blocks.join('\n')
  return `${errorsInWords(errors.length)} in ${names.join(', ')}:\n${blocks.join('\n')}`
}

function findingBlock(finding: RankedFinding, files: readonly ReportedFile[], paint: Paint): string {
  const { severity, file, line, column, field, message } = finding
  const place =
    line === undefined
      ? `${file ?? 'together'}:${field === '' ? '' : ` ${field}:`}`
      : `${file}:${line}:${column}:`
  return [
    `${paint('bold', place)} ${severity === 'warning' ? `${paint('yellow', 'warning:')} ` : ''}${message}`,
    ...excerpt(finding, files, paint),
  ].join('\n')
}

function excerpt(
  { file, line, column = 1 }: RankedFinding,
  files: readonly ReportedFile[],
  paint: Paint,
): string[] {
  const text = line === undefined ? undefined : files.find(({ shown }) => shown === file)?.lines[line - 1]
  if (text === undefined || text.trim() === '') return []
  // Tabs would shift the caret.
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const from = column - 1 > excerptWidth - 20 ? column - 1 - 40 : 0
  const until = from + excerptWidth
  const start = from > 0 ? `…${shown.slice(from + 1, until)}` : shown.slice(0, until)
  const part = shown.length > until ? `${start}…` : start
  const gutter = String(line).padStart(5)
  return [
    `${paint('dim', `${gutter} |`)} ${part}`,
    `${paint('dim', `${' '.repeat(gutter.length)} |`)} ` +
      `${' '.repeat(column - 1 - from)}${paint('red', '^')}`,
  ]
}

/** One line with the number of errors and warnings. */
export function summary(report: FindingsReport, paint: Paint): string {
  const { files, findings, together, maxWarnings } = report
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const invalid = files.filter(({ shown }) =>
    findings.some(({ severity, file }) => severity === 'error' && file === shown),
  ).length
  const allowed = isTooMany(report) ? paint('red', ` (--max-warnings ${maxWarnings})`) : ''
  const also = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}${allowed}`
  if (errors === 0)
    return paint('green', `${filesOf(report)} valid${together ? ', also together' : ''}`) + also
  return paint('red', `${counted(errors, 'error')} in ${invalid} of ${filesOf(report)}`) + also
}

/** `3 files (2 scenarios and settings)`: the settings file may not be on the command line. */
function filesOf({ files, settingsFiles }: FindingsReport): string {
  const all = counted(files.length, 'file')
  if (settingsFiles === 0) return all
  const scenarios = files.length - settingsFiles
  return scenarios === 0 ? `${all} (settings)` : `${all} (${counted(scenarios, 'scenario')} and settings)`
}

/**
 * One document: `{ ok, files: [{ file, ok, title }], findings: [{ severity, file, line, column, field,
 * message, source }] }`; unknown values are null.
 */
export function jsonFindings(report: FindingsReport): string {
  const { files, findings } = report
  const isInvalid = (shown: string): boolean =>
    findings.some(({ severity, file }) => severity === 'error' && file === shown)
  return `${JSON.stringify(
    {
      ok: !findings.some(({ severity }) => severity === 'error') && !isTooMany(report),
      files: files.map(({ shown, title = null }) => ({
        file: shown,
        ok: !isInvalid(shown),
        title,
      })),
      findings: findings.map(
        ({ severity, file = null, line = null, column = null, field, message, source = null }) => ({
          severity,
          file,
          line,
          column,
          field,
          message,
          source,
        }),
      ),
    },
    null,
    2,
  )}\n`
}

/** Workflow commands, one per line: GitHub shows them next to the code. */
export function githubFindings({ findings }: FindingsReport): string {
  return findings.map(githubAnnotation).join('')
}
