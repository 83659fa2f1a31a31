/**
 * Parts of one response that exclude each other (one would silently do nothing), and responses that no call
 * of their rule can get.
 */
import { isFields } from '../../engine/fields.ts'
import type { Operation } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { valueAt } from '../../protocol/wording.ts'
import { meets } from '../compile/match-value.ts'
import { scriptsOf } from '../compile/select.ts'
import { faultNamed, faultsOf, placedFaults, plannedFault } from '../faults/all.ts'
import type { Fault } from '../faults/fault.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import type { FrameSpec, ScriptItemSpec } from '../format/stream.ts'
import {
  type FileError,
  fieldsOf,
  formsOf,
  type Path,
  type PlacedAnswer,
  wrongKey,
  wrongValue,
} from './forms.ts'
import { eventPath } from './patch.ts'

type Part = keyof AnswerSpec | 'stream.script' | 'stream.frames'

/** Parts of which the first makes the others useless. */
const exclusive: readonly (readonly [part: Part, others: readonly Part[], why: string])[] = [
  [
    'response',
    ['error', 'patch', 'unset', 'text', 'choices', 'stream', 'timeline', 'job', 'upstream'],
    ', which defines the whole response: keep one of them',
  ],
  [
    'error',
    ['patch', 'unset', 'text', 'choices', 'stream', 'upstream'],
    ', which rejects the request: keep one of them',
  ],
  ['stream.script', ['text', 'choices'], ': put the text into the script'],
  [
    'stream.frames',
    ['stream.script', 'text', 'choices'],
    ', which define the whole stream: keep one of them',
  ],
  ['choices', ['text'], ': put the text into the choices'],
  ['timeline', ['job'], ', which defines every state of the job: keep one of them'],
]

interface SureFault {
  readonly word: string
  readonly fault: Fault
  readonly plan: Plan
  readonly path: Path
}

export function* checkTogether(placed: PlacedAnswer): Generator<FileError> {
  const { answer, written, path, operations, vocabulary } = placed
  const { job, error } = answer
  for (const [part, others, why] of exclusive)
    if (isSet(answer, part)) yield* conflicts(answer, others, path, `\`${part}\`${why}`)
  if (job === 'created' && error === undefined)
    yield wrongValue([...path, 'job'], '`job: created` applies only to rejected requests: add an `error`')
  yield* checkPlaces(written['fault'], [...path, 'fault'])
  yield* checkScripts(answer, path)
  const faults = sureFaults(answer, path, operations[0] ?? vocabulary.all[0])
  let rejecting: SureFault | undefined
  for (const one of faults) {
    yield* checkFault(one, rejecting, answer, path)
    rejecting ??= one.plan.reject === undefined ? undefined : one
  }
}

const isSet = (answer: AnswerSpec, part: Part): boolean => valueAt(answer, part.split('.')) !== undefined

function conflicts(answer: AnswerSpec, parts: readonly Part[], path: Path, withWhat: string): FileError[] {
  return parts
    .filter((part) => isSet(answer, part))
    .filter((part) => part !== 'job' || answer.job !== 'created')
    .map((part) => wrongKey([...path, ...part.split('.')], `conflicts with ${withWhat}`))
}

/** Options for the place of a fault; with several, one would silently win. */
const places: readonly string[] = ['afterEvents', 'afterBytes', 'afterShare']

// Takes the options as written: parsed options include defaults.
function* checkPlaces(written: unknown, path: Path): Generator<FileError> {
  if (Array.isArray(written)) {
    for (const [index, one] of written.entries()) yield* checkPlaces(one, [...path, index])
    return
  }
  const [first, second] = isFields(written) ? places.filter((name) => written[name] !== undefined) : []
  if (first !== undefined && second !== undefined)
    yield wrongKey([...path, second], `conflicts with \`${first}\`: keep one of them`)
}

