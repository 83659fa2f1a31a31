/** Counts and windows of a rule that leave no call. */
import { parseDuration } from '../../engine/duration.ts'
import { parseInstant } from '../../engine/instant.ts'
import { countsOf } from '../compile/rules.ts'
import type { WrittenRuleWhen } from '../written.ts'
import type { ScenarioMistake } from './shape.ts'

export function* checkCounts(
  when: WrittenRuleWhen,
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
        message:
          'together with the other counts, no call is meant: `nth`, `first`, `after` and `every` must all hold',
        key: false,
      }
  }
  const window = (written: string | number | undefined): { at: number; after: boolean } | undefined => {
    if (written === undefined) return undefined
    const ms = parseDuration(written)
    const at = ms ?? parseInstant(written)
    return at === undefined ? undefined : { at, after: ms !== undefined }
  }
  const [from, until] = [window(during?.from), window(during?.until)]
  if (from !== undefined && until !== undefined && from.after === until.after && from.at >= until.at)
    yield {
      path: [...path, 'during', 'until'],
      message: `expected later than \`from\` (${during?.from}), got ${during?.until}`,
      key: false,
    }
}
