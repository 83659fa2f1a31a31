/** Notes of the document on the control API. */
import { docsPage } from '../../../src/protocol/docs-page.ts'
import type { ExampleCall, GroupNotes, Made, OperationNotes } from '../notes.ts'

const source = 'gateway-sim'

const video = { model: 'sora-2', prompt: 'a sunset' }
const videoId = async (made: Made): Promise<string> =>
  String((await made('videos.create', { json: video }))['id'])

/** The operations that an example needs first, with their calls. */
type Before = Parameters<Made>

/** An operation with the calls of its examples. */
function shown(calls: readonly ExampleCall[], description?: string, ...before: Before[]): OperationNotes {
  return {
    source,
    ...(description === undefined ? {} : { description }),
    async calls(made) {
      for (const [operation, call] of before) await made(operation, call)
      return calls
    },
  }
}

/** An operation with one example. */
const plain = (summary: string, call: Before[1] = {}, ...before: Before[]): OperationNotes =>
  shown([{ name: 'plain', summary, ...call }], undefined, ...before)

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

const brokenScenario: ExampleCall = {
  name: 'error',
  summary: 'A scenario with an error',
  json: { text: 'title: x\nrules:\n  - when: { operation: chat.crate }\n    then: {}\n' },
}

const slowChat = `title: Slow chat
rules:
  - when: { operation: chat.create }
    then: { delay: 1m }
`

const added: Before = ['sim.addScenario', { json: scenario }]
const session: Before = ['sim.createSession', { json: { name: 'my-test' } }]
const overridden: Before = ['sim.addOverride', { json: { id: 'cut', fault: 'disconnect', times: 1 } }]
const listed: Before = ['models.list', {}]

