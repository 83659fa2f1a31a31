/**
 * The controls of a server: its health, its sessions and its breakpoints. The client over HTTP follows from
 * this table; the implementations are in the other files.
 */
import type {
  Breakpoint,
  BreakpointRequest,
  BreakpointState,
  Health,
  ReleaseRequest,
  SessionState,
} from '../generated/control-types.ts'
import { get, post, remove } from '../sessions/controls/control.ts'
import { type SentScenario, withText } from '../sessions/controls/scenario-source.ts'
import type { SessionOptions } from '../sessions/options.ts'

/** Options of a new session; its scenarios are paths, objects or `{ text }`. The client reads the files. */
export type RemoteSessionOptions = Omit<SessionOptions, 'scenarios'> & {
  readonly scenarios?: readonly SentScenario[] | undefined
}

export const serverControls = {
  /** The health of the server, and the counts of the session. */
  health: get<() => Health>('/health'),
  /** Whether the server accepts requests; rejects while it ends. */
  ready: get<() => { readonly ready: true }>('/ready'),
  sessions: {
    create: post<
      (request?: SessionOptions) => SessionState,
      (request?: RemoteSessionOptions) => Promise<SessionState>
    >('/sessions', {
      encode: (request: RemoteSessionOptions = {}) => ({
        ...request,
        scenarios: request.scenarios?.map(withText),
      }),
    }),
    list: get<() => readonly SessionState[]>('/sessions', { field: 'sessions' }),
    get: get<(name: string) => SessionState>('/sessions/{name}'),
    remove: remove<(name: string) => string>('/sessions/{name}', { field: 'deleted' }),
  },
  /** Requests that wait until they are released. */
  breakpoints: {
    /** Holds requests of the session before they are processed, answered, or send an event. */
    add: post<(request: BreakpointRequest) => Breakpoint>('/breakpoints'),
    /** The breakpoints and the held requests of all sessions. */
    list: get<() => BreakpointState>('/breakpoints'),
    /** Removes a breakpoint; the requests that it holds continue. */
    remove: remove<(id: string) => Breakpoint>('/breakpoints/{id}'),
    /** Releases a held request: unchanged with `{}`, cut, or with another response or event. */
    release: post<(id: string, change: ReleaseRequest) => string>('/held/{id}', { field: 'released' }),
  },
}
