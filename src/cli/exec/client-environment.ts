/** The environment of a command whose SDKs call the simulator. */
import type { Io } from '../command.ts'

type Environment = Io['env']

/** Other variables with keys of these services: replaced if set, so that no real key leaves the machine. */
const otherKeys = ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENAI_ADMIN_KEY'] as const

/** Removed: they would send a client elsewhere (Vertex AI) or give it other credentials. */
const removedVariables = [
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_ENTERPRISE',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_PROFILE',
  'ANTHROPIC_IDENTITY_TOKEN',
  'ANTHROPIC_IDENTITY_TOKEN_FILE',
] as const

/** The variables that are set. `url` has no trailing slash. */
export function clientVariables(url: string, key: string): Readonly<Record<string, string>> {
  return {
    GATEWAY_SIM_URL: url,
    GATEWAY_SIM_API_KEY: key,
    // openai, @ai-sdk/openai, @langchain/openai. Older clients read only the second; LangChain prefers it.
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_BASE: `${url}/v1`,
    OPENAI_API_KEY: key,
    // @anthropic-ai/sdk and @langchain/anthropic (which prefers the second). Both append /v1.
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_URL: url,
    ANTHROPIC_API_KEY: key,
    // @google/genai warns if GOOGLE_API_KEY is set as well.
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    TYPESAFE_BASE_URL: url,
    TYPESAFE_API_KEY: key,
  }
}

export function clientEnvironment(env: Environment, url: string, key: string, token?: string): Environment {
  const result: Record<string, string | undefined> = {
    ...env,
    ...clientVariables(url, key),
    GATEWAY_SIM_CONTROL_TOKEN: token,
  }
  for (const name of otherKeys) if (env[name] !== undefined) result[name] = key
  for (const name of removedVariables) delete result[name]
  // A corporate proxy cannot reach this machine's loopback interface.
  const { hostname } = new URL(url)
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const hosts = (env[name] ?? '').split(',').map((host) => host.trim())
    result[name] = [...new Set([...hosts.filter((host) => host !== ''), hostname])].join(',')
  }
  return result
}
