/** Checks a gateway against the contract: sends the suite, judges the replies, reports what differs. */
import { makeReport } from './make-report.ts'
import type { CheckOptions } from './options.ts'
import type { CheckedProbe, CheckReport } from './report.ts'
import { runProbes } from './run-probes.ts'
import { settingsFrom } from './settings.ts'
import { type PlannedProbe, planOf } from './suite.ts'

/** Throws `CheckFailure` where the gateway cannot be reached, or refuses the key. */
export async function check(options: CheckOptions): Promise<CheckReport> {
  const outcomes = await runProbes(planOf(options.spend, options.only), options)
  const asked = outcomes.filter(({ planned }) => planned.asked)
  return makeReport(
    {
      baseUrl: options.baseUrl,
      seen: asked.flatMap(({ deviations }) => deviations),
      skipped: asked.flatMap(({ planned, skipped: reason }) =>
        reason === undefined ? [] : [{ ...inWords(planned), reason }],
      ),
      checked: asked.filter((one) => one.skipped === undefined).map(({ planned }) => inWords(planned)),
      settings: settingsFrom(outcomes),
    },
    options,
  )
}

function inWords({ probe }: PlannedProbe): CheckedProbe {
  const { name, endpoint, section, states } = probe
  return { operation: endpoint.operation, probe: name, section, states }
}
