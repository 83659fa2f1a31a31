/** What `gateway-sim validate` does, from its flags to its exit code. */
import { createSimulator } from '../../index.ts'
import { warningsOf } from '../../scenario/check/warnings.ts'
import { type Scenario, scenarioReader } from '../../scenario/load/load-scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'
import { painterFor } from '../../text/paint.ts'
import { type ExitCode, exitCodes, type Io } from '../command.ts'
import { type Found, githubFindings, jsonFindings, prettyFindings } from '../findings-report.ts'
import { namedFiles, readScenarioFiles, type ScenarioFile } from '../scenario-files.ts'

export interface ValidateFlags {
  /** As written: files, directories, `-`. */
  readonly files: readonly string[]
  readonly format: 'pretty' | 'json' | 'github'
  /** True when the files need not agree. */
  readonly each: boolean
}

/** Checks the files. Throws `CommandError` for what cannot be looked at. */
export async function validateFiles(flags: ValidateFlags, io: Io): Promise<ExitCode> {
  const files = await readScenarioFiles(await namedFiles(flags.files, io.cwd), io)
  const found: Found[] = files.flatMap((file) =>
    file.mistakes.map((finding): Found => ({ severity: 'error', ...finding })),
  )
  for (const { scenario } of files) if (scenario !== undefined) found.push(...findingsOf([scenario]))
  // What was found in a directory was not said to belong together.
  const set = flags.each ? [] : files.filter((file) => !file.found)
  const together = set.flatMap(({ scenario }) => scenario ?? [])
  if (together.length > 1) {
    const known = new Set(found.map(keyOf))
    found.push(...findingsOf(together).filter((one) => !known.has(keyOf(one))))
  }
  const ordered = inOrder(found, files)
  const report = { files, found: ordered, together: together.length > 1 }
  if (flags.format === 'json') io.stdout.write(jsonFindings(report))
  else if (flags.format === 'github') io.stdout.write(githubFindings(report))
  else io.stdout.write(prettyFindings(report, painterFor(io.stdout, io.env)))
  return ordered.some(({ severity }) => severity === 'error') ? exitCodes.file : exitCodes.ok
}

/** What only shows when scenarios are used: given files, settings, rules behind rules. */
function findingsOf(scenarios: readonly Scenario[]): Found[] {
  return [
    ...mistakesOf(scenarios).map((finding): Found => ({ severity: 'error', ...finding })),
    ...warnings(scenarios),
  ]
}

function mistakesOf(scenarios: readonly Scenario[]): readonly ScenarioFinding[] {
  try {
    createSimulator({ scenarios })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.length > 0 ? error.findings : [{ field: '', message: error.message }]
  }
}

function warnings(scenarios: readonly Scenario[]): Found[] {
  const all = warningsOf(
    scenarios.map(({ written }) => written),
    scenarios.map(({ name }) => name),
    scenarioReader().vocabulary,
  )
  return scenarios.flatMap((scenario, from) =>
    scenario
      .place(all.filter((warning) => warning.from === from))
      .map((finding): Found => ({ severity: 'warning', ...finding })),
  )
}

// By file as they were named, then by place.
function inOrder(found: readonly Found[], files: readonly ScenarioFile[]): Found[] {
  const order = new Map(files.map(({ shown }, index) => [shown, index]))
  const at = ({ file }: Found): number =>
    file === undefined ? files.length : (order.get(file) ?? files.length)
  return [...found].sort(
    (a, b) => at(a) - at(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}

function keyOf({ severity, file, line, column, message }: Found): string {
  return JSON.stringify([severity, file, line, column, message])
}
