/**
 * What every hostile request must get: a planned status, a readable refusal, and a simulator that goes on
 * answering.
 */
import { expect } from 'vitest'
import * as z from 'zod'
import type { Simulator, SimulatorOptions } from '../../src/index.ts'
import { simulator } from '../_setup.ts'

/** Statuses that an answer may have although nobody asked for trouble. */
export const planned: ReadonlySet<number> = new Set([
  200, 201, 204, 206, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 416, 417, 424, 429, 431,
])

/** Codes of the envelope beyond the status itself (contract section 7). */
const documented: ReadonlySet<number> = new Set([2002, 2004, 2007])

const text = z.string().min(1).max(4000)

const detail = z.strictObject({ code: z.int(), message: text, field: z.string().max(1000).optional() })
// The one refusal whose details are not the contract's list: clients of messages look for it when they try
// threads.
const threadDetail = z.strictObject({
  error_code: z.literal('thread_unsupported_request'),
  unsupported: z.array(z.literal('thread')),
})

/**
 * The error envelope (contract 2.1), with what single families add to it (wire-formats 1.3; contract section
 * 7).
 */
const envelopeSchema = z.strictObject({
  type: z.literal('error').optional(),
  error: z.strictObject({
    type: z.string().regex(/^[a-z_]{1,40}$/),
    code: z.int(),
    message: text,
    param: z.string().max(1000).nullable(),
    details: z.union([z.array(detail).max(20), threadDetail]),
    trace_id: z.string().max(80),
    job_id: z.string().optional(),
    status: z
      .string()
      .regex(/^[A-Z_]{1,40}$/)
      .optional(),
  }),
  request_id: z.string().min(1).optional(),
})

/** The refusals of the control API (RFC 9457). */
const problemSchema = z.strictObject({
  type: z.string().regex(/^urn:gateway-sim:problem:[a-z_]{1,40}$/),
  title: text.max(80),
  status: z.int(),
  detail: text,
  instance: z.string().regex(/^urn:gateway-sim:call:req_[0-9a-f]{32}$/),
  errors: z.array(z.strictObject({ detail: text, field: z.string().min(1).max(1000).optional() })).max(20),
})

/**
 * The refusals of the store behind upload URLs (wire-formats 8): nothing unescaped, nothing that XML cannot
 * hold.
 */
const storeErrorPattern =
  /^<\?xml version='1\.0' encoding='utf-8' \?>\n<Error>\n\t<Code>[A-Za-z]{1,40}<\/Code>\n\t<Message>(?:[^<>&\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&(?:amp|lt|gt);){1,4000}<\/Message>\n\t<RequestId>req_[0-9a-f]{32}<\/RequestId>\n\t<TraceId>trc_[0-9a-f]{32}<\/TraceId>\n<\/Error>\n$/

/** What came back, however it was sent. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** What is wrong with an answer, or undefined; `what` says which request it was. */
export function problemOf({ status, type, text: body }: Answer, what: string): string | undefined {
  const said = (reason: string): string => `${what} → ${status}: ${reason} in ${body.slice(0, 600)}`
  if (body.includes('simulator_bug')) return said('a bug of the simulator')
  if (!planned.has(status)) return said('a status that nobody planned')
  if (status < 400 || body === '') return undefined
  if (type === 'application/xml')
    return storeErrorPattern.test(body) ? undefined : said('XML of another shape')
  if (type === 'application/problem+json') {
    const problem = problemSchema.safeParse(JSON.parse(body))
    if (!problem.success) return said(z.prettifyError(problem.error))
    return problem.data.status === status ? undefined : said(`the status ${problem.data.status}`)
  }
  if (!type.includes('application/json')) return said(`the type ${type}`)
  const refusal = envelopeSchema.safeParse(JSON.parse(body))
  if (!refusal.success) return said(z.prettifyError(refusal.error))
  const { code } = refusal.data.error
  return code === status || documented.has(code) ? undefined : said(`the code ${code}`)
}

/** Reads a response whole. */
export async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  }
}

/** Reads a response and holds it against the plan. */
export async function judged(response: Response, what: string): Promise<Answer> {
  const answer = await answerOf(response)
  expect(problemOf(answer, what)).toBeUndefined()
  return answer
}

/**
 * A simulator for hostile requests: nobody moves time, nothing waits, and limits do not hide what lies behind
 * them.
 */
export function target(options: SimulatorOptions = {}): Simulator & { readonly warnings: string[] } {
  return simulator({
    clock: 'auto',
    ...options,
    settings: { ...options.settings, limits: { activeImageJobs: 1_000_000, ...options.settings?.limits } },
  })
}

const goodBody = JSON.stringify({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Still there?' }],
})

/** The good call that must work whatever came before it. */
export async function stillAnswers(call: typeof fetch, url: string): Promise<void> {
  const response = await call(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-good', 'content-type': 'application/json' },
    body: goodBody,
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  expect(polluted(), 'Object.prototype').toEqual([])
}

const original = new Set(Reflect.ownKeys(Object.prototype))

/** What somebody has put into Object.prototype. */
function polluted(): PropertyKey[] {
  return Reflect.ownKeys(Object.prototype).filter((key) => !original.has(key))
}
