/**
 * The openai package as it is, told nothing but an address or a `fetch`, and what its tests ask and look at.
 */
import OpenAI, { type ClientOptions } from 'openai'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { wayTo } from './_integrations.ts'

export type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[]

/**
 * A client behind an integration. It does not retry unless the test says so: a rejection must be seen, not
 * slept over.
 */
export async function openaiVia(
  integration: Integration,
  sim: Simulator = simulator({ clock: 'auto' }),
  options: ClientOptions = {},
): Promise<OpenAI> {
  const { url, ...own } = await wayTo(integration, sim)
  return new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1`, maxRetries: 0, ...own, ...options })
}

/** A conversation of one message. */
export const ask = (content: string): Messages => [{ role: 'user', content }]

/** The one choice of a completion. */
export function only<Choice>({ choices }: { readonly choices: readonly Choice[] }): Choice {
  const [choice, ...others] = choices
  if (choice === undefined || others.length > 0) throw new Error(`expected one choice, got ${choices.length}`)
  return choice
}

/** The weather of a city: the tool that every tutorial has. */
export const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Looks up the weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
} as const

/** A second one, so that there is a choice. */
export const mailTool = {
  type: 'function',
  function: {
    name: 'send_email',
    description: 'Sends an email',
    parameters: {
      type: 'object',
      properties: { to: { type: 'string' } },
      required: ['to'],
      additionalProperties: false,
    },
  },
} as const
