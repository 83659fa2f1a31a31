/** A session as the library hands it out: its controls, its address, and its end. */

import { type ClosingParts, type SessionControls, sessionControls } from './controls/local.ts'
import { type SdkOptions, sdkOptions, sessionKey } from './sdk-options.ts'
import { SimulatorClosedError } from './session-errors.ts'
import type { Session } from './sessions.ts'

/** A session of a simulator in this process. */
export interface SimulatorSession extends SessionControls {
  /** The name of the session. */
  readonly id: string
  /** Its base URL, for use with its `fetch`: `http://gateway.sim/s/<id>`, or a path below `publicUrl`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Headers that name the session and the key, for clients whose base URL cannot. */
  readonly headers: Readonly<Record<string, string>>
  /** The options of each SDK: `new OpenAI(session.sdk.openai())`. */
  readonly sdk: SdkOptions
  /** `fetch` for this session: a path such as `/v1/models` is resolved against its base URL. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** The same session at the address of a server or a mount. These SDK options contain no `fetch`. */
  at(url: string): {
    readonly sdk: SdkOptions
    readonly baseUrl: string
    readonly apiKey: string
    readonly headers: Readonly<Record<string, string>>
  }
  /** Resets the session to its initial state; open streams end with an error that says so. */
  reset(): void
  /** Discards the session: open streams end with an error, and later calls are refused. */
  dispose(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/** A session that exists, as a test holds it. @internal */
export function sessionHandle(
  { world: { name }, settings }: Session,
  parts: ClosingParts,
  fetch: SimulatorSession['fetch'],
): SimulatorSession {
  const baseUrl = `${parts.settings.publicUrl ?? 'http://gateway.sim'}/s/${name}`
  const { keys, messages } = settings ?? parts.settings
  const apiKey = sessionKey(name, keys)
  const { maxTokens } = messages
  const headers = { 'x-sim-session': name, authorization: `Bearer ${apiKey}` }
  const own: SimulatorSession['fetch'] = (input, init) =>
    fetch(typeof input === 'string' && input.startsWith('/') ? `${baseUrl}${input}` : input, init)
  const dispose = (): void => void parts.sessions.remove(name)
  return {
    ...sessionControls(name, parts),
    sdk: sdkOptions({ baseUrl, apiKey, fetch: own, maxTokens }),
    id: name,
    baseUrl,
    apiKey,
    headers,
    fetch: own,
    at(url) {
      const there = `${url.replace(/\/+$/, '')}/s/${name}`
      const sdk = sdkOptions({ baseUrl: there, apiKey, maxTokens })
      return { sdk, baseUrl: there, apiKey, headers }
    },
    reset() {
      if (parts.isClosed) throw new SimulatorClosedError()
      parts.sessions.reset(name)
    },
    dispose,
    [Symbol.dispose]: dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  }
}
