/** `sim.createSession`, …: isolated sandboxes for parallel tests. */

import * as z from 'zod'
import type { SessionState } from '../generated/control-types.ts'
import { ApiError } from '../protocol/errors.ts'
import { rootMark } from '../protocol/response.ts'
import { clockSchema, clockState } from '../sessions/controls/clock.ts'
import type { ControlParts, Implementations } from '../sessions/controls/control.ts'
import { flag, int, text } from '../sessions/controls/fields.ts'
import { maxScenarioBody, sentSessionSchema, specOf } from '../sessions/options.ts'
import { sessionKey } from '../sessions/sdk-options.ts'
import { deletedError, missingError } from '../sessions/session-errors.ts'
import { defaultSession, type Session } from '../sessions/sessions.ts'
import { aboutNoSession, type ControlApiParts } from './control.ts'
import type { serverControls } from './table.ts'

export const sessionSchema = () =>
  z.strictObject({
    name: text('The name.'),
    baseUrl: text('The base URL for SDKs, without `/v1`.'),
    apiKey: text('An API key that is valid in the session.'),
    headers: z
      .record(z.string(), z.string())
      .describe('Headers that select the session, as an alternative to the base URL.'),
    seed: text('The seed for all randomness.'),
    clock: clockSchema().describe('The clock of the session.'),
    requests: int('The number of requests that the session has received.'),
    resources: int('The number of jobs and of responses with image URLs in the session.'),
    open: int('The number of open streams.'),
    explicit: flag('Whether the session was created explicitly; false if a request created it.'),
  })

/** A session as the control API shows it. */
function wireSession(
  { sandbox, open, spec, settings: own }: Session,
  { settings }: ControlParts,
): SessionState {
  const { name } = sandbox
  return {
    name,
    baseUrl: name === defaultSession ? rootMark : `${rootMark}/s/${name}`,
    apiKey: sessionKey(name, (own ?? settings).keys),
    headers: { 'x-sim-session': name },
    seed: sandbox.seed,
    clock: clockState(sandbox),
    requests: sandbox.journal.total,
    resources: sandbox.store.size,
    open: open.size,
    explicit: spec !== undefined,
  }
}

/** The session of a name. Throws `ApiError` (404). */
function found(name: string, { sessions }: ControlParts): Session {
  const session = sessions.find(name)
  if (session !== undefined) return session
  if (!sessions.wasDeleted(name)) throw missingError(name, 'name')
  throw new ApiError('not_found_error', deletedError(name).message, { param: 'name' })
}

export const sessions: Implementations<(typeof serverControls)['sessions'], ControlApiParts> = {
  create: {
    act: ({ parts }, request = {}) =>
      wireSession(parts.sessions.make(request, specOf(request, 'http', parts.reader)), parts),
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.createSession',
      summary: 'Create an isolated session, optionally with its own clock, seed and scenarios',
      maxBody: maxScenarioBody,
      bodyOptional: true,
      body: sentSessionSchema,
      response: sessionSchema,
      status: 201,
      links: true,
    },
  },
  list: {
    act: ({ parts }) => parts.sessions.all().map((session) => wireSession(session, parts)),
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.listSessions',
      summary: 'List the sessions, in order of creation',
      response: () => z.strictObject({ sessions: z.array(sessionSchema()).describe('The sessions.') }),
      links: true,
    },
  },
  get: {
    act: ({ parts }, name) => wireSession(found(name, parts), parts),
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.getSession',
      summary: 'Get a session',
      response: sessionSchema,
      links: true,
    },
  },
  remove: {
    act({ parts }, name) {
      found(name, parts)
      parts.sessions.remove(name)
      return name
    },
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.deleteSession',
      summary: 'Delete a session: its open streams end with an error, and later requests to it are rejected',
      response: () => z.strictObject({ deleted: text('Its name.') }),
    },
  },
}
