/** Timelines of scenario files as the engine folds them. */
import type { Ramp, Timeline, TimelineEntry } from '../../engine/timeline.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import type { TimelineSpec } from '../format/timeline.ts'

export function timelineOf(written: TimelineSpec, kind: ScriptedKind): Timeline {
  return written.map(({ at = 0, poll, unset, default: reset, gone, ...fields }): TimelineEntry => {
    const ramps: Record<string, Ramp> = {}
    const still: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) {
      if (isRamp(value) && kind.ramps.includes(name))
        ramps[name] = { from: value.from, to: value.to, over: value.over }
      else still[name] = value
    }
    const patch = Object.keys(still).length === 0 ? undefined : kind.patch(still)
    return {
      at,
      ...(poll === undefined ? {} : { poll }),
      ...(patch === undefined ? {} : { patch }),
      ...(Object.keys(ramps).length === 0 ? {} : { ramps }),
      ...(unset === undefined ? {} : { unset }),
      ...(reset === undefined ? {} : { default: reset }),
      ...(gone === undefined ? {} : { gone }),
    }
  })
}

/** Whether the value of a field is a ramp. */
export function isRamp(value: unknown): value is Ramp {
  return value !== null && typeof value === 'object' && 'over' in value && 'from' in value && 'to' in value
}