function sureFaults({ fault }: AnswerSpec, path: Path, operation: Operation | undefined): SureFault[] {
  return placedFaults(fault).flatMap(({ fault: one, at }) => {
    const found = faultNamed(one.kind)
    // A fault with a chance does not always happen and excludes nothing.
    if (found === undefined || (one.chance !== undefined && one.chance < 1)) return []
    return [
      {
        word: one.kind,
        fault: found,
        plan: (operation && found.plan?.(plannedFault(one).options, operation)) ?? {},
        path: [...path, 'fault', ...at],
      },
    ]
  })
}

function* checkFault(
  { word, fault, plan, path }: SureFault,
  /** An earlier fault that rejects the request. */
  rejects: SureFault | undefined,
  answer: AnswerSpec,
  answerPath: Path,
): Generator<FileError> {
  const beside = (parts: readonly Part[], why: string): FileError[] =>
    conflicts(answer, parts, answerPath, `the fault ${word}, ${why}`)
  const wrong = (message: string): FileError => wrongValue(path, `${word}: ${message}`)
  const { error, response, stream, job } = answer
  if (plan.reject !== undefined) {
    const parts = ['error', 'response', 'text', 'choices', 'stream', 'patch', 'unset', 'upstream'] as const
    const ofJob = plan.reject.jobContinues === true ? [] : (['timeline', 'job'] as const)
    yield* beside([...parts, ...ofJob], 'which rejects the request: keep one of them')
    if (rejects !== undefined)
      yield wrong(
        `${rejects.word} already rejects the request: keep one fault, or put both into a \`sequence\``,
      )
  }
  if (plan.answer !== undefined) {
    yield* beside(
      ['text', 'choices', 'error', 'response'],
      'which determines how the response ends: keep one of them (in a script, ' +
        'write `finish: content_filter`)',
    )
    if (stream?.script !== undefined)
      yield wrong('conflicts with `stream.script`: write `finish: content_filter` in the script')
  }
  if (plan.job !== undefined) {
    yield* beside(
      ['timeline', 'response', 'job'],
      'which determines the outcome of the job: keep one of them',
    )
    if (error !== undefined && job !== 'created' && plan.reject === undefined)
      yield wrong('a rejected request creates no job. To create the job anyway, add `job: created`')
  }
  if (fault.part === 'stream' && (error ?? response ?? rejects) !== undefined)
    yield wrong('applies only to streams, but this response is not a stream')
}

/** A fault that ends a stream also ends its script. */
function* checkScripts(answer: AnswerSpec, path: Path): Generator<FileError> {
  for (const { script, path: at } of scriptsOf(answer)) yield* checkEnd(script, [...path, ...at])
  yield* checkEnd(answer.stream?.frames ?? [], [...path, 'stream', 'frames'])
}

function* checkEnd(items: readonly (ScriptItemSpec | FrameSpec)[], path: Path): Generator<FileError> {
  const end = items.findIndex(
    (item) => typeof item === 'object' && 'fault' in item && faultNamed(item.fault.kind)?.endsStream === true,
  )
  if (end >= 0 && end < items.length - 1)
    yield wrongValue([...path, end + 1], 'this item is never sent: the preceding fault ends the stream')
}

export function* checkUnreachable(placed: PlacedAnswer): Generator<FileError> {
  const { when, operations } = placed
  if (operations.length === 0) return
  yield* checkStopSequence(placed)
  const streams = operations.every(({ endpoint }) => endpoint.event !== undefined)
    ? streamsOf(when)
    : undefined
  if (streams === false) yield* inNoStream(placed)
  if (streams === true) yield* inStreams(placed)
}

/** Whether calls that match `when` ask for a stream; undefined if only some do. */
function streamsOf({ body }: WhenSpec): boolean | undefined {
  if (!isFields(body) || body['stream'] === undefined) return undefined
  const like = (value: unknown): boolean => meets(body['stream'], value, { texts: true })
  if (!like(true)) return false
  return like(false) || like(undefined) || like(null) ? undefined : true
}

