/** Explains a scenario: its rules as YAML, with their jobs and streams as recorded, and its steps. */
import { formatDuration } from '../engine/duration.ts'
import { isFields, listOf } from '../engine/fields.ts'
import { rejections } from '../protocol/errors.ts'
import type { Operation, Vocabulary } from '../protocol/operations.ts'
import { fieldPath } from '../protocol/wording.ts'
import { type ScenarioWarning, warningsOf } from '../scenario/check/warnings.ts'
import { rejectionOf } from '../scenario/compile/compile.ts'
import { answersOf, scriptsOf, selectedOperations } from '../scenario/compile/select.ts'
import { faultNamed, faultsOf, plannedFault } from '../scenario/faults/all.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import type { RuleSpec } from '../scenario/format/scenario.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { type ProbeContext, recordGivenJobs, recordJob, recordStream, type Track } from './record.ts'

export interface ExplainedAnswer {
  /** Its place under `then`: `sequence[0]`; empty if it is the only one. */
  readonly at: string
  /** The effects of its errors and faults on the client. */
  readonly notes: readonly string[]
  /** The jobs and streams that it makes. */
  readonly tracks: readonly Track[]
}

export interface ExplainedRule {
  readonly id: string
  readonly operations: readonly string[]
  /** As written. */
  readonly when: unknown
  /** As written, without the timelines and scripts that are drawn; undefined if nothing is left. */
  readonly then: unknown
  readonly warnings: readonly string[]
  /** Empty if no request ever reaches it. */
  readonly answers: readonly ExplainedAnswer[]
}

/** The explanation of a scenario as plain data. Times are virtual milliseconds. */
export interface Explanation {
  readonly file: string
  readonly title: string
  readonly description: string | undefined
  /** Seed, clock, keys, given resources, flags: as written. */
  readonly setup: Readonly<Record<string, unknown>>
  /** Given resources with their own timelines. */
  readonly given: readonly { readonly name: string; readonly track: Track }[]
  readonly rules: readonly ExplainedRule[]
  readonly unruled: readonly string[]
  readonly steps: readonly unknown[]
}

const setupKeys = ['seed', 'clock', 'keys', 'models', 'limits', 'given', 'flags']

/** With `about`, only the rules for these operations, and no steps. */
export async function explainScenario(
  scenario: Scenario,
  vocabulary: Vocabulary,
  about?: readonly string[],
): Promise<Explanation> {
  const { name, spec } = scenario
  const written = (scenario.written ?? {}) as Readonly<Record<string, unknown>>
  const writtenRules = (written['rules'] ?? []) as readonly Readonly<Record<string, unknown>>[]
  const context: ProbeContext = { seed: spec.seed, flags: spec.flags ?? {}, vocabulary }
  const rules: ExplainedRule[] = []
  const warnings = new Map<unknown, ScenarioWarning[]>()
  for (const warning of warningsOf([spec], [name], vocabulary)) {
    const [list, at] = warning.path
    if (list === 'rules') warnings.set(at, [...(warnings.get(at) ?? []), warning])
  }
  for (const [index, rule] of (spec.rules ?? []).entries()) {
    const operations = selectedOperations(rule.when, rule.then, vocabulary)
    const relevant =
      about === undefined ? operations : operations.filter((operation) => about.includes(operation))
    if (relevant.length === 0) continue
    const ownWarnings = warnings.get(index) ?? []
    const isReached = ownWarnings.every(({ unreachable }) => unreachable !== true)
    const answers = isReached ? await explainAnswers(rule, relevant, context) : []
    rules.push({
      id: rule.id ?? `rule ${index + 1}`,
      operations: relevant,
      when: writtenRules[index]?.['when'],
      then: undrawn(writtenRules[index]?.['then'], answers),
      warnings: ownWarnings.map(({ message }) => message),
      answers,
    })
  }
  return {
    file: name,
    title: spec.title,
    description: spec.description,
    setup: Object.fromEntries(setupKeys.flatMap((key) => (key in written ? [[key, written[key]]] : []))),
    given: about === undefined ? await recordGivenJobs(scenario, vocabulary) : [],
    rules,
    unruled: (about ?? []).filter(
      (operation) => !rules.some(({ operations }) => operations.includes(operation)),
    ),
    steps: about === undefined ? ((written['steps'] ?? []) as readonly unknown[]) : [],
  }
}

