/** The limit of active image jobs per key (contract section 7: 429 with code 2007). */

import { imageJobKind } from '../../behaviours/image-jobs.ts'
import { earliestEnd, skipWait } from '../../behaviours/jobs/job.ts'
import { formatDuration } from '../../engine/duration.ts'
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { hasEnded } from './image-job.ts'
import { refusalCode } from './refusals.ts'

/**
 * Throws 429 when the key has as many active jobs as the settings allow. In `auto`, the job that ends first
 * is then moved to its end.
 */
export function checkActiveLimit(world: World, owner: string, settings: Settings, now: number): void {
  const limit = settings.limits.activeImageJobs
  // The cheap upper bound spares most calls the count.
  if (world.store.maxActive(imageJobKind, owner) < limit) return
  const active = world.store.active(imageJobKind, owner, now, hasEnded)
  if (active.length < limit) return
  const first = earliestEnd(active, now, hasEnded)
  const wait =
    first === undefined ? 'None of them ends by itself' : `The next one ends in ${formatDuration(first.inMs)}`
  if (first !== undefined) skipWait(first.resource, world, first.inMs, now)
  throw new ApiError(
    'rate_limit_error',
    [
      `too many active image jobs: ${active.length} of this API key, at most ${limit} (setting`,
      `limits.activeImageJobs). ${wait}; submit again when one has ended.`,
    ].join(' '),
    {
      code: refusalCode('rate_limit_error') as number,
      ...(first === undefined ? {} : { retryAfterMs: first.inMs }),
    },
  )
}
