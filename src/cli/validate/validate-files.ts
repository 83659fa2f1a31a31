/** Runs `gateway-sim validate`. */
import { resolve } from 'node:path'
import { gatewayApi } from '../../disk/load-scenario.ts'
import type { SettingsInput } from '../../generated/settings-types.ts'
import { createSimulator } from '../../index.ts'
import { ConfigError } from '../../protocol/findings.ts'
import type { Item, Report } from '../../report/report.ts'
import { errorsOfStepFiles } from '../../run/request-parts.ts'
import { warningsOf } from '../../scenario/check/warnings.ts'
import type { Scenario } from '../../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'
import { counted } from '../../text/printable.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { allowedFolders, type ValidateArgs } from '../flags.ts'
import { noRequests, prepareReports, printedAs } from '../output-files.ts'
import { type FoundFile, findScenarioFiles, readScenarioFiles } from '../scenario-files.ts'
import {
  findingItem,
  findSettingsFile,
  inspectSettings,
  isSettingsFile,
  type RankedFinding,
  type ReportedFile,
  type YamlFile,
} from '../settings-file.ts'

interface Surroundings {
  readonly allowFiles: readonly string[]
  readonly settings: SettingsInput
}

export async function validateFiles(flags: ValidateArgs, io: Io): Promise<ExitCode> {
  const maxWarnings = maxWarningsOf(flags.maxWarnings)
  const allowFiles = allowedFolders(flags.allowFiles, io.cwd)
  const found = await findScenarioFiles(flags.files, io.cwd)
  const { files: settingsFiles, settings } = await settingsAmong(found, flags, io)
  const scenarioFiles = found.filter(({ path }) => !settingsFiles.some((file) => file.path === path))
  const read = await readScenarioFiles(scenarioFiles, io)
  const files = [...read, ...settingsFiles]
  if (files.length === 0)
    throw usageError('Nothing to check: name scenario files or folders, or a settings file with --config.')
  const findings = files.flatMap(({ errors }) => ranked('error', errors))
  const around = { allowFiles, settings }
  for (const { scenario } of read)
    if (scenario !== undefined) findings.push(...findingsOf([scenario], around))
  // Files of a directory are not meant to be used together.
  const set = flags.each ? [] : read.filter((file) => !file.inDirectory)
  const together = set.flatMap(({ scenario }) => scenario ?? [])
  if (together.length > 1) {
    const known = new Set(findings.map(keyOf))
    findings.push(...findingsOf(together, around).filter((finding) => !known.has(keyOf(finding))))
  }
  const checked = {
    files,
    findings: sortByPlace(findings, files),
    settingsFiles: settingsFiles.length,
    together: together.length > 1,
    maxWarnings,
  }
  const report = reportOf(checked)
  const { format } = flags
  const output = await prepareReports(flags.report, io, printedAs(format, io))
  await output.write(report, noRequests)
  // Annotations alone would not show that files were checked.
  if (format === 'github') io.stderr.write(`${report.summary}\n`)
  if (findings.some(({ severity }) => severity === 'error')) return exitCodes.file
  return isTooMany(checked) ? exitCodes.failed : exitCodes.ok
}

interface Checked {
  readonly files: readonly ReportedFile[]
  readonly findings: readonly RankedFinding[]
  /** How many of the files contain settings. */
  readonly settingsFiles: number
  /** Whether the files were also checked as one set. */
  readonly together: boolean
  /** How many warnings are allowed. Default: any number. */
  readonly maxWarnings: number | undefined
}

function isTooMany({ findings, maxWarnings }: Checked): boolean {
  const warnings = findings.filter(({ severity }) => severity === 'warning').length
  return maxWarnings !== undefined && warnings > maxWarnings
}

const isInvalid = ({ findings }: Checked, shown: string): boolean =>
  findings.some(({ severity, file }) => severity === 'error' && file === shown)

