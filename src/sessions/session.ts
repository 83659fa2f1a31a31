/** A session in the library: its controls, its URL, and how it ends. */

import { type ClosingParts, type SessionControls, sessionControls } from './controls/local.ts'
import { type SdkOptions, sdkOptions, sessionKey } from './sdk-options.ts'
import type { Session } from './sessions.ts'

/** A session of a simulator in this process. */
export interface SimulatorSession extends SessionControls {
  /** The name of the session. */
  readonly name: string
  /** The base URL for its `fetch`: `http://gateway.sim/s/<name>`, or a path below `publicUrl`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Headers with the session and the API key, for clients with a fixed base URL. */
  readonly headers: Readonly<Record<string, string>>
  /** Options for each SDK: `new OpenAI(session.sdk.openai())`. */
  readonly sdk: SdkOptions
  /** `fetch` for this session: a path such as `/v1/models` is resolved against its base URL. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** The session on a server or a mount at this URL. These SDK options contain no `fetch`. */
  on(url: string): {
    readonly sdk: SdkOptions
    readonly baseUrl: string
    readonly apiKey: string
    readonly headers: Readonly<Record<string, string>>
  }
  /** Deletes the session. Open streams end with an error, and later requests are rejected. */
  dispose(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/** The library's object for a session. @internal */
export function sessionHandle(
  { sandbox: { name }, settings }: Session,
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
    name,
    baseUrl,
    apiKey,
    headers,
    fetch: own,
    on(url) {
      const there = `${url.replace(/\/+$/, '')}/s/${name}`
      const sdk = sdkOptions({ baseUrl: there, apiKey, maxTokens })
      return { sdk, baseUrl: there, apiKey, headers }
    },
    dispose,
    [Symbol.dispose]: dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  }
}
