/** The simulator: one object with sessions, director and routes for every integration. */
import { Breakpoints } from '../control/breakpoints.ts'
import { createGuard, type Guard } from '../control/guard.ts'
import { controlGroup } from '../control/index.ts'
import { chat } from '../endpoints/chat/index.ts'
import { lazy } from '../engine/fields.ts'
import type { JournaledSandbox } from '../exchange/journal.ts'
import { clientReportOf } from '../judges/client-report.ts'
import type { IncomingCall } from '../protocol/call.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { createTimestampText } from '../protocol/rate.ts'
import type { PlainResponse } from '../protocol/response.ts'
import { createRouter, type Match, type Route, type Router } from '../protocol/router.ts'
import { type Traffic, trafficLimits } from '../protocol/traffic.ts'
import type { RuleBook } from '../scenario/compile/rules.ts'
import { createDirector, type Directing } from '../scenario/director.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import { warnOfIgnoredWords } from '../scenario/reserved/plan.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import { type SessionControls, sessionControls } from '../sessions/controls/local.ts'
import type { SessionOptions } from '../sessions/options.ts'
import type { SimulatorSession } from '../sessions/session.ts'
import { SimulatorClosedError } from '../sessions/session-errors.ts'
import { defaultSession, Sessions } from '../sessions/sessions.ts'
import { answerCall } from './answer-call.ts'
import { type Arrival, arrivalOf, type CallHead } from './begin-call.ts'
import type { AnsweredCall } from './call-state.ts'
import { type CallsInFlight, createCallsInFlight } from './calls-in-flight.ts'
import type { CreatePlatform, LoadedFacilities, MediaPlatform, Platform } from './platform.ts'
import {
  readOptions,
  type SimulatedApi,
  type SimulatorConfig,
  type SimulatorOptions,
} from './simulator-options.ts'

/** For integrations, not for users of the library. @internal */
export interface SimulatorCore extends CallsInFlight, ControlParts {
  /** The control token; a server that listens beyond loopback generates one if none is set. */
  readonly controlToken: { value: string | undefined }
  readonly controlGuard: Guard
  readonly breakpoints: Breakpoints
  readonly router: Router
  readonly facilities: LoadedFacilities
  /** Replaced where several simulators share one renderer; `close` ends only the simulator's own. */
  media: MediaPlatform
  readonly traffic: Traffic
  readonly warn: (message: string) => void
  /** Milliseconds since the epoch by the wall clock. */
  readonly wall: () => number
  /** Whether the simulator is closed: it accepts no requests. */
  isClosed: boolean
  match(method: string, path: string): Match
  /** The cached `date` header: formatting a date is slow, and one second covers many calls. */
  readonly lastDate: { second: number; text: string }
  /** The arrival of a call that cannot be answered immediately, for `answer`; see `Arrival`. */
  arrivalOf(head: CallHead, match: Match): Arrival | undefined
  /** Answers a call whose dependencies are loaded and whose uploaded images have been inspected. */
  answer(call: IncomingCall, match: Match, arrival?: Arrival): AnsweredCall
  /**
   * Replaces the rules, and the given resources of later sessions. API keys, limits, seed and clock do not
   * change.
   */
  useScripts(set: ScenarioSet | undefined): void
}

/**
 * A simulator. Its own controls (clock, journal, verification, scenarios, overrides, jobs) are those of the
 * default session, which receives all requests that name no session.
 */
export interface Simulator extends SessionControls {
  /**
   * A `fetch` for SDKs and tests that responds in-process, without a network or global patches. Also accepts
   * a path such as `/v1/models`.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Responds with plain data, synchronously. Requires one `await preload()` first. */
  handle(call: IncomingCall): PlainResponse
  /** Loads the tokenizer and the fake data for `handle`. */
  preload(): Promise<void>
  /** Creates a session. Throws if the name is taken, and `ScenarioError` for invalid scenarios. */
  createSession(request?: SessionOptions): SimulatorSession
  /** Resets every session: its jobs, counters, journal and clock. Open streams end with an error. */
  resetAll(): void
  /** Like `session.settled()`, for all sessions. */
  settled(): Promise<void>
  /** Ends open streams and deletes all sessions. Later requests fail with `SimulatorClosedError`. */
  close(): Promise<void>
  /** Every operation: id, method, path, auth. */
  readonly routes: readonly Route[]
  /** @internal */
  readonly core: SimulatorCore
}

/**
 * The part of a simulator that all integrations share; the entry adds `fetch` to it and to sessions. Throws
 * `ConfigError` for invalid options and settings. @internal
 */
