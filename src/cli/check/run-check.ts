/** Runs `gateway-sim check`. */
import { resolve } from 'node:path'
import { check } from '../../check/check.ts'
import { acceptedSchema, withoutKey } from '../../check/findings.ts'
import { checkRecording } from '../../check/judge-recording.ts'
import { type Accepted, CheckFailure, type CheckOptions, type CheckReport } from '../../check/report.ts'
import { junitReport, markdownReport, textReport } from '../../check/reporters.ts'
import { checkedOperations, isNamed, modelGroups, planOf } from '../../check/suite.ts'
import { parseDuration } from '../../engine/duration.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { painterFor } from '../../text/paint.ts'
import { textTable } from '../../text/printable.ts'
import { createProgress } from '../call-log.ts'
import { CommandError, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { type CheckArgs, parseBaseUrl } from '../flags.ts'
import { prepareReportFiles, type ReportFile, type ReportForm, writeReport } from '../output-files.ts'
import { exchangesOf } from '../recording-files.ts'
import { readYamlOf } from '../settings-file.ts'

/** Throws `CommandError` for invalid flags, and where the gateway cannot be checked. */
export async function runCheck(flags: CheckArgs, io: Io): Promise<ExitCode> {
  checkOnly(flags.only)
  if (flags.list) {
    io.stdout.write(listing(flags))
    return exitCodes.ok
  }
  if (flags.recording.length > 0) return runRecordingCheck(flags, io)
  const options = optionsOf(flags, io)
  const accepted =
    flags.accept === undefined ? [] : await readAccepted(resolve(io.cwd, flags.accept), flags.accept)
  const files = await prepareReportFiles(flags.report, io.cwd)
  const progress = createProgress(io.stderr)
  const report = await check({
    ...options,
    accepted,
    today: today(),
    onProgress: (operation, probe) => progress.show(operation, probe),
  })
    .catch((error: unknown) => {
      if (!(error instanceof CheckFailure)) throw error
      throw new CommandError(exitCodes.gateway, failureText(error, options))
    })
    .finally(() => progress.clear())
  await writeReports(report, files, io)
  return report.summary.deviations === 0 ? exitCodes.ok : exitCodes.failed
}

const today = (): string => new Date().toISOString().slice(0, 10)

/** Judges recordings offline. */
async function runRecordingCheck(flags: CheckArgs, io: Io): Promise<ExitCode> {
  if (flags.baseUrl !== undefined)
    throw usageError(
      'Either --base-url or --recording: a recording is judged as it is, and no gateway is asked',
    )
  const { recording: recordings, accept } = flags
  const exchanges = recordings.flatMap((name) => exchangesOf(name, io.cwd))
  const accepted = accept === undefined ? [] : await readAccepted(resolve(io.cwd, accept), accept)
  const files = await prepareReportFiles(flags.report, io.cwd)
  const report = await checkRecording(exchanges, recordings.join(', '), { accepted, today: today() })
  await writeReports(report, files, io)
  return report.summary.deviations === 0 ? exitCodes.ok : exitCodes.failed
}

function failureText({ why, message }: CheckFailure, { baseUrl, apiKey }: CheckOptions): string {
  const text =
    why === 'unreachable'
      ? `--base-url ${baseUrl}: cannot be reached (${message})`
      : `--api-key: ${message}. Nothing was checked that needs one.`
  return withoutKey(text, apiKey)
}

function checkOnly(only: readonly string[]): void {
  for (const name of only) {
    if (checkedOperations.some((operation) => isNamed(operation, [name]))) continue
    const groups = [...new Set(checkedOperations.map((operation) => `${operation.split('.')[0]}.*`))]
    const known = [...checkedOperations, ...groups]
    const hint = didYouMean(name, known, ': gateway-sim check --list shows all', '; ')
    throw usageError(`--only: no probe asks ${JSON.stringify(name)}${hint}`)
  }
}

function listing({ spend, only }: CheckArgs): string {
  return textTable(
    ['SPEND', 'OPERATION', 'PROBE', 'CONTRACT'],
    planOf(spend, only).map(({ probe }) => [
      probe.spend,
      probe.endpoint.operation,
      probe.name,
      `${probe.section.replace('contract ', '')}: ${probe.states}`,
    ]),
  )
}

function optionsOf(flags: CheckArgs, { env }: Io): CheckOptions {
  const { baseUrl, apiKey, spend, only, model } = flags
  const refuse = (message: string): never => {
    throw usageError(message)
  }
  const key = apiKey ?? env['GATEWAY_API_KEY'] ?? ''
  if (baseUrl === undefined) return refuse('Missing --base-url: the gateway to check')
  if (key.trim() === '')
    return refuse('Missing --api-key: a key that the gateway takes, here or in GATEWAY_API_KEY')
  if (!/^[\x21-\x7e]+$/.test(key)) return refuse('--api-key: expected ASCII letters, digits and signs')
  const duration = (flag: 'limit' | 'timeout'): number | undefined => {
    const ms = flags[flag] === undefined ? undefined : (parseDuration(flags[flag]) ?? 0)
    if (ms !== 0) return ms
    return refuse(`--${flag}: expected a duration such as 30s or 10m, got ${JSON.stringify(flags[flag])}`)
  }
  const [limit, timeout] = [duration('limit'), duration('timeout')]
  return {
    baseUrl: checkUrl(baseUrl, refuse),
    apiKey: key,
    spend,
    only,
    models: modelsOf(model, refuse),
    ...(limit === undefined ? {} : { limit }),
    ...(timeout === undefined ? {} : { timeout }),
  }
}

function checkUrl(text: string, refuse: (message: string) => never): string {
  return (
    parseBaseUrl(text) ?? refuse(`--base-url: expected a URL such as https://gateway.example, got ${text}`)
  )
}

function modelsOf(flags: readonly string[], refuse: (message: string) => never): Record<string, string> {
  const models: Record<string, string> = {}
  for (const flag of flags) {
    const [, group = flag, id = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
    if (id === '')
      return refuse(`--model: expected GROUP=ID such as chat=gpt-4o, got ${JSON.stringify(flag)}`)
    if (!modelGroups.includes(group)) {
      const hint = didYouMean(group, modelGroups, `expected one of ${modelGroups.join(', ')}`)
      return refuse(`--model: there is no group ${JSON.stringify(group)}: ${hint}`)
    }
    models[group] = id
  }
  return models
}

/** Throws `CommandError` that lists every mistake with its place. */
async function readAccepted(path: string, shown: string): Promise<readonly Accepted[]> {
  return (await readYamlOf('--accept', { path, shown }, acceptedSchema)) as readonly Accepted[]
}

/** Writes the report of a check: to the terminal, and to the files that `--report` names. */
async function writeReports(report: CheckReport, files: readonly ReportFile[], io: Io): Promise<void> {
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
