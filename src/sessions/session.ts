/** A session as the library hands it out: its controls, its address, and its end. */
import type { ControlParts } from './controls/control.ts'
import { type SessionControls, sessionControls } from './controls/local.ts'
import { type SdkOptions, sdkOptions, sessionKey } from './sdk-options.ts'
import type { Session } from './sessions.ts'

/** A session of a simulator in this process. */
export interface SimulatorSession extends SessionControls {
  /** Its name. */
  readonly id: string
  /** What its calls are sent to, through `fetch`: `http://gateway.sim/s/<id>`, or behind `publicUrl`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** What names the session and the key where the address cannot. */
  readonly headers: Readonly<Record<string, string>>
  /** The options of each SDK: `new OpenAI(session.sdk.openai())`. */
  readonly sdk: SdkOptions
  /** The simulator's `fetch`, at home in this session: `/v1/models` is one of its addresses. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /**
   * The same session at another address: of a server (`listen`), or of an Express mount. Options of SDKs then
   * hold no `fetch`.
   */
  at(url: string): {
    readonly sdk: SdkOptions
    readonly baseUrl: string
    readonly apiKey: string
    readonly headers: Readonly<Record<string, string>>
  }
  /** Back to its beginning; open streams end with an error that says so. */
  reset(): void
  /** Discards it; open streams end with an error, and later calls to it are refused. Twice is harmless. */
  dispose(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/** A session that exists, as a test holds it. @internal */
export function sessionHandle(
  { world: { name }, settings }: Session,
  parts: ControlParts,
  fetch: SimulatorSession['fetch'],
): SimulatorSession {
  const baseUrl = `${parts.settings.publicUrl ?? 'http://gateway.sim'}/s/${name}`
  const apiKey = sessionKey(name, (settings ?? parts.settings).keys)
  const headers = { 'x-sim-session': name, authorization: `Bearer ${apiKey}` }
  const own: SimulatorSession['fetch'] = (input, init) =>
    fetch(typeof input === 'string' && input.startsWith('/') ? `${baseUrl}${input}` : input, init)
  const dispose = (): void => void parts.sessions.remove(name)
  return {
    ...sessionControls(name, parts),
    sdk: sdkOptions({ baseUrl, apiKey, fetch: own }),
    id: name,
    baseUrl,
    apiKey,
    headers,
    fetch: own,
    at(url) {
      const there = `${url.replace(/\/+$/, '')}/s/${name}`
      return { sdk: sdkOptions({ baseUrl: there, apiKey }), baseUrl: there, apiKey, headers }
    },
    reset: () => void parts.sessions.reset(name),
    dispose,
    [Symbol.dispose]: dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  }
}
