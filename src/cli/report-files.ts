/** The files that `--report` names. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { nearestWord } from '../protocol/nearest-word.ts'
import { CommandError, exitCodes } from './command.ts'
import { cannotWrite, writeOutput } from './write-output.ts'

export const reportForms = ['junit', 'json', 'md'] as const
export type ReportForm = (typeof reportForms)[number]

export interface ReportFile {
  readonly form: ReportForm
  readonly path: string
  /** As given on the command line. */
  readonly shown: string
}

/**
 * Parses `junit=report.xml` and creates the directories, so that a path that cannot be written is refused
 * (`CommandError`) before the command runs.
 */
export async function prepareReportFiles(flags: readonly string[], cwd: string): Promise<ReportFile[]> {
  const files = flags.map((flag): ReportFile => {
    const [, word = flag, shown = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
    const form = word === 'markdown' ? 'md' : reportForms.find((known) => known === word)
    if (form === undefined || shown === '') {
      const nearest = form === undefined ? nearestWord(word, reportForms) : undefined
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
      throw new CommandError(
        exitCodes.usage,
        `--report: expected junit=FILE, json=FILE or md=FILE, got ${JSON.stringify(flag)}${hint}`,
      )
    }
    return { form, path: resolve(cwd, shown), shown }
  })
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index)
  if (twice !== undefined)
    throw new CommandError(
      exitCodes.usage,
      `--report: expected a file for each format, got several formats for ${twice.shown}`,
    )
  for (const file of files) {
    try {
      await mkdir(dirname(file.path), { recursive: true })
    } catch (error) {
      throw cannotWrite({ flag: '--report', shown: file.shown }, error)
    }
    if (
      await stat(file.path).then(
        (facts) => facts.isDirectory(),
        () => false,
      )
    )
      throw cannotWrite({ flag: '--report', shown: file.shown }, new Error('it is a directory'))
  }
  return files
}

/** Throws `CommandError` if it cannot be written. */
export function writeReport(file: ReportFile, text: string, pid: number): Promise<void> {
  return writeOutput({ path: file.path, shown: file.shown, flag: '--report', pid }, text)
}
