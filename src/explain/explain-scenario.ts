/** Explains a scenario: each rule in words, with its jobs and streams as recorded, and its steps. */
import type { Vocabulary } from '../protocol/operations.ts'
import { answersOf, selectedOperations } from '../scenario/check/reach.ts'
import { type ScenarioWarning, warningsOf } from '../scenario/check/warnings.ts'
import { faultsOf } from '../scenario/compile/fault.ts'
import { faultNamed } from '../scenario/faults/all.ts'
import type { RuleSpec } from '../scenario/format/scenario.ts'
import type { AnswerSpec, ThenSpec } from '../scenario/format/then.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { chanceLabel, describeAnswer, sequenceLabel } from './describe-answer.ts'
import { describeCalls } from './describe-calls.ts'
import { describeSteps } from './describe-steps.ts'
import type { ExplainedAnswer, ExplainedRule, Explanation } from './explanation.ts'
import type { ProbeContext } from './probe.ts'
import { recordGivenJobs, recordJob } from './record-job.ts'
import { recordStream } from './record-stream.ts'
import { scenarioFacts } from './scenario-facts.ts'

/** With `about`, only the rules for these operations, and no steps. */
export async function explainScenario(
  scenario: Scenario,
  vocabulary: Vocabulary,
  about?: readonly string[],
): Promise<Explanation> {
  const { name, spec } = scenario
  const context: ProbeContext = { seed: spec.seed, states: spec.states ?? {}, vocabulary }
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
    rules.push({
      ...(await explainRule(
        ownWarnings.some(({ unreachable }) => unreachable === true) ? undefined : rule.then,
        rule,
        rule.id ?? `rule ${index + 1}`,
        relevant,
        context,
      )),
      warnings: ownWarnings.map(({ message }) => message),
    })
  }
  return {
    file: name,
    title: spec.title,
    description: spec.description,
    facts: scenarioFacts(spec),
    given: about === undefined ? await recordGivenJobs(scenario, vocabulary) : [],
    rules,
    unruled: (about ?? []).filter(
      (operation) => !rules.some(({ operations }) => operations.includes(operation)),
    ),
    story: about === undefined ? describeSteps(spec.steps ?? []) : [],
  }
}

async function explainRule(
  then: ThenSpec | undefined,
  rule: RuleSpec,
  id: string,
  operations: readonly string[],
  context: ProbeContext,
): Promise<Omit<ExplainedRule, 'warnings'>> {
  const answers: ExplainedAnswer[] = []
  for (const { label, answer } of then === undefined ? [] : withLabels(then))
    answers.push(await explainAnswer(answer, label, id, operations, context))
  return { id, operations, calls: describeCalls(rule.when), answers }
}

function withLabels(then: ThenSpec): { readonly label: string; readonly answer: AnswerSpec }[] {
  const { sequence, weighted, end } = then
  const total = (weighted ?? []).reduce((sum, { weight }) => sum + weight, 0)
  return answersOf(then).map(({ answer }, index) => ({
    answer,
    label:
      sequence !== undefined
        ? sequenceLabel(index, sequence.length, end)
        : weighted !== undefined
          ? chanceLabel(weighted[index]?.weight ?? 0, total)
          : '',
  }))
}

async function explainAnswer(
  answer: AnswerSpec,
  label: string,
  rule: string,
  operations: readonly string[],
  context: ProbeContext,
): Promise<ExplainedAnswer> {
  const { kinds, endpoint, operation: find } = context.vocabulary
  const faults = faultsOf(answer.fault).map(({ kind }) => faultNamed(kind))
  const unfolds =
    answer.timeline !== undefined ||
    (answer.job !== undefined && answer.job !== 'continues') ||
    faults.some((fault) => fault?.part === 'job')
  // One operation of each kind is enough.
  const creators = unfolds
    ? kinds.flatMap((kind) => operations.find((operation) => endpoint(operation)?.submits === kind) ?? [])
    : []
  const streams =
    answer.stream !== undefined || faults.some((fault) => fault?.part === 'stream')
      ? operations.filter((operation) => endpoint(operation)?.event !== undefined)
      : []
  const jobs = await Promise.all(creators.map((operation) => recordJob(answer, operation, context)))
  const streamHistories = await Promise.all(
    streams.map((operation) => recordStream(answer, operation, context)),
  )
  return {
    label,
    words: describeAnswer(answer, rule, find(operations[0] ?? '')),
    jobs: jobs.flatMap((job) => job ?? []),
    streams: streamHistories.flatMap((history) => history ?? []),
  }
}
