/** SDK options for reaching one session: an address, a key, and `fetch` where the SDK takes one. */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Where a session is to be found. @internal */
export interface Reach {
  /** Without a trailing slash: `http://127.0.0.1:4010/s/my-test`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Instead of the SDK's own, where nothing listens at the address. */
  readonly fetch?: Fetch | undefined
  /** The most tokens that a message may ask for (setting `messages.maxTokens`). Default: the contract's. */
  readonly maxTokens?: number | undefined
}

/** Options for each SDK, to be spread into the options of its client. */
export interface SdkOptions {
  /** `new OpenAI(session.sdk.openai())` */
  openai(): { baseURL: string; apiKey: string; fetch?: Fetch }
  /** `new Anthropic(session.sdk.anthropic())` */
  anthropic(): { baseURL: string; apiKey: string; fetch?: Fetch }
  /**
   * `new GoogleGenAI(session.sdk.google())`. Version 2 before 2.23 takes no `fetch`: use a server
   * (`gateway-sim/node`) or msw with it.
   */
  google(): { apiKey: string; httpOptions: { baseUrl: string; fetch?: Fetch } }
  /** `createOpenAI(session.sdk.aiSdkOpenai())` of @ai-sdk/openai. */
  aiSdkOpenai(): { baseURL: string; apiKey: string; fetch?: Fetch }
  /** `createAnthropic(session.sdk.aiSdkAnthropic())` of @ai-sdk/anthropic. */
  aiSdkAnthropic(): { baseURL: string; apiKey: string; fetch?: Fetch }
  /** `new ChatOpenAI({ model, ...session.sdk.langchainOpenai() })` of @langchain/openai. */
  langchainOpenai(): { apiKey: string; configuration: { baseURL: string; fetch?: Fetch } }
  /**
   * `new ChatAnthropic({ model, ...session.sdk.langchainAnthropic() })` of @langchain/anthropic, which by
   * default asks for more tokens than the gateway allows: hence `maxTokens`.
   */
  langchainAnthropic(): {
    apiKey: string
    anthropicApiUrl: string
    maxTokens: number
    clientOptions: { fetch?: Fetch }
  }
  /** `new TypeSafeClient(session.sdk.systemone())` of @typesafe-ai/sdk. */
  systemone(): {
    baseURL: string
    apiKey: string
    fetch?: (input: string, init?: RequestInit) => Promise<Response>
  }
}

/** The options of every family. @internal */
export function sdkOptions({ baseUrl, apiKey, fetch, maxTokens = 8192 }: Reach): SdkOptions {
  const own = fetch === undefined ? {} : { fetch }
  const at = (path: string): { baseURL: string; apiKey: string; fetch?: Fetch } => ({
    baseURL: `${baseUrl}${path}`,
    apiKey,
    ...own,
  })
  return {
    openai: () => at('/v1'),
    anthropic: () => at(''),
    google: () => ({ apiKey, httpOptions: { baseUrl, ...own } }),
    aiSdkOpenai: () => at('/v1'),
    aiSdkAnthropic: () => at('/v1'),
    langchainOpenai: () => ({ apiKey, configuration: { baseURL: `${baseUrl}/v1`, ...own } }),
    langchainAnthropic: () => ({
      apiKey,
      anthropicApiUrl: baseUrl,
      maxTokens,
      clientOptions: { ...own },
    }),
    systemone: () => at(''),
  }
}

/** A key that works in a session: the first that exists, else one that names the session. @internal */
export function sessionKey(name: string, keys: Readonly<Record<string, unknown>> | undefined): string {
  const [first] = Object.keys(keys ?? {})
  if (first !== undefined) return first
  return /^[a-z0-9]{1,32}$/.test(name) && name !== 'default' ? `sk-sim-${name}-test` : 'sk-test'
}
