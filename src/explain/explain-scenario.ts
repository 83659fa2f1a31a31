/**
 * Tells of a scenario what it does: each rule in words, its jobs and streams as a simulator really gives
 * them, its steps as a story.
 */

import type { Vocabulary } from '../protocol/operations.ts'
import { answersOf, selectedOperations } from '../scenario/check/support.ts'
import { warningsOf } from '../scenario/check/warnings.ts'
import { faultsOf } from '../scenario/compile/fault.ts'
import { faultNamed } from '../scenario/faults/all.ts'
import type { RuleSpec } from '../scenario/format/scenario.ts'
import type { AnswerSpec, ThenSpec } from '../scenario/format/then.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { describeAnswer, chanceLabel, sequenceLabel } from './describe-answer.ts'
import { describeCalls } from './describe-calls.ts'
import type { ExplainedAnswer, ExplainedRule, Explanation } from './explanation.ts'
import { recordGivenJobs, recordJob } from './record-job.ts'
import type { ProbeContext } from './probe.ts'
import { scenarioFacts } from './scenario-facts.ts'
import { describeSteps } from './describe-steps.ts'
import { recordStream } from './record-stream.ts'

/** Explains a scenario; with `about`, only the rules that are about one of these operations, and no steps. */
export async function explainScenario(
  scenario: Scenario,
  vocabulary: Vocabulary,
  about?: readonly string[],
): Promise<Explanation> {
  const { name, spec } = scenario
  const context: ProbeContext = { seed: spec.seed, states: spec.states ?? {}, vocabulary }
  const rules: ExplainedRule[] = []
  const warnings = warningsOf([spec], [name], vocabulary)
  for (const [index, rule] of (spec.rules ?? []).entries()) {
    const operations = selectedOperations(rule.when?.operation, rule.then, vocabulary)
    const meant =
      about === undefined ? operations : operations.filter((operation) => about.includes(operation))
    if (meant.length === 0) continue
    const own = warnings.filter(({ path: [list, at] }) => list === 'rules' && at === index)
    rules.push({
      ...(await explainRule(
        own.some(({ unreachable }) => unreachable === true) ? undefined : rule.then,
        rule,
        rule.id ?? `rule ${index + 1}`,
        meant,
        context,
      )),
      warnings: own.map(({ message }) => message),
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
  for (const { label, answer } of then === undefined ? [] : labelled(then))
    answers.push(await explainAnswer(answer, label, id, operations, context))
  return { id, operations, calls: describeCalls(rule.when), answers }
}

function labelled(then: ThenSpec): { readonly label: string; readonly answer: AnswerSpec }[] {
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
  // One of each kind: they all unfold alike.
  const makers = unfolds
    ? kinds.flatMap((kind) => operations.find((operation) => endpoint(operation)?.submits === kind) ?? [])
    : []
  const streams =
    answer.stream !== undefined || faults.some((fault) => fault?.part === 'stream')
      ? operations.filter((operation) => endpoint(operation)?.event !== undefined)
      : []
  const jobs = await Promise.all(makers.map((operation) => recordJob(answer, operation, context)))
  const courses = await Promise.all(streams.map((operation) => recordStream(answer, operation, context)))
  return {
    label,
    words: describeAnswer(answer, rule, find(operations[0] ?? '')),
    jobs: jobs.flatMap((job) => job ?? []),
    streams: courses.flatMap((course) => course ?? []),
  }
}
