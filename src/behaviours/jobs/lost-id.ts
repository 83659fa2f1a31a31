/**
 * What the form of an id tells where nothing is found under it: ids carry the tag of their session, so no
 * list of what was dropped has to grow without end. Of ids of other sessions the core speaks.
 */
import { tagIn } from '../../engine/ids.ts'
import type { World } from '../../engine/world.ts'

/** A clause to go behind "there is none", or nothing. */
export function lostIdClause(id: string, { tag, store: { droppedUnremembered: count } }: World): string {
  return count === 0 || tagIn(id) !== tag
    ? ''
    : `; it may be one of ${count} that were dropped and are not remembered one by one ` +
        '(setting memory.resources)'
}