async function explainAnswers(
  { then }: RuleSpec,
  operations: readonly string[],
  context: ProbeContext,
): Promise<ExplainedAnswer[]> {
  const answers: ExplainedAnswer[] = []
  for (const { answer, path } of answersOf(then))
    answers.push({ at: fieldPath(path), ...(await explainAnswer(answer, operations, context)) })
  return answers
}

/** A response as written, without the parts that are drawn below it. */
function undrawn(then: unknown, answers: readonly ExplainedAnswer[]): unknown {
  const tracks = answers.flatMap((answer) => answer.tracks)
  const drawn = [
    ...(tracks.some(({ end }) => end === undefined) ? ['timeline'] : []),
    ...(tracks.some(({ end }) => end !== undefined) ? ['script', 'frames'] : []),
  ]
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isFields(value)) return value
    const kept = Object.entries(value).flatMap(([name, inner]) => {
      // States that depend on the number of polls are not drawn.
      const polled = (): unknown[] => listOf(inner).filter((entry) => isFields(entry) && 'poll' in entry)
      const rest = copy(drawn.includes(name) ? polled() : inner)
      return isEmpty(rest) && !isEmpty(inner) ? [] : [[name, rest]]
    })
    return Object.fromEntries(kept)
  }
  const rest = copy(then)
  return isEmpty(rest) && tracks.length > 0 ? undefined : rest
}

const isEmpty = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && Object.keys(value).length === 0

async function explainAnswer(
  answer: AnswerSpec,
  operations: readonly string[],
  context: ProbeContext,
): Promise<Omit<ExplainedAnswer, 'at'>> {
  const { kinds, endpoint, operation: find } = context.vocabulary
  const faults = faultsOf(answer.fault).map(({ kind }) => faultNamed(kind))
  const unfolds =
    answer.timeline !== undefined ||
    (answer.job !== undefined && answer.job !== 'created') ||
    faults.some((fault) => fault?.part === 'job')
  // One operation of each kind is enough.
  const creators = unfolds
    ? kinds.flatMap((kind) => operations.find((operation) => endpoint(operation)?.submits === kind) ?? [])
    : []
  const streams =
    answer.stream !== undefined || faults.some((fault) => fault?.part === 'stream')
      ? operations.filter((operation) => endpoint(operation)?.event !== undefined)
      : []
  const tracks = await Promise.all([
    ...creators.map((operation) => recordJob(answer, operation, context)),
    ...streams.map((operation) => recordStream(answer, operation, context)),
  ])
  return {
    notes: notesOn(answer, find(operations[0] ?? '')),
    tracks: tracks.filter((track) => track !== undefined),
  }
}

/** The effects of a rejection and of faults, which the file does not describe. */
function notesOn(answer: AnswerSpec, operation: Operation | undefined): string[] {
  const { error, fault, stream } = answer
  const notes: string[] = []
  if (error !== undefined) {
    const rejection = rejectionOf(error, '', operation?.endpoint)
    const { type, code, status = rejections[type].status, retryAfterMs, own = {} } = rejection
    const more = [
      ...(code === undefined ? [] : [`code ${code}`]),
      ...(retryAfterMs === undefined ? [] : [`retry after ${formatDuration(retryAfterMs)}`]),
    ]
    notes.push([`rejected: ${status} ${own.type ?? type}`, ...more].join(', '))
  }
  const inScripts = [...scriptsOf(answer).flatMap(({ script }) => script), ...(stream?.frames ?? [])].flatMap(
    (item) => (typeof item === 'object' && 'fault' in item ? [item.fault] : []),
  )
  for (const spec of [...inScripts, ...faultsOf(fault)]) {
    const { kind, options } = plannedFault(spec)
    const known = faultNamed(kind)
    const seen = operation === undefined ? undefined : known?.seen?.(options, operation)
    notes.push(`fault ${kind}: ${lowerFirst(seen ?? known?.what ?? '')}`)
  }
  return notes
}

function lowerFirst(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`
}
