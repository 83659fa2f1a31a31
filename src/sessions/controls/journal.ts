/** `journal`: the calls of a session, by page or as JSON lines. */
import * as z from 'zod'
import { parseInstant } from '../../engine/instant.ts'
import type { JournalEntry } from '../../engine/journal-entry.ts'
import { filterJournal, type JournalQuery, journalQuery } from '../../journal/filter.ts'
import { jsonLines, wireEntry, wireEntrySchema } from '../../journal/json.ts'
import type { JournalFilter } from '../../journal/types.ts'
import { ApiError } from '../../protocol/errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { json } from '../../protocol/reply.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { ControlParts, Implementation } from './control.ts'

const jsonLinesType = 'application/x-ndjson'

const pageSchema = z.strictObject({
  total: z.int().describe('How many calls the session has received.'),
  matching: z.int().describe('How many of the kept calls match the query, on all pages.'),
  more: z.int(),
  next: z.int().nullable(),
  entries: z.array(wireEntrySchema),
})

/** @internal */
export const journal: Implementation<(filter?: JournalFilter) => readonly JournalEntry[]> = {
  act({ session, parts }, filter) {
    const entries = session.world.journal.entries()
    if (filter === undefined) return entries
    const page = filterJournal(entries, { limit: Infinity, ...queryOf(filter) })
    if (page.matching === 0 && filter.operation !== undefined) refuseUnknown(filter.operation, parts)
    return page.entries
  },
  endpoint: {
    operation: 'sim.journal',
    summary: "The session's calls, oldest first",
    query: journalQuery,
    reply: pageSchema,
    serve({ session, parts }, { query, headers }) {
      const { format, ...wanted } = query as JournalQuery & { readonly format?: 'json' | 'jsonl' }
      const { journal } = session.world
      const page = filterJournal(journal.entries(), wanted)
      if (page.matching === 0 && wanted.operation !== undefined) refuseUnknown(wanted.operation, parts)
      if (format === 'jsonl' || (format === undefined && headers['accept']?.includes(jsonLinesType) === true))
        return {
          status: 200,
          headers: { 'content-type': jsonLinesType },
          body: { kind: 'text', text: jsonLines(page.entries) },
        }
      const { matching, more, next } = page
      return json({ total: journal.total, matching, more, next, entries: page.entries.map(wireEntry) })
    },
  },
}

function queryOf({ since, until, ...filter }: JournalFilter): JournalQuery {
  return {
    ...filter,
    ...(since === undefined ? {} : { since: readInstant('since', since) }),
    ...(until === undefined ? {} : { until: readInstant('until', until) }),
  }
}

function readInstant(field: string, written: string | number): number {
  const at = parseInstant(written)
  if (at !== undefined) return at
  throw new ApiError(
    'invalid_request_error',
    `\`${field}\`: expected an ISO 8601 instant such as 2026-01-01T00:00:00Z, got ${show(written)}.`,
    { param: field },
  )
}

// An empty page would look as if there had been no such call.
function refuseUnknown(operation: string, { vocabulary }: ControlParts): void {
  const known = vocabulary.operations
  if (
    known.some((id) => (operation.endsWith('*') ? id.startsWith(operation.slice(0, -1)) : id === operation))
  )
    return
  const nearest = nearestWord(operation, known)
  const hint =
    nearest === undefined
      ? `: expected one of ${known.join(', ')}, or a group of them such as videos.*`
      : `; did you mean ${nearest}?`
  throw new ApiError(
    'invalid_request_error',
    `\`operation\`: unknown operation ${JSON.stringify(clip(operation, 80))}${hint}`,
    { param: 'operation' },
  )
}
