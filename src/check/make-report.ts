/** Makes the report from what was seen: one finding for each cause, without what is accepted. */
import { sortAccepted } from './accept.ts'
import { findingsOf, type Seen, withoutKey } from './findings.ts'
import type { Accepted } from './options.ts'
import type { CheckedProbe, CheckReport, SkippedProbe } from './report.ts'

export interface CheckFacts {
  /** The address of the gateway, or the name of a recording. */
  readonly baseUrl: string
  readonly seen: readonly Seen[]
  readonly checked: readonly CheckedProbe[]
  readonly skipped: readonly SkippedProbe[]
  readonly settings: Readonly<Record<string, unknown>>
}

export interface ReportOptions {
  readonly accepted?: readonly Accepted[] | undefined
  /** Today, as `2026-01-31`. */
  readonly today?: string | undefined
  /** Taken out wherever it is repeated. */
  readonly apiKey?: string | undefined
}

export function makeReport(
  { baseUrl, seen, checked, skipped, settings }: CheckFacts,
  { accepted: entries = [], today, apiKey = '' }: ReportOptions,
): CheckReport {
  const findings = findingsOf(seen)
  const { counting, accepted, unused, expired } = sortAccepted(
    findings.filter(({ severity }) => severity !== 'addition'),
    entries,
    today,
  )
  const report: CheckReport = {
    version: 1,
    baseUrl,
    summary: { checked: checked.length, skipped: skipped.length, deviations: counting.length },
    deviations: counting,
    additions: findings.filter(({ severity }) => severity === 'addition'),
    accepted,
    unusedAccepted: unused,
    expiredAccepted: expired,
    skipped,
    checked,
    settings,
  }
  return withoutKey(report, apiKey)
}
