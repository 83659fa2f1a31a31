/** Makes one finding of what has one cause, and takes out what must not be shown. */
import { base64 } from '../engine/base64.ts'
import { clip } from '../protocol/wording.ts'
import type { ShownDeviation } from './judge-probe.ts'
import type { Finding, ShownExchange } from './report.ts'
import type { Outcome } from './run-probes.ts'
import type { ProbeReply, SentRequest } from './send-probe.ts'

type Seen = Outcome['deviations'][number] & { readonly probe: string }

/** The findings of all outcomes, in the order in which they were first seen. */
export function findingsOf(outcomes: readonly Outcome[]): Finding[] {
  const byCause = new Map<string, [Seen, ...Seen[]]>()
  for (const { planned, deviations } of outcomes) {
    if (!planned.asked) continue
    for (const deviation of deviations) {
      const seen = { ...deviation, probe: planned.probe.name }
      const known = byCause.get(deviation.cause)
      if (known === undefined) byCause.set(deviation.cause, [seen])
      else known.push(seen)
    }
  }
  return [...byCause.values()].map((seen): Finding => {
    const [first] = seen
    return {
      ...plainDeviation(first),
      operations: [...new Set(seen.map(({ operation }) => operation))],
      ...(first.states === undefined ? {} : { states: first.states }),
      probes: [...new Set(seen.map(({ probe }) => probe))],
      ...shownExchange(first.request, first.reply),
    }
  })
}

const plainDeviation = ({
  operation,
  section,
  where,
  pointer,
  kind,
  severity,
  expected,
  got,
}: ShownDeviation) => ({ operation, section, where, pointer, kind, severity, expected, got }) as const

/** The most characters of a text that are shown, and of a text within JSON. */
const maxText = 2000
const maxValue = 300
const shownHeaders = ['content-type', 'retry-after', 'x-request-id', 'request-id']

function shownExchange(request: SentRequest, reply: ProbeReply): ShownExchange {
  const type = reply.headers.get('content-type') ?? ''
  const isText = /^text\/|json|xml/.test(type) || reply.json !== undefined
  const body =
    reply.body.length === 0
      ? undefined
      : reply.json !== undefined
        ? shortened(reply.json)
        : isText
          ? clip(new TextDecoder().decode(reply.body), maxText)
          : `${reply.body.length} bytes`
  return {
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: shortened(request.body) }),
    },
    reply: {
      status: reply.status,
      headers: Object.fromEntries(
        shownHeaders.flatMap((name) => {
          const value = reply.headers.get(name)
          return value === null ? [] : [[name, value]]
        }),
      ),
      ...(body === undefined ? {} : { body }),
    },
  }
}

/** A value with its long texts and lists cut. */
function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return clip(value, maxValue)
  if (value === null || typeof value !== 'object') return value
  if (depth > 8) return '…'
  if (Array.isArray(value)) {
    const first = value.slice(0, 20).map((one) => shortened(one, depth + 1))
    return value.length > 20 ? [...first, `… and ${value.length - 20} more`] : first
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 40)
      .map(([name, one]) => [name, shortened(one, depth + 1)]),
  )
}

/** The same data without the key, in whatever form the gateway has repeated it. */
export function withoutKey<Data>(data: Data, key: string): Data {
  const forms = [...new Set([key, encodeURIComponent(key), base64(new TextEncoder().encode(key))])].filter(
    (form) => form.length > 0,
  )
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return forms.reduce((text, form) => text.replaceAll(form, '<key>'), value)
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(hidden)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [hidden(name), hidden(one)]))
  }
  return hidden(data) as Data
}
