/**
 * The @anthropic-ai/sdk package, of today and of yesterday, told nothing but an address or a `fetch`; and
 * what its tests ask.
 */
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import Yesterday from '@anthropic-ai/sdk-0'
import { betaZodTool as betaZodToolOfYesterday } from '@anthropic-ai/sdk-0/helpers/beta/zod'
import { zodOutputFormat as zodOutputFormatOfYesterday } from '@anthropic-ai/sdk-0/helpers/zod'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { wayTo } from './_integrations.ts'

// The two are used alike here; their types differ in fields that these tests leave alone.
export const packages = [
  { version: '1.x', Sdk: Anthropic, zodOutputFormat, betaZodTool },
  {
    version: '0.x',
    Sdk: Yesterday as unknown as typeof Anthropic,
    zodOutputFormat: zodOutputFormatOfYesterday as unknown as typeof zodOutputFormat,
    betaZodTool: betaZodToolOfYesterday as unknown as typeof betaZodTool,
  },
] as const

export const model = 'claude-3-5-haiku-20241022'

/**
 * A client behind an integration. It does not retry unless the test says so: a rejection must be seen, not
 * slept over.
 */
export async function anthropicVia(
  Sdk: typeof Anthropic,
  integration: Integration,
  sim: Simulator = simulator({ clock: 'auto' }),
  options: ClientOptions = {},
): Promise<Anthropic> {
  const { url, ...own } = await wayTo(integration, sim)
  return new Sdk({ apiKey: 'sk-test', baseURL: url, maxRetries: 0, ...own, ...options })
}

/** A request of one message. */
export const ask = (content: string) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content }],
})

export const weatherTool = {
  name: 'get_weather',
  description: 'Looks up the weather of a city',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
export const mailTool = {
  name: 'send_email',
  description: 'Sends an email',
  input_schema: { type: 'object' as const, properties: { to: { type: 'string' } }, required: ['to'] },
}
