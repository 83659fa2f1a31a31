/** Runs a rule's response in a private simulator, and records what a client really gets over time. */
import { isFields, jsonIn } from '../engine/fields.ts'
import type { Resource } from '../engine/resource.ts'
import { createSimulator, type Simulator } from '../index.ts'
import type { SampleNeeds } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { readEvent } from '../protocol/read-stream.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { callRequest, type Exchange, type ReceivedEvent, type RequestParts } from '../replay/build-request.ts'
import { inProcess, inProcessUrl } from '../replay/pacer.ts'
import { requestParts } from '../replay/request-parts.ts'
import { runStory } from '../replay/run-story.ts'
import { scriptsOf } from '../scenario/compile/select.ts'
import { faultsOf } from '../scenario/faults/all.ts'
import type { TimelineSpec } from '../scenario/format/given.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { StreamEnd } from '../scenario/format/steps.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import { counted } from '../text/printable.ts'
import { formatValue } from './yaml.ts'

/** The scenario around a response. */
export interface ProbeContext {
  readonly seed: string | undefined
  readonly flags: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
}

/** What a client sees over virtual time: of a job that it polls, or of a stream. */
export interface Track {
  /** The operation of the stream, or the one that polls the job. */
  readonly operation: string
  /** The call that created the job or the stream, with its HTTP status; undefined for a given job. */
  readonly call?: { readonly operation: string; readonly status: number | 'broken' }
  readonly lanes: readonly TrackLane[]
  /** When the state of a job changes, since its submission (or the start). Empty for a stream. */
  readonly changes: readonly number[]
  /** How a stream ends, and when; a hanging client waits from then on. */
  readonly end?: { readonly at: number; readonly how: StreamEnd | 'hang' }
}

/** A field of a job, a number of it that moves, or a kind of event of a stream. */
export interface TrackLane {
  readonly name: string
  readonly shows: 'values' | 'numbers' | 'events'
  /** In order of time. A value stays until the next one. */
  readonly points: readonly Point[]
}

export interface Point {
  readonly at: number
  /** A value, or the content of an event: a chunk of text or arguments, a name, the finish reason. */
  readonly text: string
  /** The place of an event among all events of its stream. */
  readonly order?: number
  /** Whether it is a comment rather than an event. */
  readonly isComment?: boolean
}

/** A simulator with a manual clock, and the tools that build requests to it. */
interface Probe {
  readonly simulator: Simulator
  readonly parts: RequestParts
}

function openProbe(scenario: Scenario, { groups }: Vocabulary, directory = '.'): Probe {
  const simulator = createSimulator({ clock: 'manual', scenarios: [scenario], onWarning: () => {} }, groups)
  const { reader, media } = simulator.core
  const { routes } = simulator
  const parts = { base: inProcessUrl, routes, reader, directory, firstKey: defaultKey, render: media.render }
  return { simulator, parts: requestParts(parts) }
}

/** Makes a sample call of an operation under a rule with this response; undefined if it has no sample. */
async function probe(
  { fault, ...answer }: AnswerSpec,
  operation: string,
  { seed, flags, vocabulary }: ProbeContext,
): Promise<(Probe & { readonly exchange: Exchange }) | undefined> {
  const call = sampleCall(answer, operation, vocabulary)
  if (call === undefined) return undefined
  // Faults with a `chance` are shown as if they happen.
  const certain = fault && faultsOf(fault).map(({ chance: _, ...options }) => options)
  const scenario = new Scenario('probe', {
    title: 'One answer',
    seed,
    flags: { ...flags },
    given: samplesOf(vocabulary) as NonNullable<ScenarioSpec['given']>,
    rules: [{ id: 'this-rule', when: { operation }, then: certain ? { ...answer, fault: certain } : answer }],
  })
  const { simulator, parts } = openProbe(scenario, vocabulary)
  const report = await runStory(
    { file: '', title: '', seed, steps: [{ call: operation, with: call }] },
    { target: inProcess(simulator), parts, match: simulator.core.match },
  )
  const exchange = report.steps[0]?.exchanges[0]
  return exchange === undefined ? undefined : { exchange, simulator, parts }
}

