/** Checks of the gateway of the tests, in process. */
import { check } from '../../src/check/check.ts'
import type { CheckOptions } from '../../src/check/report.ts'
import type { Fetch } from '../../src/run/send.ts'
import { virtualTime } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'

/** A check of the gateway of the tests, whose responses `change` may replace. */
export function checking(
  change: (url: string, init: RequestInit, response: () => Promise<Response>) => Promise<Response> | Response,
  options: Partial<CheckOptions> & { readonly pollsUntilDone?: number } = {},
): ReturnType<typeof check> {
  const { baseUrl, apiKey, fetch } = createGateway({ pollsUntilDone: options.pollsUntilDone ?? 2 })
  return check({
    baseUrl,
    apiKey,
    spend: 'little',
    time: virtualTime(),
    ...options,
    fetch: (async (url, init) => change(url, init, () => fetch(url, init))) satisfies Fetch,
  })
}

export const response = (status: number, message: string, headers = {}): Response =>
  Response.json({ error: { code: status, message } }, { status, headers })

export const isChat = (url: string, init: RequestInit): boolean =>
  url.endsWith('/chat/completions') && (init.headers as Record<string, string>)['authorization'] !== undefined
