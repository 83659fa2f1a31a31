/**
 * The simulator: sessions, director and routes behind one object that every door shares. Holds all its state
 * itself; knows nothing of sockets, msw or express.
 */

import type { ClientReport } from '../conduct/verdict.ts'
import { watchSessions } from '../conduct/watch-sessions.ts'
import { controlGroup } from '../control/index.ts'
import { chat } from '../endpoints/chat/index.ts'
import { serviceGroups } from '../endpoints/registry.ts'
import type { ClockMode } from '../engine/clock.ts'
import { parseInstant } from '../engine/instant.ts'
import type { JournalEntry } from '../engine/journal-entry.ts'
import type { World } from '../engine/world.ts'
import { createFacilities, type LoadedFacilities } from '../http/lazy-dependencies.ts'
import { createMedia, type MediaRenderer } from '../media/media.ts'
import type { HeldBytes, IncomingCall } from '../protocol/call.ts'
import type { EndpointGroup } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { createVocabulary } from '../protocol/operations.ts'
import type { Reply } from '../protocol/reply.ts'
import { createRouter, type Match, type Route, type Router } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'
import type { SettingsInput } from '../protocol/settings-input.ts'
import { createDirector, type Directing } from '../scenario/director.ts'
import { readerOf, scenarioReader } from '../scenario/load/load-scenario.ts'
import { checkOptions, readSettings } from '../scenario/load/read-settings.ts'
import {
  createScenarioSet,
  type ScenarioSet,
  type ScenarioSource,
  settingsOf,
} from '../scenario/load/scenario-set.ts'
import { warnOfIgnoredWords } from '../scenario/unused-reserved.ts'
import { createSessionMaker } from '../sessions/create.ts'
import type { SessionOptions } from '../sessions/options.ts'
import { type SessionControls, type SimulatorSession, sessionControls } from '../sessions/session.ts'
import { createSessions, defaultSession, type Sessions } from '../sessions/sessions.ts'
import { answerCall } from './answer-call.ts'
import type { AnsweredCall } from './call-state.ts'
import { pendingUploads } from './pending-uploads.ts'

export interface SimulatorOptions {
  /** The root of all chance; `settings.seed` unless given. */
  readonly seed?: string
  /** Who moves time; `auto` unless given (DESIGN section 4). */
  readonly clock?: ClockMode
  /** Virtual time at the start: ISO 8601 with its zone, or milliseconds since the epoch. */
  readonly start?: string | number
  /** How much faster than the wall clock `real` runs. */
  readonly speed?: number
  /** Settings of the simulated gateway, as in `gateway-sim.config.yaml`. */
  readonly settings?: SettingsInput
  /**
   * What the gateway does beside its default behaviour: files (paths), objects of the scenario format, or
   * what `loadScenario` has read. Several compose.
   */
  readonly scenarios?: readonly ScenarioSource[]
  /** Refuses calls that make something and that no rule names; `settings.strict` unless given. */
  readonly strict?: SettingsInput['strict']
  /** The address written into links; the address of each call unless given. */
  readonly publicUrl?: string
  /** Holds every reply against its own schema; a breach answers 500 and is a bug of the simulator. */
  readonly selfCheck?: boolean
  /**
   * Hears of clients that wait on a clock nobody moves, and of bugs of the simulator. Standard error unless
   * given.
   */
  readonly onWarning?: (message: string) => void
  /**
   * Hears of every call of every session as it is journaled, before its reply is written. It must be quick
   * and must not throw.
   */
  readonly onCall?: (entry: JournalEntry) => void
  /** Reads a wall clock in milliseconds: what `real` follows, and the `realAt` of the journal. */
  readonly wallClock?: () => number
}

/** What the doors use; not for clients of the library. @internal */
export interface SimulatorCore {
  readonly settings: Settings
  readonly sessions: Sessions
  /** What control calls must carry; a server that listens beyond loopback sets one where there is none. */
  readonly controlToken: { value: string | undefined }
  readonly router: Router
  readonly facilities: LoadedFacilities
  readonly media: MediaRenderer
  readonly warn: (message: string) => void
  /** Milliseconds since the epoch by the wall clock. */
  readonly wall: () => number
  match(method: string, path: string): Match
  /** A virtual instant as the `date` header says it. */
  httpDate(at: number): string
  /** Uploaded pictures that somebody must look at before the call can be answered. */
  pendingUploads(call: IncomingCall, match: Match): readonly HeldBytes[]
  /** Answers a call whose needs are loaded, and whose uploaded pictures have been looked at. */
  answer(call: IncomingCall, match: Match): AnsweredCall
  /** The rules and given things of the scenarios that are in use. */
  script(): ScenarioSet | undefined
  /**
   * Replaces the rules, and what later sessions begin with. Keys, limits, seed and clock stay as they were at
   * the start.
   */
  useScripts(set: ScenarioSet | undefined): void
  /**
   * Calls the listener with the scenarios of a session and its world before the one or the other is given up.
   */
  onRulesGone(listener: (own: readonly ScenarioSet[], world: World) => void): void
  /** How many conditions of rules were ever evaluated. */
  conditionsEvaluated(): number
  /** The verdict on the clients of a session's world. */
  conductOf(world: World): ClientReport
  /** A call has arrived; the function it returns says that its first reply byte has left. */
  callStarted(): () => void
  settled(): Promise<void>
}

