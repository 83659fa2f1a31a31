/** What a client that polls all the time would see of a job, a video or an operation. Draws nothing. */
import type { Resource } from '../engine/resource.ts'
import { createSimulator, type ScenarioInput } from '../index.ts'
import { callRequest } from '../replay/build-request.ts'
import { requestParts } from '../replay/request-parts.ts'
import { inProcessAddress } from '../replay/target.ts'
import type { CallStep } from '../scenario/format/step.ts'
import type { Scenario } from '../scenario/load/load-scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import type { WrittenAnswer, WrittenTimeline } from '../scenario/written.ts'
import type { JobCourse, JobState } from './explanation.ts'
import { type ProbeContext, type Probed, probe } from './probe.ts'
import { isFields } from './say.ts'
import { existing } from './usual-calls.ts'

/** How often a number that moves is looked at on its way. */
const looks = 80

interface Looking {
  readonly kind: string
  readonly seenBy: string
  readonly moving: readonly string[]
  call(resource: Resource): NonNullable<CallStep['with']>
  /** What a reply shows, by the words of scenario files. */
  fields(body: Readonly<Record<string, unknown>>): Record<string, unknown>
}

const jobWords = ['waiting', 'running', 'succeeded', 'failed']

const lookings: Readonly<Record<string, Looking>> = {
  imageJobs: {
    kind: 'imageJob',
    seenBy: 'imageJobs.retrieve',
    moving: [],
    call: ({ id }) => ({ jobId: id }),
    fields: ({ id: _, status, ...rest }) => ({ status: jobWords[status as number] ?? status, ...rest }),
  },
  videos: {
    kind: 'video',
    seenBy: 'videos.retrieve',
    moving: ['progress'],
    call: ({ id }) => ({ video_id: id }),
    fields: ({ id: _, object: __, ...rest }) => rest,
  },
  operations: {
    kind: 'operation',
    seenBy: 'operations.retrieve',
    moving: ['progressPercent'],
    call: ({ id, facts }) => {
      const { project, location, publisher, model } = facts as {
        readonly project: string
        readonly location: string
        readonly publisher: string
        readonly model: string
      }
      return { project_id: project, location, publisher, model, operation_id: id }
    },
    fields({ name: _, metadata, ...rest }) {
      const { state, progressPercent } = isFields(metadata) ? metadata : {}
      return { status: state, progressPercent, ...rest }
    },
  },
}

/** The course of what a call of `operation` makes under this answer; undefined when it makes nothing. */
export async function jobCourse(
  answer: WrittenAnswer,
  operation: string,
  context: ProbeContext,
): Promise<JobCourse | undefined> {
  const looking = lookings[operation.split('.')[0] as string]
  if (looking === undefined) return undefined
  // Waiting would let time pass before the first look.
  const { delay: _, ...prompt } = answer
  const probed = await probe(prompt, operation, context)
  if (probed === undefined) return undefined
  const { exchange, simulator } = probed
  const { store } = simulator.core.sessions.get('default').world
  const before = new Set<string>([...existing.imageJobs, ...existing.videos].map(({ id }) => id))
  const made = store.list(looking.kind).find(({ id }) => !before.has(id))
  if (made === undefined) return undefined
  const course = await follow(made, telling(looking, answer.timeline), probed)
  await simulator.close()
  return {
    madeBy: { operation, answered: exchange.reply?.status ?? 'broken' },
    seenBy: looking.seenBy,
    ...course,
  }
}

/** The courses of what exists at the beginning, where it has a timeline of its own. */
export async function givenCourses({
  written,
  directory,
}: Pick<Scenario, 'written' | 'directory'>): Promise<
  { readonly name: string; readonly course: JobCourse }[]
