/** Checks files with scenarios and settings, beyond what each file shows by itself, and reports on them. */
import type { SettingsInput } from '../generated/settings-types.ts'
import { createSimulator } from '../index.ts'
import { ConfigError } from '../protocol/field-errors.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { type FileFinding, fileItem, type ReportedFile } from '../report/file-item.ts'
import type { Item, Report } from '../report/report.ts'
import { warningsOf } from '../scenario/check/warnings.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFieldError } from '../scenario/scenario-error.ts'
import { counted } from '../text/printable.ts'

export interface CheckedFile extends ReportedFile {
  readonly errors: readonly ScenarioFieldError[]
  /** Undefined for settings, and if it is invalid. */
  readonly scenario?: Scenario | undefined
  /** Whether it is checked alone, because it was found in a folder. */
  readonly inDirectory?: boolean
}

/** What the scenarios run in. */
export interface Surroundings {
  readonly allowFiles: readonly string[]
  readonly settings: SettingsInput
}

export interface Validation {
  readonly report: Report
  readonly errors: number
}

/** The findings in files one by one and, unless they are of a directory, in the one set that they make. */
export function findingsIn(
  files: readonly CheckedFile[],
  around: Surroundings,
  vocabulary: Vocabulary,
): FileFinding[] {
  const findingsOf = (scenarios: readonly Scenario[]): FileFinding[] => [
    ...ranked('error', errorsOf(scenarios, around)),
    ...ranked('warning', placedWarnings(scenarios, vocabulary)),
  ]
  const together = files.flatMap(({ scenario, inDirectory }) => (inDirectory ? [] : (scenario ?? [])))
  const findings = [
    ...files.flatMap(({ errors }) => ranked('error', errors)),
    ...files.flatMap(({ scenario }) => (scenario === undefined ? [] : findingsOf([scenario]))),
    ...(together.length > 1 ? findingsOf(together) : []),
  ]
  // What is wrong with one file is wrong with the set.
  const different = new Map(findings.map((finding) => [JSON.stringify(finding), finding]))
  return sortByPlace([...different.values()], files)
}

const ranked = (severity: FileFinding['severity'], errors: readonly ScenarioFieldError[]): FileFinding[] =>
  errors.map((error) => ({ severity, ...error }))

/** The errors that only a simulator finds. */
export function errorsOf(scenarios: readonly Scenario[], around: Surroundings): ScenarioFieldError[] {
  try {
    createSimulator({ scenarios, ...around })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    const [only] = scenarios.length === 1 ? scenarios : []
    const place = only === undefined ? {} : { file: only.name }
    if (error.errors.length === 0) return [{ ...place, field: '', message: error.message }]
    return error.errors.map((one) => ({ ...place, ...one }))
  }
}

function placedWarnings(scenarios: readonly Scenario[], vocabulary: Vocabulary): ScenarioFieldError[] {
  const specs = scenarios.map(({ spec }) => spec)
  const names = scenarios.map(({ name }) => name)
  const all = warningsOf(specs, names, vocabulary)
  return scenarios.flatMap((scenario, from) => scenario.place(all.filter((warning) => warning.from === from)))
}

/** By file in the order of the command line, then by line and column. */
function sortByPlace(findings: readonly FileFinding[], files: readonly ReportedFile[]): FileFinding[] {
  const order = new Map<string | undefined, number>(files.map(({ shown }, index) => [shown, index]))
  const position = ({ file }: FileFinding): number => order.get(file) ?? files.length
  return findings.toSorted(
    (a, b) => position(a) - position(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}

/** The report on files. More warnings than allowed fail it. */
export function validationOf(
  files: readonly CheckedFile[],
  findings: readonly FileFinding[],
  maxWarnings = Infinity,
): Validation {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const warnings = findings.length - errors.length
  const hasFailed = errors.length > 0 || warnings > maxWarnings
  const invalid = files.filter(({ shown }) => errors.some(({ file }) => file === shown))
  const summary = [
    errors.length === 0
      ? `${counted(files.length, 'file')} valid`
      : `${counted(errors.length, 'error')} in ${invalid.length} of ${counted(files.length, 'file')}`,
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(warnings > maxWarnings ? [`at most ${maxWarnings} allowed`] : []),
  ]
  const valid = files.filter(({ shown }) => !findings.some(({ file }) => file === shown))
  const report: Report = {
    command: 'gateway-sim validate',
    subject: '',
    outcome: hasFailed ? 'failed' : 'passed',
    summary: summary.join(', '),
    sections: [{ items: [...findings.map((finding) => fileItem(finding, files)), ...valid.map(validItem)] }],
    data: {
      ok: !hasFailed,
      files: files.map((file) => ({
        file: file.shown,
        ok: !invalid.includes(file),
        title: file.title ?? null,
      })),
      findings,
    },
  }
  return { report, errors: errors.length }
}

function validItem({ shown }: ReportedFile): Item {
  const testCase = { suite: 'files', name: shown, file: shown }
  return { outcome: 'passed', title: shown, testCase, isOnlyCase: true }
}
