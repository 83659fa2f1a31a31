/** Writes docs/reference/errors.md from the errors of the service and the envelopes of its groups. */
import { serviceGroups } from '../../src/endpoints/registry.ts'
import { ApiError, type RejectionType, rejections } from '../../src/protocol/errors.ts'
import { pageHead, pageTable } from './page-parts.ts'

type Group = (typeof serviceGroups)[number]

const group = (name: string): Group => serviceGroups.find((one) => one.name === name) as Group
const [chat, messages, operations] = [group('chat'), group('messages'), group('video-operations')]

/** The text of docs/reference/errors.md. */
export function errorsPage(): string {
  const description =
    'The type, status and body of each error, by API, and the errors of the simulator itself.'
  return `${pageHead('Errors', description, 'src/protocol/errors.ts')}
A scenario sends any of these with \`then: { error: { type: rate_limit_error } }\` or
\`then: { error: { status: 429 } }\`. Each API uses its own body.

## Types and statuses

Messages and video operations have their own names for the type.

${pageTable(['`error.type`', 'Status', 'Messages', 'Video operations: `error.status`'], typeRows())}
## Bodies

${[
  ['Chat, images, image jobs, videos, files, decision evaluation', chat],
  ['Messages', messages],
  ['Video operations', operations],
]
  .map(([title, of]) => `${title as string}:\n\n\`\`\`json\n${bodyOf(of as Group)}\n\`\`\`\n`)
  .join('\n')}
An error that names an existing job has \`error.job_id\` (video operations: \`error.operation_id\`). Upload
URLs respond with the XML of an object store.

## Request ids and waits

The request id is in \`x-request-id\` (messages: \`request-id\`). \`retry-after\` is in seconds,
\`retry-after-ms\` in milliseconds. In the clock mode \`auto\` both are at most one second, unless a
rule, a fault or a reserved value sets the wait.

## Errors of the simulator

${pageTable(
  ['Response', 'Cause'],
  [
    ['422 with `x-sim-explain`', '`strict`: no rule matches the request; or no recording, with `onMiss`'],
    ['404 `not_found_error`', 'No operation has this path; the message names the nearest one'],
    ['500 `simulator_bug`', 'A bug in gateway-sim: please report it'],
    ['503 with `retry-after`', 'A bound of the [traffic settings](settings.md#traffic)'],
    ['`application/problem+json`', 'The [control API](control-api.md#errors) rejects a request'],
  ],
)}
Classes that the library throws: [library](library.md#errors). Exit codes: [command line](cli.md#exit-codes).
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

function bodyOf(of: Group): string {
  const error = new ApiError('invalid_request_error', 'Expected a string.', { param: 'model' })
  const { error: inner, ...outer } = of.renderError(error, ids).body as { error: Record<string, unknown> }
  const lines = Object.entries(inner).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
  const object = `{\n    ${lines.slice(0, 3).join(', ')},\n    ${lines.slice(3).join(', ')}\n  }`
  const before = Object.entries(outer).map(([name, value]) => `  "${name}": ${JSON.stringify(value)},\n`)
  return `{\n${before.join('')}  "error": ${object}\n}`
}
