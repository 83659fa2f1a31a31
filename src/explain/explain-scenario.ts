/** Explains a scenario: its rules as written, with their jobs and streams as recorded. */
import type { Vocabulary } from '../protocol/operations.ts'
import { fieldPath } from '../protocol/wording.ts'
import { answersOf, scriptsOf, selectedOperations } from '../scenario/compile/select.ts'
import { faultNamed, faultsOf } from '../scenario/faults/all.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { type ProbeContext, recordJob, recordStream, type Track } from './record.ts'

export interface ExplainedAnswer {
  /** Its place under `then`: `sequence[0]`; empty if it is the only one. */
  readonly at: string
  /** The effects of its faults on the client. */
  readonly notes: readonly string[]
  /** The jobs and streams that it makes. */
  readonly tracks: readonly Track[]
}

export interface ExplainedRule {
  readonly id: string
  readonly operations: readonly string[]
  /** As written, like `then`. */
  readonly when: unknown
  readonly then: unknown
  readonly answers: readonly ExplainedAnswer[]
}

/** The explanation of a scenario as plain data. Times are virtual milliseconds. */
export interface Explanation {
  readonly file: string
  readonly title: string
  readonly description: string | undefined
  readonly rules: readonly ExplainedRule[]
}

/** With `about`, only the rules for these operations. */
export async function explainScenario(
  scenario: Scenario,
  vocabulary: Vocabulary,
  about?: readonly string[],
): Promise<Explanation> {
  const { name, spec, written } = scenario
  const { rules: ruleTexts = [] } = (written ?? {}) as {
    readonly rules?: readonly Pick<ExplainedRule, 'when' | 'then'>[]
  }
  const context: ProbeContext = { seed: spec.seed, flags: spec.flags ?? {}, vocabulary }
  const rules: ExplainedRule[] = []
  for (const [index, rule] of (spec.rules ?? []).entries()) {
    const operations = selectedOperations(rule, vocabulary).map(({ endpoint }) => endpoint.operation)
    const relevant = operations.filter((operation) => about?.includes(operation) ?? true)
    if (relevant.length === 0) continue
    rules.push({
      id: rule.id ?? `rule ${index + 1}`,
      operations: relevant,
      when: ruleTexts[index]?.when,
      then: ruleTexts[index]?.then,
      answers: await Promise.all(
        answersOf(rule.then).map(({ answer, path }) => explainAnswer(answer, path, relevant, context)),
      ),
    })
  }
  const { title, description } = spec
  return { file: name, title, description, rules }
}

async function explainAnswer(
  answer: AnswerSpec,
  path: readonly (string | number)[],
  operations: readonly string[],
  context: ProbeContext,
): Promise<ExplainedAnswer> {
  const { kinds, endpoint } = context.vocabulary
  const faults = faultsOf(answer.fault).map(({ kind }) => faultNamed(kind))
  const unfolds =
    answer.timeline !== undefined ||
    (answer.job !== undefined && answer.job !== 'created') ||
    faults.some((fault) => fault?.part === 'job')
  // One operation of each kind is enough.
  const creators = unfolds
    ? kinds.flatMap((kind) => operations.find((one) => endpoint(one)?.job?.submits === kind) ?? [])
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
    at: fieldPath(path),
    notes: notesOn(answer),
    tracks: tracks.filter((track) => track !== undefined),
  }
}

/** The effects of faults, which the file does not describe. */
function notesOn(answer: AnswerSpec): string[] {
  const items = scriptsOf(answer).flatMap(({ script }) => script)
  const inScripts = items.flatMap((item) => ('fault' in item ? [item.fault] : []))
  return [...inScripts, ...faultsOf(answer.fault)].map(
    ({ kind }) => `fault ${kind}: ${faultNamed(kind)?.what ?? ''}`,
  )
}