export const controlNotes: GroupNotes = {
  title: 'Simulator',
  description:
    `The control API (${docsPage('control-api')}): clock, sessions, scenarios, overrides, jobs, ` +
    'journal and reset. A request acts on the session in the URL (`/s/<name>/__sim/…`) or in the header ' +
    '`x-sim-session`. A server that listens beyond loopback requires a token, except for health and ' +
    'ready: `authorization: Bearer <token>` or `x-sim-token`. On loopback, web pages from other origins ' +
    'are rejected unless `control.origins` allows them.',
  params: { id: 'The id, as in the list response.', name: 'The name, as in the list response.' },
  operations: {
    'sim.health': plain('A running server'),
    'sim.ready': plain('A server that accepts requests'),
    'sim.getMetrics': plain('The metrics of a simulator'),
    'sim.getTrace': { source, calls: () => [] },
    'sim.getEvents': shown(
      [{ name: 'start', summary: 'The first event' }],
      'The name after `event:` is `hello`, `clock`, `breakpoints`, `requests` or `ended`. The server sends ' +
        'changes every 100 ms of real time, and a comment after 4 seconds without a change. To continue ' +
        'after an interruption, send the last `id` in the header `last-event-id`: after `hello`, clocks ' +
        'and breakpoints, the server sends open requests and those that arrived since, some of them again.',
    ),
    'sim.addBreakpoint': shown([
      { name: 'once', summary: 'Hold the next video', json: { operation: 'videos.create', times: 1 } },
      {
        name: 'events',
        summary: 'Hold chat streams before each event',
        json: { operation: 'chat.create', phase: 'event' },
      },
    ]),
    'sim.listBreakpoints': plain('Breakpoints and held requests'),
    'sim.removeBreakpoint': {
      source,
      async calls(made) {
        const { id } = await made('sim.addBreakpoint', { json: { operation: 'chat.create' } })
        return [{ name: 'plain', summary: 'Remove a breakpoint', params: { id: String(id) } }]
      },
    },
    'sim.releaseRequest': shown([{ name: 'unknown', summary: 'An unknown id', params: { id: 'held-1' } }]),
    'sim.getCapabilities': plain('Operations, faults and reserved values'),
    'sim.getMedia': {
      source,
      async calls(made) {
        const { data } = await made('images.generate', { json: { model: 'dall-e-3', prompt: 'a boat' } })
        const { url } = (data as readonly { readonly url: string }[])[0] ?? { url: '' }
        return [{ name: 'image', summary: 'An image', query: { path: new URL(url).pathname } }]
      },
    },
    'sim.getClock': plain('The time in the session'),
    'sim.advanceClock': shown(
      [
        { name: 'by', summary: 'By a duration', json: { by: '90s' } },
        { name: 'idle', summary: 'Advance to the end of all timelines', json: { to: 'idle' } },
        { name: 'backwards', summary: 'A time in the past', json: { to: '2020-01-01T00:00:00Z' } },
      ],
      'Takes exactly one of `by` and `to`. Responds once all due changes are complete.',
      ['videos.create', { json: video }],
    ),
    'sim.settled': plain('No pending requests'),
    'sim.freezeClock': plain('A stopped clock'),
    'sim.resumeClock': shown(
      [
        {
          name: 'slower',
          summary: 'A different speed',
          headers: { 'x-sim-session': 'live' },
          json: { speed: 2e-9 },
        },
        { name: 'not-real', summary: 'A request with a clock other than `real`', json: {} },
      ],
      'Rejected (409) unless the clock is `real`.',
      // Too slow for its time to change during the examples.
      [
        'sim.createSession',
        { json: { name: 'live', clock: 'real', start: '2026-01-01T00:00:00Z', speed: 1e-9 } },
      ],
    ),
    'sim.createSession': shown([
      {
        name: 'named',
        summary: 'A session with a name, a clock and a scenario',
        json: { name: 'my-test', clock: 'manual', scenarios: [scenario] },
      },
      { name: 'taken', summary: 'A name that is in use', json: { name: 'my-test' } },
    ]),
    'sim.listSessions': plain('All sessions'),
    'sim.getSession': plain('One session', { params: { name: 'my-test' } }, session),
    'sim.deleteSession': plain('At the end of a test', { params: { name: 'my-test' } }, session),
    'sim.addScenario': shown(
      [
        { name: 'object', summary: 'A scenario as an object', json: scenario },
        {
          name: 'text',
          summary: 'A scenario as YAML',
          json: {
            name: 'slow',
            text: slowChat,
          },
        },
        brokenScenario,
      ],
      '`sim.createSession` sets the seed, clock, API keys, models and limits for a session. A reset ' +
        'removes scenarios.',
    ),
    'sim.listScenarios': plain('All scenarios of the session', {}, added),
    'sim.removeScenario': plain('An added scenario', { params: { name: 'added scenario 1' } }, added),
    'sim.changeRule': shown(
      [
        {
          name: 'off',
          summary: 'Switch a rule off',
          params: { id: 'overloaded-once' },
          json: { enabled: false },
        },
      ],
      undefined,
      added,
    ),
    'sim.addOverride': shown(
      [
        {
          name: 'disconnect',
          summary: 'Disconnect the next chat stream',
          json: { id: 'cut', when: { operation: ['chat.create'] }, fault: 'disconnect', times: 1 },
        },
        {
          name: 'for-a-while',
          summary: 'Respond to every request with 503 for 30 seconds',
          json: { then: { error: { status: 503 } }, ttl: '30s' },
        },
        { name: 'unknown', summary: 'An unknown fault', json: { fault: 'explode' } },
      ],
      'Takes `fault` or `then`. The most recent override takes precedence. A reset removes overrides.',
    ),
    'sim.listOverrides': plain('One override', {}, overridden),
    'sim.clearOverrides': plain('Remove all overrides'),
    'sim.removeOverride': plain('Remove one override', { params: { id: 'cut' } }, overridden),
    'sim.listJobs': plain('The videos', { query: { kind: 'video', limit: '10' } }, [
      'videos.create',
      { json: video },
    ]),
    'sim.getJob': {
      source,
      calls: async (made) => [{ name: 'plain', summary: 'One video', params: { id: await videoId(made) } }],
    },
    'sim.changeJob': {
      source,
      description: 'Takes `finished`, `notFound` or fields (`set`, `unset` and `reset`, alone or together).',
      async calls(made) {
        const params = { id: await videoId(made) }
        const error = { code: 'moderation_blocked', message: 'the prompt was rejected' }
        return [
          { name: 'fail', summary: 'Fail a video', params, json: { set: { status: 'failed', error } } },
          {
            name: 'nothing-left',
            summary: 'A job that has already finished',
            params,
            json: { finished: true },
          },
        ]
      },
    },
    'sim.verify': shown(
      [
        {
          name: 'holds',
          summary: 'A verification that passes',
          json: { requests: { operation: ['models.list'] }, times: 1 },
        },
        {
          name: 'fails',
          summary: 'A verification that fails',
          json: { requests: { operation: ['chat.create'] } },
        },
        { name: 'wrong', summary: 'An unknown operation', json: { requests: { operation: 'models.lits' } } },
      ],
      'The status is 200 even if the verification fails; `ok` states whether it passed.',
      listed,
    ),
    'sim.unusedRules': plain('An unused rule', {}, added),
    'sim.clientReport': shown(
      [{ name: 'plain', summary: 'A client that sends a deprecated parameter' }],
      `${docsPage('findings')} lists all findings.`,
      [
        'chat.create',
        { json: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 } },
      ],
    ),
    'sim.reset': shown([{ name: 'all', summary: 'All sessions', json: { all: true } }]),
    'sim.journal': shown(
      [{ name: 'page', summary: 'The first page', query: { limit: '10' } }],
      undefined,
      listed,
    ),
    'sim.explainRequest': shown(
      [{ name: 'number', summary: 'The first request of the session', params: { id: '0' } }],
      'Lists each rule with the first condition or count that failed, and the source of the session name.',
      listed,
    ),
  },
  names: {
    'sim.explainRequest response': 'RequestExplanation',
    'sim.explainRequest response.rules[]': 'ExplainedRule',
    'sim.health response': 'SimulatorHealth',
    'sim.ready response': 'SimulatorReady',
    'sim.getCapabilities response': 'Capabilities',
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
    'sim.verify response.nearest[]': 'NearRequest',
    'sim.unusedRules response': 'UnusedRules',
    'sim.clientReport response': 'ClientReport',
    'sim.clientReport response.findings[]': 'ClientFinding',
    'sim.reset body': 'SimulatorReset',
    'sim.reset response': 'SimulatorResetDone',
    'sim.journal response': 'Journal',
    'sim.journal response.entries[]': 'JournalEntry',
  },
  fields: {
    'ClientReport.errors': 'The number of errors.',
    'ClientReport.warnings': 'The number of warnings.',
    'ClientReport.hints': 'The number of hints.',
    'Journal.total': 'The number of requests so far.',
    'Journal.nextCursor': 'The value of `cursor` for the next page; absent on the last page.',
    'Journal.more': 'The number of matching requests after this page.',
    'Journal.entries': 'The requests, oldest first.',
  },
}
