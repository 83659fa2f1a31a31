/** The tools for requests: list, explain, verify. */
import * as z from 'zod'
import type { ClientReport, JournalEntryJson, RequestExplanation, VerifyRequest } from '../../client.ts'
import { defined } from '../../engine/fields.ts'
import { printVerdict } from '../../sessions/controls/print.ts'
import { plain } from '../../text/paint.ts'
import { counted } from '../../text/printable.ts'
import { CommandError } from '../command.ts'
import { callLine } from '../running/call-lines.ts'
import { callText, readCall } from '../running/journal.ts'
import type { Attachment } from './attachment.ts'
import { defineTool, type Tool } from './tool.ts'

const lineOf = (entry: JournalEntryJson): string => `${entry.seq} ${callLine(entry, plain)}`

const listRequests = defineTool({
  name: 'list_requests',
  description: 'List the latest requests of the session with their seq, status and deciding rule.',
  readOnly: true,
  input: () =>
    z.strictObject({
      operation: z.string().optional().describe('chat.create or videos.*'),
      status: z.string().optional().describe('429 or 4xx'),
      limit: z.int().min(1).max(100).optional().describe('Default: 20'),
    }),
  async run({ operation, status, limit = 20 }, attachment) {
    const entries = await attachment.ask((client) => client.journal(defined({ operation, status })))
    const shown = entries.slice(-limit)
    const more = entries.length - shown.length
    const lines = [
      ...(more === 0 ? [] : [`${counted(more, 'earlier request')} not shown`]),
      ...shown.map(lineOf),
    ]
    if (lines.length > 0) return lines.join('\n')
    return withElsewhere(`No such request in session ${attachment.client.name}.`, attachment)
  },
})

/** The text and, if this session has no requests, which other session has. */
async function withElsewhere(text: string, attachment: Attachment): Promise<string> {
  const all = await attachment.ask((client) => client.sessions())
  const { name, baseUrl } = attachment.client
  const [most, ...others] = all.filter((one) => one.requests > 0).toSorted((a, b) => b.requests - a.requests)
  if (all.some((one) => one.requests > 0 && one.name === name)) return text
  if (most === undefined)
    return `${text}\nNo session has requests: if the client ran, it did not use the base URL ${baseUrl}.`
  const also = others.length === 0 ? '' : ` and ${counted(others.length, 'other session')} also have some`
  return (
    `${text}\nSession ${JSON.stringify(name)} has no requests; session ${JSON.stringify(most.name)} has ` +
    `${most.requests}${also}: connect with start {"session": ${JSON.stringify(most.name)}}.`
  )
}

const explainRequest = defineTool({
  name: 'explain_request',
  description: 'Explain why a request got its response: which rules matched, and which conditions failed.',
  readOnly: true,
  input: () =>
    z.strictObject({
      id: z.union([z.string(), z.int()]).describe('The seq or x-request-id, or `last`'),
      bodies: z.boolean().optional().describe('Also return headers and bodies'),
    }),
  async run({ id, bodies = false }, attachment) {
    try {
      if (!bodies) return explanationText(await attachment.ask((client) => client.explainRequest(id)))
      const call = await attachment.ask((client, target) => readCall(client, String(id), target))
      return callText(call, plain, explanationText)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      throw new CommandError(error.exitCode, await withElsewhere(error.message, attachment))
    }
  },
})

/** The explanation, with the remedies of these tools. */
function explanationText({ text, waitsFor }: RequestExplanation): string {
  if (waitsFor === undefined) return text
  const remedy = `Call clock {"by":"${waitsFor}"} while the client waits, or start with {"clock":"auto"}.`
  return `${text}\n${remedy}`
}

const verify = defineTool({
  name: 'verify',
  description:
    'Judge the requests so far. Always returns the client report: misuse of the API, such as double ' +
    'submissions. With `expect`, also a verdict: {"requests":{"operation":"chat.create","model":"o1"},' +
    '"times":1}; or atLeast, atMost, never, within, inOrder (a list of requests), noOthers, usedRules.',
  readOnly: true,
  input: () => z.strictObject({ expect: z.looseObject({}).optional() }),
  async run({ expect }, attachment) {
    const verdict =
      expect === undefined
        ? undefined
        : await attachment.ask((client) => client.safeVerify(expect as VerifyRequest))
    const report = reportText(await attachment.ask((client) => client.clientReport()))
    const text = verdict === undefined ? '' : printVerdict(verdict)
    return withElsewhere(`${text}${report}`, attachment)
  },
})

const maxFindings = 10

function reportText({ requests, findings, more }: ClientReport): string {
  const about = `client report of ${counted(requests, 'request')}`
  if (findings.length === 0) return `${about}: no findings`
  const shown = findings.slice(0, maxFindings).map(({ severity, code, message, remedy, evidence }) => {
    const requests = evidence.slice(0, 5).map(({ seq }) => seq)
    return `${severity} ${code} (requests ${requests.join(', ')}): ${message} ${remedy}`
  })
  const left = findings.length - shown.length + more
  return [`${about}:`, ...shown, ...(left === 0 ? [] : [`and ${counted(left, 'more finding')}`])].join('\n')
}

export const requestTools: readonly Tool[] = [listRequests, explainRequest, verify]
