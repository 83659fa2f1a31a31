/** Both knobs of chance are turned at once. */
import type { FindingKind } from '../finding.ts'

/** Both are 1 unless given: writing that out adjusts nothing. */
const usual = 1

export const temperatureAndTopP: FindingKind = {
  id: 'temperature-and-top-p',
  severity: 'warning',
  what: 'Adjusted both `temperature` and `top_p` of chat.',
  section: 'contract 4.2',
  remedy: 'Adjust one of both and leave the other out.',
  example: '`POST /v1/chat/completions` with `temperature: 0.2` and `top_p: 0.9`',
  not: 'one of them, also when the other is written out with its default 1',
  on: ['chat.create'],
  watch: ({ found }) => ({
    called(call) {
      const { temperature, top_p: topP } = call.body
      if (
        typeof temperature !== 'number' ||
        typeof topP !== 'number' ||
        temperature === usual ||
        topP === usual
      )
        return
      found({
        subject: 'chat.create',
        message: `chat.create was sent \`temperature: ${temperature}\` together with \`top_p: ${topP}\`.`,
        calls: [call.sighting],
      })
    },
  }),
}
