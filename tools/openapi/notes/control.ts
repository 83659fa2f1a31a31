/** What the document says of the simulator's own API beyond its schemas. */
import type { GroupNotes, Made } from '../notes.ts'

const source = 'gateway-sim'

const video = async (made: Made): Promise<string> =>
  String((await made('videos.create', { json: { model: 'sora-2', prompt: 'a sunset' } }))['id'])
const scenario = {
  title: 'Chat is overloaded once',
  rules: [
    {
      id: 'overloaded-once',
      when: { operation: ['chat.create'], times: 1 },
      then: { error: { status: 503 } },
    },
  ],
}

export const controlNotes: GroupNotes = {
  title: 'Simulator',
  description: [
    'The simulator’s own API (docs/reference/control-api.md): clock, sessions, scenarios, overrides, jobs,',
    'journal, back to the beginning. Acts on the session that the URL (`/s/<name>/__sim/…`) or',
    '`x-sim-session` names. Where a server listens beyond loopback it needs a token, health and ready aside:',
    '`authorization: Bearer <token>` or `x-sim-token`; elsewhere web pages of other origins are rejected',
    'unless they are allowed (`control.origins`). The prefix is a setting (`control.prefix`).',
  ].join(' '),
  params: { id: 'The id, as in the list.', name: 'The name, as in the list.' },
  operations: {
    'sim.health': { source, calls: () => [{ name: 'plain', summary: 'That it answers' }] },
    'sim.ready': { source, calls: () => [{ name: 'plain', summary: 'That calls can be sent' }] },
    'sim.readMetrics': { source, calls: () => [{ name: 'plain', summary: 'With `control.metrics`' }] },
    'sim.getClock': { source, calls: () => [{ name: 'plain', summary: 'The time of the session' }] },
    'sim.advanceClock': {
      source,
      description: 'Exactly one of `by`, `to` and `until`. Answers when all that fell due has happened.',
      async calls(made) {
        await video(made)
        return [
          { name: 'by', summary: 'By a duration', json: { by: '90s' } },
          { name: 'until', summary: 'Until nothing is due any more', json: { until: 'idle' } },
          {
            name: 'backwards',
            summary: 'Back, which time does not go',
            json: { to: '2020-01-01T00:00:00Z' },
          },
        ]
      },
    },
    'sim.settled': {
      source,
      calls: () => [{ name: 'plain', summary: 'That all calls have their responses' }],
    },
    'sim.freezeClock': { source, calls: () => [{ name: 'plain', summary: 'Stop' }] },
    'sim.resumeClock': {
      source,
      description: 'A clock that does not run by itself (`manual`, `auto`) rejects it (409).',
      async calls(made) {
        // So slow that it shows the same time whenever it is asked.
        await made('sim.createSession', {
          json: { name: 'live', clock: 'real', start: '2026-01-01T00:00:00Z', speed: 1e-9 },
        })
        return [
          {
            name: 'slower',
            summary: 'At another speed',
            headers: { 'x-sim-session': 'live' },
            json: { speed: 2e-9 },
          },
          { name: 'not-real', summary: 'A clock that does not run by itself', json: {} },
        ]
      },
    },
    'sim.createSession': {
      source,
      calls: () => [
        {
          name: 'named',
          summary: 'With a name, a clock and a scenario of its own',
          json: { name: 'my-test', clock: 'manual', scenarios: [scenario] },
        },
        { name: 'taken', summary: 'A name that is taken', json: { name: 'my-test' } },
      ],
    },
    'sim.listSessions': { source, calls: () => [{ name: 'plain', summary: 'Every session' }] },
    'sim.getSession': {
      source,
      async calls(made) {
        await made('sim.createSession', { json: { name: 'my-test' } })
        return [{ name: 'plain', summary: 'One session', params: { name: 'my-test' } }]
      },
    },
    'sim.deleteSession': {
      source,
      async calls(made) {
        await made('sim.createSession', { json: { name: 'my-test' } })
        return [{ name: 'plain', summary: 'At the end of a test', params: { name: 'my-test' } }]
      },
    },
    'sim.addScenario': {
      source,
      description:
        'Seed, clock, keys, models and limits of a session are set by `sim.createSession`. A reset removes ' +
        'scenarios.',
      calls: () => [
        { name: 'object', summary: 'As an object', json: scenario },
        {
          name: 'text',
          summary: 'As a text',
          json: {
            name: 'slow',
            text: 'title: Slow chat\nrules:\n  - when: { operation: chat.create }\n    then: { delay: 1m }\n',
          },
        },
        {
          name: 'error',
          summary: 'With a error',
          json: { text: 'title: x\nrules:\n  - when: { operation: chat.crate }\n    then: {}\n' },
        },
      ],
    },
    'sim.listScenarios': {
      source,
      async calls(made) {
        await made('sim.addScenario', { json: scenario })
        return [{ name: 'plain', summary: 'What is in use' }]
      },
    },
    'sim.removeScenario': {
      source,
      async calls(made) {
        await made('sim.addScenario', { json: scenario })
        return [{ name: 'plain', summary: 'An added scenario', params: { name: 'added scenario 1' } }]
      },
    },
    'sim.addOverride': {
      source,
      description: 'Takes `fault` or `then`. The latest override applies first. A reset removes overrides.',
      calls: () => [
        {
          name: 'disconnect',
          summary: 'Disconnects the next chat stream',
          json: { id: 'cut', when: { operation: ['chat.create'] }, fault: 'disconnect', times: 1 },
        },
        {
          name: 'for-a-while',
          summary: 'Responds to every request with 503 for 30 seconds',
          json: { then: { error: { status: 503 } }, ttl: '30s' },
        },
        { name: 'unknown', summary: 'An unknown fault', json: { fault: 'explode' } },
      ],
    },
    'sim.listOverrides': {
      source,
      async calls(made) {
        await made('sim.addOverride', { json: { id: 'cut', fault: 'disconnect', times: 1 } })
        return [{ name: 'plain', summary: 'One override' }]
      },
    },
    'sim.clearOverrides': { source, calls: () => [{ name: 'plain', summary: 'Removes all' }] },
    'sim.removeOverride': {
      source,
      async calls(made) {
        await made('sim.addOverride', { json: { id: 'cut', fault: 'disconnect', times: 1 } })
        return [{ name: 'plain', summary: 'Removes one', params: { id: 'cut' } }]
      },
    },
    'sim.listJobs': {
      source,
      async calls(made) {
        await video(made)
        return [{ name: 'plain', summary: 'The videos', query: { kind: 'video', limit: '10' } }]
      },
    },
    'sim.getJob': {
      source,
      async calls(made) {
        return [{ name: 'plain', summary: 'One video', params: { id: await video(made) } }]
      },
    },
    'sim.changeJob': {
      source,
      description: 'One of `finished`, `notFound`, and fields (`set`, `unset`, `reset`, alone or together).',
      async calls(made) {
        const id = await video(made)
        return [
          {
            name: 'fail',
            summary: 'It fails now',
            params: { id },
            json: {
              set: {
                status: 'failed',
                error: { code: 'moderation_blocked', message: 'the prompt was rejected' },
              },
            },
          },
          {
            name: 'nothing-left',
            summary: 'There is nothing to finish any more',
            params: { id },
            json: { finished: true },
          },
        ]
      },
    },
    'sim.verify': {
      source,
      description: 'A verification that does not hold answers 200 too: `ok` says whether it was so.',
      async calls(made) {
        await made('models.list', {})
        return [
          {
            name: 'holds',
            summary: 'The models were listed once',
            json: { calls: { operation: ['models.list'] }, times: 1 },
          },
          { name: 'fails', summary: 'What did not happen', json: { calls: { operation: ['chat.create'] } } },
          {
            name: 'wrong',
            summary: 'An operation that there is not',
            json: { calls: { operation: 'models.lits' } },
          },
        ]
      },
    },
    'sim.unusedRules': {
      source,
      async calls(made) {
        await made('sim.addScenario', { json: scenario })
        return [{ name: 'plain', summary: 'A rule that has not answered yet' }]
      },
    },
    'sim.clientReport': {
      source,
      description: 'Each kind of finding: docs/reference/findings.md.',
      async calls(made) {
        await made('chat.create', {
          json: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 },
        })
        return [{ name: 'plain', summary: 'A client with a deprecated parameter' }]
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
    'sim.explainCall': {
      source,
      description: 'Each rule with its first failed condition or count, and how the call named its session.',
      async calls(made) {
        await made('models.list', {})
        return [{ name: 'number', summary: 'The first call of the session', params: { id: '0' } }]
      },
    },
  },
  names: {
    'sim.explainCall response': 'CallExplanation',
    'sim.explainCall response.rules[]': 'ExplainedRule',
    'sim.health response': 'SimulatorHealth',
    'sim.ready response': 'SimulatorReady',
    'sim.getClock response': 'SimulatorClock',
    'sim.advanceClock body': 'ClockAdvance',
    'sim.advanceClock response': 'ClockAdvanced',
    'sim.advanceClock response.fired[]': 'FiredChange',
    'sim.resumeClock body': 'ClockResume',
    'sim.createSession body': 'SessionOptions',
    'sim.createSession response': 'Session',
    'sim.listSessions response': 'Sessions',
    'sim.deleteSession response': 'SessionDeleted',
    'sim.addScenario body': 'ScenarioSent',
    'sim.addScenario response': 'ScenarioUsage',
    'sim.listScenarios response': 'Scenarios',
    'sim.addOverride body': 'OverrideRequest',
    'sim.addOverride response': 'Override',
    'sim.listOverrides response': 'Overrides',
    'sim.listJobs response': 'Jobs',
    'sim.getJob response': 'Job',
    'sim.changeJob body': 'JobChange',
    'sim.verify body': 'VerifyRequest',
    'sim.verify response': 'Verdict',
    'sim.verify response.nearest[]': 'NearCall',
    'sim.unusedRules response': 'UnusedRules',
    'sim.clientReport response': 'ClientReport',
    'sim.clientReport response.findings[]': 'ClientFinding',
    'sim.reset body': 'SimulatorReset',
    'sim.reset response': 'SimulatorResetDone',
    'sim.journal response': 'Journal',
    'sim.journal response.entries[]': 'JournalEntry',
  },
  fields: {
    'ClientReport.errors': 'How many errors there are.',
    'ClientReport.warnings': 'How many warnings there are.',
    'ClientReport.hints': 'How many hints there are.',
    'Journal.total': 'How many calls there were.',
    'Journal.next': 'What to give as `after` for the next page; null when this is the last.',
    'Journal.more': 'How many calls that fit are not on this page.',
    'Journal.entries': 'The calls, oldest first.',
  },
}
