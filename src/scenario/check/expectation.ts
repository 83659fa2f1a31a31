/**
 * Mistakes in what a step expects: fields that do not apply there, and values that no reply of the contract
 * has.
 */

import * as z from 'zod'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { finishWords } from '../../protocol/script.ts'
import { meets } from '../compile/match-shape.ts'
import { streamEnds } from '../format/steps.ts'
import type { Compared } from './forms.ts'
import type { Path, ScenarioMistake } from './mistake.ts'
import { wrongKey, wrongValue } from './mistake.ts'
import { checkShape } from './shape.ts'

/** What a saved value may be taken from. */
const savedFrom = ['status', 'headers', 'body', 'text', 'stream', 'bytes'] as const

/** The call whose outcome is expected. */
export interface ExpectedCall {
  /** Undefined for a `fetch`. */
  readonly endpoint: Endpoint | undefined
  /** What the contract allows as its reply. */
  readonly allowedReply: z.ZodType | undefined
  /** True when rules define the reply, so the contract does not. */
  readonly free: boolean
  /** Whether the request asks for a stream; undefined when that is not known before it runs. */
  readonly streams: boolean | undefined
  readonly stopAfter: boolean
}

const reply: Compared = { held: 'reply' }
const milliseconds = z.number().min(0)
const words: Readonly<Record<string, z.ZodType>> = {
  status: z.int().min(200).max(599),
  text: z.string(),
  bytes: z.int().min(0),
  took: milliseconds,
}
const scalar = z.union([z.string(), z.number(), z.null()])
const change = z.strictObject({
  at: z.string(),
  resource: z.enum(['imageJob', 'video', 'operation']),
  id: z.string(),
  from: scalar,
  to: scalar,
})
const someOk = [200, 201, 202, 204, 206, 304]
const refused = [
  400, 401, 403, 404, 405, 409, 412, 413, 415, 416, 422, 424, 429, 451, 500, 501, 502, 503, 504, 529, 599,
]

/** After `advance` only changes can be expected. */
export function* checkAdvanceExpectation(expect: unknown, path: Path): Generator<ScenarioMistake> {
  if (!isFields(expect)) return
  for (const name of Object.keys(expect))
    if (name !== 'fired')
      yield wrongKey(
        [...path, name],
        'does not apply here: `advance` gets no reply and can expect only `fired`',
      )
  for (const [index, one] of listOf(expect['fired']).entries())
    yield* checkShape(one, [...path, 'fired', index], [change], reply)
}

/** What a call or a fetch expects. `clean` says whether nothing is wrong yet at a path or below it. */
export function* checkExpectation(
  expect: unknown,
  path: Path,
  call: ExpectedCall,
  clean: (path: Path) => boolean,
): Generator<ScenarioMistake> {
  if (!isFields(expect)) return
  const { broken, stream, body, headers } = expect
  for (const [name, value] of Object.entries(expect)) {
    const here = [...path, name]
    if (!clean(here)) continue
    if (name === 'fired') yield wrongKey(here, 'applies only to `advance`: expect it there')
    // A connection that was reset has no part of a reply.
    else if (
      broken === 'reset' &&
      !['broken', 'offContract'].includes(name) &&
      !(name === 'headers'
        ? Object.values(isFields(headers) ? headers : {}).every((one) => meets(one, undefined))
        : meets(value, undefined))
    )
      yield wrongKey(here, 'can never be met with `broken: reset`: there is no reply')
    else if (name === 'body') yield* checkShape(body, here, bodyForms(expect, call), reply)
    else if (name === 'headers' && isFields(headers))
      for (const [header, one] of Object.entries(headers))
        yield* checkShape(one, [...here, header], [z.string()])
    else if (name === 'stream' && isFields(stream)) yield* checkStream(stream, here, expect, call)
    else if (words[name] !== undefined) yield* checkShape(value, here, [words[name]], reply)
  }
}

/** What a step saves of such a call. */
export function* checkSaved(
  save: unknown,
  path: Path,
  expect: unknown,
  call: ExpectedCall,
): Generator<ScenarioMistake> {
  for (const [name, from] of Object.entries(isFields(save) ? save : {})) {
    if (typeof from !== 'string') continue
    const here = [...path, name]
    const [source = '', ...rest] = from.replace(/\[(\d+)\]/g, '.$1').split('.')
    if (!(savedFrom as readonly string[]).includes(source))
      yield wrongValue(
        here,
        `${savedMeant(from)}expected a part of the reply such as body.id, ` +
          `starting with ${savedFrom.join(', ')}`,
      )
    else if (rest.includes('') || (source === 'headers' && rest.length === 0))
      yield wrongValue(
        here,
        `expected names separated by dots, such as body.data.0.url, got ${JSON.stringify(from)}`,
      )
    else if (rest.length > 0 && ['status', 'text', 'bytes'].includes(source))
      yield wrongValue(here, `\`${source}\` has no parts: write ${source}`)
    else if (rest.length > 0 && source !== 'headers') {
      const forms = source === 'stream' ? [reading] : bodyForms(isFields(expect) ? expect : {}, call)
      const leading = rest.reduceRight<unknown>(
        (inner, part) => (/^\d+$/.test(part) ? { some: inner } : { [part]: inner }),
        { exists: true },
      )
      // Reported as one mistake at the place of the name.
      for (const { message } of checkShape(leading, here, forms, reply))
        yield wrongValue(here, `${from}: ${message}`)
    }
  }
}

