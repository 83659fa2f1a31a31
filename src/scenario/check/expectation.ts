/** Errors in what a step expects: fields that do not apply, and values that no response has. */

import * as z from 'zod'
import { type Fields, isFields, lazy } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { show } from '../../protocol/wording.ts'
import { meets } from '../compile/match-value.ts'
import { streamEnds } from '../format/steps.ts'
import { type Compared, type FileError, type Path, wrongKey, wrongValue } from './forms.ts'
import { checkMatcher } from './matcher.ts'

const savedFrom: readonly string[] = ['status', 'headers', 'body', 'text', 'stream', 'bytes']

export interface ExpectedCall {
  /** Undefined for a `fetch`. */
  readonly endpoint: Endpoint | undefined
  /** What the contract allows as its response. */
  readonly allowedResponse: z.ZodType | undefined
  /** True when rules define the response, so the contract does not. */
  readonly free: boolean
  /** Whether the request asks for a stream; undefined if only the run can tell. */
  readonly streams: boolean | undefined
  readonly stopAfter: boolean
  readonly advances: boolean
}

const response: Compared = { held: 'response' }
const milliseconds = lazy(() => z.number().min(0))
const scalar = lazy(() => z.union([z.string(), z.number(), z.null()]))

/** The possible outcomes of a call, apart from its body. */
const outcome: () => Readonly<Record<string, z.ZodType>> = lazy(() => ({
  status: z.int().min(200).max(599),
  text: z.string(),
  bytes: z.int().min(0),
  took: milliseconds(),
  stream: z.strictObject({
    text: z.string(),
    reasoning: z.string(),
    refusal: z.string(),
    toolCalls: z.array(z.strictObject({ name: z.string(), arguments: z.unknown() })),
    finish: z.string(),
    usage: z.unknown(),
    error: z.unknown(),
    eventCount: z.int().min(0),
    events: z.array(
      z.strictObject({ index: z.unknown(), elapsed: milliseconds(), event: z.string(), data: z.unknown() }),
    ),
    ended: z.enum(streamEnds),
  }),
  fired: z.array(
    z.strictObject({
      at: z.string(),
      resource: z.enum(['imageJob', 'video', 'videoOperation']),
      id: z.string(),
      from: scalar(),
      to: scalar(),
    }),
  ),
}))
const successStatuses = [200, 201, 202, 204, 206, 304]
const rejectionStatuses = [
  400, 401, 403, 404, 405, 409, 412, 413, 415, 416, 422, 424, 429, 451, 500, 501, 502, 503, 504, 529, 599,
]

/**
 * The expectations of a step. `clean` says whether a path and everything below it is without errors so far.
 */
export function* checkExpectation(
  expect: unknown,
  path: Path,
  call: ExpectedCall,
  clean: (path: Path) => boolean,
): Generator<FileError> {
  if (!isFields(expect)) return
  for (const [name, value] of Object.entries(expect)) {
    const here = [...path, name]
    if (!clean(here)) continue
    const never = neverHolds(name, value, expect, call)
    if (never !== undefined) yield wrongKey(here, never)
    else if (name === 'headers' && isFields(value))
      for (const [header, one] of Object.entries(value))
        yield* checkMatcher(one, [...here, header], [z.string()])
    else if (name === 'body') yield* checkMatcher(value, here, bodyForms(expect, call), response)
    else {
      const schema = outcome()[name]
      if (schema !== undefined) yield* checkMatcher(value, here, [schema], response)
    }
  }
}

/** Why a part of an expectation never matches, whatever its value. */
function neverHolds(
  name: string,
  value: unknown,
  { broken, offContract }: Fields,
  { endpoint, free, streams, stopAfter, advances }: ExpectedCall,
): string | undefined {
  if (advances && name !== 'fired')
    return 'does not apply to `advance`, which gets no response: expect only `fired`'
  if (!advances && name === 'fired')
    return 'applies only to `advance`: move this key to the `expect` of an `advance` step'
  // A connection that was reset has no part of a response.
  const absent = name === 'headers' && isFields(value) ? Object.values(value) : [value]
  if (
    broken === 'reset' &&
    !['broken', 'offContract'].includes(name) &&
    !absent.every((one) => meets(one, undefined))
  )
    return 'can never match: `broken: reset` expects no response'
  if (name !== 'stream') return undefined
  if (isFields(value) && value['ended'] === 'aborted' && !stopAfter)
    return 'can never match: only a step with `stopAfter` aborts a stream'
  if (endpoint === undefined || free || offContract === true) return undefined
  if (endpoint.event === undefined) return `${endpoint.operation} does not stream`
  return streams === false
    ? `${endpoint.operation} streams only if requested: write \`with: { stream: true }\``
    : undefined
}

export function* checkSaved(
  save: unknown,
  path: Path,
  expect: unknown,
  call: ExpectedCall,
): Generator<FileError> {
  for (const [name, from] of Object.entries(isFields(save) ? save : {})) {
    if (typeof from !== 'string') continue
    const here = [...path, name]
    const [source = '', ...rest] = from.replace(/\[(\d+)\]/g, '.$1').split('.')
    if (!savedFrom.includes(source))
      yield wrongValue(
        here,
        `expected a path in the response that starts with one of ${savedFrom.join(', ')}, ` +
          `such as body.id, got ${show(from)}`,
      )
    else if (rest.includes('') || (source === 'headers' && rest.length === 0))
      yield wrongValue(here, `expected names separated by dots, such as body.data.0.url, got ${show(from)}`)
    else if (rest.length > 0 && ['status', 'text', 'bytes'].includes(source))
      yield wrongValue(here, `\`${source}\` is a single value: write ${source}`)
    else if (rest.length > 0 && source !== 'headers') {
      const forms =
        source === 'stream'
          ? [outcome()['stream'] as z.ZodType]
          : bodyForms(isFields(expect) ? expect : {}, call)
      const leading = rest.reduceRight<unknown>(
        (inner, part) => (/^\d+$/.test(part) ? { some: inner } : { [part]: inner }),
        { exists: true },
      )
      // Reported as one error, at the name.
      for (const { message } of checkMatcher(leading, here, forms, response))
        yield wrongValue(here, `${from}: ${message}`)
    }
  }
}

/** The schemas of the body; none if unknown: rejections have a different form. */
function bodyForms(
  { status, broken, offContract }: Fields,
  { endpoint, allowedResponse, free }: ExpectedCall,
): z.ZodType[] {
  if (endpoint?.response === undefined || allowedResponse === undefined || free || offContract === true)
    return []
  const canBeRejected =
    status === undefined ? broken !== undefined : rejectionStatuses.some((one) => meets(status, one))
  return canBeRejected || (status !== undefined && !successStatuses.some((one) => meets(status, one)))
    ? []
    : [endpoint.response(), allowedResponse]
}
