/** An image job is sent with a callback. */
import type { FindingKind } from '../finding.ts'

export const sentCallback: FindingKind = {
  id: 'sent-callback',
  severity: 'error',
  summary: [
    'Sent `callback` with an image job: callbacks are not supported, and the submission is refused (400,',
    'code 2004).',
  ].join(' '),
  section: 'contract 4.1',
  remedy: 'Leave `callback` out and poll `GET /v1/tob/job/{jobId}`.',
  example: 'a submission of an image job with `callback: https://…`',
  exceptions: 'a submission without the field',
  on: ({ endpoint }) => endpoint.submits?.refusesCallback === true,
  watch: ({ report }) => ({
    called(call) {
      const { operation } = call.entry
      if (operation === undefined || !Object.hasOwn(call.body, 'callback')) return
      report({
        subject: operation,
        message: `${operation} was sent \`callback\`, and answered ${call.entry.status}.`,
        calls: [call.ref],
      })
    },
  }),
}
