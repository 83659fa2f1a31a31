/** `gateway-sim journal`: the requests of a running simulator, or one of them with its explanation. */
import type { JournalEntryJson, SimulatorClient } from '../../client.ts'
import { defined, jsonIn } from '../../engine/fields.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { printExplanation } from '../../sessions/controls/print.ts'
import type { Paint } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'
import { type ArgsOf, defineCommand, exitCodes, usageError } from '../command.ts'
import { choice, clientFlags, countOf, text, value } from '../flags.ts'
import { painterFor } from '../painter.ts'
import { callLine } from './call-lines.ts'
import { clientOf, jsonText, requireSession, resultOf, type Target, targetOf } from './simulator.ts'

const flags = {
  operation: text('Only requests for this operation: an id (chat.create) or a group (videos.*)'),
  status: text('Only requests with this status: 429, or a class such as 4xx'),
  limit: value('Maximum number of requests to list; older requests are omitted', '50; with har, all'),
  ...clientFlags,
  format: choice('Output format', ['pretty', 'json', 'har']),
} as const

type JournalArgs = ArgsOf<typeof flags>

export const command = defineCommand({
  arguments: '[id]',
  examples: [
    ['gateway-sim journal --status 4xx', 'List the rejected requests'],
    ['gateway-sim journal last', 'Print the last request, and explain its response'],
  ],
  flags,
  async handler({ id, ...args }, io) {
    const target = targetOf(args, io.env)
    const selects = args.operation !== undefined || args.status !== undefined
    if (id !== undefined && (selects || args.format === 'har'))
      throw usageError('An id prints one request: omit the flags that select requests, and --format har')
    const client = clientOf(target, args.session)
    await requireSession(client, target)
    const paint = painterFor(io.stdout, io.env)
    if (id !== undefined) {
      const call = await resultOf(readCall(client, id, target), target)
      io.stdout.write(args.format === 'json' ? jsonText(call) : callText(call, paint))
    } else io.stdout.write(await listText(args, client, target, paint))
    return exitCodes.ok
  },
})

async function listText(
  { operation, status, format, ...args }: JournalArgs,
  client: SimulatorClient,
  target: Target,
  paint: Paint,
): Promise<string> {
  const limit = countOf('--limit', args.limit)
  const filter = defined({ operation, status, limit })
  if (format === 'har') {
    // Rejects what `fetch` would not: a wrong filter or token.
    await resultOf(client.journal({ ...filter, limit: 1 }), target)
    const query = new URLSearchParams({ ...defined({ operation, status }), format })
    if (limit !== undefined) query.set('limit', String(limit))
    const headers = defined({ 'x-sim-token': target.token })
    const response = await resultOf(client.fetch(`${controlPrefix}/journal?${query}`, { headers }), target)
    return `${await response.text()}\n`
  }
  const shown = await resultOf(client.journal({ ...filter, limit: limit ?? 50 }), target)
  if (format === 'json') return jsonText(shown)
  if (shown.length === 0) return 'no requests\n'
  const width = String(shown.at(-1)?.seq).length
  return shown.map((entry) => `${String(entry.seq).padStart(width)} ${callLine(entry, paint)}\n`).join('')
}

interface ExplainedCall {
  readonly entry: JournalEntryJson
  readonly explanation: Awaited<ReturnType<SimulatorClient['explainRequest']>>
}

/** The request with a seq in the session, or with a request id in any session. */
export async function readCall(client: SimulatorClient, id: string, target: Target): Promise<ExplainedCall> {
  const explanation = await client.explainRequest(id)
  const { seq, session } = explanation
  const [entry] = await clientOf(target, session).journal({ seq })
  if (entry === undefined) throw new Error(`the journal no longer contains the request with seq ${seq}`)
  return { entry, explanation }
}

export function callText(
  { entry, explanation }: ExplainedCall,
  paint: Paint,
  toText = printExplanation,
): string {
  const headers = entry.request.headers.map(([name, given]) => `${name}: ${given}`)
  const parts = [
    ['request headers', headers.join('\n')],
    ['request body', bodyText(entry.request.body?.text)],
    ['response body', bodyText(entry.response?.body?.text)],
    ['explanation', toText(explanation).trimEnd()],
  ] as const
  const sections = parts.map(([title, content]) => {
    const lines = content.split('\n').map((line) => `  ${escapeControls(line)}\n`)
    return content === '' ? '' : `\n${paint('bold', title)}\n${lines.join('')}`
  })
  return `${entry.seq} ${callLine(entry, paint)}\n${sections.join('')}`
}

/** JSON with indentation; other text as it is. */
function bodyText(body = ''): string {
  const parsed = jsonIn(body)
  return parsed === undefined ? body.trimEnd() : JSON.stringify(parsed, null, 2)
}
