/** Output files: a concurrent reader sees the old content or the new, never part of either. */
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { didYouMean } from '../protocol/nearest-word.ts'
import { type CommandError, type Io, usageError } from './command.ts'

interface OutputFile {
  /** The flag that names it: `--report`. */
  readonly flag: string
  /** As given on the command line. */
  readonly shown: string
  /** The permissions of a new file, if not the usual ones. */
  readonly mode?: number
}

/** Throws `CommandError` if it cannot be written; then the file is unchanged. */
export async function writeOutput(
  { flag, shown, mode }: OutputFile,
  text: string,
  { cwd, pid }: Pick<Io, 'cwd' | 'pid'>,
): Promise<void> {
  try {
    await replaceFile(resolve(cwd, shown), text, pid, mode)
  } catch (error) {
    throw cannotWrite(flag, shown, error)
  }
}

export function cannotWrite(flag: string, shown: string, error: unknown): CommandError {
  // Without the name of the temporary file.
  const reason = error instanceof Error ? error.message.replace(/, \w+ '.*$/s, '') : String(error)
  return usageError(`${flag}: cannot write ${shown} (${reason})`)
}

/** `pid` tells the temporary file from those of other processes. */
async function replaceFile(path: string, text: string, pid: number, mode?: number): Promise<void> {
  const there = await stat(path).catch(() => undefined)
  // A device or a pipe cannot be replaced.
  if (there !== undefined && !there.isFile()) return writeFile(path, text)
  const target = there === undefined ? path : await realpath(path)
  const temporary = `${target}.${pid}.tmp`
  const kept = mode ?? (there === undefined ? undefined : there.mode & 0o777)
  try {
    await writeFile(temporary, text, kept === undefined ? {} : { mode: kept })
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    // The folder may be read-only while the file is writable: another user's folder, a mounted file.
    if (there === undefined || !besideForbidden.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    await writeFile(target, text)
  }
}

const besideForbidden: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'])

export const reportForms = ['json', 'junit', 'markdown'] as const
export type ReportForm = (typeof reportForms)[number]
/** Reports with all requests; only for commands that run a simulator. */
export const traceForms = ['har', 'html'] as const
export type TraceForm = (typeof traceForms)[number]

export const isTrace = (form: string): form is TraceForm => form === 'har' || form === 'html'

export interface ReportFile<Form extends string = ReportForm> {
  readonly form: Form
  readonly path: string
  /** As given on the command line. */
  readonly shown: string
}

/** `json=FILE, junit=FILE or markdown=FILE` */
const listed = (forms: readonly string[]): string =>
  forms
    .map((form) => `${form}=FILE`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')

/** Parses `junit=report.xml` and creates the directories. Throws `CommandError` before the command runs. */
export async function prepareReportFiles<Form extends string = ReportForm>(
  flags: readonly string[],
  cwd: string,
  forms: readonly Form[] = reportForms as readonly string[] as readonly Form[],
): Promise<ReportFile<Form>[]> {
  const files = flags.map((flag): ReportFile<Form> => {
    const [, word = flag, shown = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
    const form = forms.find((known) => known === word)
    if (form === undefined || shown === '') {
      const hint = form === undefined ? didYouMean(word, forms, '', '; ') : ''
      throw usageError(`--report: expected ${listed(forms)}, got ${JSON.stringify(flag)}${hint}`)
    }
    return { form, path: resolve(cwd, shown), shown }
  })
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index)
  if (twice !== undefined)
    throw usageError(
      `--report: expected a different file for each format, got several formats for ${twice.shown}`,
    )
  for (const file of files) {
    try {
      await mkdir(dirname(file.path), { recursive: true })
    } catch (error) {
      throw cannotWrite('--report', file.shown, error)
    }
    const there = await stat(file.path).catch(() => undefined)
    if (there?.isDirectory() === true)
      throw cannotWrite('--report', file.shown, new Error('it is a directory'))
  }
  return files
}

/** Throws `CommandError` if it cannot be written. */
export const writeReport = (
  { shown }: Pick<ReportFile, 'shown'>,
  text: string,
  io: Pick<Io, 'cwd' | 'pid'>,
) => writeOutput({ shown, flag: '--report' }, text, io)
