/** What was found in scenario files, for people, programs and GitHub workflows. Finds nothing itself. */
import type { ScenarioFinding } from '../scenario/scenario-error.ts'
import { type Paint, plain } from '../text/paint.ts'
import type { ScenarioFile } from './scenario-files.ts'

export interface Found extends ScenarioFinding {
  readonly severity: 'error' | 'warning'
}

export interface FindingsReport {
  readonly files: readonly ScenarioFile[]
  readonly found: readonly Found[]
  /** Whether the files were also looked at as one set. */
  readonly together: boolean
}

/** The columns that are shown of a long line. */
const room = 90

/** Each finding with the line it is about, and the sum. */
export function prettyFindings({ files, found, together }: FindingsReport, paint: Paint): string {
  const blocks = found.map((one) => block(one, files, paint))
  return `${[...blocks, sum(files, found, together, paint)].join('\n')}\n`
}

/**
 * The same as the message of a command that ends with it: which files, how many mistakes, and each one with
 * its line.
 */
export function unusable(mistakes: readonly ScenarioFinding[], files: readonly ScenarioFile[]): string {
  const named = [...new Set(mistakes.map(({ file }) => file ?? 'together'))]
  return `${named.join(', ')} cannot be used (${count(mistakes.length, 'mistake')}):\n${mistakes.map((one) => block({ severity: 'error', ...one }, files, plain)).join('\n')}`
}

function block(one: Found, files: readonly ScenarioFile[], paint: Paint): string {
  const { severity, file, line, column, field, message } = one
  const place =
    line === undefined
      ? `${file ?? 'together'}:${field === '' ? '' : ` ${field}:`}`
      : `${file}:${line}:${column}:`
  return [
    `${paint('bold', place)} ${severity === 'warning' ? `${paint('yellow', 'warning:')} ` : ''}${message}`,
    ...excerpt(one, files, paint),
  ].join('\n')
}

/** The line with a mark under the column; nothing where the text has no such line. */
function excerpt({ file, line, column = 1 }: Found, files: readonly ScenarioFile[], paint: Paint): string[] {
  const text = line === undefined ? undefined : files.find(({ shown }) => shown === file)?.lines[line - 1]
  if (text === undefined || text.trim() === '') return []
  // Tabs and the like would move the mark.
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const from = column - 1 > room - 20 ? column - 1 - 40 : 0
  const part = `${from > 0 ? '…' : ''}${shown.slice(from > 0 ? from + 1 : 0, from + room)}${shown.length > from + room ? '…' : ''}`
  const gutter = String(line).padStart(5)
  return [
    `${paint('dim', `${gutter} |`)} ${part}`,
    `${paint('dim', `${' '.repeat(gutter.length)} |`)} ${' '.repeat(column - 1 - from)}${paint('red', '^')}`,
  ]
}

function sum(
  files: readonly ScenarioFile[],
  found: readonly Found[],
  together: boolean,
  paint: Paint,
): string {
  const mistakes = found.filter(({ severity }) => severity === 'error').length
  const warned = found.length - mistakes
  const wrong = files.filter(({ shown }) =>
    found.some(({ severity, file }) => severity === 'error' && file === shown),
  ).length
  const also = warned === 0 ? '' : `, ${count(warned, 'warning')}`
  if (mistakes === 0)
    return `${paint('green', `${count(files.length, 'file')} can be used${together ? ', also together' : ''}`)}${also}`
  return `${paint('red', `${count(mistakes, 'mistake')} in ${count(wrong, 'file')}`)} of ${files.length}${also}`
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/**
 * One document: `{ ok, files: [{ file, ok, title }], findings: [{ severity, file, line, column, field,
 * message, source }] }`; null where nothing is known.
 */
export function jsonFindings({ files, found }: FindingsReport): string {
  const wrong = (shown: string): boolean =>
    found.some(({ severity, file }) => severity === 'error' && file === shown)
  return `${JSON.stringify(
    {
      ok: !found.some(({ severity }) => severity === 'error'),
      files: files.map(({ shown, scenario }) => ({
        file: shown,
        ok: !wrong(shown),
        title: scenario?.written.title ?? null,
      })),
      findings: found.map(
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

/** Workflow commands, one line each: GitHub shows them beside the lines that they are about. */
export function githubFindings({ found }: FindingsReport): string {
  return found
    .map(({ severity, file, line, column, message }) => {
      const place = [
        ...(file === undefined ? [] : [`file=${property(file)}`]),
        ...(line === undefined ? [] : [`line=${line}`, `col=${column}`]),
        'title=gateway-sim',
      ]
      return `::${severity} ${place.join(',')}::${data(message)}\n`
    })
    .join('')
}

// What would end a command's line or be read as a part of it (the escapes of the toolkit `actions/core`).
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
