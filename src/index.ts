/** The public library: the simulator and its types. Imports neither msw nor express nor node modules. */

import { createSimulatorCore, type Simulator } from './core/simulator.ts'
import type { SimulatorOptions } from './core/simulator-options.ts'
import { gatewayApi } from './disk/load-scenario.ts'
import type { ScenarioInput } from './generated/scenario-types.ts'
import { createPlatform } from './http/platform.ts'
import { fetchFrom } from './http/web.ts'
import { type SessionOptions, sessionOptionsSchema, specOf } from './sessions/options.ts'
import { checked } from './sessions/read-settings.ts'
import { sessionHandle } from './sessions/session.ts'
import { SimulatorClosedError, throwingConfigErrors } from './sessions/session-errors.ts'

export type { Simulator } from './core/simulator.ts'
export type { SimulatorOptions } from './core/simulator-options.ts'
export { loadScenario } from './disk/load-scenario.ts'
export type { ClockMode } from './engine/clock.ts'
export type { Random } from './engine/random.ts'
export type { Transition } from './engine/resource.ts'
export type { RuleTrace } from './engine/rule-trace.ts'
export type {
  Cause,
  Exchange,
  ExchangeBody,
  ExchangeEnd,
  ExchangeRequest,
  ExchangeResponse,
  JournalEntry,
  Rejection,
  SessionNaming,
  StreamedEvent,
} from './exchange/exchange.ts'
export type { JournalFilter } from './exchange/filter.ts'
export type { JournalEntryJson } from './exchange/plain.ts'
export type * from './generated/control-types.ts'
/** The parts of `ScenarioInput`: `ScenarioFormat.Rule`, `ScenarioFormat.Then`, … */
export type * as ScenarioFormat from './generated/scenario-types.ts'
export type { RuleFunction, ScenarioInput } from './generated/scenario-types.ts'
export type { SettingsInput } from './generated/settings-types.ts'
export { clientReportMarkdown, clientReportText } from './judges/client-report-text.ts'
export type { FilePart, HeldBytes, IncomingCall } from './protocol/call.ts'
export type { PlannedFault, WireFault } from './protocol/chunks.ts'
export type { Endpoint, EndpointGroup } from './protocol/endpoint.ts'
export { ConfigError, type FieldError } from './protocol/field-errors.ts'
export type { AudioMedia, ImageMedia, VideoMedia } from './protocol/media.ts'
export type { Decision } from './protocol/plan.ts'
export type { PlainResponse, StreamEvent } from './protocol/response.ts'
export type { Route } from './protocol/router.ts'
export type { Scenario } from './scenario/load/scenario.ts'
export type { ScenarioSource } from './scenario/load/scenario-set.ts'
export type { RuleCall, RuleTools } from './scenario/rule-call.ts'
export { ScenarioError, type ScenarioFieldError } from './scenario/scenario-error.ts'
export type { SessionControls, SimulatorClock } from './sessions/controls/local.ts'
export type { ScenarioText, SessionOptions } from './sessions/options.ts'
export type { OverrideRequest } from './sessions/rules.ts'
export type { SdkOptions } from './sessions/sdk-options.ts'
export type { SimulatorSession } from './sessions/session.ts'
export { SimulatorClosedError } from './sessions/session-errors.ts'
export type { Matcher, RequestPattern, VerifyRequest, Within } from './verify/request.ts'
export { VerificationError } from './verify/request.ts'

/**
 * Gives an inline scenario its type; returns it unchanged.
 *
 * @example
 * const polite = defineScenario({
 *   title: 'Says hello by name',
 *   rules: [{ when: { model: 'gpt-*' }, then: ({ key }) => ({ text: `Hello ${key}` }) }],
 * })
 */
export function defineScenario(scenario: ScenarioInput): ScenarioInput {
  return scenario
}

/**
 * Creates a simulator of the gateway, usable through its `fetch` without a port. `gateway-sim/msw`,
 * `gateway-sim/node` and `gateway-sim/express` connect the same simulator in other ways.
 *
 * Throws `ConfigError` for invalid options or settings, with every error.
 *
 * @example
 * const sim = createSimulator({ clock: 'manual' })
 * const client = new OpenAI({ baseURL: 'http://gateway.test/v1', apiKey: 'sk-test', fetch: sim.fetch })
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const simulator = createSimulatorCore(options, gatewayApi(), createPlatform)
  const { core } = simulator
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    (await fetchFrom(core, input, init)) as Response
  return Object.assign(simulator, {
    fetch,
    createSession(request: SessionOptions = {}) {
      if (core.isClosed) throw new SimulatorClosedError()
      checked('The session options are invalid', sessionOptionsSchema(), request)
      return sessionHandle(
        throwingConfigErrors(() => core.sessions.make(request, specOf(request, 'library', core.reader))),
        core,
        fetch,
      )
    },
  })
}
