/**
 * `sim.health`, `sim.ready`: whether the simulator answers. Both answer without a token, for whoever watches
 * over processes.
 */
import * as z from 'zod'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import { forgottenSchema } from '../sessions/bounds.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import { scenarioTitles } from '../sessions/controls/scenarios.ts'
import { own } from './control.ts'

const healthSchema = z.strictObject({
  status: z.literal('ok').describe('That it answers.'),
  sessions: z.int().describe('How many sessions there are.'),
  session: z.string().describe('The session of this call.'),
  calls: z.int().describe('How many calls it has seen.'),
  resources: z.int().describe('How many jobs, videos and replies with picture addresses it holds.'),
  scenarios: z.array(z.string()).describe('The titles of the scenarios in use.'),
  forgotten: forgottenSchema.describe(
    'What all sessions have dropped because a bound was reached, by kind (docs/settings.md).',
  ),
})

export function healthEndpoints(parts: ControlParts): readonly Endpoint[] {
  const health = defineEndpoint({
    ...own,
    operation: 'sim.health',
    method: 'GET',
    path: '/__sim/health',
    summary: 'Whether the simulator answers, and what it holds',
    accepts: [],
    reply: healthSchema,
    act: (_call, { world }) =>
      json({
        status: 'ok',
        sessions: parts.sessions.all().length,
        session: world.name,
        calls: world.journal.total,
        resources: world.store.size,
        scenarios: scenarioTitles(parts.sessions.get(world.name), parts),
        forgotten: parts.forgotten.counts,
      }),
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
