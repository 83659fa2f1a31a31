/** Groups findings by cause, and redacts secrets. */

import { grouped } from '../engine/fields.ts'
import { anyItem, isAtOrBelow } from '../engine/pointer.ts'
import { redactHeader, withoutSignatures } from '../engine/redact.ts'
import { type ExchangeBody, type Headers, headerIn, textBody } from '../exchange/exchange.ts'
import { type ExchangeJson, exchangeJson } from '../exchange/plain.ts'
import { type ContractFinding, placeOf } from '../judges/finding.ts'
import { eventsOf, type JudgedCall } from '../judges/judged-calls.ts'
import { isExpired } from '../protocol/accepted.ts'
import { clip } from '../protocol/wording.ts'
import type {
  Accepted,
  AcceptedFinding,
  CheckedProbe,
  CheckFinding,
  CheckReport,
  SkippedProbe,
  UncheckedOperations,
} from './check-types.ts'
import { isNamed } from './plan.ts'

interface Sorted {
  readonly counting: readonly CheckFinding[]
  readonly accepted: readonly AcceptedFinding[]
  readonly unused: readonly Accepted[]
  readonly expired: readonly string[]
}

/** Separates accepted violations. One with several operations is accepted if all of them are. */
function sortAccepted(
  findings: readonly CheckFinding[],
  entries: readonly Accepted[],
  today: string | undefined,
): Sorted {
  const isOver = (entry: Accepted): boolean => isExpired(entry, today)
  const used = new Set<Accepted>()
  const counting: CheckFinding[] = []
  const accepted: AcceptedFinding[] = []
  for (const finding of findings) {
    const fitting = entries.filter((entry) => fits(entry, finding))
    for (const entry of fitting) used.add(entry)
    const valid = fitting.filter((entry) => !isOver(entry))
    const left = finding.operations.filter((operation) => !valid.some((entry) => names(entry, operation)))
    const [entry] = valid
    if (entry === undefined || left.length > 0)
      counting.push(left.length === 0 ? finding : { ...finding, operations: left })
    else accepted.push({ ...finding, accepted: entry.reason })
  }
  return {
    counting,
    accepted,
    unused: entries.filter((entry) => !used.has(entry)),
    expired: entries.filter((entry) => used.has(entry) && isOver(entry)).map(inWords),
  }
}

function names({ operation = '*' }: Accepted, one: string): boolean {
  const all = [operation].flat()
  return all.includes('*') || isNamed(one, all)
}

/** Whether a pointer of an entry names a place. */
function isPlace(pointer: string, place: string): boolean {
  const [named, found] = [anyItem(pointer), anyItem(place)]
  return named.endsWith('/**') ? isAtOrBelow(found, named.slice(0, -3)) : named === found
}

function fits(entry: Accepted, finding: CheckFinding): boolean {
  const { rule, pointer, code } = entry
  return (
    finding.operations.some((operation) => names(entry, operation)) &&
    (rule === undefined || rule === ruleOf(finding)) &&
    (code === undefined || code === finding.code) &&
    (pointer === undefined || isPlace(pointer, placeOf(finding).pointer))
  )
}

/** `videos.*, /status, expires 2026-12-31: asked for it`. */
function inWords({ operation, rule, pointer, code, reason, expires }: Accepted): string {
  const named = operation === undefined ? undefined : [operation].flat().join(' and ')
  const parts = [named, rule, pointer, code, expires === undefined ? undefined : `expires ${expires}`]
  return `${parts.filter((part) => part !== undefined).join(', ') || 'every violation'}: ${reason}`
}

/** A schema or an invariant states what it expects. */
const ruleOf = ({ args: { rule, expected } }: ContractFinding): string => rule ?? expected

const quoted = (text: string): string => (/^[\w/.-]+$/.test(text) ? text : JSON.stringify(text))

/** The entries that accept these findings, as lines of the `--accept` file: one for equal findings. */
export function entriesFor(findings: readonly CheckFinding[]): string[] {
  const alike = grouped(findings, (one) => JSON.stringify([ruleOf(one), placeOf(one).pointer, one.code]))
  return [...alike.values()].flatMap((equal) => {
    const [first] = equal as [CheckFinding]
    const { pointer } = placeOf(first)
    const all = [...new Set(equal.flatMap(({ operations }) => operations))]
    return [
      `- operation: ${all.length === 1 ? all[0] : `[${all.join(', ')}]`}`,
      `  rule: ${quoted(ruleOf(first))}`,
      ...(pointer === '' ? [] : [`  pointer: ${quoted(pointer)}`]),
      `  code: ${first.code}`,
      '  reason: …',
    ]
  })
}

interface CheckFacts {
  /** The URL of the gateway, or the name of a recording. */
  readonly baseUrl: string
  readonly seen: readonly Seen[]
  readonly checked: readonly CheckedProbe[]
  readonly skipped: readonly SkippedProbe[]
  /** False if the spending limit excluded probes. */
  readonly isComplete: boolean
  /** Default: none. */
  readonly unchecked?: readonly UncheckedOperations[]
}

export interface ReportOptions {
  readonly accepted?: readonly Accepted[] | undefined
  /** Today, as `2026-01-31`. */
  readonly today?: string | undefined
  /** The operations and groups that the check was limited to. */
  readonly only?: readonly string[] | undefined
}

