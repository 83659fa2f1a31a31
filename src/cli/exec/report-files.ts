/** The files that `--report` names: which form goes where. */
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { CommandError, exitCodes } from '../command.ts'

export const reportForms = ['junit', 'json', 'md'] as const
export type ReportForm = (typeof reportForms)[number]

export interface ReportFile {
  readonly form: ReportForm
  readonly path: string
  readonly shown: string
}

/**
 * Reads `junit=report.xml`. Throws `CommandError` for what cannot be written later; folders are made now,
 * while nothing runs yet.
 */
export async function reportFiles(written: readonly string[], cwd: string): Promise<ReportFile[]> {
  const files = written.map((one): ReportFile => {
    const [, word = one, shown = ''] = /^([^=]*)=(.*)$/s.exec(one) ?? []
    const form = reportForms.find((known) => known === word)
    if (form === undefined || shown === '') {
      const nearest = nearestWord(word, reportForms)
      throw new CommandError(
        exitCodes.usage,
        `--report: expected junit=FILE, json=FILE or md=FILE, got ${JSON.stringify(one)}${form === undefined && nearest !== undefined ? `; did you mean ${nearest}?` : ''}`,
      )
    }
    return { form, path: resolve(cwd, shown), shown }
  })
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index)
  if (twice !== undefined)
    throw new CommandError(
      exitCodes.usage,
      `--report: expected one form for each file, got several for ${twice.shown}`,
    )
  for (const file of files) {
    try {
      await mkdir(dirname(file.path), { recursive: true })
    } catch (error) {
      throw unusable(file, error)
    }
    if (
      await stat(file.path).then(
        (facts) => facts.isDirectory(),
        () => false,
      )
    )
      throw unusable(file, new Error('it is a directory'))
  }
  return files
}

/** Throws `CommandError` when it cannot be written. */
export async function writeReport(file: ReportFile, text: string): Promise<void> {
  try {
    await writeFile(file.path, text)
  } catch (error) {
    throw unusable(file, error)
  }
}

function unusable({ shown }: ReportFile, error: unknown): CommandError {
  return new CommandError(
    exitCodes.usage,
    `--report: expected a file that can be written, got ${shown} (${error instanceof Error ? error.message : String(error)})`,
  )
}
