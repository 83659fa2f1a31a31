/** What is wrong with one answer although each of its words is right. */
import * as z from 'zod'
import { parseDuration } from '../../engine/duration.ts'
import { replyFindings } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { show } from '../../protocol/wording.ts'
import { isRamp } from '../compile/timeline.ts'
import { entryWords } from '../format/timeline.ts'
import { hasTemplates } from '../templates.ts'
import type { WrittenAnswer, WrittenTimeline } from '../written.ts'
import { checkTogether } from './conflicts.ts'
import { checkPatch } from './patch.ts'
import { fieldsOf, formsOf, type ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

export function* checkAnswer(
  answer: WrittenAnswer,
  path: Path,
  operations: readonly string[],
  { all, endpoint, operation: find }: Vocabulary,
): Generator<ScenarioMistake> {
  const [first] = operations
  const kinds = [...new Set(operations.flatMap((operation) => endpoint(operation)?.submits ?? []))]
  yield* checkTogether(answer, path, (first === undefined ? undefined : find(first)) ?? all[0])
  yield* checkPatch(answer, path, operations, { endpoint })
  yield* checkCode(answer, path, kinds)
  const { delay, stream, timeline, reply } = answer
  if (
    delay !== undefined &&
    typeof delay === 'object' &&
    'from' in delay &&
    (parseDuration(delay.from) ?? 0) > (parseDuration(delay.to) ?? 0)
  )
    yield {
      path: [...path, 'delay', 'to'],
      message: `expected at least \`from\` (${delay.from}), got ${delay.to}`,
      key: false,
    }
  if (stream?.every !== undefined && stream.tokensPerSecond !== undefined)
    yield {
      path: [...path, 'stream', 'tokensPerSecond'],
      message: 'stands beside `every`: keep one of them',
      key: true,
    }
  if (timeline !== undefined) {
    for (const kind of kinds)
      yield* checkTimeline(timeline, [...path, 'timeline'], kind, answer.offContract === true)
  }
  if (reply === undefined || answer.offContract === true) return
  const { status = 200 } = reply
  if (status >= 300) {
    yield {
      path: [...path, 'reply', 'status'],
      message: `${status} is a refusal: write \`error: { status: ${status} }\`, which answers in the envelope of the API, or mark the answer \`offContract: true\``,
      key: false,
    }
    return
  }
  for (const operation of operations) {
    const schema = endpoint(operation)?.reply
    if (reply.text !== undefined && schema !== undefined)
      yield {
        path: [...path, 'reply', 'text'],
        message: `${operation} answers JSON: give a \`body\`, or mark the answer \`offContract: true\``,
        key: true,
      }
    // What the request will say is not known yet.
    if (schema === undefined || reply.body === undefined || hasTemplates(reply.body)) continue
    const result = schema.safeParse(reply.body)
    const wrong = result.success ? [] : replyFindings(result.error, reply.body)
    // Many fields that are not there are one mistake, at one place.
    const missing = wrong.filter(
      ({ field, message }) => field !== '' && message.startsWith('is required') && !/[.[]/.test(field),
    )
    if (missing.length > 1)
      yield {
        path: [...path, 'reply', 'body'],
        message: `lacks ${missing.map(({ field }) => field).join(', ')} (the contract's reply of ${operation}; \`patch\` changes the reply that it would give; mark the answer \`offContract: true\` if that is meant)`,
        key: false,
      }
    for (const { field, message } of missing.length > 1
      ? wrong.filter((one) => !missing.includes(one))
      : wrong) {
      yield {
        path: [...path, 'reply', 'body', ...pathOf(field)],
        message: `${field === '' ? '' : `${field}: `}${message} (the contract's reply of ${operation}; mark the answer \`offContract: true\` if that is meant)`,
        key: false,
      }
    }
  }
}

/** The code of a failure, in the words of one of the kinds that the operations make. */
function* checkCode(
  { job, offContract }: WrittenAnswer,
  path: Path,
  kinds: readonly ScriptedKind[],
): Generator<ScenarioMistake> {
  if (offContract === true || typeof job !== 'object' || job.code === undefined || hasTemplates(job.code))
    return
  const codes = kinds.map(({ entry }) =>
    entry.shape['error'] === undefined
      ? []
      : (fieldsOf(formsOf(entry.shape['error'] as z.ZodType))?.get('code') ?? []),
  )
  // A kind without codes of its own takes any.
  if (
    codes.length === 0 ||
    codes.some(
      (schemas) => schemas.length === 0 || schemas.some((schema) => schema.safeParse(job.code).success),
    )
  )
    return
  // A number is for timelines: here a code is a text.
  const words = codes
    .flat()
    .flatMap(formsOf)
    .filter((form) => form instanceof z.ZodEnum)
  yield* offending(z.union(words as unknown as [z.ZodType]), job.code, [...path, 'job', 'code'])
}

/** A timeline against what its kind can show; also used for given resources. */
export function* checkTimeline(
  timeline: WrittenTimeline,
  path: Path,
  kind: ScriptedKind,
  offContract: boolean,
): Generator<ScenarioMistake> {
  let before = 0
  for (const [index, { at, unset, gone: _, ...fields }] of timeline.entries()) {
    const here = [...path, index]
    const ms = parseDuration(at) ?? before
    if (ms < before)
      yield {
        path: [...here, 'at'],
        message: `comes before the entry above it (${before} ms): put the entries in order of time`,
        key: false,
      }
    before = ms
    for (const name of unset ?? [])
      if (kind.entry.shape[name] === undefined)
        yield {
          path: [...here, 'unset'],
          message: `${name} is no field of ${kind.name}: expected some of ${Object.keys(kind.entry.shape).join(', ')}`,
          key: false,
        }
    for (const [name, value] of Object.entries(fields)) {
      const schema = kind.entry.shape[name] as z.ZodType | undefined
      if (schema === undefined) {
        if (!offContract)
          yield {
            path: [...here, name],
            message: `is no field of ${kind.name}: expected ${entryWords.join(', ')} or one of ${Object.keys(kind.entry.shape).join(', ')}`,
            key: true,
          }
        continue
      }
      if (isRamp(value)) {
        if (!kind.ramps.includes(name))
          yield {
            path: [...here, name],
            message: `cannot move along a ramp: of ${kind.name} only ${kind.ramps.join(', ') || 'nothing'} can`,
            key: false,
          }
        else if (!offContract)
          for (const end of ['from', 'to'] as const)
            yield* offending(schema, value[end], [...here, name, end])
      } else if (!offContract && !hasTemplates(value)) yield* offending(schema, value, [...here, name])
    }
  }
}

function* offending(schema: z.ZodType, value: unknown, path: Path): Generator<ScenarioMistake> {
  const result = schema.safeParse(value)
  if (result.success) return
  const [first] = replyFindings(result.error, value)
  yield {
    path,
    message: `${first?.field ? `${first.field}: ` : ''}${first?.message ?? `got ${show(value)}`}; mark the answer \`offContract: true\` if the client is to meet what the contract does not allow`,
    key: false,
  }
}

function pathOf(field: string): PropertyKey[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name as string) : Number(index),
  )
}
