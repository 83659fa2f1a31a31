/** The simulator's own API under `/__sim`, in the same endpoint shape as the service. */
import * as z from 'zod'
import { formatDuration } from '../engine/duration.ts'
import { defineEndpoint, defineGroup, type EndpointGroup } from '../protocol/endpoint.ts'
import { envelope } from '../protocol/errors.ts'
import { json } from '../protocol/reply.ts'
import type { Settings } from '../protocol/settings.ts'
import { filterJournal, journalQuery } from '../journal/filter-journal.ts'
import { jsonLines, wireEntry } from '../journal/wire-entry.ts'
import type { Sessions } from '../sessions.ts'
import { advance, nextDue } from './advance.ts'
import { explainEndpoints } from './explain-call.ts'
import { advancedSchema, clockSchema, healthSchema, journalSchema } from './schema.ts'

const iso = (at: number): string => new Date(at).toISOString()
const jsonLinesType = 'application/x-ndjson'
const own = { open: true, beyondContract: 'the control API of the simulator', anyContentType: true } as const

/** The control endpoints over a simulator's sessions; `titles` are those of the scenarios in use. */
export function controlGroup({ sessions, titles }: { readonly sessions: Sessions; readonly settings: Settings; titles(): readonly string[] }): EndpointGroup {
  const health = defineEndpoint({
    ...own,
    operation: 'sim.health',
    method: 'GET',
    path: '/__sim/health',
    summary: 'Whether the simulator answers, and what it holds',
    accepts: [],
    reply: healthSchema,
    act: (_call, { world }) => json({ status: 'ok', sessions: sessions.all().length, session: world.name, calls: world.journal.total, resources: world.store.size, scenarios: titles() }),
  })
  const clock = defineEndpoint({
    ...own,
    operation: 'sim.clock',
    method: 'GET',
    path: '/__sim/clock',
    summary: "The session's clock",
    accepts: [],
    reply: clockSchema,
    act({ now }, { world }) {
      const next = nextDue(world, now)
      return json({ mode: world.clock.mode, speed: world.clock.speed, now: iso(now), next: next === undefined ? null : iso(next), in: next === undefined ? null : formatDuration(next - now), pending: world.clock.pending })
    },
  })
  const advanceClock = defineEndpoint({
    ...own,
    operation: 'sim.advance',
    method: 'POST',
    path: '/__sim/clock/advance',
    summary: "Moves the session's clock forward by a duration, to an instant, or until something is due",
    accepts: ['json'],
    afterOthers: true,
    body: z.strictObject({
      by: z.union([z.string(), z.number()]).optional(),
      to: z.union([z.string(), z.number()]).optional(),
      until: z.enum(['next', 'idle']).optional(),
      limit: z.union([z.string(), z.number()]).optional(),
    }),
    reply: advancedSchema,
    act: ({ body }, { world }) => json(advance(world, body)),
  })
  const reset = defineEndpoint({
    ...own,
    operation: 'sim.reset',
    method: 'POST',
    path: '/__sim/reset',
    summary: 'Puts the session (or all) back to its beginning; open streams end with an error',
    accepts: ['json'],
    bodyOptional: true,
    body: z.strictObject({ all: z.boolean().optional() }),
    reply: z.strictObject({ reset: z.array(z.string()) }),
    act({ body }, { world }) {
      const names = body.all === true ? sessions.all().map((session) => session.world.name) : [world.name]
      for (const name of names) sessions.reset(name)
      return json({ reset: names })
    },
  })
  const journal = defineEndpoint({
    ...own,
    operation: 'sim.journal',
    method: 'GET',
    path: '/__sim/journal',
    summary: "The session's calls, oldest first",
    accepts: [],
    query: journalQuery,
    reply: journalSchema,
    act({ query, headers }, { world }) {
      const { format, ...wanted } = query
      const page = filterJournal(world.journal.entries(), wanted)
      if (format === 'jsonl' || (format === undefined && headers['accept']?.includes(jsonLinesType) === true)) return { status: 200, headers: { 'content-type': jsonLinesType }, body: { kind: 'text', text: jsonLines(page.entries) } }
      return json({ total: world.journal.total, more: page.more, next: page.next, entries: page.entries.map(wireEntry) })
    },
  })
  return defineGroup({
    name: 'control',
    credentials: [],
    unjournaled: true,
    endpoints: [health, clock, advanceClock, reset, journal, ...explainEndpoints({ sessions })],
    renderError: (error, ids) => ({ body: envelope(error, ids.traceId) }),
  })
}
