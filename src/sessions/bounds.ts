/** What each bound drops, in words: for warnings, and for the table in docs/reference/settings.md. */

import * as z from 'zod'
import type { EvictionKind } from '../engine/evictions.ts'
import { lazy } from '../engine/fields.ts'
import type { Settings } from '../protocol/settings.ts'

type MemorySetting = Exclude<keyof Settings['memory'], 'journalBodies'>

export interface Bound {
  /** One of what goes. */
  readonly one: string
  /** The settings under `memory` that set the bound. */
  readonly settings?: readonly MemorySetting[]
  /** The bound, where no setting sets it. */
  readonly fixed?: string
  /** Which one goes first. */
  readonly first: string
  /** What somebody notices who asks for it later. */
  readonly later: string
  /** What to do about it; nobody is warned of what was asked for. */
  readonly remedy?: string
}

/** @internal */
export const bounds: Readonly<Record<EvictionKind, Bound>> = {
  runningJobs: {
    one: 'a job, video or operation that was still running',
    settings: ['resources'],
    first: 'the oldest, and only while none has finished',
    later: '404 that says so',
    remedy: 'raise it, or reset or dispose of sessions when they are done',
  },
  finishedJobs: {
    one: 'a finished job, video or operation, or a reply with image addresses',
    settings: ['resources'],
    first: 'the one that finished first',
    later: '404 that says so',
    remedy: 'raise it, or reset or dispose of sessions when they are done',
  },
  files: {
    one: 'an uploaded file',
    settings: ['files', 'fileBytes'],
    first: 'the oldest',
    later: '404, and 400 where a call names it; both say so',
    remedy: 'raise them, or reset or dispose of sessions when they are done',
  },
  imageSources: {
    one: 'the source image of a result',
    settings: ['files', 'fileBytes'],
    first: 'the oldest',
    later: 'the result is drawn with a placeholder that names the source',
    remedy: 'raise them, or reset or dispose of sessions when they are done',
  },
  journalEntries: {
    one: 'a call from the journal',
    settings: ['journalEntries', 'journalBytes', 'journalBytesInAll'],
    first: 'the oldest of the session; of all sessions where they hold too much together',
    later: 'verification says that it cannot decide; numbers of calls go on',
    remedy: 'raise them if you verify or export long runs',
  },
  requests: {
    one: 'a request that is remembered for counting repeats',
    settings: ['requests'],
    first: 'the older half',
    later: 'a repeat counts as a first call, and gets the ids of a first call',
    remedy: 'raise it, or reset sessions now and then',
  },
  rateLimits: {
    one: "a key's place in its request limit",
    settings: ['requests'],
    first: 'the key that called longest ago',
    later: 'its minute begins anew',
    remedy: 'raise it, or use fewer keys',
  },
  ruleCounts: {
    one: "a rule's count of one key, job or value (`per`)",
    settings: ['requests'],
    first: 'the one that was counted longest ago',
    later: 'it is counted from 1 again',
    remedy: 'raise it, or count by something of which there are fewer',
  },
  clientReport: {
    one: 'a job or a finding of the client report',
    fixed: '10,000 jobs and 1,000 findings of a session',
    first: 'the oldest job, the newest finding (`more` counts those)',
    later: 'the report may lack findings',
    remedy: 'read the report and reset the session now and then',
  },
  sessions: {
    one: 'a session',
    settings: ['sessions'],
    first: 'the one used longest ago, but none with an open stream, and not `default`',
    later:
      'created on request: 400 that says so; made by a call: the next call starts it afresh, with a warning',
    remedy: 'raise it, or dispose of sessions when they are done',
  },
  expiredSessions: {
    one: 'a session that was not called for its `ttl`',
    fixed: 'the `ttl` it was created with',
    first: 'each when its time is over',
    later: '400 that says so',
  },
  deletedSessions: {
    one: 'the name of a session that was deleted',
    fixed: '10,000, or `memory.sessions` if that is more',
    first: 'the one deleted first',
    later: 'a call that names it starts it afresh, without the rejection or the warning of its own',
    remedy: 'use new names for new sessions',
  },
  warnings: {
    one: 'a warning',
    fixed: '100 different ones about rules, and 100 about reserved values',
    first: 'the newest',
    later: 'it is never given',
    remedy: 'mend what the others say',
  },
}

/** Counts by kind; kinds of which nothing has gone are absent. @internal */
export const evictedSchema = lazy(() =>
  z.partialRecord(z.enum(Object.keys(bounds) as EvictionKind[]), z.int()),
)

/** Why something had to go, for the first of its kind; undefined where it was asked for. @internal */
export function evictionWarning(
  kind: EvictionKind,
  session: string | undefined,
  { memory }: Pick<Settings, 'memory'>,
): string | undefined {
  const { one, settings, fixed, remedy } = bounds[kind]
  if (remedy === undefined) return undefined
  const set = settings?.map((name) => `memory.${name}: ${memory[name]}`)
  const bound =
    set === undefined ? `the bound is ${fixed}` : `setting${set.length > 1 ? 's' : ''} ${set.join(', ')}`
  const of =
    session === undefined ? '' : `${isSession(kind) ? '' : ' of the session'} ${JSON.stringify(session)}`
  return (
    `evicted ${one}${of} (${bound}): ${remedy}. ` +
    `Later ones are only counted: \`evicted.${kind}\` in GET /__sim/health.`
  )
}

const isSession = (kind: EvictionKind): boolean => kind === 'sessions'
