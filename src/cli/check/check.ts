/** `gateway-sim check`. */
import { harText } from '../../exchange/write-har.ts'
import { check } from '../../run/check.ts'
import { checkReport, exitReason } from '../../run/check-report.ts'
import { acceptedSchema, CheckFailure, type CheckOptions } from '../../run/check-types.ts'
import { checkRecording } from '../../run/judge-recording.ts'
import { checkedOperations, modelGroups, planText } from '../../run/plan.ts'
import { gatewayAt } from '../../run/target.ts'
import { escapeControls } from '../../text/printable.ts'
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
      io.stdout.write(planText(args.spend, args.only))
      return exitCodes.ok
    }
    const run = args.recordings.length > 0 ? recordingCheck(args, io) : gatewayCheck(args, io)
    const accepted = await readAcceptFile(args.accept, acceptedSchema, io.cwd)
    const usual = { ...printedAs(args.format, io), requests: ['har'] } as const
    const output = await prepareReports(args.report, io, usual)
    const checked = await run({ accepted, today: new Date().toISOString().slice(0, 10) })
    await output.write(checkReport(checked.report), async () => harText(checked.exchanges, version))
    const code = outcomeCodes[checked.report.outcome]
    if (code !== exitCodes.ok)
      io.stderr.write(`gateway-sim: Exiting with ${code}: ${escapeControls(exitReason(checked.report))}\n`)
    return code
  },
})

type Acceptance = Pick<CheckOptions, 'accepted' | 'today'>

function gatewayCheck({ baseUrl: url, spend, only, model, ...args }: CheckArgs, io: Io) {
  if (url === undefined) throw usageError('Missing --base-url: pass the URL of the gateway to check')
  const apiKey = apiKeyOf(args.apiKey, io.env)
  const target = gatewayAt(baseUrlOf('--base-url', url), apiKey)
  const models = Object.fromEntries(model.map(modelOf))
  const show = progressOn(io)
  const onProgress = (group: string, text: string): void => show(`${group}: ${text}`)
  return (acceptance: Acceptance) =>
    check({ target, apiKey, spend, only, models, onProgress, ...acceptance })
      .catch((error: unknown) => {
        throw error instanceof CheckFailure ? new CommandError(exitCodes.gateway, error.message) : error
      })
      .finally(() => show(''))
}

function recordingCheck({ recordings, baseUrl: given, only }: CheckArgs, io: Io) {
  if (given !== undefined)
    throw usageError('--base-url and --recordings are mutually exclusive: recordings are checked offline')
  const exchanges = recordings.flatMap((name) => readRecording(name, io.cwd))
  return async (acceptance: Acceptance) => ({
    report: await checkRecording(exchanges, recordings.join(', '), { ...acceptance, only }),
    exchanges,
  })
}

/** `chat=gpt-4o`. */
function modelOf(flag: string): [group: string, id: string] {
  const [, group = flag, id = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? []
  if (id !== '' && modelGroups.includes(group)) return [group, id]
  throw usageError(`--model: expected GROUP=ID (${modelGroups.join(', ')}), got ${JSON.stringify(flag)}`)
}
