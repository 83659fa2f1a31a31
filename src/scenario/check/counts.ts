/** Counts and windows of a rule that leave no call. */
import type { Fields } from '../../engine/fields.ts'
import { countsOf } from '../compile/rules.ts'
import type { Moment } from '../format/values.ts'
import type { WhenSpec } from '../format/when.ts'
import type { ScenarioMistake } from './shape.ts'

export function* checkCounts(
  when: WhenSpec,
  written: Fields,
  path: readonly PropertyKey[],
): Generator<ScenarioMistake> {
  const { nth, first, after = 0, every = 1, during } = when
  const meant = countsOf(when)
  if (meant !== undefined) {
    // Whoever counts calls and finds none up to here finds none later: what is named is reached, and what
    // repeats has come round.
    const last = Math.max(
      ...(nth === undefined ? [1] : typeof nth === 'number' ? [nth] : nth),
      first ?? 0,
      after + every,
    )
    let any = false
    for (let call = 1; call <= last && !any; call++) any = meant(call)
    if (!any)
      yield {
        path: [...path, nth === undefined ? 'first' : 'nth'],
        message: [
          'together with the other counts, no call is meant: `nth`, `first`, `after` and `every` must',
          'all hold',
        ].join(' '),
        key: false,
      }
  }
  const { from, until } = during ?? {}
  if (from === undefined || until === undefined || isBefore(from, until)) return
  const window = written['during'] as Fields
  yield {
    path: [...path, 'during', 'until'],
    message: `expected later than \`from\` (${window['from']}), got ${window['until']}`,
    key: false,
  }
}

// An instant and a duration after the start cannot be compared: when the session starts is not known here.
function isBefore(from: Moment, until: Moment): boolean {
  if ('at' in from) return !('at' in until) || from.at < until.at
  return 'at' in until || from.after < until.after
}
