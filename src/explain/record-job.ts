/** Records the states of a job, a video or an operation, as a client sees them that polls constantly. */
import { type Fields, isFields } from '../engine/fields.ts'
import type { Resource } from '../engine/resource.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { callRequest } from '../replay/build-request.ts'
import type { TimelineSpec } from '../scenario/format/given.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import { openProbe, type Probe, type ProbeContext, probe, samplesOf } from './probe.ts'

/** The history of a job, a video or an operation, as a client sees it. */
export interface JobHistory {
  /** The call that created it, with its HTTP status; `given` if it existed at the start. */
  readonly madeBy: { readonly operation: string; readonly answered: number | 'broken' } | 'given'
  /** The operation that polls it. */
  readonly seenBy: string
  readonly states: readonly JobState[]
  readonly moving: readonly {
    readonly field: string
    readonly seen: readonly { readonly at: number; readonly value: number }[]
  }[]
}

export interface JobState {
  /** Time since the submission, or since the start if it was given. */
  readonly at: number
  /** Whether it is not found (404) from then on. */
  readonly notFound: boolean
  readonly fields: Readonly<Record<string, unknown>>
}

/** Samples of a number that changes from one value to another. */
const samplesPerRamp = 80

/** The history of the job that a call of `operation` starts with this answer, if it starts one. */
export async function recordJob(
  answer: AnswerSpec,
  operation: string,
  context: ProbeContext,
): Promise<JobHistory | undefined> {
  const kind = context.vocabulary.endpoint(operation)?.submits
  if (kind === undefined) return undefined
  // With a delay, time would pass before the first poll.
  const { delay: _, ...prompt } = answer
  const probed = await probe(prompt, operation, context)
  if (probed === undefined) return undefined
  const { exchange, simulator } = probed
  const { store } = simulator.core.sessions.get('default').sandbox
  const before = (samplesOf(context.vocabulary)[kind.name] ?? []) as readonly { readonly id?: unknown }[]
  const made = store.list(kind.resource).find(({ id }) => !before.some((sample) => sample.id === id))
  if (made === undefined) return undefined
  const course = await recordHistory(made, viewOf(kind, context.vocabulary, answer.timeline), probed)
  await simulator.close()
  return { madeBy: { operation, answered: exchange.response?.status ?? 'broken' }, ...course }
}

/** The histories of given resources with their own timelines. */
export async function recordGivenJobs(
  { spec: { given = {} }, directory }: Pick<Scenario, 'spec' | 'directory'>,
  vocabulary: Vocabulary,
): Promise<{ readonly name: string; readonly course: JobHistory }[]> {
  const found: { name: string; course: JobHistory }[] = []
  for (const kind of vocabulary.kinds) {
    for (const fields of given[kind.name] ?? []) {
      if (fields.timeline === undefined) continue
      // In a separate simulator, because time cannot go back.
      const scenario = new Scenario('given', {
        title: 'One given job',
        given: { [kind.name]: [fields] },
      })
      const { simulator, parts } = openProbe(scenario, vocabulary, directory)
      const [made] = simulator.core.sessions.get('default').sandbox.store.list(kind.resource)
      const view = viewOf(kind, vocabulary, fields.timeline)
      if (made !== undefined)
        found.push({
          name: `${kind.name} ${made.id}`,
          course: { madeBy: 'given', ...(await recordHistory(made, view, { simulator, parts })) },
        })
      await simulator.close()
    }
  }
  return found
}

async function recordHistory(
  made: Resource,
  { kind, seenBy, fieldsOf }: PollView,
  { simulator, parts }: Probe,
): Promise<Omit<JobHistory, 'madeBy'>> {
  // `explain` chooses the polls of a drawing.
  made.onPoll = []
  const ramps = made.timeline.flatMap(({ at, ramps = {} }) =>
    Object.values(ramps).map(({ over }) => ({ at, end: at + over })),
  )
  // A resource that is older than the start is shown from the start.
  const age = Math.max(0, simulator.clock.now() - made.bornAt)
  const all = new Set([age, ...made.timeline.map(({ at }) => at), ...ramps.map(({ end }) => end)])
  const timestamps = new Set([...all].filter((at) => at >= age))
  const between = ramps.flatMap(({ at, end }) =>
    Array.from({ length: samplesPerRamp }, (_, index) =>
      Math.round(at + ((end - at) * (index + 1)) / (samplesPerRamp + 1)),
    ).filter((timestamp) => timestamp >= age),
  )
  const states: JobState[] = []
  const seen = new Map<string, { at: number; value: number }[]>()
  const key = made.owner
  const request = await callRequest({ call: seenBy, with: kind.pollParams(made), key }, parts)
  for (const at of [...new Set([...timestamps, ...between])].sort((a, b) => a - b)) {
    const wait = made.bornAt + at - simulator.clock.now()
    if (wait > 0) simulator.clock.advance(wait)
    const response = await simulator.fetch(request.url, request.init)
    const body: unknown = await response.json()
    const notFound = response.status === 404
    const fields = notFound || !isFields(body) ? {} : fieldsOf(body)
    for (const field of kind.ramps) {
      const value = fields[field]
      if (typeof value === 'number') seen.set(field, [...(seen.get(field) ?? []), { at: at - age, value }])
    }
    const isFixed = (name: string, value: unknown): boolean =>
      value !== undefined && !(kind.ramps.includes(name) && typeof value === 'number')
    if (timestamps.has(at)) states.push({ at: at - age, notFound, fields: keep(fields, isFixed) })
  }
  return {
    seenBy,
    states: changesOf(states, seen),
    moving: [...seen].map(([field, values]) => ({ field, seen: values })),
  }
}

/** Fields that are only shown if the timeline sets them. */
const omittedFields = new Set(
  'created_at completed_at expires_at seed text response done audits cost'.split(' '),
)

/** How a resource is polled. */
interface PollView {
  readonly kind: ScriptedKind
  readonly seenBy: string
  /** The fields of a response, with the names of scenario files. */
  fieldsOf(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

function viewOf(kind: ScriptedKind, { all }: Vocabulary, timeline: TimelineSpec = []): PollView {
  const written = new Set(
    timeline.flatMap((entry) => [...Object.keys(entry), ...(entry.unset ?? []), ...(entry.reset ?? [])]),
  )
  const poll = all.find(({ endpoint }) => endpoint.polls?.kind === kind)
  if (poll === undefined) throw new Error(`explain: no operation polls ${kind.name}`)
  return {
    kind,
    seenBy: poll.endpoint.operation,
    fieldsOf: (body) => keep(kind.readPoll(body), (name) => !omittedFields.has(name) || written.has(name)),
  }
}

function keep(fields: Fields, isKept: (name: string, value: unknown) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => isKept(name, value)))
}

// States without changes are dropped; the ends of ramps stay.
function changesOf(
  states: readonly JobState[],
  seen: ReadonlyMap<string, readonly { readonly at: number; readonly value: number }[]>,
): JobState[] {
  const numbers = (at: number): string =>
    [...seen.values()].map((values) => values.find((one) => one.at === at)?.value).join()
  return states.filter((state, index) => {
    const before = states[index - 1]
    return (
      before === undefined ||
      JSON.stringify([before.notFound, before.fields]) !== JSON.stringify([state.notFound, state.fields]) ||
      numbers(before.at) !== numbers(state.at)
    )
  })
}