function samplesOf({ kinds }: Vocabulary): Readonly<Record<string, readonly { readonly id?: unknown }[]>> {
  return Object.fromEntries(kinds.map(({ name, sample }) => [name, sample === undefined ? [] : [sample]]))
}

function sampleCall(
  answer: AnswerSpec,
  operation: string,
  { endpoint: find }: Vocabulary,
): Readonly<Record<string, unknown>> | undefined {
  const endpoint = find(operation)
  const script = scriptsOf(answer).flatMap((one) => one.script)
  const calls = script.flatMap((item) =>
    'toolCall' in item ? [item.toolCall] : 'toolCalls' in item ? item.toolCalls : [],
  )
  const needs: SampleNeeds = {
    tools: [...new Set(calls.map(({ name }) => name))],
    partials: script.some((item) => 'partial' in item),
    usage: script.some((item) => 'usage' in item),
  }
  if (endpoint?.sampleCall !== undefined) return endpoint.sampleCall(needs)
  if (endpoint?.example === undefined) return undefined
  const { params, json } = endpoint.example
  return { ...params, ...json, ...(endpoint.event === undefined ? {} : { stream: true }) }
}

/** The job that a call of `operation` starts with this answer, if it starts one. */
export async function recordJob(
  { delay: _, ...answer }: AnswerSpec,
  operation: string,
  context: ProbeContext,
): Promise<Track | undefined> {
  const { vocabulary } = context
  const kind = vocabulary.endpoint(operation)?.submits
  // Without its delay: time would pass before the first poll.
  const probed = kind && (await probe(answer, operation, context))
  if (kind === undefined || probed === undefined) return undefined
  const { exchange, simulator } = probed
  const given = samplesOf(vocabulary)[kind.name] ?? []
  const made = resourcesOf(simulator, kind).find(({ id }) => !given.some((sample) => sample.id === id))
  const track = made && (await recordPolls(made, pollOf(kind, vocabulary, answer.timeline), probed))
  await simulator.close()
  return track && { call: { operation, status: exchange.response?.status ?? 'broken' }, ...track }
}

/** The given resources with their own timelines. */
export async function recordGivenJobs(
  { spec: { given = {} }, directory }: Pick<Scenario, 'spec' | 'directory'>,
  vocabulary: Vocabulary,
): Promise<{ readonly name: string; readonly track: Track }[]> {
  const found: { name: string; track: Track }[] = []
  for (const kind of vocabulary.kinds)
    for (const fields of given[kind.name] ?? []) {
      if (fields.timeline === undefined) continue
      // In a separate simulator, because time cannot go back.
      const scenario = new Scenario('given', { title: 'One given job', given: { [kind.name]: [fields] } })
      const opened = openProbe(scenario, vocabulary, directory)
      const [made] = resourcesOf(opened.simulator, kind)
      const poll = pollOf(kind, vocabulary, fields.timeline)
      if (made !== undefined)
        found.push({ name: `${kind.name} ${made.id}`, track: await recordPolls(made, poll, opened) })
      await opened.simulator.close()
    }
  return found
}

const resourcesOf = ({ core }: Simulator, { resource }: ScriptedKind): readonly Resource[] =>
  core.sessions.get('default').sandbox.store.list(resource)

/** How often a number that changes from one value to another is sampled. */
const samplesPerRamp = 80

/** Fields that are only shown if the timeline sets them. */
const omittedFields = new Set(
  'created_at completed_at expires_at seed text response done audits cost'.split(' '),
)

/** How a resource is polled, and what is shown of it. */
interface Poll {
  readonly kind: ScriptedKind
  readonly operation: string
  isShown(field: string): boolean
}

function pollOf(kind: ScriptedKind, { all }: Vocabulary, timeline: TimelineSpec = []): Poll {
  const found = all.find(({ endpoint }) => endpoint.polls?.kind === kind)
  if (found === undefined) throw new Error(`explain: no operation polls ${kind.name}`)
  const written = new Set(
    timeline.flatMap((entry) => [...Object.keys(entry), ...(entry.unset ?? []), ...(entry.reset ?? [])]),
  )
  return {
    kind,
    operation: found.endpoint.operation,
    isShown: (field) => !omittedFields.has(field) || written.has(field),
  }
}

