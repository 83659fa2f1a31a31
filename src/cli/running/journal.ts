/** Runs `gateway-sim journal`: lists the requests of a session, or prints one of them. */

import type { JournalEntryJson, SimulatorClient } from '../../client.ts'
import { defined, jsonIn } from '../../engine/fields.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { printExplanation } from '../../sessions/controls/print.ts'
import type { Paint } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { countOf, type JournalArgs } from '../flags.ts'
import { painterFor } from '../painter.ts'
import { callLine, hasFailed } from './call-lines.ts'
import { clientOf, jsonText, requireSession, resultOf, type Target, targetOf } from './control.ts'

/** As many requests are listed without `--limit`. */
const defaultLimit = 50

export async function showJournal(args: JournalArgs, { stdout, env }: Io): Promise<ExitCode> {
  const { id, session, operation, status, failed, format } = args
  const limit = countOf('--limit', args.limit)
  if (format === 'har' && (id !== undefined || failed || limit !== undefined))
    throw usageError('--format har writes all requests, or those of --operation and --status')
  const target = targetOf(args, env)
  const client = clientOf(target, session)
  await requireSession(client, target)
  const paint = painterFor(stdout, env)
  if (id !== undefined) {
    if (operation !== undefined || status !== undefined || failed)
      throw usageError('--operation, --status and --failed select requests to list: omit them to print one')
    const call = await resultOf(readCall(client, id, target), target)
    stdout.write(format === 'json' ? jsonText(call) : callText(call, paint))
    return exitCodes.ok
  }
  const filter = defined({ operation, status })
  if (format === 'har') {
    // Rejects what `fetch` would not: a wrong filter or token.
    await resultOf(client.journal({ ...filter, limit: 1 }), target)
    const query = String(new URLSearchParams({ ...filter, format }))
    const headers = defined({ 'x-sim-token': target.token })
    const response = await resultOf(client.fetch(`${controlPrefix}/journal?${query}`, { headers }), target)
    stdout.write(`${await response.text()}\n`)
    return exitCodes.ok
  }
  const all = await resultOf(client.journal(filter), target)
  const shown = (failed ? all.filter(hasFailed) : all).slice(-(limit ?? defaultLimit))
  if (format === 'json') stdout.write(jsonText(shown))
  else {
    const width = String(shown.at(-1)?.seq ?? '').length
    const lines = shown.map((entry) => `${String(entry.seq).padStart(width)} ${callLine(entry, paint)}\n`)
    stdout.write(lines.length === 0 ? 'no requests\n' : lines.join(''))
  }
  return exitCodes.ok
}

export interface CallWithReason {
  readonly entry: JournalEntryJson
  readonly explanation: Awaited<ReturnType<SimulatorClient['explainRequest']>>
}

/** The request with a seq in the session, or with a request id in any session. */
export async function readCall(client: SimulatorClient, id: string, target: Target): Promise<CallWithReason> {
  const explanation = await client.explainRequest(id)
  const { seq, session } = explanation
  const [entry] = await clientOf(target, session).journal({ seq })
  if (entry === undefined) throw new Error(`the journal no longer contains the request with seq ${seq}`)
  return { entry, explanation }
}

export function callText(
  { entry, explanation }: CallWithReason,
  paint: Paint,
  toText = printExplanation,
): string {
  const headers = entry.request.headers.map(([name, value]) => `${name}: ${value}`)
  const parts = [
    ['request headers', headers.join('\n')],
    ['request body', bodyText(entry.request.body?.text)],
    ['response body', bodyText(entry.response?.body?.text)],
    ['explanation', toText(explanation).trimEnd()],
  ] as const
  const sections = parts.map(([title, text]) => {
    const lines = text.split('\n').map((line) => `  ${escapeControls(line)}\n`)
    return text === '' ? '' : `\n${paint('bold', title)}\n${lines.join('')}`
  })
  return `${entry.seq} ${callLine(entry, paint)}\n${sections.join('')}`
}

/** JSON with indentation; other text as it is. */
function bodyText(body = ''): string {
  const value = jsonIn(body)
  return value === undefined ? body.trimEnd() : JSON.stringify(value, null, 2)
}
