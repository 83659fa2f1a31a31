/** `sim.journal`: the calls of one session, by page or as JSON lines. */
import { filterJournal, journalQuery } from '../journal/filter.ts'
import { jsonLines, wireEntry } from '../journal/json.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { nearestWord } from '../protocol/nearest-word.ts'
import { json } from '../protocol/reply.ts'
import { clip } from '../protocol/wording.ts'
import { scenarioReader } from '../scenario/load/load-scenario.ts'
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
      if (page.matching === 0 && wanted.operation !== undefined) refuseUnknown(wanted.operation)
      if (format === 'jsonl' || (format === undefined && headers['accept']?.includes(jsonLinesType) === true))
        return {
          status: 200,
          headers: { 'content-type': jsonLinesType },
          body: { kind: 'text', text: jsonLines(page.entries) },
        }
      return json({
        total: world.journal.total,
        matching: page.matching,
        more: page.more,
        next: page.next,
        entries: page.entries.map(wireEntry),
      })
    },
  })
  return [journal]
}

// An empty page would look as if no such call had come.
function refuseUnknown(operation: string): void {
  const known = scenarioReader().vocabulary.operations
  if (
    known.some((id) => (operation.endsWith('*') ? id.startsWith(operation.slice(0, -1)) : id === operation))
  )
    return
  const nearest = nearestWord(operation, known)
  throw new ApiError(
    'invalid_request_error',
    `\`operation\`: there is no operation ${JSON.stringify(clip(operation, 80))}${nearest === undefined ? `: expected one of ${known.join(', ')}, or a group of them such as videos.*` : `; did you mean ${nearest}?`}`,
    { param: 'operation' },
  )
}
