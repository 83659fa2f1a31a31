/** Groups violations by cause, and redacts secrets. */

import { defined, grouped } from '../engine/fields.ts'
import { anyItem, isAtOrBelow } from '../engine/pointer.ts'
import { isExpired } from '../protocol/accepted.ts'
import type { Violation } from '../protocol/invariant.ts'
import { clip } from '../protocol/wording.ts'
import type {
  Accepted,
  AcceptedFinding,
  CheckedProbe,
  CheckReport,
  Finding,
  ShownExchange,
  SkippedProbe,
  UncheckedOperations,
} from './check-types.ts'
import { isNamed } from './plan.ts'

interface Sorted {
  readonly counting: readonly Finding[]
  readonly accepted: readonly AcceptedFinding[]
  readonly unused: readonly Accepted[]
  readonly expired: readonly string[]
}

/** Separates accepted violations. One with several operations is accepted if all of them are. */
function sortAccepted(
  findings: readonly Finding[],
  entries: readonly Accepted[],
  today: string | undefined,
): Sorted {
  const isOver = (entry: Accepted): boolean => isExpired(entry, today)
  const used = new Set<Accepted>()
  const counting: Finding[] = []
  const accepted: AcceptedFinding[] = []
  for (const finding of findings) {
    const fitting = entries.filter((entry) => fits(entry, finding))
    for (const entry of fitting) used.add(entry)
    const valid = fitting.filter((entry) => !isOver(entry))
    const left = finding.operations.filter((operation) => !valid.some((entry) => names(entry, operation)))
    const [entry] = valid
    if (entry === undefined || left.length > 0)
      counting.push(
        left.length === 0 ? finding : { ...finding, operation: left[0] as string, operations: left },
      )
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

function fits(entry: Accepted, finding: Finding): boolean {
  const { rule, pointer, kind } = entry
  return (
    finding.operations.some((operation) => names(entry, operation)) &&
    (rule === undefined || rule === ruleOf(finding)) &&
    (kind === undefined || kind === finding.kind) &&
    (pointer === undefined || isPlace(pointer, finding.pointer))
  )
}

/** `videos.*, /status, expires 2026-12-31: asked for it`. */
function inWords({ operation, rule, pointer, kind, reason, expires }: Accepted): string {
  const named = operation === undefined ? undefined : [operation].flat().join(' and ')
  const parts = [named, rule, pointer, kind, expires === undefined ? undefined : `expires ${expires}`]
  return `${parts.filter((part) => part !== undefined).join(', ') || 'every violation'}: ${reason}`
}

/** A schema or an invariant states what it expects. */
const ruleOf = ({ rule, expected }: Finding): string => rule ?? expected

const quoted = (text: string): string => (/^[\w/.-]+$/.test(text) ? text : JSON.stringify(text))

/** The entries that accept these findings, as lines of the `--accept` file: one for equal findings. */
export function entriesFor(findings: readonly Finding[]): string[] {
  const alike = grouped(findings, (one) => JSON.stringify([ruleOf(one), one.pointer, one.kind]))
  return [...alike.values()].flatMap((equal) => {
    const [first] = equal as [Finding]
    const { pointer, kind } = first
    const all = [...new Set(equal.flatMap(({ operations }) => operations))]
    return [
      `- operation: ${all.length === 1 ? all[0] : `[${all.join(', ')}]`}`,
      `  rule: ${quoted(ruleOf(first))}`,
      ...(pointer === '' ? [] : [`  pointer: ${quoted(pointer)}`]),
      `  kind: ${kind}`,
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
    findings.filter(({ severity }) => severity !== 'addition'),
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
    additions: findings.filter(({ severity }) => severity === 'addition'),
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

export interface Shown extends Violation {
  /** The rule that the probe tests. */
  readonly rule?: string | undefined
  /** Violations of one cause become one finding. */
  readonly cause: string
}

export interface Seen extends Shown {
  /** The probe, or the place in a recording. */
  readonly probe: string
  readonly exchange: ShownExchange
}

/** Maps whose names the request chooses. */
const named = /\/(answers|probabilities|legend)\/[^/]+/g

/** A violation with its cause: the same for the same place and kind, also in streams. */
export function shown(violation: Violation, rule?: string): Shown {
  const { section, where, pointer, kind, severity } = violation
  const place = pointer === '' ? where : anyItem(pointer).replace(named, '/$1/*')
  return { ...violation, rule, cause: JSON.stringify([section, place, kind, severity, rule]) }
}

/** One finding for each cause, in the order in which they were first seen. */
export function findingsOf(all: readonly Seen[]): Finding[] {
  const byCause = grouped(all, ({ cause }) => cause)
  for (const [cause, seen] of byCause) {
    const plain = [...byCause.values()].find((other) => isShownPlainly(other, seen))
    if (plain === undefined) continue
    plain.push(...seen)
    byCause.delete(cause)
  }
  return [...byCause.values()].map((seen): Finding => {
    const [{ cause: _, section: __, probe, exchange, rule, ...violation }] = seen as [Seen]
    return {
      ...violation,
      operations: [...new Set(seen.map(({ operation }) => operation))],
      ...defined({ rule }),
      probes: [...new Set(seen.map((one) => one.probe))],
      ...exchange,
    }
  })
}

/** Whether plain responses and streams of an operation have the same violation in the same field. */
function isShownPlainly(plain: readonly Seen[], streamed: readonly Seen[]): boolean {
  const [one, other] = [plain[0] as Seen, streamed[0] as Seen]
  return (
    one.where === 'body' &&
    other.where === 'stream' &&
    one.kind === other.kind &&
    one.pointer !== '' &&
    fieldOf(one) === fieldOf(other) &&
    plain.some(({ operation }) => streamed.some((seen) => seen.operation === operation))
  )
}

// Events of images call it `created_at`.
const fieldOf = ({ pointer }: Seen): string => (pointer.split('/').at(-1) ?? '').replace(/_at$/, '')

export interface PlainExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
  }
  readonly response: {
    readonly status: number
    readonly headers: { get(name: string): string | null | undefined }
    readonly body: string
    readonly size: number
    readonly json: unknown
  }
}

/** How many characters of a text, and of a string within JSON, are shown. */
const maxText = 2000
const maxValue = 300
const shownHeaders = ['content-type', 'retry-after', 'x-request-id', 'request-id']

export function shownExchange({ request, response }: PlainExchange): ShownExchange {
  const { method, url, headers } = request
  const shownHeader = (name: string) => [name, response.headers.get(name) ?? undefined]
  return {
    request: { method, url, headers, ...defined({ body: shortened(request.body) }) },
    response: {
      status: response.status,
      headers: defined(Object.fromEntries(shownHeaders.map(shownHeader))) as Record<string, string>,
      ...defined({ body: shownResponseBody(response) }),
    },
  }
}

function shownResponseBody({ headers, body, size, json }: PlainExchange['response']): unknown {
  if (size === 0) return undefined
  if (isEventStream(headers.get('content-type'))) return lastEvents(body)
  if (json !== undefined) return shortened(json)
  return /^text\/|json|xml/.test(headers.get('content-type') ?? '') ? clip(body, maxText) : `${size} bytes`
}

export const isEventStream = (type: string | null | undefined): boolean =>
  type?.startsWith('text/event-stream') === true

/** How many events of a stream are shown: most violations are about its end. */
const maxEvents = 3

function lastEvents(body: string): string {
  const events = body.trimEnd().split(/(?:\r\n|\n|\r(?!\n)){2,}/)
  const last = events.slice(-maxEvents).map((event) => clip(event, maxText / maxEvents))
  return [...(events.length > maxEvents ? ['…'] : []), ...last].join('\n\n')
}

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

/** The same data without signatures. */
function withoutSignatures<Data>(data: Data): Data {
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(signed, '$1?<signed>')
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(hidden)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]))
  }
  return hidden(data) as Data
}

/** A signed URL, which grants access to everyone who has it. */
const signed =
  /(https?:\/\/[^\s?"']+)\?[^\s"']*(?:sign|token|credential|access|x-amz-|x-goog-|\bsig\b)[^\s"']*/gi
