/** The environment in which the SDKs of the gateway's APIs call a simulator and nothing else. */
import type { Io } from '../command.ts'

type Environment = Io['env']

/**
 * Keys of the same services under other names: replaced where there is one, so that no real key leaves the
 * machine.
 */
const otherKeys = ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENAI_ADMIN_KEY'] as const

/**
 * What would lead a client elsewhere, or hand it another credential: Google's SDK goes to Vertex AI,
 * Anthropic's takes its token or a profile beside the key.
 */
const misleading = [
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_ENTERPRISE',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_PROFILE',
  'ANTHROPIC_IDENTITY_TOKEN',
  'ANTHROPIC_IDENTITY_TOKEN_FILE',
] as const

/** What is set, by name. `url` has no trailing slash. */
export function clientVariables(url: string, key: string): Readonly<Record<string, string>> {
  return {
    GATEWAY_SIM_URL: url,
    GATEWAY_SIM_API_KEY: key,
    // openai, @ai-sdk/openai, @langchain/openai; the second for older clients, and LangChain prefers it.
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_BASE: `${url}/v1`,
    OPENAI_API_KEY: key,
    // @anthropic-ai/sdk and @langchain/anthropic, which prefers the second. Both append /v1 themselves.
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_URL: url,
    ANTHROPIC_API_KEY: key,
    // @google/genai warns when GOOGLE_API_KEY is there as well.
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    TYPESAFE_BASE_URL: url,
    TYPESAFE_API_KEY: key,
  }
}

/**
 * An environment with these variables, and without what would lead clients past them. `token` is that of the
 * control API, where it needs one.
 */
export function clientEnvironment(env: Environment, url: string, key: string, token?: string): Environment {
  const made: Record<string, string | undefined> = {
    ...env,
    ...clientVariables(url, key),
    GATEWAY_SIM_CONTROL_TOKEN: token,
  }
  for (const name of otherKeys) if (env[name] !== undefined) made[name] = key
  for (const name of misleading) delete made[name]
  const { hostname } = new URL(url)
  for (const name of ['NO_PROXY', 'no_proxy']) made[name] = withHost(env[name], hostname)
  return made
}

// A proxy of the company cannot reach this machine's loopback.
function withHost(written: string | undefined, hostname: string): string {
  const hosts = (written ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '')
  return [...new Set([...hosts, hostname])].join(',')
}
