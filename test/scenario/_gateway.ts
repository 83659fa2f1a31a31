/** A gateway under rules, and short ways to call it. */

import type { ScenarioInput, SimulatorOptions } from '../../src/index.ts'
import { simulator } from '../_setup.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: any
  readonly text: string
  /** The rule that answered. */
  readonly rule: string | undefined
}

/** A simulator whose scenario has these rules, and calls that say what they got. */
export function under(rules: readonly object[], more: object = {}, options: SimulatorOptions = {}) {
  const sim = simulator({ ...options, scenarios: [{ title: 'a test', rules, ...more } as ScenarioInput] })
  // Of calls that were made together the last entry may be another's.
  const entryOf = (headers: Headers) => {
    const id = headers.get('x-request-id') ?? headers.get('request-id')
    return sim.journal().find(({ cause }) => cause.requestId === id)
  }
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const form = body instanceof FormData
    const response = await sim.fetch(`http://gateway.test${path}`, {
      method,
      headers: {
        authorization: 'Bearer sk-test',
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed = (response.headers.get('content-type') ?? '').startsWith('application/json')
      ? JSON.parse(text)
      : undefined
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      text,
      rule: entryOf(response.headers)?.cause.rule,
    }
  }
  const chat = (
    said: string | readonly unknown[],
    fields: object = {},
    headers: Record<string, string> = {},
  ): Promise<Answered> =>
    call(
      'POST',
      '/v1/chat/completions',
      {
        model: 'gpt-4o',
        messages: typeof said === 'string' ? [{ role: 'user', content: said }] : said,
        ...fields,
      },
      headers,
    )
  return { sim, call, chat }
}

/** An answer that is easily told apart. */
export const teapot = (word: string): object => ({ error: { status: 503, message: word } })
