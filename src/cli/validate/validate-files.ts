/** Runs `gateway-sim validate`. */

import { gatewayApi } from '../../disk/load-scenario.ts'
import { createSimulator } from '../../index.ts'
import { mistakesOfStepFiles } from '../../replay/step-files.ts'
import { bareDurations } from '../../scenario/check/bare-durations.ts'
import { warningsOf } from '../../scenario/check/warnings.ts'
import type { Scenario } from '../../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'
import { painterFor } from '../../text/paint.ts'
import { allowedFolders } from '../allow-files.ts'
import { type ExitCode, exitCodes, type Io } from '../command.ts'
import {
  githubFindings,
  isTooMany,
  jsonFindings,
  prettyFindings,
  type RankedFinding,
} from '../findings-report.ts'
import { findScenarioFiles, readScenarioFiles, type ScenarioFile } from '../scenario-files.ts'

export interface ValidateFlags {
  /** Files, directories, `-`. */
  readonly files: readonly string[]
  readonly format: 'pretty' | 'json' | 'github'
  /** Whether to skip the check of all files as one set. */
  readonly each: boolean
  /** How many warnings there may be; any number when left out. */
  readonly maxWarnings?: number | undefined
  /** Folders whose files scenarios may name. */
  readonly allowFiles: readonly string[]
}

/** Checks the files. Throws `CommandError` if there are none. */
export async function validateFiles(flags: ValidateFlags, io: Io): Promise<ExitCode> {
  const allowFiles = allowedFolders(flags.allowFiles, io.cwd)
  const files = await readScenarioFiles(await findScenarioFiles(flags.files, io.cwd), io)
  const findings: RankedFinding[] = files.flatMap((file) =>
    file.mistakes.map((finding): RankedFinding => ({ severity: 'error', ...finding })),
  )
  for (const { scenario } of files)
    if (scenario !== undefined) findings.push(...findingsOf([scenario], allowFiles))
  // Files of a directory are not meant to be used together.
  const set = flags.each ? [] : files.filter((file) => !file.inDirectory)
  const together = set.flatMap(({ scenario }) => scenario ?? [])
  if (together.length > 1) {
    const known = new Set(findings.map(keyOf))
    findings.push(...findingsOf(together, allowFiles).filter((finding) => !known.has(keyOf(finding))))
  }
  const sorted = sortByPlace(findings, files)
  const { maxWarnings } = flags
  const report = { files, findings: sorted, together: together.length > 1, maxWarnings }
  if (flags.format === 'json') io.stdout.write(jsonFindings(report))
  else if (flags.format === 'github') io.stdout.write(githubFindings(report))
  else io.stdout.write(prettyFindings(report, painterFor(io.stdout, io.env)))
  if (sorted.some(({ severity }) => severity === 'error')) return exitCodes.file
  return isTooMany(report) ? exitCodes.failed : exitCodes.ok
}

/** Findings that need a simulator or several rules: given files, settings, unreachable rules. */
function findingsOf(scenarios: readonly Scenario[], allowFiles: readonly string[]): RankedFinding[] {
  return [
    ...mistakesOf(scenarios, allowFiles).map((finding): RankedFinding => ({ severity: 'error', ...finding })),
    ...warnings(scenarios),
  ]
}

function mistakesOf(
  scenarios: readonly Scenario[],
  allowFiles: readonly string[],
): readonly ScenarioFinding[] {
  try {
    const { core } = createSimulator({ scenarios, allowFiles })
    return scenarios.flatMap((scenario) => mistakesOfStepFiles(scenario, core.reader))
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.length > 0 ? error.findings : [{ field: '', message: error.message }]
  }
}

function warnings(scenarios: readonly Scenario[]): RankedFinding[] {
  const all = warningsOf(
    scenarios.map(({ spec }) => spec),
    scenarios.map(({ name }) => name),
    gatewayApi().reader.vocabulary,
  )
  const schema = gatewayApi().reader.schema()
  return scenarios.flatMap((scenario, from) =>
    scenario
      .place([...all.filter((warning) => warning.from === from), ...bareDurations(scenario.written, schema)])
      .map((finding): RankedFinding => ({ severity: 'warning', ...finding })),
  )
}

// By file in the order of the command line, then by line and column.
function sortByPlace(findings: readonly RankedFinding[], files: readonly ScenarioFile[]): RankedFinding[] {
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