async function recordPolls(
  made: Resource,
  { kind, operation, isShown }: Poll,
  { simulator, parts }: Probe,
): Promise<Track> {
  // `explain` chooses the polls of a drawing.
  made.onPoll = []
  // A resource that is older than the start is shown from the start.
  const age = Math.max(0, simulator.clock.now() - made.bornAt)
  const { changes, samples } = timesOf(made, age)
  const states: JobState[] = []
  const numbers = new Map<string, Point[]>()
  let before = ''
  const poll = { call: operation, with: kind.pollParams(made), key: made.owner }
  const request = await callRequest(poll, parts)
  for (const sample of samples) {
    const wait = made.bornAt + sample - simulator.clock.now()
    if (wait > 0) simulator.clock.advance(wait)
    const response = await simulator.fetch(request.url, request.init)
    const body: unknown = await response.json()
    const at = sample - age
    const notFound = response.status === 404
    const read = Object.entries(notFound || !isFields(body) ? {} : kind.readPoll(body))
    const shown = read.filter(([field, value]) => value !== undefined && isShown(field))
    const isNumber = ([field, value]: [string, unknown]): boolean =>
      kind.ramps.includes(field) && typeof value === 'number'
    for (const [field, value] of notFound
      ? [...numbers.keys()].map((name) => [name, ''] as const)
      : shown.filter(isNumber))
      numbers.set(field, [...(numbers.get(field) ?? []), { at, text: String(value) }])
    const seen = JSON.stringify([notFound, shown])
    if (!changes.has(sample) || seen === before) continue
    before = seen
    states.push({ at, notFound, fields: Object.fromEntries(shown.filter((entry) => !isNumber(entry))) })
  }
  return {
    operation,
    lanes: [
      ...fieldLanes(states),
      ...[...numbers].map(([name, points]): TrackLane => ({ name, shows: 'numbers', points })),
    ],
    changes: states.map(({ at }) => at),
  }
}

interface JobState {
  readonly at: number
  readonly notFound: boolean
  readonly fields: Readonly<Record<string, unknown>>
}

/** The status, and all fields that change. */
function fieldLanes(states: readonly JobState[]): TrackLane[] {
  const there = states.filter(({ notFound }) => !notFound)
  const names = new Set(['status', ...there.flatMap(({ fields }) => Object.keys(fields))])
  return [...names].flatMap((name): TrackLane[] => {
    const values = there.map(({ fields }) => fields[name])
    if (name !== 'status' && !isChanging(values)) return []
    const points = states.map((state) => ({ at: state.at, text: valueWords(name, state, values) }))
    return [{ name, shows: 'values', points }]
  })
}

const isChanging = (values: readonly unknown[]): boolean =>
  new Set(values.map((value) => JSON.stringify(value))).size > 1

/** Parts that are not worth showing. */
const followed: readonly string[] = ['jobId', 'costAt']

/** A value in words; of an object, the parts that change among all its `values`. */
function valueWords(name: string, { notFound, fields }: JobState, values: readonly unknown[]): string {
  if (notFound) return name === 'status' ? 'not found (404)' : ''
  const value = fields[name] ?? ''
  if (typeof value === 'string') return value
  if (name === 'urls' && Array.isArray(value)) return counted(value.length, 'url')
  if (!isFields(value)) return formatValue(value, 200)
  if (name === 'error')
    return [value['code'], value['message']].filter((part) => part !== undefined).join(': ')
  const changed = Object.keys(value).filter(
    (part) => !followed.includes(part) && isChanging(values.map((one) => isFields(one) && one[part])),
  )
  if (changed.length === 0) return formatValue(value, 200)
  return changed.map((part) => `${part} ${formatValue(value[part])}`).join(', ')
}

/** The ages at which a resource changes, and those at which it is polled, in order. */
function timesOf({ timeline }: Resource, from: number) {
  const changes = new Set([from])
  const samples = new Set([from])
  for (const { at, ramps = {} } of timeline) {
    changes.add(at)
    for (const { over } of Object.values(ramps)) {
      changes.add(at + over)
      for (let step = 1; step <= samplesPerRamp; step++)
        samples.add(Math.round(at + (over * step) / (samplesPerRamp + 1)))
    }
  }
  const later = [...changes, ...samples].filter((at) => at >= from)
  return { changes, samples: [...new Set(later)].sort((a, b) => a - b) }
}

