/**
 * Runs the rules of a scenario with sample requests. Reports responses in which a part of the rule does
 * nothing or violates the contract.
 */
import { type Fields, isFields } from '../../engine/fields.ts'
import { clientReading } from '../../protocol/contract-reading.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import { missingPart } from '../../protocol/schema-forms.ts'
import { meets } from '../compile/match-value.ts'
import { answersOf, type PlacedAnswer, selectedOperations, toolsCalled } from '../compile/select.ts'
import { faultNamed, faultsOf, idleReason, placedFaults } from '../faults/all.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import type { ScenarioSpec } from '../format/scenario.ts'
import { applyPatch } from '../patch.ts'
import { hasTemplates } from '../templates.ts'
import { violationsOf } from '../violations.ts'
import { type FileError, type Path, suggestion, unlessIntended, wrongKey, wrongValue } from './file-error.ts'
import { respond, sampleOf } from './sample.ts'

/** Bounds the work for one scenario: responses beyond it are not run. */
const maxRuns = 200
/** A rule for more operations is not run. */
const maxOperations = 12

export function* dryRun({ rules = [] }: ScenarioSpec, vocabulary: Vocabulary): Generator<FileError> {
  let runs = 0
  for (const [index, rule] of rules.entries()) {
    const { when = {}, then, ask } = rule
    const operations = selectedOperations(rule, vocabulary)
    if (ask !== undefined || operations.length > maxOperations) continue
    for (const { answer, path } of answersOf(then)) {
      if (!isWorthRunning(answer) || ++runs > maxRuns) continue
      const placed = { answer, path: ['rules', index, 'then', ...path] }
      yield* runAnswer(placed, when, operations, vocabulary)
    }
  }
}

function isWorthRunning({ response, patch, unset, stream, choices, fault }: AnswerSpec): boolean {
  if ((response ?? patch ?? unset ?? choices ?? stream?.script) !== undefined) return true
  return faultsOf(fault).some(({ kind }) => ['body', 'stream'].includes(faultNamed(kind)?.part ?? ''))
}

/** The errors of a response to all of its requests: a part needs to act on only one of them. */
function runAnswer(
  placed: PlacedAnswer,
  when: WhenSpec,
  operations: readonly Operation[],
  vocabulary: Vocabulary,
): readonly FileError[] {
  const { answer } = placed
  let common: readonly FileError[] | undefined
  const textOf = ({ path }: FileError): string => path.join(' ')
  // The faults happen in each run.
  const fault = faultsOf(answer.fault).map(({ chance: _, ...one }) => one)
  const tools = toolsCalled(answer)
  for (const operation of operations)
    for (const stream of streamsOf(operation, when)) {
      const sample = sampleOf(operation.endpoint, when, stream, tools)
      const response = respond({ ...answer, fault }, sample, operation, vocabulary)
      const found = response === undefined ? [] : [...errorsIn(response, placed, operation)]
      const places = new Set(found.map(textOf))
      common = common?.filter((error) => places.has(textOf(error))) ?? found
      if (common.length === 0) return []
    }
  return common ?? []
}

/** The ways in which requests that meet the conditions may ask for a stream. */
function streamsOf({ endpoint }: Operation, { body }: WhenSpec): readonly Fields[] {
  if (endpoint.event === undefined) return [{}]
  const matcher = isFields(body) ? body['stream'] : undefined
  const possible = [undefined, false, true].filter((one) => matcher === undefined || meets(matcher, one))
  return possible.map((stream) => ({ stream }))
}

function* errorsIn(
  response: PlainResponse,
  { answer, path }: PlacedAnswer,
  { endpoint }: Operation,
): Generator<FileError> {
  const { operation } = endpoint
  for (const { fault, at } of placedFaults(answer.fault)) {
    const reason = idleReason(fault.kind, response)
    if (reason !== undefined) yield wrongValue([...path, 'fault', ...at], `has no effect: ${reason}`)
  }
  if (answer.offContract === true || response.status >= 300) return
  const changes = changesOf(answer)
  const { patch = {}, unset = [] } = answer
  const merge = Object.fromEntries(Object.entries(patch).map(([field, value]) => [inSample(field), value]))
  const changed = applyPatch(response, { merge, unset: unset.map(inSample) })
  const what =
    response.body.kind === 'events' ? 'streams (for content, write `text`)' : 'does not return JSON'
  if (changed === undefined)
    for (const { at } of changes) yield wrongKey([...path, ...at], `has no effect: ${operation} ${what}`)
  const isWritten = (answer.response ?? changes[0]) !== undefined
  const own = endpoint.response?.()
  const whole = isWritten && own !== undefined ? clientReading(own) : own
  const isStream = endpoint.event !== undefined && answer.response?.contentType === 'text/event-stream'
  if (whole !== undefined && response.body.kind === 'text' && !isStream)
    yield wrongKey([...path, 'response'], `${operation} returns JSON: write a \`body\`, or ${unlessIntended}`)
  const found = violationsOf({ response: () => whole, event: endpoint.event }, changed ?? response)
  const schema = found?.event === undefined ? whole : endpoint.event?.()
  for (const { path: at, field, message, unknown } of found?.errors ?? []) {
    // The values of real requests may be others than those of the sample.
    if (schema === undefined || (hasTemplates(answer) && unknown !== true)) continue
    const known = missingPart([schema], at.map(String))?.known ?? []
    const words = unknown === true ? `is not a field${suggestion(String(at.at(-1)), known)}` : message
    const part = found?.event === undefined ? 'response' : 'event'
    const label = field === '' ? '' : `${field}: `
    yield {
      path: [...path, ...placeOf(at, answer, changes)],
      key: unknown === true,
      message: `${label}${words} (contract of the ${operation} ${part}; ${unlessIntended})`,
    }
  }
}

/** The same field of a sample: a real response may have more items. */
const inSample = (field: string): string => field.replace(/(?<=\.|^)\d+(?=\.|$)/g, '0')

/** A field that a response changes, and its place in the rule. */
interface Change {
  readonly field: string
  readonly at: Path
}

function changesOf({ patch = {}, unset = [] }: AnswerSpec): Change[] {
  return [
    ...unset.map((field, index) => ({ field: inSample(field), at: ['unset', index] })),
    ...Object.keys(patch).map((field) => ({ field: inSample(field), at: ['patch', field] })),
  ]
}

/** The part of a rule that wrote a field of the response. */
function placeOf(field: Path, { response, stream }: AnswerSpec, changes: readonly Change[]): Path {
  if (response !== undefined) return ['response', 'body', ...field]
  const written = `${field.join('.')}.`
  const change = changes.find(
    (one) => written.startsWith(`${one.field}.`) || `${one.field}.`.startsWith(written),
  )
  return (change ?? changes[0])?.at ?? (stream === undefined ? [] : ['stream'])
}
