/** What an answer must look like, whoever asks: the tests beside this file, and the fuzzer. */
import * as z from 'zod'

/** Statuses that an answer may have although nobody asked for trouble. */
export const planned: ReadonlySet<number> = new Set([
  200, 201, 204, 206, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 416, 417, 424, 429, 431,
])

/** Codes of the envelope beyond the status itself. */
const documented: ReadonlySet<number> = new Set([2002, 2004, 2007])

const text = z.string().min(1).max(4000)

const detail = z.strictObject({ code: z.int(), message: text, field: z.string().max(1000).optional() })
// The one rejection whose details are not the contract's list: clients of messages look for it when they try
// threads.
const threadDetail = z.strictObject({
  error_code: z.literal('thread_unsupported_request'),
  unsupported: z.array(z.literal('thread')),
})

/** The error envelope, with what single families add to it. */
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

/** The rejections of the control API (RFC 9457). */
const problemSchema = z.strictObject({
  type: z.string().regex(/^urn:gateway-sim:problem:[a-z_]{1,40}$/),
  title: text.max(80),
  status: z.int(),
  detail: text,
  instance: z.string().regex(/^urn:gateway-sim:call:req_[0-9a-f]{32}$/),
  errors: z.array(z.strictObject({ detail: text, field: z.string().min(1).max(1000).optional() })).max(20),
})

/** The rejections of the store behind upload URLs: nothing unescaped, nothing that XML cannot hold. */
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
  const rejection = envelopeSchema.safeParse(JSON.parse(body))
  if (!rejection.success) return said(z.prettifyError(rejection.error))
  const { code } = rejection.data.error
  return code === status || documented.has(code) ? undefined : said(`the code ${code}`)
}