/** What was meant by a path of another language: `$.id`, `response.body.id`. */
function savedMeant(from: string): string {
  const path = from.replace(/^\$\.?|^(?:response|reply|res)\./, '')
  if (path === from || !/^[\w.[\]-]+$/.test(path)) return ''
  const isWhole = (savedFrom as readonly string[]).includes(path.split('.')[0] ?? '')
  return `write ${isWhole ? path : `body.${path}`}: `
}

const reading = z.strictObject({
  text: z.string(),
  reasoning: z.string(),
  refusal: z.string(),
  toolCalls: z.array(z.strictObject({ name: z.string(), arguments: z.unknown() })),
  finish: z.string(),
  usage: z.unknown(),
  error: z.unknown(),
  count: z.int().min(0),
  events: z.array(z.strictObject({ after: milliseconds, event: z.string(), data: z.unknown() })),
  ended: z.enum(streamEnds),
})

function* checkStream(
  stream: Fields,
  path: Path,
  { offContract }: Fields,
  { endpoint, free, streams, stopAfter }: ExpectedCall,
): Generator<ScenarioMistake> {
  const contract = !free && offContract !== true
  if (endpoint !== undefined && contract && endpoint.event === undefined)
    yield wrongKey(path, `${endpoint.operation} does not stream`)
  else if (endpoint !== undefined && contract && streams === false)
    yield wrongKey(path, `${endpoint.operation} streams only when asked to: with: { stream: true }`)
  if (stream['ended'] === 'left' && !stopAfter)
    yield wrongValue([...path, 'ended'], 'can never be met: only a step with `stopAfter` leaves a stream')
  const { finish, toolCalls, events, ended: _, usage, error, ...plain } = stream
  for (const [name, shape] of Object.entries(plain))
    yield* checkShape(
      shape,
      [...path, name],
      [(reading.shape as Readonly<Record<string, z.ZodType>>)[name] ?? z.unknown()],
      reply,
    )
  for (const [name, shape] of Object.entries({ usage, error }))
    if (shape !== undefined) yield* checkShape(shape, [...path, name], [])
  const reasons = contract && endpoint?.event !== undefined ? finishesOf(endpoint.event) : []
  if (finish !== undefined)
    yield* checkShape(
      finish,
      [...path, 'finish'],
      [reasons.length === 0 ? z.string() : z.enum([...new Set([...reasons, ...finishWords])])],
      reply,
    )
  if (
    plain['refusal'] !== undefined &&
    endpoint?.speaks?.hasRefusals === false &&
    !meets(plain['refusal'], '')
  )
    yield wrongKey(
      [...path, 'refusal'],
      'can never be met: messages send a refusal as `text` and end with finish: refusal',
    )
  for (const [index, one] of listOf(toolCalls).entries()) {
    if (!isFields(one)) continue
    if (one['name'] !== undefined)
      yield* checkShape(one['name'], [...path, 'toolCalls', index, 'name'], [z.string()], reply)
    if (one['arguments'] !== undefined)
      yield* checkShape(one['arguments'], [...path, 'toolCalls', index, 'arguments'], [])
  }
  for (const [index, one] of listOf(events).entries()) {
    if (!isFields(one)) continue
    const { after, data } = one
    if (after !== undefined)
      yield* checkShape(after, [...path, 'events', index, 'after'], [milliseconds], reply)
    // Error events have another shape, and only objects are events of the contract.
    const judged = contract && endpoint?.event !== undefined && isFields(data) && !('error' in data)
    if (data !== undefined)
      yield* checkShape(data, [...path, 'events', index, 'data'], judged ? [endpoint.event] : [], reply)
  }
}

/** The schemas of the body; none when they are not known: refusals have another shape. */
function bodyForms(
  { status, broken, offContract }: Fields,
  { endpoint, allowedReply, free }: ExpectedCall,
): z.ZodType[] {
  if (endpoint?.reply === undefined || allowedReply === undefined || free || offContract === true) return []
  const canBeRefused = status === undefined ? broken !== undefined : refused.some((one) => meets(status, one))
  return canBeRefused || (status !== undefined && !someOk.some((one) => meets(status, one)))
    ? []
    : [endpoint.reply, allowedReply]
}

/** The finish reasons in the events of a stream. */
function finishesOf(event: z.ZodType): string[] {
  return [...new Set(finishWordsIn(event, false))]
}

function finishWordsIn(schema: unknown, named: boolean): readonly string[] {
  if (schema instanceof z.ZodEnum) return named ? schema.options.map(String) : []
  if (schema instanceof z.ZodLiteral)
    return named ? [...schema.values].filter((word) => typeof word === 'string') : []
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, part]) =>
      finishWordsIn(part, name === 'finish_reason' || name === 'stop_reason'),
    )
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => finishWordsIn(option, named))
  if (schema instanceof z.ZodArray) return finishWordsIn(schema.element, named)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return finishWordsIn(schema.unwrap(), named)
  return []
}
