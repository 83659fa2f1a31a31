/** Runs `gateway-sim check`. */
import { resolve } from 'node:path'
import { gatewayApi } from '../../disk/load-scenario.ts'
import { defined } from '../../engine/fields.ts'
import type { Exchange } from '../../exchange/exchange.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { check } from '../../run/check.ts'
import { checkReport, exitReason } from '../../run/check-report.ts'
import {
  type Accepted,
  acceptedSchema,
  CheckFailure,
  type CheckOptions,
  type CheckReport,
} from '../../run/check-types.ts'
import { checkRecording } from '../../run/judge-recording.ts'
import { createWallPacer } from '../../run/pacer.ts'
import { checkedOperations, isNamed, modelGroups, planOf } from '../../run/plan.ts'
import { keyRemover, serverTarget } from '../../run/target.ts'
import { escapeControls, textTable } from '../../text/printable.ts'
import { createProgress } from '../call-log.ts'
import { CommandError, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { baseUrlOf, type CheckArgs, durationOf } from '../flags.ts'
import { prepareReports, printedAs, type RequestFormat } from '../output-files.ts'
import { exchangesOf } from '../recording-files.ts'
import { readAcceptFile } from '../settings-file.ts'

/** Throws `CommandError` for invalid flags, and if the gateway cannot be checked. */
export async function runCheck(flags: CheckArgs, io: Io): Promise<ExitCode> {
  checkOnly(flags.only)
  if (flags.list) {
    io.stdout.write(listing(flags))
    return exitCodes.ok
  }
  const check = flags.recordings.length > 0 ? recordingCheck(flags, io) : gatewayCheck(flags, io)
  const accepted = flags.accept === undefined ? [] : await readAccepted(flags.accept, io)
  const output = await prepareReports(flags.report, io, printedAs(flags.format, io))
  const report = await check.run({ accepted, today: new Date().toISOString().slice(0, 10) })
  await output.write(checkReport(report), async (requests) =>
    requestsText(requests, await check.exchanges(), report),
  )
  const code = outcomeCodes[report.outcome]
  if (code !== exitCodes.ok)
    io.stderr.write(`gateway-sim: Exiting with ${code}: ${escapeControls(exitReason(report))}\n`)
  return code
}

const outcomeCodes = { passed: exitCodes.ok, failed: exitCodes.failed, skipped: exitCodes.skipped } as const

interface Check {
  run(options: Pick<CheckOptions, 'accepted' | 'today'>): Promise<CheckReport>
  /** The requests that were checked. */
  exchanges(): Promise<readonly Exchange[]>
}

function gatewayCheck(flags: CheckArgs, io: Io): Check {
  const options = optionsOf(flags, io)
  let exchanges: readonly Exchange[] = []
  return {
    exchanges: async () => exchanges,
    async run(more) {
      const progress = createProgress(io.stderr)
      try {
        const checked = await check({ ...options, ...more, onProgress: progress.show })
        exchanges = checked.exchanges
        return checked.report
      } catch (error) {
        if (!(error instanceof CheckFailure)) throw error
        throw new CommandError(exitCodes.gateway, failureText(error, options))
      } finally {
        progress.clear()
      }
    },
  }
}

function recordingCheck({ recordings: names, baseUrl, only }: CheckArgs, io: Io): Check {
  if (baseUrl !== undefined)
    throw usageError('--base-url and --recordings are mutually exclusive: recordings are checked offline')
  const exchanges = names.flatMap((name) => exchangesOf(name, io.cwd))
  return {
    run: (options) => checkRecording(exchanges, names.join(', '), { ...options, only }),
    exchanges: async () => exchanges,
  }
}

function failureText({ why, message }: CheckFailure, { target: { base: baseUrl } }: CheckOptions): string {
  const texts = {
    unreachable: `--base-url ${baseUrl}: cannot be reached (${message})`,
    late: `--base-url ${baseUrl}: ${message}`,
    unauthorised: `--api-key: ${message} (all probes with an API key were skipped)`,
  }
  return texts[why]
}

function checkOnly(only: readonly string[]): void {
  for (const name of only) {
    if (checkedOperations.some((operation) => isNamed(operation, [name]))) continue
    const groups = [...new Set(checkedOperations.map((operation) => `${operation.split('.')[0]}.*`))]
    const known = [...checkedOperations, ...groups]
    const hint = didYouMean(name, known, ': gateway-sim check --list shows them all', '; ')
    const named = gatewayApi().reader.vocabulary.all.filter(({ endpoint }) =>
      isNamed(endpoint.operation, [name]),
    )
    if (named.length === 0) throw usageError(`--only: no probe for ${JSON.stringify(name)}${hint}`)
    const isExtra = named.every(({ endpoint }) => endpoint.extension !== undefined)
    const why = isExtra ? ' (it is not in the contract, and is not checked)' : ''
    throw usageError(
      `--only: ${name} has no probe${why}: expected an operation in ${groups.join(', ')} ` +
        '(gateway-sim check --spend all --list shows them all)',
    )
  }
}

function listing({ spend, only, format }: CheckArgs): string {
  const probes = planOf(spend, only).map(({ probe: { spend: needs, endpoint, name, states } }) => ({
    spend: needs,
    operation: endpoint.operation,
    probe: name,
    states,
  }))
  if (format === 'json') return `${JSON.stringify(probes, null, 2)}\n`
  const rows = probes.map(({ spend: needs, operation, probe, states }) => [needs, operation, probe, states])
  return textTable(['SPEND', 'OPERATION', 'PROBE', 'RULE'], rows)
}

/** How long to wait for the first response, in milliseconds. */
const defaultPatience = 60_000

function optionsOf(flags: CheckArgs, { env }: Io): CheckOptions {
  const { baseUrl, apiKey, spend, only, model, jobTimeout, timeout } = flags
  const key = apiKey ?? env['GATEWAY_API_KEY'] ?? ''
  if (baseUrl === undefined) throw usageError('Missing --base-url: pass the URL of the gateway to check')
  if (key.trim() === '')
    throw usageError('Missing --api-key: pass an API key of the gateway, or set GATEWAY_API_KEY')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw usageError('--api-key: expected printable ASCII characters without spaces')
  return {
    ...defined({
      jobTimeout: durationOf('--job-timeout', jobTimeout),
      timeout: durationOf('--timeout', timeout),
    }),
    target: serverTarget({
      base: baseUrlOf('--base-url', baseUrl),
      pacer: createWallPacer(defaultPatience),
      hide: keyRemover([key]),
    }),
    apiKey: key,
    spend,
    only,
    models: Object.fromEntries(model.map(modelOf)),
  }
}

/** `chat=gpt-4o`. */
function modelOf(flag: string): [group: string, id: string] {
  const [, group = flag, id = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
  if (id === '')
    throw usageError(`--model: expected GROUP=ID such as chat=gpt-4o, got ${JSON.stringify(flag)}`)
  if (modelGroups.includes(group)) return [group, id]
  const hint = didYouMean(group, modelGroups)
  throw usageError(`--model: unknown group ${JSON.stringify(group)}: ${hint}`)
}

async function readAccepted(shown: string, { cwd }: Io): Promise<readonly Accepted[]> {
  const file = { path: resolve(cwd, shown), shown }
  return (await readAcceptFile(file, acceptedSchema)) as readonly Accepted[]
}

async function requestsText(
  format: RequestFormat,
  exchanges: readonly Exchange[],
  report: CheckReport,
): Promise<string> {
  const { exchangeHar, exchangePage } = await import('./exchange-trace.ts')
  return format === 'har' ? exchangeHar(exchanges) : exchangePage(exchanges, report)
}
