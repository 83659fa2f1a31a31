/** `sim.journal`: the calls of one session, by page or as JSON lines. */
import { filterJournal, journalQuery } from '../journal/filter-journal.ts'
import { jsonLines, wireEntry } from '../journal/wire-entry.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import { own } from './control.ts'
import { journalSchema } from './schema.ts'

const jsonLinesType = 'application/x-ndjson'

export function journalEndpoints(): readonly Endpoint[] {
  const journal = defineEndpoint({
    ...own,
    operation: 'sim.journal',
    method: 'GET',
    path: '/__sim/journal',
    summary: "The session's calls, oldest first",
    accepts: [],
    query: journalQuery,
    reply: journalSchema,
    act({ query, headers }, { world }) {
      const { format, ...wanted } = query
      const page = filterJournal(world.journal.entries(), wanted)
      if (format === 'jsonl' || (format === undefined && headers['accept']?.includes(jsonLinesType) === true)) return { status: 200, headers: { 'content-type': jsonLinesType }, body: { kind: 'text', text: jsonLines(page.entries) } }
      return json({ total: world.journal.total, more: page.more, next: page.next, entries: page.entries.map(wireEntry) })
    },
  })
  return [journal]
}
