/** Errors in one response of a rule that the schema cannot find. */

import * as z from 'zod'
import { safeParse } from '../../protocol/expected-values.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import type { TimelineSpec } from '../format/given.ts'
import type { AnswerSpec } from '../format/rule.ts'
import { hasTemplates } from '../templates.ts'
import { checkTogether } from './conflicts.ts'
import {
  contractOf,
  errorsOfResponse,
  type FileError,
  fieldsOf,
  formsOf,
  type Path,
  type PlacedAnswer,
  unlessIntended,
  wrongKey,
  wrongValue,
} from './forms.ts'
import { checkPatch, checkTimeline, offending } from './patch.ts'

export function* checkAnswer(placed: PlacedAnswer): Generator<FileError> {
  const { answer, path, operations, vocabulary } = placed
  const { timeline, offContract = false } = answer
  const kinds = [...new Set(operations.flatMap(({ endpoint }) => endpoint.submits ?? []))]
  yield* checkTogether(placed)
  yield* checkPatch(placed)
  yield* checkCode(answer, path, kinds)
  for (const kind of timeline === undefined ? [] : kinds)
    yield* checkTimeline(timeline as TimelineSpec, [...path, 'timeline'], kind, offContract, vocabulary)
  if (!offContract) yield* checkResponse(placed)
}

/** Checks a whole response against the contract of each operation of the rule. */
function* checkResponse({
  answer: { response },
  path: above,
  operations,
  vocabulary,
}: PlacedAnswer): Generator<FileError> {
  if (response === undefined) return
  const path = [...above, 'response']
  const { status = 200, body } = response
  const plain = (['text', 'base64', 'file'] as const).find((name) => response[name] !== undefined)
  if (status >= 300) {
    const error = `write \`error: { status: ${status} }\` for the API's error envelope`
    yield wrongValue(
      [...path, 'status'],
      `${status} rejects the request: ${error}, or set \`offContract: true\``,
    )
    return
  }
  for (const { endpoint } of operations) {
    const { operation } = endpoint
    const schema = vocabulary.allowedResponse(operation)
    if (schema === undefined) continue
    if (plain !== undefined)
      yield wrongKey(
        [...path, plain],
        `${operation} returns JSON: write a \`body\`, or set \`offContract: true\``,
      )
    // The values of the request are not known yet.
    if (body !== undefined && !hasTemplates(body))
      yield* checkBody(body, [...path, 'body'], operation, schema)
  }
}

function* checkBody(body: unknown, path: Path, operation: string, schema: z.ZodType): Generator<FileError> {
  const wrong = errorsOfResponse(schema, body)
  // Several missing fields are one error.
  const missing = wrong.filter((finding) => finding.missing === true && finding.path.length === 1)
  const several = missing.length > 1
  if (several) {
    const names = missing.map(({ field }) => field).join(', ')
    yield wrongValue(
      path,
      `has no ${names}, required in every ${operation} response: use \`patch\` to change only parts of the ` +
        `default response, or ${unlessIntended}`,
    )
  }
  for (const finding of wrong) {
    if (several && missing.includes(finding)) continue
    const { field, message } = finding
    const error = wrongValue(
      [...path, ...finding.path],
      `${message} (${contractOf(operation, 'response')}; ${unlessIntended})`,
    )
    yield field === '' ? error : { ...error, label: field }
  }
}

/** Checks the code of a failure against the kinds that the operations create. */
function* checkCode(
  { job, offContract }: AnswerSpec,
  path: Path,
  kinds: readonly ScriptedKind[],
): Generator<FileError> {
  if (offContract === true || typeof job !== 'object' || job.code === undefined || hasTemplates(job.code))
    return
  const codes = kinds.map(({ entry }) => {
    const { error } = entry().shape
    return error === undefined ? [] : (fieldsOf(formsOf(error as z.ZodType))?.get('code') ?? [])
  })
  // A kind without its own codes accepts any code.
  if (
    codes.length === 0 ||
    codes.some(
      (schemas) => schemas.length === 0 || schemas.some((schema) => safeParse(schema, job.code).success),
    )
  )
    return
  // Only timelines accept numbers: here a code is a string.
  const words = codes
    .flat()
    .flatMap(formsOf)
    .filter((form) => form instanceof z.ZodEnum)
  yield* offending(z.union(words as unknown as [z.ZodType]), job.code, [...path, 'job', 'code'])
}
