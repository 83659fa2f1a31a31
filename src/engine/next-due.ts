/** When something is due next in a world. */
import { endOfTime } from './instant.ts'
import type { World } from './world.ts'

/**
 * The earliest instant after `now` at which a resource changes or a stream continues; none behind the end of
 * time, which no clock reaches.
 */
export function nextDue(world: Pick<World, 'clock' | 'store'>, now: number): number | undefined {
  const resource = world.store.nextDue(now)
  const task = world.clock.nextDue()
  const next = Math.min(resource ?? Infinity, task ?? Infinity)
  return next <= endOfTime ? next : undefined
}
