/** A request has fields that the endpoint ignores. */
import { nearestWord } from '../../protocol/nearest-word.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { FindingKind } from '../finding.ts'

const maxNameLength = 100

export const ignoredField: FindingKind = {
  id: 'ignored-field',
  severity: 'warning',
  summary: 'Sent an unknown top-level field, which the endpoint ignores.',
  section: 'contract 4',
  remedy: [
    'Correct the name or omit the field: it has no effect. Settings such as `chat.unknownParameters:',
    'refuse` turn it into a refusal.',
  ].join(' '),
  example: '`POST /v1/chat/completions` with `max_completion_token: 100`',
  exceptions: 'a field for which the request was refused',
  fields: () => 'unknown',
  watch: ({ report }) => ({
    called(call) {
      // A refusal has already named the field.
      if (call.entry.status >= 300 || call.entry.operation === undefined) return
      for (const name of call.ignored.slice(0, 20)) {
        const shownName = clip(name, maxNameLength)
        const nearest = nearestWord(shownName, [...(call.known ?? [])])
        const hint = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`
        report({
          subject: `${call.entry.operation} ${shownName}`,
          message: `${call.entry.operation} was sent the unknown field ${show(shownName)}.${hint}`,
          calls: [call.ref],
        })
      }
    },
  }),
}
