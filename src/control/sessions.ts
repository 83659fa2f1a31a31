/** `sim.createSession`, …: isolated sandboxes for parallel tests. */

import * as z from 'zod'
import { formatDuration } from '../engine/duration.ts'
import type { SessionState } from '../generated/control-types.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { json, rootMark } from '../protocol/response.ts'
import { clockSchema, clockState } from '../sessions/controls/clock.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import { pageLimit } from '../sessions/controls/jobs.ts'
import { type SessionOptions, sentSessionSchema, specOf } from '../sessions/options.ts'
import { sessionKey } from '../sessions/sdk-options.ts'
import { deletedError, missingError, rejectingErrors } from '../sessions/session-errors.ts'
import { defaultSession, type Session } from '../sessions/sessions.ts'
import { aboutNoSession, maxScenarioBody, own } from './control.ts'

export const sessionSchema = () =>
  z.strictObject({
    name: z.string().describe('The name.'),
    baseUrl: z.string().describe('The base URL for SDKs, without `/v1`.'),
    apiKey: z.string().describe('An API key that is valid in the session.'),
    headers: z
      .record(z.string(), z.string())
      .describe('Headers that select the session, as an alternative to the base URL.'),
    seed: z.string().describe('The seed for all randomness.'),
    clock: clockSchema().describe('The clock of the session.'),
    requests: z.int().describe('The number of requests that the session has received.'),
    resources: z.int().describe('The number of jobs and of responses with image URLs in the session.'),
    open: z.int().describe('The number of open streams.'),
    explicit: z
      .boolean()
      .describe('Whether the session was created explicitly; false if a request created it.'),
    ttl: z
      .string()
      .nullable()
      .describe('How long the session is kept without requests, in real time; null for no limit.'),
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
    ttl: spec?.ttl === undefined ? null : formatDuration(spec.ttl),
  }
}

const pageQuery = () =>
  z.object({
    cursor: z.string().optional().describe('The name of the last session on the previous page.'),
    limit: pageLimit(),
  })

const common = { ...own, ...aboutNoSession, accepts: [] } as const

export function sessionEndpoints(parts: ControlParts): readonly Endpoint[] {
  const { sessions } = parts
  const found = (name: string): Session => {
    const session = sessions.find(name)
    if (session === undefined) {
      const gone = sessions.deleted(name)
      throw gone === undefined
        ? missingError(name, 'name')
        : new ApiError('not_found_error', deletedError(gone).message, { param: 'name' })
    }
    return session
  }
  const create = defineEndpoint({
    ...common,
    operation: 'sim.createSession',
    method: 'POST',
    path: '/__sim/sessions',
    summary: 'Create an isolated session, optionally with its own clock, seed and scenarios',
    accepts: ['json'],
    maxBody: maxScenarioBody,
    bodyOptional: true,
    body: sentSessionSchema,
    response: sessionSchema,
    act({ body }) {
      const session = rejectingErrors(() =>
        sessions.make(body, specOf(body as SessionOptions, 'http', parts.reader)),
      )
      return json(wireSession(session, parts), { status: 201, links: true })
    },
  })
  const list = defineEndpoint({
    ...common,
    operation: 'sim.listSessions',
    method: 'GET',
    path: '/__sim/sessions',
    summary: 'List the sessions, in order of creation',
    query: pageQuery,
    response: () =>
      z.strictObject({
        total: z.int().describe('The total number of sessions.'),
        more: z.int().describe('The number of sessions after this page.'),
        sessions: z.array(sessionSchema()).describe('The page.'),
      }),
    act({ query: { cursor, limit = 1000 } }) {
      const page = sessions.page(cursor, limit)
      if (page === undefined) throw missingError(cursor as string, 'cursor')
      const { more, sessions: listed } = page
      const shown = listed.map((session) => wireSession(session, parts))
      return json({ total: sessions.count, more, sessions: shown }, { links: true })
    },
  })
  const read = defineEndpoint({
    ...common,
    operation: 'sim.getSession',
    method: 'GET',
    path: '/__sim/sessions/{name}',
    summary: 'Get a session',
    response: sessionSchema,
    act: ({ params }) => json(wireSession(found(params.name), parts), { links: true }),
  })
  const remove = defineEndpoint({
    ...common,
    operation: 'sim.deleteSession',
    method: 'DELETE',
    path: '/__sim/sessions/{name}',
    summary: 'Delete a session: its open streams end with an error, and later requests to it are rejected',
    response: () => z.strictObject({ deleted: z.string().describe('Its name.') }),
    act({ params }) {
      const { name } = found(params.name).sandbox
      sessions.remove(name)
      return json({ deleted: name })
    },
  })
  return [create, list, read, remove]
}
