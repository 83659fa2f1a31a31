/** `gateway-sim validate`. */
import { resolve } from 'node:path'
import { gatewayApi } from '../disk/load-scenario.ts'
import type { SettingsInput } from '../generated/settings-types.ts'
import { createSimulator } from '../index.ts'
import { ConfigError } from '../protocol/findings.ts'
import type { Item, Report } from '../report/report.ts'
import { warningsOf } from '../scenario/check/warnings.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario/scenario-error.ts'
import { counted } from '../text/printable.ts'
import { type ArgsOf, defineCommand, exitCodes, type Io, usageError } from './command.ts'
import { allowedFolders, allowFiles, choice, config, report, value } from './flags.ts'
import { prepareReports, printedAs } from './output-files.ts'
import { type FoundFile, findScenarioFiles, readScenarioFiles } from './scenario-files.ts'
import {
  findingItem,
  findSettingsFile,
  inspectSettings,
  isSettingsFile,
  type RankedFinding,
  type ReportedFile,
  type YamlFile,
} from './settings-file.ts'

const flags = {
  format: choice('Output format; github prints annotations for a GitHub workflow', [
    'pretty',
    'json',
    'github',
  ]),
  'allow-files': allowFiles,
  config,
  report,
  'max-warnings': value('Maximum number of warnings before exit code 1'),
} as const

type ValidateArgs = ArgsOf<typeof flags> & { readonly files: readonly string[] }

export const command = defineCommand({
  arguments: '[files..]',
  examples: [
    ['gateway-sim validate outage.yaml', 'Check one file'],
    ['gateway-sim validate scenarios --format github', 'Annotate the lines of a pull request'],
    ['gateway-sim validate', 'Check the settings file alone'],
    ['gateway-sim validate scenarios --max-warnings 0', 'Fail on warnings too'],
  ],
  flags,
  async handler(args, io) {
    const output = await prepareReports(args.report, io, printedAs(args.format, io))
    const checked = await validate(args as ValidateArgs, io)
    const shown = validationReport(checked)
    await output.write(shown)
    // Annotations alone would not show that files were checked.
    if (args.format === 'github') io.stderr.write(`${shown.summary}\n`)
    if (checked.findings.some(({ severity }) => severity === 'error')) return exitCodes.file
    return hasTooMany(checked) ? exitCodes.failed : exitCodes.ok
  },
})

interface Checked {
  readonly files: readonly ReportedFile[]
  readonly findings: readonly RankedFinding[]
  /** How many of the files contain settings. */
  readonly settingsFiles: number
  /** How many warnings are allowed. */
  readonly maxWarnings: number
}

/** Checks files one by one and, unless they are of a directory, as the one set that `serve` makes of them. */
export async function validate(
  { files, config: given, ...args }: Pick<ValidateArgs, 'files' | 'config' | 'allowFiles' | 'maxWarnings'>,
  io: Io,
): Promise<Checked> {
  const maxWarnings = maxWarningsOf(args.maxWarnings)
  const folders = allowedFolders(args.allowFiles, io.cwd)
  const found = await findScenarioFiles(files, io.cwd)
  const settings = await settingsAmong(found, given, io)
  const isSettings = ({ path }: FoundFile): boolean => settings.files.some((file) => file.path === path)
  const read = await readScenarioFiles(
    found.filter((file) => !isSettings(file)),
    io,
  )
  const all = [...read, ...settings.files]
  if (all.length === 0)
    throw usageError('Nothing to check: name scenario files or folders, or a settings file with --config.')
  const around = { allowFiles: folders, settings: settings.used }
  const together = read.flatMap(({ scenario, inDirectory }) => (inDirectory ? [] : (scenario ?? [])))
  const findings = [
    ...all.flatMap(({ errors }) => ranked('error', errors)),
    ...read.flatMap(({ scenario }) => (scenario === undefined ? [] : findingsOf([scenario], around))),
    ...(together.length > 1 ? findingsOf(together, around) : []),
  ]
  // What is wrong with one file is wrong with the set.
  const different = new Map(findings.map((finding) => [JSON.stringify(finding), finding]))
  return {
    files: all,
    findings: sortByPlace([...different.values()], all),
    settingsFiles: settings.files.length,
    maxWarnings,
  }
}

