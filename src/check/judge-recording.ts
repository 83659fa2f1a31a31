/** Judges a recording offline: each exchange, each stream, and each job over all of its polls. */
import type { Deviation } from '../contract/deviation.ts'
import { createExchangeJudge } from '../contract/judge-exchange.ts'
import { judgeLife, lifeOf } from '../contract/judge-life.ts'
import { isFields } from '../engine/fields.ts'
import type { RecordedExchange } from '../har/exchange.ts'
import { judgeLinks } from './judge-links.ts'
import { hasKey, type RecordedCall, requestFaults, sortRecording } from './recorded-call.ts'

/** One cause, however often the recording shows it. */
export interface RecordedFinding {
  readonly deviation: Deviation
  readonly operations: readonly string[]
  /** Where it was seen; the first is the one that is described. */
  readonly exchanges: readonly RecordedExchange[]
}

/** A request that breaks the contract itself: the client's fault. */
export interface ClientFault {
  readonly operation: string
  readonly exchange: RecordedExchange
  readonly faults: readonly string[]
}

export interface JudgedRecording {
  /** How many exchanges were judged. */
  readonly judged: number
  readonly findings: readonly RecordedFinding[]
  readonly clientFaults: readonly ClientFault[]
  readonly skipped: readonly { readonly exchange: RecordedExchange; readonly reason: string }[]
}

interface Seen {
  readonly deviation: Deviation
  readonly exchange: RecordedExchange
}

/** Judges what a recording shows. What the client did wrong is told apart. */
export async function judgeRecording(exchanges: readonly RecordedExchange[]): Promise<JudgedRecording> {
  const { calls, others } = await sortRecording(exchanges)
  const judge = createExchangeJudge()
  const keysAreShown = calls.some(hasKey)
  const clientFaults: ClientFault[] = []
  const seen: Seen[] = []
  const skipped = [...others]
  let judged = 0
  for (const call of calls) {
    const { exchange, route } = call
    const { operation } = route.endpoint
    if (call.reply.bodyLost === true) {
      skipped.push({ exchange, reason: 'the body of the reply was not recorded' })
      continue
    }
    judged += 1
    const faults = requestFaults(call)
    if (faults.length > 0) clientFaults.push({ operation, exchange, faults })
    const open = keysAreShown ? answeredWithoutKey(call) : undefined
    const found = open ?? brokeDown(call, faults) ?? judge(judgedOf(call))
    for (const deviation of [found].flat()) seen.push({ deviation, exchange })
  }
  const answered = calls.filter(({ reply }) => reply.status < 400 && reply.bodyLost !== true)
  seen.push(...lives(answered), ...judgeLinks(exchanges, calls))
  return { judged, findings: byCause(seen), clientFaults, skipped }
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
      redacted: exchange.redacted,
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
function lives(answered: readonly RecordedCall[]): Seen[] {
  const byId = new Map<string, RecordedCall[]>()
  for (const call of answered) {
    const id = lifeOf(call.route, call, call.json)
    if (id === undefined || !isFields(call.json)) continue
    const origin = new URL(call.exchange.request.url).origin
    const life = byId.get(`${origin} ${id}`) ?? []
    // Of two polls at the same time nobody knows which one the gateway answered first.
    const before = life.at(-1)?.exchange
    if (before === undefined || before.startedAt + before.endedAfter <= call.exchange.startedAt)
      life.push(call)
    byId.set(`${origin} ${id}`, life)
  }
  return [...byId.values()].flatMap((life) =>
    judgeLife(life.map(({ route, json: reply }) => ({ route, reply }))).map((deviation) => ({
      deviation,
      exchange: (life.at(-1) as RecordedCall).exchange,
    })),
  )
}

/** One finding for each cause. */
function byCause(seen: readonly Seen[]): RecordedFinding[] {
  const causes = new Map<string, [Seen, ...Seen[]]>()
  for (const one of seen) {
    const { section, where, pointer, kind, severity } = one.deviation
    const place = pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')
    const cause = JSON.stringify([section, where, place, kind, severity])
    const known = causes.get(cause)
    if (known === undefined) causes.set(cause, [one])
    else known.push(one)
  }
  return [...causes.values()].map((all) => ({
    deviation: all[0].deviation,
    operations: [...new Set(all.map(({ deviation }) => deviation.operation))],
    exchanges: all.map(({ exchange }) => exchange),
  }))
}
