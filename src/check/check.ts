/** Checks a gateway against the contract: sends the suite, judges the replies, reports what differs. */
import { sortAccepted } from './accept.ts'
import { findingsOf, withoutKey } from './findings.ts'
import type { CheckOptions } from './options.ts'
import type { CheckReport } from './report.ts'
import { runProbes } from './run-probes.ts'
import { settingsFrom } from './settings.ts'
import { type PlannedProbe, planOf } from './suite.ts'

/** Throws `CheckFailure` where the gateway cannot be reached, or refuses the key. */
export async function check(options: CheckOptions): Promise<CheckReport> {
  const outcomes = await runProbes(planOf(options.spend, options.only), options)
  const findings = findingsOf(outcomes)
  const { counting, accepted, unused, expired } = sortAccepted(
    findings.filter(({ severity }) => severity !== 'addition'),
    options.accepted ?? [],
    options.today,
  )
  const asked = outcomes.filter(({ planned }) => planned.asked)
  const skipped = asked.flatMap(({ planned, skipped: reason }) =>
    reason === undefined ? [] : [{ ...inWords(planned), reason }],
  )
  const checked = asked.filter((one) => one.skipped === undefined).map(({ planned }) => inWords(planned))
  const report: CheckReport = {
    version: 1,
    baseUrl: options.baseUrl,
    summary: { checked: checked.length, skipped: skipped.length, deviations: counting.length },
    deviations: counting,
    additions: findings.filter(({ severity }) => severity === 'addition'),
    accepted,
    unusedAccepted: unused,
    expiredAccepted: expired,
    skipped,
    checked,
    settings: settingsFrom(outcomes),
  }
  return withoutKey(report, options.apiKey)
}

const inWords = ({ probe }: PlannedProbe) => ({
  operation: probe.endpoint.operation,
  probe: probe.name,
  section: probe.section,
  states: probe.states,
})
