/** Writes the calls of a recording as steps. */

import { formatDuration } from '../engine/duration.ts'
import { defined, type Fields, isFields, mapTexts } from '../engine/fields.ts'
import { bytesOf, type Exchange } from '../exchange/exchange.ts'
import { bodyOf } from '../scenario/condition-facts.ts'
import {
  fieldsOf,
  type RecordedCall,
  type RecordedJob,
  submittedId,
  unknownStatus,
} from './recorded-calls.ts'
import { isEventStream, type ScriptedAnswer, scriptedAnswer } from './scenario-answer.ts'

/** The names under which steps save the ids of jobs, by id. */
type Saved = ReadonlyMap<string, string>

interface Recorded {
  readonly calls: readonly RecordedCall[]
  readonly jobs: readonly RecordedJob[]
  readonly offContract: ReadonlySet<RecordedCall>
  /** As `otherKeys` finds them. */
  readonly keyOf: (call: RecordedCall) => string | undefined
  /** Writes no expectations about the output of models. */
  readonly stepsOnly: boolean
}

/** Adds a sentence to `left` for each request that steps cannot send. */
export function stepsOf({ calls, jobs, offContract, keyOf, stepsOnly }: Recorded, left: string[]): Fields[] {
  const saved = new Map<string, string>()
  const steps: Fields[] = []
  for (const call of calls) {
    const { route, exchange, job } = call
    if (route === undefined || exchange.response === undefined) continue
    const request = requestOf(call, saved)
    if (request === undefined) {
      left.push(`${exchange.source}: steps cannot send this ${route.endpoint.operation} request`)
      continue
    }
    const key = defined({ key: keyOf(call) })
    const step = {
      call: route.endpoint.operation,
      ...request,
      ...key,
      expect: {
        ...(stepsOnly ? formOf(call) : expectedOf(call)),
        ...(offContract.has(call) ? { offContract: true } : {}),
      },
    }
    const isFirst = job !== undefined && !saved.has(job.id)
    if (!isFirst) {
      steps.push(step)
      continue
    }
    const body = fieldsOf(exchange)
    const field = body['id'] === undefined ? 'name' : 'id'
    const name = jobs.length === 1 ? 'job' : `job${saved.size + 1}`
    saved.set(submittedId(body) as string, name)
    steps.push(
      { ...step, save: { [name]: `body.${field}` } },
      ...pollOf(job, name, field).map((poll) => ({ ...poll, ...key })),
    )
  }
  return steps
}

function pollOf(job: RecordedJob, name: string, field: string): Fields[] {
  const { kind, states, poll } = job
  const last = states.at(-1)
  if (last === undefined || poll === undefined || (last.exchange.response?.status ?? 500) >= 300) return []
  const { status, done } = fieldsOf(last.exchange)
  const expected = done === undefined ? { status } : { done }
  const param = field === 'name' ? 'name' : Object.keys(kind.pollParams({ id: 'x', facts: {} } as never))[0]
  const request = { call: poll, with: { [param as string]: `${templateMark}${name}}` } }
  // Nothing to wait for: no simulated job gets there.
  if (unknownStatus(job, last.exchange) !== undefined) return [request]
  return [
    {
      ...request,
      interval: '1s',
      timeout: formatDuration(last.at + 60_000),
      waitFor: { body: expected },
    },
  ]
}

function requestOf(call: RecordedCall, saved: Saved): Fields | undefined {
  const { payload, params, query, route } = call
  if (payload.kind === 'bytes' || payload.kind === 'rejected') return undefined
  if (payload.kind === 'form' && payload.fields.some((field) => 'file' in field)) return undefined
  const body = bodyOf(payload)
  if (body !== undefined && !isFields(body)) return undefined
  const asked = Object.fromEntries(new URLSearchParams(query))
  const takesBody = (route?.endpoint.accepts.length ?? 0) > 0
  const fields = withSaved({ ...params, ...(takesBody ? {} : asked), ...body }, saved) as Fields
  return defined({
    with: Object.keys(fields).length === 0 ? undefined : fields,
    query: takesBody && query !== '' ? asked : undefined,
    form: payload.kind === 'form' ? true : undefined,
  })
}

/** The value with templates instead of job ids. */
const withSaved = (value: unknown, saved: Saved): unknown =>
  mapTexts(value, (text) => (saved.has(text) ? `${templateMark}${saved.get(text)}}` : text))

function formOf({ exchange }: RecordedCall): Fields {
  const status = exchange.response?.status ?? 200
  return isEventStream(exchange) ? { status, stream: endOf(exchange) } : { status }
}

function expectedOf(call: RecordedCall): Fields {
  const { exchange, route } = call
  const status = exchange.response?.status ?? 200
  const answer = status >= 300 || route?.endpoint.speaks === undefined ? undefined : scriptedAnswer(exchange)
  if (answer === undefined) return formOf(call)
  const isStream = isEventStream(exchange)
  const text = textIn(answer)
  // Next to other output, the position of text is unknown.
  if (text === '' || (!isStream && answer.items.length > 1)) return { status }
  if (isStream) return { stream: { text, ...(answer.isCut ? { ended: 'disconnected' } : {}) } }
  const { choices } = fieldsOf(exchange)
  return {
    body: choices === undefined ? { content: [{ text }] } : { choices: [{ message: { content: text } }] },
  }
}

/** How a stream ends, if no script can express it. */
function endOf({ response }: Exchange): Fields {
  const text = new TextDecoder().decode(bytesOf(response?.body))
  return {
    ...(/^data: .*"error"/m.test(text) ? { error: { exists: true } } : {}),
    ended: /\[DONE\]\s*$|"message_stop"[^\n]*\s*$/.test(text) ? 'completed' : 'no-end-marker',
  }
}

const textIn = ({ items }: ScriptedAnswer): string =>
  items
    .filter(({ kind }) => kind === 'text')
    .flatMap(({ chunks }) => chunks.map(({ text }) => text))
    .join('')

/** A template of the generated scenario, distinct from a `${` in a recording. */
const templateMark = '\uE0F7'

/** The value as scenario files write it. */
export const asWritten = (value: unknown): unknown =>
  mapTexts(value, (text) => text.replaceAll('${', () => '$${').replaceAll(templateMark, '${'))
