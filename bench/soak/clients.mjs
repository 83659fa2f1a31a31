/** The clients: unmodified SDKs, and hand-written ones. */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { TypeSafeClient } from '@typesafe-ai/sdk'
import OpenAI from 'openai'
import { connect } from '../../dist/client.js'

export function clientsOf({ url, fetch }) {
  const common = { fetch, maxRetries: 0, timeout: 120_000 }
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-soak', ...common }),
    anthropic: new Anthropic({ baseURL: url, apiKey: 'sk-soak', ...common }),
    google: new GoogleGenAI({ apiKey: 'sk-soak', httpOptions: { baseUrl: url, fetch } }),
    typesafe: new TypeSafeClient({
      baseURL: url,
      apiKey: 'sk-soak',
      retry: { maxRetries: 0 },
      timeout: 120_000,
      fetch,
    }),
    sim: connect(url, { fetch }),
    /** An OpenAI client of a session. */
    openaiOf: (session, headers) =>
      new OpenAI({
        baseURL: session === undefined ? `${url}/v1` : `${url}/s/${session}/v1`,
        apiKey: 'sk-soak',
        defaultHeaders: headers,
        ...common,
      }),
  }
}
