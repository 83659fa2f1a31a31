/** Counts and windows of a rule that exclude every call. */
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
  const { nth, after = 0, every = 1, during } = when
  // The positions that are named, or else the first that `after` and `every` let through: a later one is
  // no nearer to `first`.
  const positions = nth === undefined ? [after + every] : [nth].flat()
  if (!positions.some(countsOf(when) ?? (() => true)))
    yield {
      path: [...path, nth === undefined ? 'first' : 'nth'],
      message: 'no call matches all counts together: `nth`, `first`, `after` and `every` must all hold',
      key: false,
    }
  const { from, until } = during ?? {}
  if (from === undefined || until === undefined || isBefore(from, until)) return
  const window = written['during'] as Fields
  yield {
    path: [...path, 'during', 'until'],
    message: `expected to be later than \`from\` (${window['from']}), got ${window['until']}`,
    key: false,
  }
}

// An instant and a duration after the start cannot be compared: when the session starts is not known here.
function isBefore(from: Moment, until: Moment): boolean {
  if ('at' in from) return !('at' in until) || from.at < until.at
  return 'at' in until || from.after < until.after
}
