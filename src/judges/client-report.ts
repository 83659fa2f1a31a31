/** The client report of a session: what its clients did wrong, counted by subject. */
import * as z from 'zod'
import type { Clock } from '../engine/clock.ts'
import type { Journal } from '../exchange/journal.ts'
import type { ClientReport, Evidence, Finding as ReportedFinding } from '../generated/control-types.ts'
import { docsPage } from '../protocol/docs-page.ts'
import type { Severity } from '../protocol/invariant.ts'
import { findingCodes } from './codes.ts'
import { conductJudges } from './conduct/judges.ts'
import { recordedSession, type SessionCall, type SessionRecord } from './conduct/recorded-session.ts'
import { judgeWaits } from './conduct/retries.ts'
import { type ClientFinding, remedyOf, sentenceOf } from './finding.ts'

interface ReportOptions {
  /** The findings that are turned off. */
  readonly off: readonly string[]
  readonly operation: SessionRecord['operation']
}

/** The report on the clients of a session, if no requests follow. */
export function clientReportOf(
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  { off, operation }: ReportOptions,
): ClientReport {
  const speed = clock.mode === 'real' ? clock.speed : 1
  return reportOn({ entries: journal.kept(), mode: clock.mode, speed, operation }, journal.total, off)
}

/** `total`: the number of requests that the session has received. */
export function reportOn(record: SessionRecord, total: number, off: readonly string[] = []): ClientReport {
  const session = recordedSession(record)
  const found = findingCodes
    .filter((code) => !off.includes(code))
    .flatMap((code) => conductJudges[code](session))
  const calls = new Map(session.calls.map((call) => [call.seq, call]))
  const all = [...bySubject(found).values()].map((cases) => reported(cases, calls))
  const findings = all.sort(inOrder).slice(0, maxFindings)
  const count = (severity: Severity): number => all.filter((one) => one.severity === severity).length
  const [errors, warnings, hints] = [count('error'), count('warning'), count('hint')]
  const unseen = total - record.entries.length
  const { unchecked: uncheckedWaits } = judgeWaits(session)
  return {
    ok: errors + warnings === 0,
    requests: total,
    errors,
    warnings,
    hints,
    findings,
    more: all.length - findings.length,
    ...(unseen > 0 ? { unseen } : {}),
    ...(uncheckedWaits > 0 ? { uncheckedWaits } : {}),
  }
}

const maxFindings = 1000
const maxEvidence = 10

function bySubject(findings: readonly ClientFinding[]): Map<string, [ClientFinding, ...ClientFinding[]]> {
  const cases = new Map<string, [ClientFinding, ...ClientFinding[]]>()
  for (const one of findings) {
    const key = `${one.code} ${one.args.subject}`
    const known = cases.get(key)
    if (known === undefined) cases.set(key, [one])
    else known.push(one)
  }
  return cases
}

/** All cases of one subject, in the words of the last. */
function reported(
  cases: readonly [ClientFinding, ...ClientFinding[]],
  calls: ReadonlyMap<number, SessionCall>,
): ReportedFinding {
  const last = cases.at(-1) as ClientFinding
  const { code, severity, args } = last
  const numbers = new Set<number>()
  for (const { exchange } of cases.flatMap(({ evidence }) => evidence))
    if (numbers.size < maxEvidence) numbers.add(exchange)
  return {
    code,
    severity,
    subject: args.subject,
    message: sentenceOf(last),
    remedy: remedyOf(last),
    docs: `${docsPage('findings')}#${code}`,
    times: cases.length,
    evidence: [...numbers].map((seq): Evidence => {
      const { requestId = '', rule } = calls.get(seq)?.entry.cause ?? {}
      return rule === undefined ? { seq, requestId } : { seq, requestId, rule }
    }),
  }
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 }

/** By severity, and then by the first request. */
function inOrder(one: ReportedFinding, other: ReportedFinding): number {
  const firstOf = ({ evidence }: ReportedFinding): number => evidence[0]?.seq ?? Infinity
  const rank = ranks[one.severity] - ranks[other.severity] || firstOf(one) - firstOf(other)
  return rank || compare(one.code, other.code) || compare(one.subject, other.subject)
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** @internal */
export const severitySchema = () => z.enum(['error', 'warning', 'hint'])

/** @internal */
export const evidenceSchema = () =>
  z.strictObject({
    seq: z.int().describe("The `seq` of the request in the session's journal."),
    requestId: z.string(),
    rule: z.string().optional().describe('The rule that responded, if any.'),
  })

/** @internal */
export const findingSchema = () =>
  z.strictObject({
    code: z.string().describe('The code of the finding, such as `polled-too-fast`.'),
    severity: severitySchema(),
    subject: z.string().describe('The job, field or request that the finding is about.'),
    message: z.string().describe('What the client did.'),
    remedy: z.string().describe('What to do instead.'),
    docs: z
      .string()
      .describe(`The URL of the documentation, such as \`${docsPage('findings')}#polled-too-fast\`.`),
    times: z.int().describe('The number of occurrences.'),
    evidence: z.array(evidenceSchema()).describe('The first requests that show the finding (at most ten).'),
  })

/** The shape of `ClientReport`. @internal */
export const clientReportSchema = () =>
  z.strictObject({
    ok: z.boolean().describe('True if there are no errors or warnings. Hints are allowed.'),
    requests: z.int().describe('The number of requests of the session.'),
    errors: z.int(),
    warnings: z.int(),
    hints: z.int(),
    findings: z.array(findingSchema()).describe('The findings, by severity and then by first occurrence.'),
    more: z.int().describe('The number of findings beyond the limit of 1,000. They are not listed.'),
    unseen: z
      .int()
      .optional()
      .describe(
        'The number of requests that the journal has evicted: they could not be checked. Present only if ' +
          'there are some.',
      ),
    uncheckedWaits: z
      .int()
      .optional()
      .describe(
        'The number of `retry-after` waits that could not be checked. Present only in `auto` clock mode ' +
          'and at a clock speed above 1.',
      ),
  })
