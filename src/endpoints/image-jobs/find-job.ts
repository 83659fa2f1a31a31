/**
 * Finds an image job by id, or says why there is none.
 */

import { imageJobKind } from '../../behaviours/image-jobs.ts'
import { lostIdClause } from '../../behaviours/jobs/lost-id.ts'
import { stateOf } from '../../engine/resource.ts'
import type { FoldedState } from '../../engine/timeline.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { show } from '../../protocol/wording.ts'
import type { ImageJob, ImageJobFacts } from './image-job.ts'

/** The job, or a message (without full stop) that says what was looked for and where. */
export function findJob(id: string, { world, settings }: Context): ImageJob | string {
  const found = world.store.find<ImageJobFacts>(imageJobKind, id)
  if (found === undefined)
    return [
      `no image job ${show(id)} in the session "${world.name}": expected the \`id\` of a reply to a`,
      `submission in this session${lostIdClause(id, world)}`,
    ].join(' ')
  if (found === 'dropped')
    return [
      `the image job ${show(id)} was dropped from the session "${world.name}", which keeps at most`,
      `${settings.memory.resources} jobs and videos (setting memory.resources): raise the setting, or use`,
      'fewer jobs',
    ].join(' ')
  return found
}

/** The message for a job that has vanished by its timeline. */
export function goneMessage(id: string, { world }: Context): string {
  return [
    `the image job ${show(id)} is gone: it existed in the session "${world.name}" and has vanished as`,
    'planned',
  ].join(' ')
}

/**
 * A job that exists now, with its state, or a message that says why there is none. Does not count as a poll.
 */
export function inspectJob(
  id: string,
  context: Context,
  now: number,
): { readonly job: ImageJob; readonly seen: FoldedState } | string {
  const job = findJob(id, context)
  if (typeof job === 'string') return job
  const seen = stateOf(job, now)
  return seen.gone ? goneMessage(id, context) : { job, seen }
}