/** In the order of the drawing. */
const eventLanes = 'start reasoning text refusal tool image ping raw error usage end'.split(' ')

/** The events of a stream, in the same terms for every API. */
export async function recordStream(
  answer: AnswerSpec,
  operation: string,
  context: ProbeContext,
): Promise<Track | undefined> {
  const probed = await probe(answer, operation, context)
  if (probed === undefined) return undefined
  const { exchange, simulator } = probed
  await simulator.close()
  const { response, broken, ended = 'no-end-marker' } = exchange
  const at = exchange.endedAt - exchange.at
  if (response === undefined) {
    const how = broken === 'hang' ? 'hang' : 'disconnected'
    return { operation, call: { operation, status: 'broken' }, lanes: [], changes: [], end: { at, how } }
  }
  if (response.events === undefined) return undefined
  const events = [
    ...response.events.map((event) => ({ at: event.elapsed, isComment: false, ...contentOf(event) })),
    ...response.comments.map(({ elapsed, text }) => {
      return { at: elapsed, isComment: true, lane: 'raw', text: `: ${text}` }
    }),
  ].sort((a, b) => a.at - b.at)
  const points = events.map(({ lane, ...event }, order) => ({ lane, point: { ...event, order } }))
  const lanes = eventLanes.map((name): TrackLane => {
    const own = points.filter(({ lane }) => lane === name)
    return { name, shows: 'events', points: own.map(({ point }) => point) }
  })
  // The timeout of the client on a stalled stream is not a property of the stream.
  const end = { at: ended === 'stalled' ? (events.at(-1)?.at ?? 0) : at, how: ended }
  const { status } = response
  return {
    operation,
    call: { operation, status },
    lanes: lanes.filter(({ points }) => points.length > 0),
    changes: [],
    end,
  }
}

/** Events of messages without content. */
const silent: readonly string[] = ['message_start', 'content_block_stop', 'message_delta']

function contentOf({ event, data }: ReceivedEvent): { readonly lane: string; readonly text: string } {
  const [lane, text = ''] = readContent(event, data)
  return { lane, text: typeof text === 'string' ? text : formatValue(text) }
}

function readContent(event: string | undefined, data: string): [lane: string, content?: unknown] {
  if (data === '[DONE]') return ['end', data]
  const value = jsonIn(data)
  if (!isFields(value)) return ['raw', data]
  const { error, calls, reasoning, refusal, text, finish, usage } = readEvent({ event, data })
  const isChat = Array.isArray(value['choices'])
  const { content_block: block, delta = {}, partial_image_index: step = 0 } = value
  if (isFields(error)) return ['error', String(error['message'] ?? error['type'] ?? '')]
  for (const [index, { name, input }] of calls) {
    // Chunks of several tool calls may be interleaved.
    const number = isChat && Number(index) > 0 ? `#${Number(index) + 1} ` : ''
    return ['tool', `${number}${name === '' ? '' : `${name} `}${input}`]
  }
  if (isFields(delta) && delta['partial_json'] !== undefined) return ['tool', delta['partial_json']]
  if (reasoning !== '') return ['reasoning', reasoning]
  if (refusal !== '') return ['refusal', refusal]
  if (text !== '') return ['text', text]
  if (finish !== undefined) return ['end', finish]
  if (isChat) return usage === undefined ? ['start'] : ['usage', usage]
  const type = String(value['type'] ?? event ?? '')
  if (type === '') return ['raw', data]
  if (type === 'ping') return ['ping']
  if (type === 'message_stop') return ['end', type]
  if (type.endsWith('.partial_image')) return ['image', `step ${Number(step) + 1}`]
  if (type.endsWith('.completed')) return ['image', 'finished']
  const kind = isFields(block) ? block['type'] : isFields(delta) ? delta['type'] : undefined
  return ['start', kind ?? (silent.includes(type) ? '' : type)]
}