function reportOf(checked: Checked): Report {
  const { files, findings } = checked
  const hasFailed = findings.some(({ severity }) => severity === 'error') || isTooMany(checked)
  const valid = files
    .filter(({ shown }) => !findings.some(({ file }) => file === shown))
    .map(({ shown }): Item => {
      const testCase = { suite: 'files', name: shown, file: shown }
      return { outcome: 'passed', title: shown, testCase, isOnlyCase: true }
    })
  return {
    command: 'gateway-sim validate',
    subject: '',
    outcome: hasFailed ? 'failed' : 'passed',
    summary: summaryOf(checked),
    sections: [{ items: [...findings.map((finding) => findingItem(finding, files)), ...valid] }],
    data: {
      ok: !hasFailed,
      files: files.map(({ shown, title = null }) => ({ file: shown, ok: !isInvalid(checked, shown), title })),
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
  }
}

/** One line with the number of errors and warnings. */
function summaryOf(checked: Checked): string {
  const { files, findings, together, maxWarnings } = checked
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const invalid = files.filter(({ shown }) => isInvalid(checked, shown)).length
  const allowed = isTooMany(checked) ? ` (--max-warnings ${maxWarnings})` : ''
  const also = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}${allowed}`
  if (errors === 0) return `${filesOf(checked)} valid${together ? ', also together' : ''}${also}`
  return `${counted(errors, 'error')} in ${invalid} of ${filesOf(checked)}${also}`
}

/** `3 files (2 scenarios and settings)`: the settings file may not be on the command line. */
function filesOf({ files, settingsFiles }: Checked): string {
  const all = counted(files.length, 'file')
  if (settingsFiles === 0) return all
  const scenarios = files.length - settingsFiles
  return scenarios === 0 ? `${all} (settings)` : `${all} (${counted(scenarios, 'scenario')} and settings)`
}

function maxWarningsOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (/^\d{1,9}$/.test(written)) return Number(written)
  throw usageError(`--max-warnings: expected a whole number such as 0, got ${JSON.stringify(written)}`)
}

/** The settings files among those that were found, with the one that `serve` would use. */
async function settingsAmong(
  found: readonly FoundFile[],
  { config }: ValidateArgs,
  { cwd }: Io,
): Promise<{ files: (YamlFile & { readonly path: string })[]; settings: SettingsInput }> {
  const used = findSettingsFile(config, cwd)
  const named = found.flatMap(({ path, shown }) =>
    path !== undefined && isSettingsFile(path) ? [{ path, shown }] : [],
  )
  const isNamed = named.some(({ path }) => path === used?.path)
  const files = [...(used === undefined || isNamed ? [] : [used]), ...named]
  const read = await Promise.all(
    files.map(async (file) => ({ ...(await inspectSettings(file)), path: resolve(cwd, file.path) })),
  )
  const usable = read.find(({ path, errors }) => path === used?.path && errors.length === 0)
  return { files: read, settings: (usable?.value ?? {}) as SettingsInput }
}

/** Findings that need a simulator or several rules: given files, settings, unreachable rules. */
function findingsOf(scenarios: readonly Scenario[], around: Surroundings): RankedFinding[] {
  return [...ranked('error', errorsOf(scenarios, around)), ...ranked('warning', warnings(scenarios))]
}

function ranked(severity: RankedFinding['severity'], findings: readonly ScenarioFinding[]): RankedFinding[] {
  return findings.map((finding) => ({ severity, ...finding }))
}

function errorsOf(scenarios: readonly Scenario[], around: Surroundings): readonly ScenarioFinding[] {
  try {
    const { core } = createSimulator({ scenarios, ...around })
    return scenarios.flatMap((scenario) => errorsOfStepFiles(scenario, core.reader))
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    return error.findings.length > 0 ? error.findings : [{ field: '', message: error.message }]
  }
}

function warnings(scenarios: readonly Scenario[]): ScenarioFinding[] {
  const { vocabulary } = gatewayApi().reader
  const all = warningsOf(
    scenarios.map(({ spec }) => spec),
    scenarios.map(({ name }) => name),
    vocabulary,
  )
  return scenarios.flatMap((scenario, from) => scenario.place(all.filter((warning) => warning.from === from)))
}

// By file in the order of the command line, then by line and column.
function sortByPlace(findings: readonly RankedFinding[], files: readonly ReportedFile[]): RankedFinding[] {
  const order = new Map(files.map(({ shown }, index) => [shown, index]))
  const position = ({ file }: RankedFinding): number =>
    file === undefined ? files.length : (order.get(file) ?? files.length)
  return [...findings].sort(
    (a, b) => position(a) - position(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}

function keyOf({ severity, file, line, column, message }: RankedFinding): string {
  return JSON.stringify([severity, file, line, column, message])
}