export function makeReport(
  facts: CheckFacts,
  { accepted: entries = [], today, only = [] }: ReportOptions,
): CheckReport {
  const { baseUrl, seen, checked, skipped, isComplete, unchecked = [] } = facts
  const findings = findingsOf(seen)
  const { counting, accepted, unused, expired } = sortAccepted(
    findings.filter(({ severity }) => severity !== 'hint'),
    entries,
    today,
  )
  const failing = new Set(counting.flatMap(({ probes }) => probes))
  let passed = 0
  for (const { probe } of checked) if (!failing.has(probe)) passed += 1
  const isIncomplete = checked.length === 0 || unchecked.length > 0
  const withoutViolation = isIncomplete ? 'skipped' : 'passed'
  const report: CheckReport = {
    version: 1,
    baseUrl,
    outcome: counting.length > 0 ? 'failed' : withoutViolation,
    summary: { checked: checked.length, passed, skipped: skipped.length, violations: counting.length },
    violations: counting,
    additions: findings.filter(({ severity }) => severity === 'hint'),
    accepted,
    // If probes were not sent, an entry may be unused by chance.
    unusedAccepted: isComplete && skipped.length + only.length === 0 ? unused.map(inWords) : [],
    expiredAccepted: expired,
    unchecked,
    skipped,
    checked,
  }
  return withoutSignatures(report)
}

/** A finding about one response. */
export interface Seen {
  readonly finding: ContractFinding
  readonly call: JudgedCall
  /** Findings of one cause become one. */
  readonly cause: string
}

/** Maps whose names the request chooses. */
const named = /\/(answers|probabilities|legend)\/[^/]+/g

/**
 * A finding with its cause: the same for the same place and code in a group, also in streams. All groups
 * have one way to reject.
 */
export function seen(finding: ContractFinding, call: JudgedCall): Seen {
  const { code, severity, args } = finding
  const group = call.response.status >= 400 ? 'rejections' : call.route.group.name
  const { where, pointer } = placeOf(finding)
  const place = pointer === '' ? where : anyItem(pointer).replace(named, '/$1/*')
  return { finding, call, cause: JSON.stringify([args.rule ?? group, place, code, severity]) }
}

/** One finding for each cause, in the order in which they were first seen. */
export function findingsOf(all: readonly Seen[]): CheckFinding[] {
  const byCause = grouped(all, ({ cause }) => cause)
  for (const [cause, cases] of byCause) {
    const plain = [...byCause.values()].find((other) => isShownPlainly(other, cases))
    if (plain === undefined) continue
    plain.push(...cases)
    byCause.delete(cause)
  }
  return [...byCause.values()].map((cases): CheckFinding => {
    const [{ finding, call }] = cases as [Seen]
    return {
      ...finding,
      operations: [...new Set(cases.map(operationOf))],
      probes: [...new Set(cases.map((one) => one.call.exchange.source ?? ''))],
      exchange: excerptOf(call),
    }
  })
}

/** Whether plain responses and streams of an operation have the same violation in the same field. */
function isShownPlainly(plain: readonly Seen[], streamed: readonly Seen[]): boolean {
  const [{ finding: one }, { finding: other }] = [plain[0] as Seen, streamed[0] as Seen]
  return (
    placeOf(one).where === 'body' &&
    placeOf(other).where === 'stream' &&
    one.code === other.code &&
    placeOf(one).pointer !== '' &&
    fieldOf(one) === fieldOf(other) &&
    plain.some((shown) => streamed.some((seen) => operationOf(seen) === operationOf(shown)))
  )
}

const operationOf = ({ finding }: Seen): string => finding.args.operation

// Events of images call it `created_at`.
const fieldOf = (finding: ContractFinding): string =>
  (placeOf(finding).pointer.split('/').at(-1) ?? '').replace(/_at$/, '')

/** How many characters of a body and of an event an excerpt has, and how many events. */
const maxText = 2000
const maxEvent = 600
const maxEvents = 3

/**
 * An exchange for reports: without credentials, with the beginnings of its bodies and the end of its stream,
 * which most violations are about. `request`: the fields of a form.
 */
function excerptOf({ exchange, response: received, request: fields }: JudgedCall): ExchangeJson {
  const { request, response } = exchange
  const events = eventsOf(received)
  const isForm = /^multipart\//i.test(headerIn(request.headers, 'content-type') ?? '')
  const sent = isForm ? { ...textBody(JSON.stringify(fields)), isSummary: true } : request.body
  return exchangeJson({
    ...exchange,
    request: { ...request, headers: shownHeaders(request.headers), body: excerpt(sent) },
    response: response && {
      status: response.status,
      headers: shownHeaders(response.headers),
      body: events === undefined ? excerpt(response.body) : undefined,
      events: events?.slice(-maxEvents).map((one) => ({ at: 0, ...one, data: clip(one.data, maxEvent) })),
      eventCount: events?.length,
    },
  })
}

const shownHeaders = (headers: Headers): Headers =>
  headers.filter(([name]) => name !== 'set-cookie').map(([name, value]) => [name, redactHeader(name, value)])

function excerpt(body: ExchangeBody | undefined): ExchangeBody | undefined {
  if (body === undefined || (body.text !== undefined && body.text.length <= maxText)) return body
  return { ...body, text: body.text && clip(body.text, maxText), bytes: undefined, isComplete: false }
}