export function createSimulatorCore(
  options: SimulatorOptions,
  api: SimulatedApi,
  createPlatform: CreatePlatform,
): Omit<Simulator, 'fetch' | 'createSession'> {
  const config = readOptions(options, api.reader)
  const { settings, warn, wall } = config
  const platform = createPlatform(settings)
  const doubt = warnOnce(warn)
  const directing: Directing = { ignored: warnOfIgnoredWords(warn), wrong: doubt }
  const director = createDirector(directing, booksOf(config.script))
  const scripts: Scripts = { current: config.script }
  const shared = createShared({ ...config, directing }, api, platform, scripts)
  const guard = createGuard(settings)
  const traffic: Traffic = { unread: 0, rendering: 0, arriving: 0, limits: trafficLimits }
  const controlToken: { value: string | undefined } = { value: settings.control.token }
  const controlApi = lazy(() =>
    createRouter([
      controlGroup({
        ...shared,
        guard,
        wall,
        token: () => controlToken.value,
      }),
    ]),
  )
  const service = api.router()
  const router = settings.control.enabled
    ? service.with({ paths: new RegExp(`^${controlPrefix}(?:/|$)`), router: controlApi })
    : service
  const parts = {
    ...shared,
    router,
    director,
    doubt,
    facilities: platform.facilities,
    traffic,
    timestampText: createTimestampText(),
    fallback: chat,
    selfCheck: config.selfCheck,
    wall,
    warn,
  }
  const core: SimulatorCore = {
    ...parts,
    controlToken,
    controlGuard: guard,
    media: platform.media,
    isClosed: false,
    match: router.match.bind(router),
    lastDate: { second: Number.NaN, text: '' },
    arrivalOf: (head, match) => arrivalOf(parts, head, match),
    answer: answerCall.bind(undefined, parts),
    useScripts(set) {
      set?.checkAgainst(settings)
      scripts.current = set
      director.use(booksOf(set))
      for (const { rules } of shared.sessions.all()) rules.refresh()
    },
  }
  // Not enumerable: invisible when a simulator is printed or copied.
  return Object.defineProperty(simulatorOf(core), 'core', { value: core }) as ReturnType<
    typeof simulatorOf
  > & { readonly core: SimulatorCore }
}

/** What the core and its control API share. */
function createShared(
  config: SimulatorConfig & { readonly directing: Directing },
  { verifier }: SimulatedApi,
  { drive, turn }: Platform,
  scripts: Scripts,
) {
  const { settings, reader, onCall } = config
  const breakpoints = new Breakpoints()
  const evictions = countEvictions(config)
  const sessions = new Sessions({
    ...config,
    script: () => scripts.current,
    drive,
    begun({ journal }) {
      if (onCall !== undefined) journal.onEntry((entry) => onCall(entry))
    },
    ended: (sandbox) => breakpoints.end(sandbox),
    evicted: evictions.add,
  })
  const inFlight = createCallsInFlight()
  return {
    sessions,
    settings,
    script: () => scripts.current,
    reader,
    vocabulary: reader.vocabulary,
    verifier,
    evictions,
    breakpoints,
    callStarted: inFlight.callStarted,
    // Requests sent in the same turn, by an SDK or over a socket, are registered first.
    settled: (session?: string) => turn().then(() => inFlight.settled(session)),
    clientReportOf: (sandbox: JournaledSandbox) =>
      clientReportOf(sandbox, { off: settings.clientReport.off, operation: reader.vocabulary.operation }),
  }
}

function simulatorOf(core: SimulatorCore): Omit<Simulator, 'fetch' | 'createSession' | 'core'> {
  const { sessions, facilities, media, router } = core
  const checkOpen = (): void => {
    if (core.isClosed) throw new SimulatorClosedError()
  }
  return {
    ...sessionControls(defaultSession, core),
    handle(call) {
      checkOpen()
      const { response, headers, entry, session } = core.answer(call, core.match(call.method, call.path))
      session.sandbox.journal.close(entry, 'completed', undefined)
      const { body } = response
      return {
        ...response,
        headers,
        body: body.kind === 'events' ? { kind: 'events', events: body.events } : body,
      }
    },
    preload: () => facilities.load(['tokens', 'schemas', 'har', 'trace']),
    resetAll() {
      checkOpen()
      for (const { sandbox } of sessions.all()) sessions.reset(sandbox.name)
    },
    async settled() {
      checkOpen()
      await core.settled()
    },
    async close() {
      core.isClosed = true
      core.breakpoints.clear()
      sessions.clear(new Error('the simulator was closed'))
      await media.close()
    },
    get routes() {
      checkOpen()
      return router.routes
    },
  }
}

/** The scenarios of a simulator, as they are in use now. */
interface Scripts {
  current: ScenarioSet | undefined
}

const booksOf = (set: ScenarioSet | undefined): readonly RuleBook[] => (set === undefined ? [] : [set.book])

interface Evictions {
  /** How many sessions, and items in sessions, had to make room. */
  readonly count: number
  /** A session had to drop its oldest item, or had to go. */
  add(session: string): void
}

/** Counts evictions, and warns of the first one. */
function countEvictions({ settings: { memory }, warn }: SimulatorConfig): Evictions {
  let count = 0
  return {
    get count() {
      return count
    },
    add(session) {
      if (count++ > 0) return
      warn(
        `the session ${JSON.stringify(session)} was evicted, or its oldest items (settings ` +
          `memory.sessions: ${memory.sessions}, memory.items: ${memory.items}, memory.bytes: ` +
          `${memory.bytes}): raise the limits, or reset or dispose of sessions after use. Further ` +
          'evictions are not logged: GET /__sim/health counts them (`evicted`).',
      )
    },
  }
}

/** The maximum number of distinct warnings about rules. */
const maxDoubts = 100

function warnOnce(warn: (message: string) => void): (message: string) => void {
  const given = new Set<string>()
  return (message) => {
    if (given.has(message) || given.size >= maxDoubts) return
    given.add(message)
    warn(message)
  }
}
