/** A finding in a file as an item of a report, with its line. */
import type { Item } from './report.ts'

export interface FileFinding {
  readonly severity: 'error' | 'warning'
  /** Undefined for a finding about several files together. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The field; empty for the whole file. */
  readonly field: string
  readonly message: string
}

export interface ReportedFile {
  readonly shown: string
  /** Its text; empty if it cannot be read. */
  readonly lines: readonly string[]
  readonly title?: string | undefined
}

export function fileItem(finding: FileFinding, files: readonly ReportedFile[]): Item {
  const { severity, file, line, column, field, message } = finding
  const hasField = line === undefined && field !== ''
  const excerpt = excerptOf(finding, files)
  return {
    outcome: severity === 'error' ? 'failed' : 'warning',
    title: `${severity === 'warning' ? 'warning: ' : ''}${hasField ? `${field}: ` : ''}${message}`,
    place: { file: file ?? 'together', line, column },
    code: excerpt === undefined ? [] : [{ language: 'text', text: excerpt }],
    testCase: { suite: 'files', name: file ?? 'together', file, type: severity },
  }
}

/** The width of an excerpt from a long line. */
const excerptWidth = 90

/** The line of a finding, with a caret under its column. */
function excerptOf(
  { file, line, column = 1 }: FileFinding,
  files: readonly ReportedFile[],
): string | undefined {
  const text = line === undefined ? undefined : files.find(({ shown }) => shown === file)?.lines[line - 1]
  if (text === undefined || text.trim() === '') return undefined
  // Tabs would shift the caret.
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const from = column - 1 > excerptWidth - 20 ? column - 1 - 40 : 0
  const until = from + excerptWidth
  const start = from > 0 ? `…${shown.slice(from + 1, until)}` : shown.slice(0, until)
  const part = shown.length > until ? `${start}…` : start
  const gutter = String(line).padStart(3)
  return `${gutter} | ${part}\n${' '.repeat(gutter.length)} | ${' '.repeat(column - 1 - from)}^`
}
