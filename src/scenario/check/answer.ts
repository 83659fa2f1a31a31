/** What is wrong with one answer although each of its words is right. */
import * as z from 'zod'
import type { Fields } from '../../engine/fields.ts'
import { replyFindings } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import type { AnswerSpec } from '../format/then.ts'
import { hasTemplates } from '../templates.ts'
import { checkTogether } from './conflicts.ts'
import { checkPatch } from './patch.ts'
import { fieldsOf, formsOf, type ScenarioMistake } from './shape.ts'
import { checkTimeline, offending } from './timeline.ts'

type Path = readonly PropertyKey[]

export function* checkAnswer(
  answer: AnswerSpec,
  written: Fields,
  path: Path,
  operations: readonly string[],
  { all, endpoint, operation: find }: Vocabulary,
): Generator<ScenarioMistake> {
  const [first] = operations
  const kinds = [...new Set(operations.flatMap((operation) => endpoint(operation)?.submits ?? []))]
  yield* checkTogether(answer, written, path, (first === undefined ? undefined : find(first)) ?? all[0])
  yield* checkPatch(answer, path, operations, { endpoint })
  yield* checkCode(answer, path, kinds)
  const { delay, stream, timeline, reply } = answer
  if (delay !== undefined && typeof delay === 'object' && 'from' in delay && delay.from > delay.to) {
    const { from, to } = written['delay'] as Fields
    yield {
      path: [...path, 'delay', 'to'],
      message: `expected at least \`from\` (${from}), got ${to}`,
      key: false,
    }
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
  { job, offContract }: AnswerSpec,
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

function pathOf(field: string): PropertyKey[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name as string) : Number(index),
  )
}