const warningsIn = ({ findings }: Checked): number =>
  findings.filter(({ severity }) => severity === 'warning').length

const hasTooMany = (checked: Checked): boolean => warningsIn(checked) > checked.maxWarnings

const isInvalid = ({ findings }: Checked, { shown }: ReportedFile): boolean =>
  findings.some(({ severity, file }) => severity === 'error' && file === shown)

export function validationReport(checked: Checked): Report {
  const { files, findings } = checked
  const hasFailed = findings.some(({ severity }) => severity === 'error') || hasTooMany(checked)
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
      files: files.map((file) => ({
        file: file.shown,
        ok: !isInvalid(checked, file),
        title: file.title ?? null,
      })),
      findings,
    },
  }
}

/** One line with the number of errors and warnings. */
function summaryOf(checked: Checked): string {
  const { files, findings, settingsFiles, maxWarnings } = checked
  const warnings = warningsIn(checked)
  const errors = findings.length - warnings
  const allowed = hasTooMany(checked) ? ` (--max-warnings ${maxWarnings})` : ''
  const also = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}${allowed}`
  // The settings file may not be on the command line.
  const all = counted(files.length, 'file') + (settingsFiles === 0 ? '' : ' with the settings')
  if (errors === 0) return `${all} valid${also}`
  const invalid = files.filter((file) => isInvalid(checked, file)).length
  return `${counted(errors, 'error')} in ${invalid} of ${all}${also}`
}

function maxWarningsOf(given: unknown): number {
  if (given === undefined) return Infinity
  if (Number.isInteger(given) && (given as number) >= 0) return given as number
  throw usageError(`--max-warnings: expected a whole number such as 0, got ${JSON.stringify(given)}`)
}

/** The settings files among those that were found, with the one that `serve` would use. */
async function settingsAmong(
  found: readonly FoundFile[],
  given: string | undefined,
  { cwd }: Io,
): Promise<{ files: (YamlFile & { readonly path: string })[]; used: SettingsInput }> {
  const used = findSettingsFile(given, cwd)
  const named = found.flatMap(({ path, shown }) =>
    path !== undefined && isSettingsFile(path) ? [{ path, shown }] : [],
  )
  const isNamed = named.some(({ path }) => path === used?.path)
  const files = [...(used === undefined || isNamed ? [] : [used]), ...named]
  const read = await Promise.all(
    files.map(async (file) => ({ ...(await inspectSettings(file)), path: resolve(cwd, file.path) })),
  )
  const usable = read.find(({ path, errors }) => path === used?.path && errors.length === 0)
  return { files: read, used: (usable?.value ?? {}) as SettingsInput }
}

interface Surroundings {
  readonly allowFiles: readonly string[]
  readonly settings: SettingsInput
}

/** Findings that need a simulator or several rules: given files, settings, unreachable rules. */
const findingsOf = (scenarios: readonly Scenario[], around: Surroundings): RankedFinding[] => [
  ...ranked('error', errorsOf(scenarios, around)),
  ...ranked('warning', warnings(scenarios)),
]

const ranked = (severity: RankedFinding['severity'], findings: readonly ScenarioFinding[]): RankedFinding[] =>
  findings.map((finding) => ({ severity, ...finding }))

/** The errors that only a simulator finds. */
export function errorsOf(scenarios: readonly Scenario[], around: Surroundings): readonly ScenarioFinding[] {
  try {
    createSimulator({ scenarios, ...around })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    const [only] = scenarios.length === 1 ? scenarios : []
    const place = only === undefined ? {} : { file: only.name }
    if (error.findings.length === 0) return [{ ...place, field: '', message: error.message }]
    return error.findings.map((finding) => ({ ...place, ...finding }))
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

/** By file in the order of the command line, then by line and column. */
function sortByPlace(findings: readonly RankedFinding[], files: readonly ReportedFile[]): RankedFinding[] {
  const order = new Map<string | undefined, number>(files.map(({ shown }, index) => [shown, index]))
  const position = ({ file }: RankedFinding): number => order.get(file) ?? files.length
  return findings.toSorted(
    (a, b) => position(a) - position(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}
