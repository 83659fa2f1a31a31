/** Writes the report of a check: to the terminal, and to the files that `--report` names. */
import type { CheckReport } from '../../check/report.ts'
import { junitReport } from '../../check/reporters/junit.ts'
import { markdownReport } from '../../check/reporters/markdown.ts'
import { textReport } from '../../check/reporters/text.ts'
import { painterFor } from '../../text/paint.ts'
import type { Io } from '../command.ts'
import { type ReportFile, type ReportForm, writeReport } from '../report-files.ts'

export async function writeReports(report: CheckReport, files: readonly ReportFile[], io: Io): Promise<void> {
  const config = await configOf(report)
  const forms: Readonly<Record<ReportForm, () => string>> = {
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    junit: () => junitReport(report),
    md: () => markdownReport(report, config),
  }
  io.stdout.write(textReport(report, config, painterFor(io.stdout, io.env)))
  for (const file of files) await writeReport(file, forms[file.form](), io.pid)
}

/** The content of a config file; empty where nothing was learned. */
async function configOf({ settings, baseUrl }: CheckReport): Promise<string> {
  if (Object.keys(settings).length === 0) return ''
  const { stringify } = await import('yaml')
  const known = 'models' in settings ? '# Of the models, those that were checked or listed: add yours.\n' : ''
  return `# As ${baseUrl} behaved.\n${known}${stringify(settings)}`
}
