/** A request holds fields that nobody reads. */
import { nearestWord } from '../../protocol/nearest-word.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { FindingKind } from '../finding.ts'

const longest = 100

export const ignoredField: FindingKind = {
  id: 'ignored-field',
  severity: 'warning',
  what: 'Sent a top-level field that the endpoint does not know and ignores.',
  section: 'contract 4',
  remedy:
    'Correct the name, or leave the field out: what it asks for does not happen. Settings such as `chat.unknownParameters: refuse` make it a refusal.',
  example: '`POST /v1/chat/completions` with `max_completion_token: 100`',
  not: 'a field that the request was refused for',
  fields: () => 'unknown',
  watch: ({ found }) => ({
    called(call) {
      // Most calls that have no body end here, and those that were refused were told.
      if (call.entry.status >= 300 || call.entry.operation === undefined) return
      for (const name of call.ignored.slice(0, 20)) {
        const nearest = nearestWord(clip(name, longest), [...(call.known ?? [])])
        found({
          subject: `${call.entry.operation} ${clip(name, longest)}`,
          message: `${call.entry.operation} was sent ${show(clip(name, longest))}, a field that it does not know.${nearest === undefined ? '' : ` Is \`${nearest}\` meant?`}`,
          calls: [call.sighting],
        })
      }
    },
  }),
}
