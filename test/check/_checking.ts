/** Checks of the gateway of the tests, in process. */

import type { ContractFinding } from '../../src/judges/finding.ts'
import { check } from '../../src/run/check.ts'
import type { CheckOptions, CheckReport } from '../../src/run/check-types.ts'
import type { Pacer } from '../../src/run/pacer.ts'
import type { Fetch } from '../../src/run/send.ts'
import { targetOf } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'

interface Checking extends Partial<CheckOptions> {
  readonly pollsUntilDone?: number
  readonly time?: Pacer
}

/** A check of the gateway of the tests, whose responses `change` may replace. */
export async function checking(
  change: (url: string, init: RequestInit, response: () => Promise<Response>) => Promise<Response> | Response,
  { time, ...options }: Checking = {},
): Promise<CheckReport> {
  const { baseUrl, apiKey, fetch } = createGateway({ pollsUntilDone: options.pollsUntilDone ?? 2 })
  const changed: Fetch = async (url, init) => change(url, init, () => fetch(url, init))
  const target = targetOf(baseUrl, apiKey, changed, time)
  const { report } = await check({ target, apiKey, spend: 'little', ...options })
  return report
}

/** A finding with its facts and its place beside each other. */
export const flat = ({ code, severity, args, evidence: [{ place }] }: ContractFinding) => ({
  code,
  severity,
  ...args,
  ...place,
})

export const response = (status: number, message: string, headers = {}): Response =>
  Response.json({ error: { code: status, message } }, { status, headers })

export const isChat = (url: string, init: RequestInit): boolean =>
  url.endsWith('/chat/completions') && (init.headers as Record<string, string>)['authorization'] !== undefined
