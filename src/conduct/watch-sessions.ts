/**
 * The client report of each session of a simulator, folded as its journal records calls.
 */
import type { World } from '../engine/world.ts'
import { ConfigError } from '../protocol/config-error.ts'
import { nearestWord } from '../protocol/nearest-word.ts'
import type { Settings } from '../protocol/settings.ts'
import { show } from '../protocol/wording.ts'
import type { ClientReport } from './client-report.ts'
import { type Conduct, type ConductOptions, createConduct } from './conduct.ts'
import { findingKinds } from './findings/all.ts'

export interface SessionsConduct {
  /** Follows a world from its beginning. */
  watch(world: World): void
  /** The report on a world's calls until now. */
  of(world: World): ClientReport
}

/** Follows sessions as the settings say. Throws `ConfigError` for an unknown kind of finding. */
export function watchSessions(
  { clientReport: { pollEvery, off } }: Pick<Settings, 'clientReport'>,
  operation: ConductOptions['operation'],
): SessionsConduct {
  checkKinds(off)
  // A discarded world takes its report along.
  const conducts = new WeakMap<World, Conduct>()
  return {
    watch(world) {
      const conduct = createConduct({ mode: world.clock.mode, pollEvery, off, operation })
      conducts.set(world, conduct)
      world.journal.onEntry(conduct.called)
      world.journal.onClose(conduct.ended)
    },
    of: (world) => (conducts.get(world) ?? createConduct({ operation })).report(world.clock.now()),
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
