/** Output files: a concurrent reader sees the old content or the new, never part of either. */
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { didYouMean } from '../protocol/nearest-word.ts'
import { type ReportFormat, renderers, reportFormats } from '../report/renderers.ts'
import type { Report } from '../report/report.ts'
import { type Paint, plain } from '../text/paint.ts'
import { type CommandError, type Io, usageError } from './command.ts'
import { painterFor } from './painter.ts'

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
  const path = resolve(cwd, shown)
  try {
    const facts = await stat(path).catch(() => undefined)
    // A device or a pipe cannot be replaced.
    if (facts !== undefined && !facts.isFile()) return await writeFile(path, text)
    const target = facts === undefined ? path : await realpath(path)
    // The process id keeps the temporary files of several processes apart.
    await replaceFile(target, `${target}.${pid}.tmp`, text, mode ?? (facts && facts.mode & 0o777))
  } catch (error) {
    throw cannotWrite(flag, shown, error)
  }
}

export function cannotWrite(flag: string, shown: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException
  return usageError(`${flag}: cannot write ${shown} (${code ?? message})`)
}

async function replaceFile(
  target: string,
  temporary: string,
  text: string,
  mode: number | undefined,
): Promise<void> {
  try {
    await writeFile(temporary, text, mode === undefined ? {} : { mode })
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    // The folder may be read-only while the file is writable: another user's folder, a mounted file.
    if (!besideForbidden.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    await writeFile(target, text)
  }
}

const besideForbidden: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'])

/** Reports with all requests. */
const requestFormats = ['har', 'html'] as const
export type RequestFormat = (typeof requestFormats)[number]

type Format = ReportFormat | RequestFormat
const formats: readonly Format[] = [...reportFormats, ...requestFormats]

const isOfRequests = (format: Format): format is RequestFormat => format === 'har' || format === 'html'

interface ReportFile {
  readonly format: Format
  /** As given on the command line; undefined for the standard output. */
  readonly shown: string | undefined
}

export interface Reports {
  /** Whether a report has all requests, which some commands must collect. */
  has(format: Format): boolean
  /** Whether no `--report FORMAT` replaces the usual output. */
  readonly isDefault: boolean
  /** Writes every report; `requests` makes those with all requests. */
  write(report: Report, requests: (format: RequestFormat) => Promise<string>): Promise<void>
}

interface UsualOutput {
  /** Where `--report FORMAT` goes without a file. */
  readonly stream: Io['stdout']
  /** What happens without it. */
  print(report: Report, paint: Paint): void
}

/** The usual output of a command: its report, in the format of `--format`. */
export const printedAs = (format: 'pretty' | ReportFormat, { stdout }: Pick<Io, 'stdout'>): UsualOutput => ({
  stream: stdout,
  print: (report, paint) => stdout.write(renderers[format === 'pretty' ? 'text' : format](report, paint)),
})

/** For a command whose report has no requests. */
export const noRequests = (format: RequestFormat): never => {
  throw usageError(`--report: this command has no requests to write as ${format}`)
}

/**
 * Parses `--report FORMAT[=FILE]` and creates the folders. Throws `CommandError` before the command runs.
 */
export async function prepareReports(
  flags: readonly string[],
  io: Io,
  { stream, print }: UsualOutput,
): Promise<Reports> {
  const files = flags.map(parsed)
  for (const { shown } of files) if (shown !== undefined) await prepareFile(shown, io.cwd)
  const isDefault = files.every(({ shown }) => shown !== undefined)
  return {
    isDefault,
    has: (wanted) => files.some((file) => file.format === wanted),
    async write(report, requests) {
      const paint = painterFor(stream, io.env)
      if (isDefault) print(report, paint)
      for (const { format, shown } of files) {
        const text = isOfRequests(format)
          ? await requests(format)
          : renderers[format](report, shown === undefined ? paint : plain)
        if (shown === undefined) stream.write(text)
        else await writeOutput({ flag: '--report', shown }, text, io)
      }
    },
  }
}

function parsed(flag: string): ReportFile {
  const [, word = flag, shown] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
  const format = formats.find((one) => one === word)
  if (format !== undefined && shown !== '') return { format, shown }
  const hint = format === undefined ? didYouMean(word, formats, '', '; ') : ''
  throw usageError(
    `--report: expected FORMAT or FORMAT=FILE with ${formats.join(', ')}, got ${JSON.stringify(flag)}${hint}`,
  )
}

async function prepareFile(shown: string, cwd: string): Promise<void> {
  const path = resolve(cwd, shown)
  try {
    await mkdir(dirname(path), { recursive: true })
  } catch (error) {
    throw cannotWrite('--report', shown, error)
  }
  const facts = await stat(path).catch(() => undefined)
  if (facts?.isDirectory() === true) throw cannotWrite('--report', shown, new Error('it is a directory'))
}
