/** Which requests of the feed are new: it also sends earlier ones, and some again after an interruption. */
import type { LiveCall } from '../../generated/control-types.ts'
import type { FeedEvent } from './read-events.ts'

interface Known {
  /** Requests before this `seq` arrived before the watch began. */
  readonly history: number
  /** The `seq` of the next request. */
  next: number
  /** The latest arrival: after a restart of the server, `seq` begins again, but time does not. */
  latest: string
  /** The requests whose responses had not ended. */
  readonly open: Set<string>
}

export interface News {
  /** The requests of an event that are new, or whose responses have just been cut. */
  of(event: FeedEvent): readonly LiveCall[]
}

export function createNews(): News {
  const sessions = new Map<string, Known>()
  let greeted = false
  const knownOf = (session: string, history = 0): Known => {
    const known = sessions.get(session) ?? { history, next: 0, latest: '', open: new Set() }
    sessions.set(session, known)
    return known
  }
  const isNews = (call: LiveCall): boolean => {
    const known = knownOf(call.session)
    const arrival = call.realAt ?? ''
    const key = `${call.seq} ${arrival}`
    const wasOpen = known.open.has(key)
    if (call.ended === 'open') known.open.add(key)
    else known.open.delete(key)
    if (call.seq < known.next && arrival <= known.latest)
      return wasOpen && (call.ended === 'aborted' || call.ended === 'disconnected')
    const isHistory = known.next < known.history && call.seq < known.history
    known.next = call.seq + 1
    if (arrival > known.latest) known.latest = arrival
    return !isHistory
  }
  return {
    of(event) {
      if (event.event === 'hello' && !greeted) {
        greeted = true
        for (const { name, total } of event.sessions) knownOf(name, total)
      }
      if (event.event === 'ended') sessions.delete(event.session)
      return event.event === 'requests' ? event.requests.filter(isNews) : []
    },
  }
}