/**
 * Of the default session, which calls without a name belong to: its clock, journal, verdicts, scenarios,
 * faults and state.
 */
export interface Simulator extends SessionControls {
  /** A `fetch` for SDKs and tests: answers in-process, touches no network and patches nothing global. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /**
   * Answers one fully read call with plain data. Needs (tokenizer, fakes) must be loaded: `await load()` once
   * before.
   */
  handle(call: IncomingCall): Reply
  /** Loads everything a call may need, so that `handle` can stay synchronous. */
  preload(): Promise<void>
  /**
   * Creates a session: a world of its own for one test. Throws for a name that is taken, `ScenarioError` for
   * mistakes of its scenarios.
   */
  createSession(request?: SessionOptions): SimulatorSession
  /**
   * Back to the beginning: jobs, counters, journal and clock of every session. Open streams end with a named
   * error.
   */
  resetAll(): void
  /** Resolves when no call stands between its arrival and its first reply byte. */
  settled(): Promise<void>
  /** Ends open streams and forgets all sessions. */
  close(): Promise<void>
  /** Every operation: id, method, path, auth. */
  readonly routes: readonly Route[]
  /** @internal */
  readonly core: SimulatorCore
}

/**
 * A simulator with its doors' common part; `fetch`, and sessions that hold it, are added by the entry. Throws
 * `ConfigError` for options and settings that are wrong. @internal
 */
