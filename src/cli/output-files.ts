/** Output files: a concurrent reader sees the old content or the new, never part of either. */
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
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
}

/** Throws `CommandError` if it cannot be written; then the file is unchanged. */
export async function writeOutput(
  { flag, shown }: OutputFile,
  text: string,
  { cwd, pid }: Pick<Io, 'cwd' | 'pid'>,
): Promise<void> {
  const path = resolve(cwd, shown)
  // The process id keeps the temporary files of several processes apart.
  const temporary = `${path}.${pid}.tmp`
  try {
    const facts = await stat(path).catch(() => undefined)
    // A device or a pipe cannot be replaced.
    if (facts !== undefined && !facts.isFile()) return await writeFile(path, text)
    await writeFile(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw cannotWrite(flag, shown, error)
  }
}

export function cannotWrite(flag: string, shown: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException
  return usageError(`${flag}: cannot write ${shown} (${code ?? message})`)
}

/** Reports with all requests. */
export const requestFormats = ['har', 'html'] as const
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
  /** Writes every report; `requests` makes those with all requests. */
  write(report: Report, requests?: (format: RequestFormat) => Promise<string>): Promise<void>
}

interface UsualOutput {
  /** Where `--report FORMAT` goes without a file. */
  readonly stream: Io['stdout']
  /** What happens without it. */
  print(report: Report, paint: Paint): void
  /** The reports with all requests that the command can write. */
  readonly requests?: readonly RequestFormat[]
}

/** The usual output of a command: its report, in the format of `--format`. */
export const printedAs = (format: 'pretty' | ReportFormat, { stdout }: Pick<Io, 'stdout'>): UsualOutput => ({
  stream: stdout,
  print: (report, paint) => stdout.write(renderers[format === 'pretty' ? 'text' : format](report, paint)),
})

/**
 * Parses `--report FORMAT[=FILE]` and creates the folders. Throws `CommandError` before the command runs.
 */
export async function prepareReports(
  flags: readonly string[],
  io: Io,
  { stream, print, requests: possible = [] }: UsualOutput,
): Promise<Reports> {
  const files = flags.map(parsed)
  const impossible = files.find(({ format }) => isOfRequests(format) && !possible.includes(format))
  if (impossible !== undefined)
    throw usageError(`--report: this command has no requests to write as ${impossible.format}`)
  for (const { shown } of files) if (shown !== undefined) await prepareFile(shown, io.cwd)
  const isDefault = files.every(({ shown }) => shown !== undefined)
  return {
    async write(report, requests) {
      const paint = painterFor(stream, io.env)
      if (isDefault) print(report, paint)
      for (const { format, shown } of files) {
        const text = isOfRequests(format)
          ? ((await requests?.(format)) ?? '')
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