/** An API that returns the stop sequence needs one, from the script or from the request. */
function* checkStopSequence({ answer, when, path, operations }: PlacedAnswer): Generator<FileError> {
  const asked = isFields(when.body) ? when.body['stop_sequences'] : undefined
  if (answer.offContract === true || (asked !== undefined && !meets(asked, undefined))) return
  const naming = operations.find(
    ({ endpoint: { body } }) =>
      body !== undefined && fieldsOf(formsOf(body()))?.has('stop_sequences') === true,
  )?.endpoint.operation
  if (naming === undefined) return
  const wrong = (...at: readonly (string | number)[]): FileError =>
    wrongValue(
      [...path, ...at],
      `${naming} must return the stop sequence: write \`finish: { stop_sequence: END }\` in a script, or ` +
        'match only requests with stop sequences (`body: { stop_sequences: { exists: true } }`)',
    )
  for (const [index, { finish }] of (answer.choices ?? []).entries())
    if (finish === 'stop_sequence') yield wrong('choices', index, 'finish')
  for (const { script, path: at } of scriptsOf(answer))
    for (const [index, item] of script.entries())
      if ('finish' in item && item.finish === 'stop_sequence') yield wrong(...at, index, 'finish')
}

function* inNoStream({ answer, path }: PlacedAnswer): Generator<FileError> {
  const { fault, stream } = answer
  const why = 'but `when.body.stream` matches only non-streaming requests'
  for (const { fault: one, at } of placedFaults(fault))
    if (faultNamed(one.kind)?.part === 'stream')
      yield wrongValue([...path, 'fault', ...at], `${one.kind}: applies only to streams, ${why}`)
  for (const name of ['firstEventAfter', 'eventInterval', 'tokensPerSecond', 'jitter', 'frames'] as const)
    if (stream?.[name] !== undefined)
      yield wrongKey(
        [...path, 'stream', name],
        `applies only to streams, ${why}: use \`delay\`, which applies to every request`,
      )
  for (const { script, path: at } of scriptsOf(answer))
    for (const [index, item] of script.entries())
      if ('fault' in item) yield wrongValue([...path, ...at, index], `applies only to streams, ${why}`)
}

function* inStreams({ answer, path, operations, vocabulary }: PlacedAnswer): Generator<FileError> {
  // A rejection or a whole response is never a stream, even if the call asks for one.
  if (!answersItself(answer, operations[0] as Operation)) return
  const ids = operations.map(({ endpoint }) => endpoint.operation)
  const why = '`when.body.stream` matches only streaming requests'
  for (const { fault, at } of placedFaults(answer.fault)) {
    const { kind, onlyJson } = faultNamed(fault.kind) ?? {}
    if (onlyJson !== undefined)
      yield wrongValue(
        [...path, 'fault', ...at],
        `${kind}: applies only to JSON bodies, but ${why} (${onlyJson})`,
      )
  }
  const instead = 'write `text` or `stream.script`'
  const written = [
    ...Object.keys(answer.patch ?? {}).map((field) => ({ field, at: ['patch', field], key: true })),
    ...(answer.unset ?? []).map((field, index) => ({ field, at: ['unset', index], key: false })),
  ]
  for (const { field, at, key } of written)
    if (answer.offContract !== true && !ids.some((id) => eventPath(id, field, vocabulary)))
      yield {
        path: [...path, ...at],
        message: `${why}, but no ${ids.join(' or ')} event has the field ${field}: ${instead}`,
        key,
      }
}

function answersItself({ error, response, fault }: AnswerSpec, operation: Operation): boolean {
  return (
    error === undefined &&
    response === undefined &&
    !faultsOf(fault).some(
      (one) => faultNamed(one.kind)?.plan?.(plannedFault(one).options, operation).reject !== undefined,
    )
  )
}
