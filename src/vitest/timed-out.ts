/** What a test that timed out waited for: the clock of its session, a response, or its client. */
import { formatDuration } from '../engine/duration.ts'
import { docsPage } from '../protocol/docs-page.ts'
import type { TestSession } from './test-session.ts'

/** A request of the journal. */
export interface SeenRequest {
  readonly seq: number
  readonly operation?: string | undefined
  readonly response?: { readonly status: number } | undefined
  readonly ended: string
  readonly cause: {
    readonly faults: readonly string[]
    readonly rejection?: { readonly retryAfterMs?: number | undefined } | undefined
  }
}

/** The maximum number of open requests in the message of a failed test. */
const maxOpen = 5

/** Whether vitest ended a test, or one of its hooks, at its time limit. */
export const hasTimedOut = (failure: string): boolean => /\btimed out in \d+ ?ms\b/.test(failure)

/** The requests that the test sent, by operation and status. */
export function requestsLine(requests: readonly SeenRequest[]): string {
  const counts = new Map<string, number>()
  for (const { operation, response } of requests) {
    const line = `${operation ?? '(unknown path)'} ${response?.status ?? 'no response'}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const lines = [...counts].map(([line, count]) => (count === 1 ? line : `${count} × ${line}`))
  return `Requests: ${lines.length === 0 ? 'none' : lines.join(', ')}`
}

/** What the open requests waited for; without any, what the client may have waited for. */
export async function waitsText(
  session: Pick<TestSession, 'explainRequest'> & { readonly clock: Pick<TestSession['clock'], 'state'> },
  requests: readonly SeenRequest[],
): Promise<string> {
  const open = requests.filter(({ ended }) => ended === 'open')
  if (open.length === 0) return clientText(requests.at(-1))
  const { mode, in: next } = await session.clock.state()
  const explained = await Promise.all(
    open.slice(0, maxOpen).map(async (request) => {
      const { waitsFor } = await session.explainRequest(request.seq)
      return { request, waitsFor }
    }),
  )
  const more = open.length - explained.length
  const waitForClock = explained.some(({ waitsFor }) => waitsFor !== undefined)
  return [
    'Open when the test timed out:',
    ...explained.map(({ request, waitsFor }) => `  ${openText(request, waitsFor)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(waitForClock && mode === 'manual'
      ? [
          `The clock is \`manual\`: call \`sim.clock.advance('${next ?? '1s'}')\`, or use ` +
            "`session: { clock: 'auto' }`.",
        ]
      : []),
  ].join('\n')
}

function openText({ seq, operation, cause: { faults } }: SeenRequest, waitsFor: string | undefined): string {
  let why = 'no complete response yet'
  if (waitsFor !== undefined) why = `waits for the clock (its response ends ${waitsFor} after the request)`
  else if (faults.length > 0) why = `fault ${faults.join(' and ')}`
  return `#${seq} ${operation ?? '(unknown path)'}: ${why}`
}

/** No request was open: only the client can have waited. */
function clientText(last: SeenRequest | undefined): string {
  if (last === undefined) return 'No request reached this session: check the base URL of the client.'
  const retryAfter = last.cause.rejection?.retryAfterMs
  const asked =
    retryAfter === undefined
      ? ''
      : ` The last response asked for a wait of ${formatDuration(retryAfter)} (retry-after).`
  return (
    `No request was open when the test timed out: the client did not wait for a response.${asked} If it ` +
    `sleeps, use fake timers or a shorter wait (${docsPage('time')}#fake-timers).`
  )
}