export function createSimulatorCore(
  options: SimulatorOptions = {},
  groups: readonly EndpointGroup[] = serviceGroups,
): Omit<Simulator, 'fetch' | 'createSession'> {
  checkOptions(options)
  let script =
    options.scenarios === undefined || options.scenarios.length === 0
      ? undefined
      : createScenarioSet(
          options.scenarios,
          groups === serviceGroups ? scenarioReader() : readerOf(createVocabulary(groups)),
        )
  const written = merged(script === undefined ? {} : settingsOf(script.composed), options.settings ?? {})
  const settings = withOptions(readSettings(written), options)
  script?.checkAgainst(settings)
  const wall = options.wallClock ?? Date.now
  const mode = options.clock ?? settings.clock.mode ?? 'auto'
  // Both have been checked: what cannot be read was not given.
  const given = parseInstant(options.start ?? settings.clock.start)
  const speed = options.speed ?? settings.clock.speed
  const warn = options.onWarning ?? ((message: string) => console.warn(`gateway-sim: ${message}`))

  const conducts = watchSessions(settings)
  const directing: Directing = { ignored: warnOfIgnoredWords(warn), evaluated: 0 }
  const rulesListeners = new Set<Parameters<SimulatorCore['onRulesGone']>[0]>()
  const rulesGone = (own: readonly ScenarioSet[], world: World): void => {
    for (const listener of rulesListeners) listener(own, world)
  }
  const watch = (world: World): void => {
    if (options.onCall !== undefined) world.journal.onEntry(options.onCall)
    conducts.watch(world)
  }
  const sessions = createSessions({
    limit: settings.memory.sessions,
    unknown: settings.sessions.unknown ?? (settings.strict === false ? 'create' : 'refuse'),
    wall,
    make: createSessionMaker({
      settings,
      written,
      clock: { mode, start: given, speed },
      wall,
      script: () => script,
      directing,
      rulesGone,
      watch,
    }),
    check: ({ scenarios }) => refuseTwice(scenarios, script),
    ended: ({ rules, world }) => rulesGone(rules.scenarios, world),
    renewed: (name, why) =>
      warn(`the session ${JSON.stringify(name)} begins anew: ${why}, and what it held is lost`),
  })
  const facilities = createFacilities()
  const media = createMedia({ cacheBytes: settings.memory.mediaBytes })

  let arrived = 0
  let waiting: (() => void)[] = []
  const callStarted = (): (() => void) => {
    arrived++
    let left = false
    return () => {
      if (left) return
      left = true
      if (--arrived > 0) return
      const resolve = waiting
      waiting = []
      for (const next of resolve) next()
    }
  }

  const controlToken: { value: string | undefined } = { value: settings.control.token }
  const control = controlGroup({
    sessions,
    settings,
    script: () => script,
    token: () => controlToken.value,
    conductOf: conducts.of,
  })
  const router = createRouter([...groups, control])
  const director = createDirector(directing, script?.book)
  const doubted = new Set<string>()
  const doubt = (message: string): void => {
    if (doubted.has(message) || doubted.size >= maxDoubts) return
    doubted.add(message)
    warn(message)
  }
  const parts = {
    router,
    settings,
    sessions,
    director,
    doubt,
    facilities: facilities.loaded,
    fallback: chat,
    selfCheck: options.selfCheck ?? false,
  }
  const answer = (call: IncomingCall, match: Match): AnsweredCall => {
    const exchange = answerCall(call, match, parts, wall())
    if (exchange.bug !== undefined)
      warn(
        `bug of the simulator in ${call.method} ${call.path}: ${exchange.bug.stack ?? exchange.bug.message}`,
      )
    return exchange
  }

  const useScripts = (set: ScenarioSet | undefined): void => {
    set?.checkAgainst(settings)
    script = set
    director.use(set?.book)
    for (const { rules } of sessions.all()) rules.refresh()
  }
  const settled = (): Promise<void> =>
    arrived === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))
  return {
    handle(call) {
      const { reply, headers, entry, session } = answer(call, router.match(call.method, call.path))
      session.world.journal.close(entry, 'completed', undefined)
      const { body } = reply
      // Plain data for the caller, whatever the endpoint has made of it.
      if (body.kind !== 'json' || body.text === undefined) return { ...reply, headers }
      const { value, media } = body
      return { ...reply, headers, body: { kind: 'json', value, ...(media === undefined ? {} : { media }) } }
    },
    preload: () => facilities.load(['tokens', 'fakes']),
    ...sessionControls(defaultSession, { sessions, settings, script: () => script, conductOf: conducts.of }),
    resetAll() {
      for (const { world } of sessions.all()) sessions.reset(world.name)
    },
    settled,
    async close() {
      sessions.clear(new Error('the simulator was closed'))
      await media.close()
    },
    routes: router.routes,
    core: {
      settings,
      sessions,
      controlToken,
      router,
      facilities,
      media,
      warn,
      wall,
      conductOf: conducts.of,
      match: router.match,
      httpDate: createHttpDate(),
      pendingUploads: (call, match) => pendingUploads(call, match, parts),
      answer,
      callStarted,
      settled,
      script: () => script,
      useScripts,
      onRulesGone: (listener) => void rulesListeners.add(listener),
      conditionsEvaluated: () => directing.evaluated,
    },
  }
}

// Rules are counted by their ids: two of one id would count for each other.
function refuseTwice(own: ScenarioSet | undefined, shared: ScenarioSet | undefined): void {
  const twice = own?.book.ids.find((id) => shared?.book.ids.includes(id))
  if (twice !== undefined)
    throw new ApiError(
      'invalid_request_error',
      `\`scenarios\`: the simulator has a rule ${JSON.stringify(twice)} already, and so has every session: give the rule another \`id\`.`,
      { param: 'scenarios', status: 409 },
    )
}

/** How many different warnings about rules are told of. */
const maxDoubts = 100

/**
 * Settings over those of scenarios: what a config file or an option says of a key wins, and the rest stays.
 */
function merged(scenario: SettingsInput, given: unknown): unknown {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given
  const both: Record<string, unknown> = { ...scenario, ...given }
  for (const [name, value] of Object.entries(scenario)) {
    const own = (given as Record<string, unknown>)[name]
    if (isFields(value) && isFields(own))
      both[name] = name === 'clock' ? { ...value, ...own } : merged(own as SettingsInput, value)
  }
  return both
}

function isFields(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

// Seconds last for many calls, and a date is dear to write.
function createHttpDate(): (at: number) => string {
  let second = Number.NaN
  let text = ''
  return (at) => {
    const asked = Math.floor(at / 1000)
    if (asked !== second) {
      second = asked
      text = new Date(asked * 1000).toUTCString()
    }
    return text
  }
}

function withOptions(settings: Settings, options: SimulatorOptions): Settings {
  const publicUrl = options.publicUrl ?? settings.publicUrl
  return {
    ...settings,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    // Paths begin with a slash of their own.
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    ...(publicUrl === undefined ? {} : { publicUrl: publicUrl.replace(/\/+$/, '') }),
  }
}
