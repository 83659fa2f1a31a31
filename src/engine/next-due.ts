/** When something is due next in a world. */
import type { World } from './world.ts'

/** The earliest instant after `now` at which a resource changes or a stream continues. */
export function nextDue(world: Pick<World, 'clock' | 'store'>, now: number): number | undefined {
  const resource = world.store.nextDue(now)
  const task = world.clock.nextDue()
  if (resource === undefined || task === undefined) return resource ?? task
  return Math.min(resource, task)
}
