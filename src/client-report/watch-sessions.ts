/**
 * The client report of each session of a simulator, folded as its journal records calls.
 */
import type { ClockMode } from '../engine/clock.ts'
import type { World } from '../engine/world.ts'
import { ConfigError } from '../protocol/config-error.ts'
import { nearestWord } from '../protocol/nearest-word.ts'
import type { Settings } from '../protocol/settings.ts'
import { show } from '../protocol/wording.ts'
import type { ClientReport } from './client-report.ts'
import { findingKinds } from './findings/all.ts'
import {
  createReporter,
  type FindingPlan,
  planFindings,
  type Reporter,
  type ReporterOptions,
} from './reporter.ts'

export interface SessionReports {
  /** Follows a world from its beginning. */
  watch(world: World): void
  /** The report on a world's calls until now. */
  of(world: World): ClientReport
}

/** Follows sessions as the settings say. Throws `ConfigError` for an unknown kind of finding. */
export function watchSessions(
  { clientReport: { pollEvery, off } }: Pick<Settings, 'clientReport'>,
  operation: ReporterOptions['operation'],
): SessionReports {
  checkKinds(off)
  // A discarded world takes its report along.
  const reporters = new WeakMap<World, Reporter>()
  const plans = new Map<ClockMode, FindingPlan>()
  return {
    watch(world) {
      const { mode } = world.clock
      const options = { mode, pollEvery, off, operation }
      const plan = plans.get(mode) ?? planFindings(options)
      plans.set(mode, plan)
      const reporter = createReporter({ ...options, onDrop: () => world.forgotten.add('clientReport') }, plan)
      reporters.set(world, reporter)
      world.journal.onEntry(reporter.called)
      world.journal.onClose(reporter.ended)
    },
    of: (world) => (reporters.get(world) ?? createReporter({ operation })).report(world.clock.now()),
  }
}

function checkKinds(off: readonly string[]): void {
  const ids = findingKinds.map(({ id }) => id)
  const unknown = off.flatMap((id, index) => {
    if (ids.includes(id)) return []
    const nearest = nearestWord(id, ids)
    const hint = nearest === undefined ? ` (${ids.join(', ')})` : `, perhaps ${nearest}`
    return [
      {
        field: `clientReport.off[${index}]`,
        message: `expected the id of a finding${hint}, got ${show(id)}`,
      },
    ]
  })
  if (unknown.length > 0) throw new ConfigError('The settings are wrong', unknown)
}
