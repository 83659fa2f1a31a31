/**
 * `sim.health`, `sim.ready`: whether the simulator answers. Both answer anybody, for whoever watches over
 * processes; what the simulator holds is told only to those who may use the rest of the control API.
 */
import * as z from 'zod'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import { forgottenSchema } from '../sessions/bounds.ts'
import { scenarioTitles } from '../sessions/controls/scenarios.ts'
import { type ControlApiParts, own } from './control.ts'
import { refusalOf } from './permission.ts'

const healthSchema = z.strictObject({
  status: z.literal('ok').describe('That it answers.'),
  sessions: z.int().optional().describe('How many sessions there are.'),
  session: z.string().describe('The session of this call.'),
  calls: z.int().optional().describe('How many calls it has seen.'),
  resources: z
    .int()
    .optional()
    .describe('How many jobs, videos and replies with picture addresses it holds.'),
  scenarios: z.array(z.string()).optional().describe('The titles of the scenarios in use.'),
  forgotten: forgottenSchema
    .optional()
    .describe('What all sessions have dropped because a bound was reached, by kind (docs/settings.md).'),
  loop: z
    .strictObject({
      maxDelayMs: z.int().describe('The longest since the start.'),
      maxDelayMsLastMinute: z.int().describe('The longest in the last minute.'),
      lateAt: z.iso
        .datetime()
        .nullable()
        .describe('When it was last late by 200 ms or more, by the wall clock; null for never.'),
    })
    .optional()
    .describe('How late the event loop of the server was. Calls wait so long. Only of a server of its own.'),
})

export function healthEndpoints(parts: ControlApiParts): readonly Endpoint[] {
  const health = defineEndpoint({
    ...own,
    operation: 'sim.health',
    method: 'GET',
    path: '/__sim/health',
    summary: 'Whether the simulator answers, and what it holds',
    accepts: [],
    reply: healthSchema,
    act({ headers }, { world }) {
      const session = world.name
      if (refusalOf(headers, parts) !== undefined) return json({ status: 'ok', session })
      return json({
        status: 'ok',
        sessions: parts.sessions.count,
        session,
        calls: world.journal.total,
        resources: world.store.size,
        scenarios: scenarioTitles(parts.sessions.get(session), parts),
        forgotten: parts.forgotten.counts,
        ...loopOf(parts),
      })
    },
  })
  const ready = defineEndpoint({
    ...own,
    operation: 'sim.ready',
    method: 'GET',
    path: '/__sim/ready',
    summary: 'Whether calls can be sent: what a start script waits for',
    accepts: [],
    reply: z.strictObject({ ready: z.literal(true).describe('That calls can be sent.') }),
    act: () => json({ ready: true }),
  })
  return [health, ready]
}

function loopOf({ process }: ControlApiParts): { readonly loop?: z.infer<typeof healthSchema>['loop'] } {
  const loop = process()?.loop
  if (loop === undefined) return {}
  const { max, maxLastMinute, lateAt } = loop
  return {
    loop: {
      maxDelayMs: Math.round(max),
      maxDelayMsLastMinute: Math.round(maxLastMinute),
      lateAt: lateAt === undefined ? null : new Date(lateAt).toISOString(),
    },
  }
}
