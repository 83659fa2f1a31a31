/** Describes which calls a rule matches. */
import { formatDuration } from '../engine/duration.ts'
import { formatInstant } from '../engine/instant.ts'
import type { Moment } from '../scenario/format/values.ts'
import type { WhenSpec } from '../scenario/format/when.ts'
import { describeShape } from './describe-shape.ts'
import { joinWords, ordinal } from './phrases.ts'

/** `The 2nd call of videos.create in which prompt contains "sunset"`. */
export function describeCalls(when: WhenSpec = {}): string {
  const conditions = describeConditions(when)
  return [
    `${describeCount(when)} ${describeOperations(when.operation)}`,
    conditions.length === 0 ? '' : ` in which ${joinWords(conditions)}`,
    describeWindow(when.during),
    when.per === undefined ? '' : `, counted for each ${when.per}`,
    when.times === undefined ? '' : when.times === 1 ? '; at most once' : `; at most ${when.times} times`,
  ].join('')
}

function describeCount({ nth, first, after, every }: WhenSpec): string {
  const some = nth === undefined ? undefined : typeof nth === 'number' ? [nth] : nth
  if (some !== undefined) return `The ${joinWords(some.map(ordinal))} call${some.length === 1 ? '' : 's'} of`
  if (every !== undefined) {
    const from = after === undefined || after === 0 ? '' : ` after the first ${after}`
    const to = first === undefined ? '' : `, up to the ${ordinal(first)},`
    return `Every ${ordinal(every)} call${from}${to} of`
  }
  if (first !== undefined && after !== undefined)
    return `The ${ordinal(after + 1)} to the ${ordinal(first)} call of`
  if (first !== undefined) return first === 1 ? 'The first call of' : `The first ${first} calls of`
  if (after !== undefined && after > 0) return `All calls but the first${after === 1 ? '' : ` ${after}`} of`
  return 'Every call of'
}

function describeOperations(operation: string | readonly string[] | undefined): string {
  const patterns = operation === undefined ? ['*'] : [operation].flat()
  return joinWords(
    patterns.map((pattern) => (pattern === '*' ? 'any operation' : pattern)),
    'or',
  )
}

function describeConditions({
  key,
  model,
  body,
  query,
  headers,
  path,
  conversation,
  job,
  state,
}: WhenSpec): string[] {
  const some = (name: string, shape: unknown): string[] =>
    shape === undefined ? [] : describeShape(name, shape)
  const each = (front: string, shapes: Readonly<Record<string, unknown>> = {}): string[] =>
    Object.entries(shapes).flatMap(([name, shape]) => describeShape(`${front}${name}`, shape))
  const { lastUser, toolResult, turn } = conversation ?? {}
  return [
    ...some('the key', key),
    ...some('the model', model),
    ...(body === undefined ? [] : describeShape('', body)),
    ...each('the query field ', query),
    ...each('the header ', headers),
    ...each('the path parameter ', path),
    ...some('the last message of the user', lastUser),
    ...(toolResult === undefined
      ? []
      : typeof toolResult === 'boolean'
        ? [toolResult ? 'a tool result follows it' : 'no tool result follows it']
        : describeShape('the last tool result', toolResult)),
    ...some('the turn of the conversation', turn),
    ...some('the operation that made the job', job?.operation),
    ...some('the model of the job', job?.model),
    ...some('the prompt of the job', job?.prompt),
    ...(job?.body === undefined ? [] : describeShape('', job.body).map((words) => `the job's ${words}`)),
    ...each('the state ', state),
  ]
}

function describeWindow(during: WhenSpec['during']): string {
  if (during === undefined) return ''
  const at = (moment: Moment): string =>
    'at' in moment ? formatInstant(moment.at) : `${formatDuration(moment.after)} after the start`
  const { from, until } = during
  if (from !== undefined && until !== undefined) return `, from ${at(from)} until ${at(until)}`
  return from !== undefined ? `, from ${at(from)} on` : until !== undefined ? `, until ${at(until)}` : ''
}
