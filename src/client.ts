/**
 * `gateway-sim/client`: controls a simulator in another process as if it were local: sessions, clock,
 * scenarios, overrides, jobs, journal and verification. Uses only `fetch` and the control API.
 */
import { type CallOptions, ControlError, createCaller, remoteControls } from './client/remote.ts'
import { type RemoteSessionOptions, serverControls } from './control/table.ts'
import type { SessionState } from './generated/control-types.ts'
import type { RemoteControls } from './sessions/controls/control.ts'
import { controls } from './sessions/controls/table.ts'
import { type SdkOptions, sdkOptions, sessionKey } from './sessions/sdk-options.ts'

export { ControlError } from './client/remote.ts'
export type { RemoteSessionOptions } from './control/table.ts'
export type { JournalFilter } from './exchange/filter.ts'
export type { JournalEntryJson } from './exchange/plain.ts'
export type * from './generated/control-types.ts'
export type { ScenarioInput } from './generated/scenario-types.ts'
export type { ScenarioText } from './sessions/options.ts'
export type { OverrideRequest } from './sessions/rules.ts'
export type { VerifyRequest } from './verify/request.ts'
export { VerificationError } from './verify/request.ts'

export interface ConnectOptions extends CallOptions {
  /** The session to connect to. Default: the default session. */
  readonly session?: string | undefined
  /** An API key that the simulator accepts. */
  readonly apiKey?: string | undefined
}

/**
 * A session of a remote simulator. Its methods are those of a local session, but return promises; they reject
 * with `ControlError` when the control API rejects.
 */
export interface SimulatorClient
  extends RemoteControls<typeof controls>,
    Omit<RemoteControls<typeof serverControls>, 'sessions'> {
  /** The name of the session. */
  readonly name: string
  /** The base URL for SDKs, without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: Readonly<Record<string, string>>
  /** The options of each SDK: `new OpenAI(client.sdk.openai())`. */
  readonly sdk: SdkOptions
  /** `fetch` for this session: a path such as `/v1/models` is resolved against its base URL. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Deletes the session. Can be called more than once. */
  dispose(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
  /** Creates another session on the same server. */
  createSession(request?: RemoteSessionOptions): Promise<SimulatorClient>
  /** All sessions of the server. */
  sessions(): Promise<readonly SessionState[]>
}

/**
 * Connects to a session of the simulator at a URL, with or without `/s/NAME`, `/v1` and `/v1beta`. Sends no
 * request yet. Throws `ControlError` without a URL: `GATEWAY_SIM_URL` may not be set.
 *
 * @example
 * const session = await connect('http://127.0.0.1:4010').createSession({ clock: 'manual' })
 * await session.clock.advance('40s')
 */
export function connect(url: string | URL | undefined, options: ConnectOptions = {}): SimulatorClient {
  if (url === undefined || url === '') throw new ControlError(missingUrl, 0, undefined)
  // Accepts the base URL of an SDK.
  const address = String(url).replace(/(?:\/v1(?:beta)?)?\/*$/, '')
  const root = address.replace(/\/s\/[^/]+$/, '')
  const name = options.session ?? /\/s\/([^/]+)$/.exec(address)?.[1] ?? 'default'
  return sessionClient(root, name, options.apiKey ?? sessionKey(name, undefined), options)
}

const missingUrl =
  'GATEWAY_SIM_URL is not set (`connect` got no URL): run your tests under `exec`, such as ' +
  '`npx gateway-sim exec -- npx playwright test`, or use the URL of a server'

function sessionClient(root: string, name: string, apiKey: string, options: CallOptions): SimulatorClient {
  const baseUrl = name === 'default' ? root : `${root}/s/${encodeURIComponent(name)}`
  const send = options.fetch ?? fetch
  const caller = createCaller(baseUrl, options)
  const { sessions: _, ...ofServer } = remoteControls(caller, serverControls)
  // Without `/s/NAME`, so that the request does not recreate the session.
  const { sessions } = remoteControls(createCaller(root, options), serverControls)
  const dispose = async (): Promise<void> => {
    await sessions.remove(name).catch((error: unknown) => {
      if ((error as ControlError).status !== 404) throw error
    })
  }
  return {
    ...remoteControls(caller, controls),
    ...ofServer,
    sdk: sdkOptions({ baseUrl, apiKey, fetch: options.fetch }),
    name,
    baseUrl,
    apiKey,
    headers: { 'x-sim-session': name, authorization: `Bearer ${apiKey}` },
    fetch: (input, init) =>
      send(typeof input === 'string' && input.startsWith('/') ? `${baseUrl}${input}` : input, init),
    dispose,
    [Symbol.asyncDispose]: dispose,
    async createSession(request) {
      const made = await sessions.create(request)
      return sessionClient(root, made.name, made.apiKey, options)
    },
    sessions: sessions.list,
  }
}
