/**
 * A replay as all that was sent and received, for people to read and for tests to compare: the same bytes in
 * every run of the same files. No wall clock, no address of a server, no key; long base64 and other bytes by
 * size and digest.
 */
import { createHash } from 'node:crypto'
import type { Exchange, Received, SentBody } from '../exchange.ts'
import type { StepReport, StoryReport } from '../report.ts'

/**
 * The file. Times are virtual milliseconds: of a call after the start, of a reply or an event after its call.
 */
export function traceText(stories: readonly StoryReport[]): string {
  const trace = {
    format: 'gateway-sim-trace/1',
    scenarios: stories.map(storyOf),
  }
  return `${shortened(JSON.stringify(trace, null, 2))}\n`
}

function storyOf({ file, title, seed, start, base, steps }: StoryReport): unknown {
  const story = {
    file: file.replaceAll('\\', '/'),
    title,
    seed,
    start: new Date(start).toISOString(),
    steps: steps.map((step) => stepOf(step, start)),
  }
  // Where it ran is no part of what happened: links lose the address that the server gave them.
  return JSON.parse(JSON.stringify(story).replaceAll(base, ''))
}

function stepOf(step: StepReport, start: number): unknown {
  return {
    step: step.step,
    name: step.name,
    title: step.title,
    at: step.at,
    outcome: step.outcome,
    skipped: step.reason,
    failures: step.failures.length === 0 ? undefined : step.failures,
    fired: step.fired.length === 0 ? undefined : step.fired,
    calls:
      step.exchanges.length === 0 ? undefined : step.exchanges.map((exchange) => callOf(exchange, start)),
  }
}

function callOf({ request, at, endedAt, reply, broken, ended, reason }: Exchange, start: number): unknown {
  return {
    at: at - start,
    request: {
      method: request.method,
      url: request.url,
      key: request.key,
      headers: sorted(request.headers),
      body: sentBody(request.body),
    },
    reply:
      reply === undefined
        ? undefined
        : { after: reply.after, status: reply.status, headers: reply.headers, ...body(reply) },
    ended,
    broken,
    reason,
    took: endedAt - at,
  }
}

function sentBody(sent: SentBody | undefined): unknown {
  return sent === undefined
    ? undefined
    : 'json' in sent
      ? { json: sent.json }
      : 'form' in sent
        ? { form: sent.form }
        : { bytes: sent.bytes }
}

function body({ json, text, events, size, sha256 }: Received): Readonly<Record<string, unknown>> {
  if (events !== undefined) return { events }
  if (json !== undefined) return { json }
  if (text !== undefined) return { text }
  return size === 0 ? {} : { bytes: { size, sha256 } }
}

function sorted(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Inside an event it stands between escaped quotes.
function shortened(text: string): string {
  return text.replace(/(?<=["\\,])[A-Za-z0-9+/]{400,}={0,2}(?=["\\])/g, (base64) => {
    const bytes = Buffer.from(base64, 'base64')
    return `<base64 of ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}>`
  })
}