> {
  const { files: _, ...given } = written.given ?? {}
  const found: { name: string; course: JobCourse }[] = []
  for (const [kind, looking] of Object.entries(lookings)) {
    for (const fields of given[kind] ?? []) {
      if (fields['timeline'] === undefined) continue
      // Each alone: time only goes on.
      const simulator = createSimulator({
        clock: 'manual',
        scenarios: [
          { title: 'One of what is given', given: { [kind]: [fields] } } as unknown as ScenarioInput,
        ],
        onWarning: () => {},
      })
      const parts = requestParts({
        base: inProcessAddress,
        routes: simulator.routes,
        directory: directory ?? '.',
        firstKey: defaultKey,
        render: simulator.core.media.render,
      })
      const [made] = simulator.core.sessions.get('default').world.store.list(looking.kind)
      if (made !== undefined)
        found.push({
          name: `${kind} ${made.id}`,
          course: {
            madeBy: 'given',
            seenBy: looking.seenBy,
            ...(await follow(made, telling(looking, fields['timeline'] as WrittenTimeline), {
              simulator,
              parts,
            })),
          },
        })
      await simulator.close()
    }
  }
  return found
}

async function follow(
  made: Resource,
  looking: Looking,
  { simulator, parts }: Pick<Probed, 'simulator' | 'parts'>,
): Promise<Pick<JobCourse, 'states' | 'moving'>> {
  const ramps = made.timeline.flatMap(({ at, ramps = {} }) =>
    Object.values(ramps).map(({ over }) => ({ at, end: at + over })),
  )
  // What was made before the beginning is seen from the beginning on.
  const age = Math.max(0, simulator.clock.now() - made.bornAt)
  const all = new Set([age, ...made.timeline.map(({ at }) => at), ...ramps.map(({ end }) => end)])
  const instants = new Set([...all].filter((at) => at >= age))
  const between = ramps.flatMap(({ at, end }) =>
    Array.from({ length: looks }, (_, index) =>
      Math.round(at + ((end - at) * (index + 1)) / (looks + 1)),
    ).filter((instant) => instant >= age),
  )
  const states: JobState[] = []
  const seen = new Map<string, { at: number; value: number }[]>()
  const key = made.owner
  const request = await callRequest({ call: looking.seenBy, with: looking.call(made), key }, parts)
  for (const at of [...new Set([...instants, ...between])].sort((a, b) => a - b)) {
    const wait = made.bornAt + at - simulator.clock.now()
    if (wait > 0) simulator.clock.advance(wait)
    const reply = await simulator.fetch(request.url, request.init)
    const body: unknown = await reply.json()
    const gone = reply.status === 404
    const fields = gone || !isFields(body) ? {} : looking.fields(body)
    for (const field of looking.moving) {
      const value = fields[field]
      if (typeof value === 'number') seen.set(field, [...(seen.get(field) ?? []), { at: at - age, value }])
    }
    if (instants.has(at)) states.push({ at: at - age, gone, fields: fixed(fields, looking.moving) })
  }
  return {
    states: changesOf(states, seen),
    moving: [...seen].map(([field, values]) => ({ field, seen: values })),
  }
}

/** Fields that follow from the instant alone; they are only told of when a script says something of them. */
const plain = [
  'created_at',
  'completed_at',
  'expires_at',
  'seed',
  'text',
  'response',
  'done',
  'audits',
  'cost',
]

function telling(looking: Looking, timeline: WrittenTimeline = []): Looking {
  const written = new Set(timeline.flatMap((entry) => [...Object.keys(entry), ...(entry.unset ?? [])]))
  return { ...looking, fields: (body) => without(looking.fields(body), written) }
}

function without(fields: Record<string, unknown>, written: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !plain.includes(name) || written.has(name)),
  )
}

function fixed(fields: Record<string, unknown>, moving: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== undefined && !(moving.includes(name) && typeof value === 'number'),
    ),
  )
}

// Where nothing is new, nothing is told; the ends of ramps stay.
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
      JSON.stringify([before.gone, before.fields]) !== JSON.stringify([state.gone, state.fields]) ||
      numbers(before.at) !== numbers(state.at)
    )
  })
}
