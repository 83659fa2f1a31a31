/** `gateway-sim check`. */
import type { Exchange } from '../../exchange/exchange.ts'
import { harText } from '../../exchange/write-har.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { check } from '../../run/check.ts'
import { checkReport, exitReason } from '../../run/check-report.ts'
import { acceptedSchema, CheckFailure, type CheckOptions, type CheckReport } from '../../run/check-types.ts'
import { checkRecording } from '../../run/judge-recording.ts'
import { createWallPacer } from '../../run/pacer.ts'
import { checkedOperations, modelGroups, planOf } from '../../run/plan.ts'
import { keyRemover, serverTarget } from '../../run/target.ts'
import { escapeControls, textTable } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import {
  type ArgsOf,
  CommandError,
  defineCommand,
  exitCodes,
  type Io,
  outcomeCodes,
  usageError,
} from '../command.ts'
import {
  apiKeyOf,
  baseUrl,
  baseUrlOf,
  choice,
  format,
  list,
  operation,
  operationsNamed,
  report,
  text,
  toggle,
} from '../flags.ts'
import { prepareReports, printedAs } from '../output-files.ts'
import { progressOn } from '../painter.ts'
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
  format,
  report,
  list: toggle('List the probes and the rules that they test, without sending requests'),
} as const

type CheckArgs = ArgsOf<typeof flags>

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
    operationsNamed('--only', args.only, checkedOperations)
    if (args.list) {
      io.stdout.write(probesText(args))
      return exitCodes.ok
    }
    const check = args.recordings.length > 0 ? recordingCheck(args, io) : gatewayCheck(args, io)
    const accepted = await readAcceptFile(args.accept, acceptedSchema, io.cwd)
    const usual = { ...printedAs(args.format, io), requests: ['har'] } as const
    const output = await prepareReports(args.report, io, usual)
    const found = await check({ accepted, today: new Date().toISOString().slice(0, 10) })
    await output.write(checkReport(found.report), async () => harText(found.exchanges, version))
    const code = outcomeCodes[found.report.outcome]
    if (code !== exitCodes.ok)
      io.stderr.write(`gateway-sim: Exiting with ${code}: ${escapeControls(exitReason(found.report))}\n`)
    return code
  },
})

interface Checked {
  readonly report: CheckReport
  /** The requests that were checked. */
  readonly exchanges: readonly Exchange[]
}
type Check = (options: Pick<CheckOptions, 'accepted' | 'today'>) => Promise<Checked>

function gatewayCheck(args: CheckArgs, io: Io): Check {
  const options = optionsOf(args, io)
  const show = progressOn(io)
  return async (more) => {
    try {
      return await check({ ...options, ...more, onProgress: (group, text) => show(`${group}: ${text}`) })
    } catch (error) {
      if (!(error instanceof CheckFailure)) throw error
      const texts = {
        unreachable: `--base-url ${options.target.base}: cannot be reached (${error.message})`,
        unauthorised: `--api-key: ${error.message} (all probes with an API key were skipped)`,
      }
      throw new CommandError(exitCodes.gateway, texts[error.why])
    } finally {
      show('')
    }
  }
}

function recordingCheck({ recordings, baseUrl: given, only }: CheckArgs, io: Io): Check {
  if (given !== undefined)
    throw usageError('--base-url and --recordings are mutually exclusive: recordings are checked offline')
  const exchanges = recordings.flatMap((name) => readRecording(name, io.cwd))
  return async (options) => ({
    report: await checkRecording(exchanges, recordings.join(', '), { ...options, only }),
    exchanges,
  })
}

function probesText({ spend, only }: CheckArgs): string {
  const rows = planOf(spend, only).map(({ probe }) => [
    probe.spend,
    probe.endpoint.operation,
    probe.name,
    probe.states,
  ])
  return textTable(['SPEND', 'OPERATION', 'PROBE', 'RULE'], rows)
}

/** How long to wait for the first response, in milliseconds. */
const defaultPatience = 60_000

function optionsOf({ baseUrl: url, spend, only, model, ...args }: CheckArgs, { env }: Io): CheckOptions {
  if (url === undefined) throw usageError('Missing --base-url: pass the URL of the gateway to check')
  const apiKey = apiKeyOf(args.apiKey, env)
  const target = serverTarget({
    base: baseUrlOf('--base-url', url),
    pacer: createWallPacer(defaultPatience),
    hide: keyRemover([apiKey]),
  })
  return { target, apiKey, spend, only, models: Object.fromEntries(model.map(modelOf)) }
}

/** `chat=gpt-4o`. */
function modelOf(flag: string): [group: string, id: string] {
  const [, group = flag, id = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
  if (id === '')
    throw usageError(`--model: expected GROUP=ID such as chat=gpt-4o, got ${JSON.stringify(flag)}`)
  if (modelGroups.includes(group)) return [group, id]
  throw usageError(`--model: unknown group ${JSON.stringify(group)}: ${didYouMean(group, modelGroups)}`)
}
