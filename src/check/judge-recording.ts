/** Judges a recording offline: each exchange, each stream, and each job over all of its polls. */
import type { Deviation } from '../contract/deviation.ts'
import { createExchangeJudge } from '../contract/judge-exchange.ts'
import { judgeLife, lifeOf } from '../contract/judge-life.ts'
import { isFields } from '../engine/fields.ts'
import type { RecordedExchange } from '../har/exchange.ts'
import { type Seen, shown, shownExchange } from './findings.ts'
import { type FoundDeviation, judgeLinks } from './judge-links.ts'
import { makeReport, type ReportOptions } from './make-report.ts'
import { hasKey, parsedJson, type RecordedCall, requestFaults, sortRecording } from './recorded-call.ts'
import type { CheckedProbe, CheckReport, ClientFault, SkippedProbe } from './report.ts'

export interface JudgedRecording {
  readonly seen: readonly Seen[]
  readonly checked: readonly CheckedProbe[]
  readonly skipped: readonly SkippedProbe[]
  readonly clientFaults: readonly ClientFault[]
}

/** A report as that of a live check. `name` is what is said of where the recording comes from. */
export async function checkRecording(
  exchanges: readonly RecordedExchange[],
  name: string,
  options: ReportOptions = {},
): Promise<CheckReport> {
  const { clientFaults, ...facts } = await judgeRecording(exchanges)
  return { ...makeReport({ baseUrl: name, ...facts, settings: {} }, options), clientFaults }
}

/** Judges what a recording shows. What the client did wrong is told apart. */
export async function judgeRecording(exchanges: readonly RecordedExchange[]): Promise<JudgedRecording> {
  const { calls, others } = await sortRecording(exchanges)
  const judge = createExchangeJudge()
  const keysAreShown = calls.some(hasKey)
  const clientFaults: ClientFault[] = []
  const found: FoundDeviation[] = []
  const isLost = ({ reply }: RecordedCall): boolean => reply.bodyLost === true
  const whole = calls.filter((call) => !isLost(call))
  for (const call of whole) {
    const { exchange, route } = call
    const faults = requestFaults(call)
    if (faults.length > 0)
      clientFaults.push({ operation: route.endpoint.operation, source: exchange.source, faults })
    const open = keysAreShown ? answeredWithoutKey(call) : undefined
    const deviations = open ?? brokeDown(call, faults) ?? judge(judgedOf(call))
    for (const deviation of [deviations].flat()) found.push({ deviation, exchange })
  }
  found.push(...lives(whole.filter(({ reply }) => reply.status < 400)), ...judgeLinks(exchanges, whole))
  return {
    seen: found.map(seenOf),
    checked: whole.map(({ exchange, route }) => ({
      operation: route.endpoint.operation,
      ...inWords(exchange),
    })),
    skipped: [
      ...others.map(({ exchange, reason }) => ({ operation: '', ...inWords(exchange), reason })),
      ...calls.filter(isLost).map(({ exchange, route }) => ({
        operation: route.endpoint.operation,
        ...inWords(exchange),
        reason: 'the body of the reply was not recorded',
      })),
    ],
    clientFaults,
  }
}

const inWords = ({ source, request }: RecordedExchange): Omit<CheckedProbe, 'operation'> => ({
  probe: source,
  section: 'contract 4',
  states: `${request.method} ${request.url}`,
})

function seenOf({ deviation, exchange }: FoundDeviation): Seen {
  const { request, reply, source } = exchange
  const { status = 0, headers = [], body = new Uint8Array() } = reply ?? {}
  const hidden: readonly string[] = ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie']
  return {
    ...shown(deviation),
    probe: source,
    exchange: shownExchange({
      request: {
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers.filter(([name]) => !hidden.includes(name))),
        body: parsedJson(request.body),
      },
      reply: {
        status,
        headers: { get: (name) => headers.find(([one]) => one === name)?.[1] },
        body,
        json: parsedJson(body),
      },
    }),
  }
}

function judgedOf(call: RecordedCall): Parameters<ReturnType<typeof createExchangeJudge>>[0] {
  const { exchange, route, params, request, reply } = call
  return {
    route,
    params,
    method: exchange.request.method,
    request,
    ended: exchange.ended,
    reply: {
      status: reply.status,
      headers: { get: (name) => reply.headers.find(([one]) => one === name)?.[1] },
      body: reply.body,
      redacted: exchange.redacted.flatMap((mark) => (mark.startsWith('reply:/') ? [mark.slice(6)] : [])),
    },
  }
}

function answeredWithoutKey(call: RecordedCall): Deviation | undefined {
  const { endpoint } = call.route
  if (endpoint.open === true || hasKey(call) || call.reply.status >= 400) return undefined
  return {
    operation: endpoint.operation,
    section: 'contract 5',
    where: 'status',
    pointer: '',
    kind: 'status',
    severity: 'breaking',
    expected: '401 for a request without a key',
    got: String(call.reply.status),
  }
}

function brokeDown({ route, reply }: RecordedCall, faults: readonly string[]): Deviation | undefined {
  if (faults.length === 0 || reply.status !== 500) return undefined
  return {
    operation: route.endpoint.operation,
    section: 'contract 7',
    where: 'status',
    pointer: '',
    kind: 'status',
    severity: 'doubtful',
    expected: `a refusal (4xx) of a request that is wrong (${faults[0]})`,
    got: String(reply.status),
  }
}

/** The deviations of each job, video and operation over its life. */
function lives(answered: readonly RecordedCall[]): FoundDeviation[] {
  const byId = new Map<string, RecordedCall[]>()
  for (const call of answered) {
    const id = lifeOf(call.route, call, call.json)
    if (id === undefined || !isFields(call.json)) continue
    const { request, session } = call.exchange
    const place = JSON.stringify([new URL(request.url).origin, session, id])
    const life = byId.get(place) ?? []
    // Of two polls at the same time nobody knows which one the gateway answered first.
    const before = life.at(-1)?.exchange
    if (before === undefined || before.startedAt + before.endedAfter <= call.exchange.startedAt)
      life.push(call)
    byId.set(place, life)
  }
  return [...byId.values()].flatMap((life) =>
    judgeLife(life.map(({ route, json: reply }) => ({ route, reply }))).map((deviation) => ({
      deviation,
      exchange: (life.at(-1) as RecordedCall).exchange,
    })),
  )
}
