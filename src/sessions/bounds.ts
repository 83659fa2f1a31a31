/** What is evicted at each limit, in words: for warnings, and for the table in docs/reference/settings.md. */

import * as z from 'zod'
import type { EvictionKind } from '../engine/evictions.ts'
import { lazy } from '../engine/fields.ts'
import type { Settings } from '../protocol/settings.ts'

type MemorySetting = Exclude<keyof Settings['memory'], 'journalBodies'>

export interface Bound {
  /** The thing that is evicted, with its article. */
  readonly one: string
  /** The settings under `memory` that set the limit. */
  readonly settings?: readonly MemorySetting[]
  /** The limit, if no setting sets it. */
  readonly fixed?: string
  /** Which one is evicted first. */
  readonly first: string
  /** The effect on later requests. */
  readonly later: string
  /** What to do about it; undefined for deliberate removals, which log no warning. */
  readonly remedy?: string
}

/** @internal */
export const bounds: Readonly<Record<EvictionKind, Bound>> = {
  runningJobs: {
    one: 'a running job',
    settings: ['resources'],
    first: 'the oldest, if none has finished',
    later: '404 that names the limit',
    remedy: 'raise the limit, or reset or dispose of sessions after use',
  },
  finishedJobs: {
    one: 'a finished job, or a response with image URLs',
    settings: ['resources'],
    first: 'the first to finish',
    later: '404 that names the limit',
    remedy: 'raise the limit, or reset or dispose of sessions after use',
  },
  files: {
    one: 'an uploaded file',
    settings: ['files', 'fileBytes'],
    first: 'the oldest',
    later: '404 that names the limit; 400 for requests that refer to the file',
    remedy: 'raise the limits, or reset or dispose of sessions after use',
  },
  imageSources: {
    one: 'the source image of a result',
    settings: ['files', 'fileBytes'],
    first: 'the oldest',
    later: 'the result shows a placeholder that names the source',
    remedy: 'raise the limits, or reset or dispose of sessions after use',
  },
  journalEntries: {
    one: 'a request in the journal',
    settings: ['journalEntries', 'journalBytes', 'journalBytesInAll'],
    first: 'the oldest in the session, or in all sessions for `journalBytesInAll`',
    later: 'verifications may be inconclusive; `seq` keeps increasing',
    remedy: 'raise the limits if you verify or export long runs',
  },
  requests: {
    one: 'the repeat count of a request',
    settings: ['requests'],
    first: 'the older half',
    later: 'a repeated request gets the same ids as the first',
    remedy: 'raise the limit, or reset sessions from time to time',
  },
  rateLimits: {
    one: "an API key's request count for the rate limit",
    settings: ['requests'],
    first: 'the least recently used API key',
    later: 'the count restarts from 0',
    remedy: 'raise the limit, or use fewer API keys',
  },
  ruleCounts: {
    one: "a rule's count for one API key, job or value (`per`)",
    settings: ['requests'],
    first: 'the least recently used',
    later: 'the count restarts from 0',
    remedy: 'raise the limit, or count by a field with fewer values',
  },
  clientReport: {
    one: 'a job or a finding in the client report',
    fixed: '10,000 jobs and 1,000 findings per session',
    first: 'the oldest job or the newest finding (counted in `more`)',
    later: 'findings may be missing from the report',
    remedy: 'read the report and reset the session from time to time',
  },
  sessions: {
    one: 'a session',
    settings: ['sessions'],
    first: 'the least recently used, except `default` and sessions with open streams',
    later: '400 that names the limit; a session created by a request is recreated with a warning',
    remedy: 'raise the limit, or dispose of sessions after use',
  },
  expiredSessions: {
    one: 'a session that got no request within its `ttl`',
    fixed: 'the `ttl` of the session',
    first: 'each session when its `ttl` expires',
    later: '400 that names the `ttl`',
  },
  deletedSessions: {
    one: 'the name of a deleted session',
    fixed: '10,000, or `memory.sessions` if larger',
    first: 'the first to be deleted',
    later: 'a request with this name creates a new session, without an error or warning',
    remedy: 'use new names for new sessions',
  },
  warnings: {
    one: 'a warning',
    fixed: '100 distinct warnings about rules, and 100 about reserved values',
    first: 'the newest',
    later: 'new warnings are not logged',
    remedy: 'fix the causes of the other warnings',
  },
}

/** Counts by kind, without kinds that had no evictions. @internal */
export const evictedSchema = lazy(() =>
  z.partialRecord(z.enum(Object.keys(bounds) as EvictionKind[]), z.int()),
)

/** The warning about the first eviction of a kind; undefined for deliberate removals. @internal */
export function evictionWarning(
  kind: EvictionKind,
  session: string | undefined,
  { memory }: Pick<Settings, 'memory'>,
): string | undefined {
  const { one, settings, fixed, remedy } = bounds[kind]
  if (remedy === undefined) return undefined
  const set = settings?.map((name) => `memory.${name}: ${memory[name]}`)
  const bound =
    set === undefined ? `limit: ${fixed}` : `setting${set.length > 1 ? 's' : ''} ${set.join(', ')}`
  const of =
    session === undefined ? '' : `${isSession(kind) ? '' : ' in the session'} ${JSON.stringify(session)}`
  return (
    `evicted ${one}${of} (${bound}): ${remedy}. ` +
    `Further evictions are not logged: GET /__sim/health counts them in \`evicted.${kind}\`.`
  )
}

const isSession = (kind: EvictionKind): boolean => kind === 'sessions'
