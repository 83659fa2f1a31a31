/** What the document says of the simulator's own API beyond its schemas. */
import type { GroupNotes } from './notes.ts'

const source = 'none: the simulator’s own'

export const controlNotes: GroupNotes = {
  title: 'Simulator',
  description: 'The simulator’s own API: its clock, its journal, back to the beginning. Acts on the session that the address or `x-sim-session` names.',
  operations: {
    'sim.health': { source, calls: () => [{ name: 'plain', summary: 'That it answers' }] },
    'sim.clock': { source, calls: () => [{ name: 'plain', summary: 'The time of the session' }] },
    'sim.advance': {
      source,
      description: 'Exactly one of `by`, `to` and `until`. Answers when all that fell due has happened.',
      async calls(made) {
        await made('videos.create', { json: { model: 'sora-2', prompt: 'a sunset' } })
        return [
          { name: 'by', summary: 'By a duration', json: { by: '90s' } },
          { name: 'until', summary: 'Until nothing is due any more', json: { until: 'idle' } },
          { name: 'backwards', summary: 'Back, which time does not go', json: { to: '2020-01-01T00:00:00Z' } },
        ]
      },
    },
    'sim.reset': { source, calls: () => [{ name: 'all', summary: 'All sessions', json: { all: true } }] },
    'sim.journal': {
      source,
      async calls(made) {
        await made('models.list', {})
        return [{ name: 'page', summary: 'The calls so far', query: { limit: '10' } }]
      },
    },
    'sim.explain': {
      source,
      description: 'Every rule of the operation with the condition that failed first, what counts had been reached, and how the call named its session.',
      async calls(made) {
        await made('models.list', {})
        return [{ name: 'number', summary: 'The first call of the session', params: { id: '0' } }]
      },
    },
  },
  names: {
    'sim.explain reply': 'CallExplanation',
    'sim.explain reply.rules[]': 'ExplainedRule',
    'sim.health reply': 'SimulatorHealth',
    'sim.clock reply': 'SimulatorClock',
    'sim.advance body': 'ClockAdvance',
    'sim.advance reply': 'ClockAdvanced',
    'sim.advance reply.fired[]': 'FiredChange',
    'sim.reset body': 'SimulatorReset',
    'sim.reset reply': 'SimulatorResetDone',
    'sim.journal reply': 'Journal',
    'sim.journal reply.entries[]': 'JournalEntry',
  },
  fields: {
    'SimulatorHealth.status': 'That it answers.',
    'SimulatorHealth.sessions': 'How many sessions there are.',
    'SimulatorHealth.session': 'The session of this call.',
    'SimulatorHealth.calls': 'How many calls it has seen.',
    'SimulatorHealth.resources': 'How many jobs, videos and replies with picture addresses it holds.',
    'SimulatorClock.mode': 'Who moves time.',
    'SimulatorClock.speed': 'How much faster than the wall clock, in `real`.',
    'SimulatorClock.now': 'The present instant.',
    'SimulatorClock.next': 'When something is due next; null when nothing is.',
    'SimulatorClock.in': 'The same as a duration.',
    'SimulatorClock.pending': 'How many streams wait for time to pass.',
    'ClockAdvance.by': 'A duration (`5s`), or milliseconds.',
    'ClockAdvance.to': 'An instant: ISO 8601, or milliseconds since the epoch.',
    'ClockAdvance.until': 'To what is due next, or until nothing is due any more.',
    'ClockAdvance.limit': 'How far `until` may go: a duration, one day unless given.',
    'ClockAdvanced.from': 'The instant before.',
    'ClockAdvanced.now': 'The instant after.',
    'ClockAdvanced.fired': 'The changes that time passed over, at most 1,000.',
    'ClockAdvanced.more': 'How many changes are not listed.',
    'ClockAdvanced.events': 'How many events of streams were let go.',
    'ClockAdvanced.next': 'When something is due next; null when nothing is.',
    'SimulatorReset.all': 'Whether all sessions are put back, not this one alone.',
    'SimulatorResetDone.reset': 'The sessions that were put back.',
    'Journal.total': 'How many calls there were.',
    'Journal.next': 'What to give as `after` for the next page; null when this is the last.',
    'Journal.more': 'How many calls that fit are not on this page.',
    'Journal.entries': 'The calls, oldest first.',
  },
}
