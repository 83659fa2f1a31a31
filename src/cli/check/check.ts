/** `gateway-sim check`. */
import { resolve } from 'node:path'
import { defined } from '../../engine/fields.ts'
import type { Exchange } from '../../exchange/exchange.ts'
import { harEntry, harFrame } from '../../exchange/write-har.ts'
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
import { version } from '../../text/version.ts'
import { type ArgsOf, CommandError, defineCommand, exitCodes, type Io, usageError } from '../command.ts'
import {
  apiKeyOf,
  baseUrl,
  baseUrlOf,
  choice,
  durationOf,
  format,
  list,
  operation,
  report,
  text,
  toggle,
  value,
} from '../flags.ts'
import { prepareReports, printedAs, showProgress } from '../output-files.ts'
import { readRecording } from '../recordings.ts'
import { readAcceptFile } from '../settings-file.ts'

const flags = {
  'base-url': baseUrl('the gateway to check'),
  'api-key': text('API key of the gateway (never printed)', 'GATEWAY_API_KEY'),
  recordings: list('HAR files or folders to check instead of a gateway'),
  spend: choice(
    'The requests to send: none that cost anything (only invalid ones), a little (text too) or all',
    ['none', 'little', 'all'],
  ),
  only: operation('Only this operation'),
  model: list('Model for a group of operations, as GROUP=ID (chat=gpt-4o). Default: a usual one'),
  accept: text('YAML file of known violations with their reasons, which do not count'),
  'job-timeout': value('Maximum wait for each job or video to finish', '10m'),
  format,
  report,
  list: toggle('List the probes and the rules that they test, without sending requests'),
} as const

type CheckArgs = ArgsOf<typeof flags>

const outcomeCodes = { passed: exitCodes.ok, failed: exitCodes.failed, skipped: exitCodes.skipped } as const

export const command = defineCommand({
  examples: [
    ['gateway-sim check --base-url https://gw.example --api-key sk-1', 'Send invalid requests only'],
    [
      'gateway-sim check --base-url https://gw.example --spend all',
      'Send every probe, with the API key from GATEWAY_API_KEY',
    ],
    ['gateway-sim check --recordings calls.har', 'Check recordings offline'],
    ['gateway-sim check --spend all --list', 'List the probes'],
  ],
  flags,
  async handler(args, io) {
    checkOnly(args.only)
    if (args.list) {
      io.stdout.write(probesText(args))
      return exitCodes.ok
    }
    const source = args.recordings.length > 0 ? recordingCheck(args, io) : gatewayCheck(args, io)
    const accepted = args.accept === undefined ? [] : await readAccepted(args.accept, io)
    const usual = { ...printedAs(args.format, io), requests: ['har'] } as const
    const output = await prepareReports(args.report, io, usual)
    const found = await source.run({ accepted, today: new Date().toISOString().slice(0, 10) })
    await output.write(checkReport(found), async () => {
      const { head, tail } = harFrame(version)
      const entries = (await source.exchanges()).map((exchange) => JSON.stringify(harEntry(exchange)))
      return head + entries.join(',\n') + tail
    })
    const code = outcomeCodes[found.outcome]
    if (code !== exitCodes.ok)
      io.stderr.write(`gateway-sim: Exiting with ${code}: ${escapeControls(exitReason(found))}\n`)
    return code
  },
})

interface Check {
  run(options: Pick<CheckOptions, 'accepted' | 'today'>): Promise<CheckReport>
  /** The requests that were checked. */
  exchanges(): Promise<readonly Exchange[]>
}

function gatewayCheck(args: CheckArgs, io: Io): Check {
  const options = optionsOf(args, io)
  // A check of all jobs takes minutes.
  const onProgress = (group: string, message: string): void => showProgress(`${group}: ${message}`, io)
  let exchanges: readonly Exchange[] = []
  return {
    exchanges: async () => exchanges,
    async run(more) {
      try {
        const checked = await check({ ...options, ...more, onProgress })
        exchanges = checked.exchanges
        return checked.report
      } catch (error) {
        if (!(error instanceof CheckFailure)) throw error
        throw new CommandError(exitCodes.gateway, failureText(error, options))
      } finally {
        showProgress('', io)
      }
    },
  }
}

function recordingCheck({ recordings, baseUrl: given, only }: CheckArgs, io: Io): Check {
  if (given !== undefined)
    throw usageError('--base-url and --recordings are mutually exclusive: recordings are checked offline')
  const exchanges = recordings.flatMap((name) => readRecording(name, io.cwd))
  return {
    run: (options) => checkRecording(exchanges, recordings.join(', '), { ...options, only }),
    exchanges: async () => exchanges,
  }
}

function failureText({ why, message }: CheckFailure, { target: { base: url } }: CheckOptions): string {
  const texts = {
    unreachable: `--base-url ${url}: cannot be reached (${message})`,
    unauthorised: `--api-key: ${message} (all probes with an API key were skipped)`,
  }
  return texts[why]
}

function checkOnly(only: readonly string[]): void {
  const groups = [...new Set(checkedOperations.map((one) => `${one.split('.')[0]}.*`))]
  const unknown = only.find((name) => !checkedOperations.some((one) => isNamed(one, [name])))
  if (unknown === undefined) return
  const otherwise = `: expected an operation in ${groups.join(', ')}`
  const hint = didYouMean(unknown, [...checkedOperations, ...groups], otherwise, '; ')
  throw usageError(`--only: no probe for ${JSON.stringify(unknown)}${hint}`)
}

function probesText({ spend, only, format: form }: CheckArgs): string {
  const probes = planOf(spend, only).map(({ probe: { spend: needs, endpoint, name, states } }) => ({
    spend: needs,
    operation: endpoint.operation,
    probe: name,
    states,
  }))
  if (form === 'json') return `${JSON.stringify(probes, null, 2)}\n`
  const rows = probes.map((one) => [one.spend, one.operation, one.probe, one.states])
  return textTable(['SPEND', 'OPERATION', 'PROBE', 'RULE'], rows)
}

/** How long to wait for the first response, in milliseconds. */
const defaultPatience = 60_000

function optionsOf(args: CheckArgs, { env }: Io): CheckOptions {
  const { baseUrl: url, spend, only, model } = args
  if (url === undefined) throw usageError('Missing --base-url: pass the URL of the gateway to check')
  const apiKey = apiKeyOf(args.apiKey, env)
  return {
    ...defined({
      jobTimeout: durationOf('--job-timeout', args.jobTimeout),
    }),
    target: serverTarget({
      base: baseUrlOf('--base-url', url),
      pacer: createWallPacer(defaultPatience),
      hide: keyRemover([apiKey]),
    }),
    apiKey,
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
  throw usageError(`--model: unknown group ${JSON.stringify(group)}: ${didYouMean(group, modelGroups)}`)
}

async function readAccepted(shown: string, { cwd }: Io): Promise<readonly Accepted[]> {
  const file = { path: resolve(cwd, shown), shown }
  return (await readAcceptFile(file, acceptedSchema)) as readonly Accepted[]
}
