/** The images and videos of a trace, as previews in the file. */
import type { JobState } from '../generated/control-types.ts'
import { maxMediaBytes, maxMediaFiles, type SavedTrace, type TraceSession } from './trace.ts'
import { seenIn, type Work, worksOf } from './works.ts'

/**
 * The preview of a file as a `data:` URL; undefined if it cannot be had. `session` is the index in the trace,
 * `query` that of `GET /__sim/media`.
 */
export type ReadPreview = (session: number, query: string) => Promise<string | undefined>

/** The trace with the newest previews of each session, as many as there is room for. */
export async function withMedia(trace: SavedTrace, read: ReadPreview): Promise<SavedTrace> {
  const wanted = trace.sessions.map((session) => queriesOf(session, trace.draws))
  const media = trace.sessions.map((): Record<string, string> => ({}))
  let room = maxMediaBytes
  let count = 0
  let missing = 0
  const longest = Math.max(0, ...wanted.map((queries) => queries.length))
  // In turn, so that each session has its newest ones.
  for (let at = 0; at < longest; at++)
    for (const [index, found] of media.entries()) {
      const query = wanted[index]?.[at]
      if (query === undefined) continue
      const url = count < maxMediaFiles ? await read(index, query) : undefined
      if (url === undefined || url.length > room) {
        missing++
        continue
      }
      room -= url.length
      count++
      found[query] = url
    }
  const total = count + missing
  const cut = missing === 0 ? [] : [`It includes previews of ${count} of the ${total} images and videos.`]
  const sessions = trace.sessions.map((session, index) => ({ ...session, media: media[index] ?? {} }))
  return { ...trace, sessions, cut: [...trace.cut, ...cut] }
}

/** What stands for a file in a saved page: of a video, its poster or first frame. */
export const previewQuery = ({ query, poster }: Work['files'][number]): string => poster ?? query

function queriesOf({ entries, jobs }: TraceSession, draws: readonly string[]): readonly string[] {
  const seen = entries
    .filter(({ ended, response }) => (response?.status ?? 0) < 300 && ended !== 'open')
    .map((entry) => seenIn(entry, draws.includes(entry.operation ?? '')))
  const works = worksOf(seen, jobs.jobs as readonly JobState[])
  return works.flatMap(({ files }) => files.map(previewQuery))
}
