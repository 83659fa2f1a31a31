/** Writes docs/reference/errors.md from the errors of the service and the envelopes of its groups. */
import { serviceGroups } from '../../src/endpoints/registry.ts'
import { ApiError, type RejectionType, rejections } from '../../src/protocol/errors.ts'
import { pageHead, pageTable } from './page-parts.ts'

type Group = (typeof serviceGroups)[number]

const group = (name: string): Group => serviceGroups.find((one) => one.name === name) as Group
const [messages, operations] = [group('messages'), group('video-operations')]

/** The text of docs/reference/errors.md. */
export function errorsPage(): string {
  const description = 'Type, status and body of each API error.'
  return `${pageHead('Errors', description, 'src/protocol/errors.ts')}
A rule returns these errors with \`error: { type: rate_limit_error }\` or \`error: { status: 429 }\`.

## Types and statuses


${pageTable(['`error.type`', 'Status', 'Messages', 'Video operations: `error.status`'], typeRows())}
## Bodies

\`\`\`json
{
  "error": {
    "type": "invalid_request_error", "code": 400, "message": "Expected a string.",
    "param": "model", "details": [], "trace_id": "trace_1"
  }
}
\`\`\`

Messages add \`"type": "error"\` and \`"request_id": "req_1"\` next to \`error\`. Video operations add
\`"status": "INVALID_ARGUMENT"\` to \`error\`.

An error about an existing job contains the job id in \`error.job_id\` (video operations:
\`error.operation_id\`).
Errors from upload URLs are XML, as from an object store.

## Request ids and waits

The request id is in \`x-request-id\` (messages: \`request-id\`). \`retry-after\` is in seconds, and
\`retry-after-ms\` in milliseconds. In \`auto\` clock mode, both are at most one second, unless a rule, a
fault or a reserved value sets the wait.

## Errors of the simulator

${pageTable(
  ['Response', 'Cause'],
  [
    ['422 with `x-sim-explain`', 'No rule matches the request (`strict`)'],
    ['404 `not_found_error`', 'Unknown path; the message suggests the nearest operation'],
    ['500 `simulator_bug`', 'Bug in gateway-sim; please report it'],
    ['503 with `retry-after`', 'Limit of [data in transit](../ci/shared-server.md#overload)'],
    ['`application/problem+json`', 'Rejection by the [control API](control-api.md#errors)'],
  ],
)}
Error classes of the library: [library](library.md#errors). Exit codes: [command line](cli.md#exit-codes).
`
}

function typeRows(): string[][] {
  return Object.entries(rejections).map(([type, { status }]) => {
    const error = new ApiError(type as RejectionType, '')
    const inMessages = field(messages, error, 'type')
    const messageStatus = messages.rejectionStatus?.(type as RejectionType)
    return [
      `\`${type}\``,
      String(status),
      [
        ...(inMessages === type ? [] : [`\`${inMessages}\``]),
        ...(messageStatus === undefined ? [] : [`status ${messageStatus}`]),
      ].join(', '),
      `\`${field(operations, error, 'status')}\``,
    ]
  })
}

const ids = { requestId: 'req_1', traceId: 'trace_1' }

function field(of: Group, error: ApiError, name: string): string {
  const { body } = of.renderError(error, ids) as { body: { error: Record<string, unknown> } }
  return String(body.error[name])
}
