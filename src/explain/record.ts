/** Runs a rule's response in a private simulator, and records what a client really gets over time. */
import { type Fields, isFields, jsonIn } from '../engine/fields.ts'
import type { Resource } from '../engine/resource.ts'
import { createSimulator } from '../index.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { readEvent, type StreamEvent } from '../protocol/read-stream.ts'
import { callRequest } from '../run/build-request.ts'
import { requestParts } from '../run/request-parts.ts'
import { runStory } from '../run/run-steps.ts'
import { inProcess, inProcessUrl } from '../run/target.ts'
import { scriptsOf, toolsCalled } from '../scenario/compile/select.ts'
import { faultsOf } from '../scenario/faults/all.ts'
import type { TimelineSpec } from '../scenario/format/given.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { StreamEnd } from '../scenario/format/steps.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'
import { counted } from '../text/printable.ts'

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
  /** The call that created the job or the stream, with its HTTP status. */
  readonly call: { readonly operation: string; readonly status: number | 'broken' }
  readonly lanes: readonly TrackLane[]
  /** When the state of a job changes, since its submission. Empty for a stream. */
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
}

/** Makes a sample call of an operation under a rule with this response; undefined if it has no sample. */
async function probe(
  { fault, ...answer }: AnswerSpec,
  operation: string,
  { seed, flags, vocabulary }: ProbeContext,
) {
  const call = sampleCall(answer, vocabulary.endpoint(operation))
  if (call === undefined) return undefined
  const samples = vocabulary.kinds.flatMap(({ name, sample }) => (sample ? [[name, [sample]]] : []))
  // Faults with a `chance` are shown as if they happen.
  const certain = fault && faultsOf(fault).map(({ chance: _, ...options }) => options)
  const scenario = new Scenario('probe', {
    title: 'One answer',
    seed,
    flags: { ...flags },
    given: Object.fromEntries(samples) as NonNullable<ScenarioSpec['given']>,
    rules: [{ id: 'this-rule', when: { operation }, then: certain ? { ...answer, fault: certain } : answer }],
  })
  const simulator = createSimulator({ clock: 'manual', scenarios: [scenario], onWarning: () => {} })
  const parts = requestParts(simulator, { base: inProcessUrl, directory: '.', firstKey: defaultKey })
  const report = await runStory(
    { file: '', title: '', seed, steps: [{ call: operation, with: call }] },
    { target: inProcess(simulator), parts },
  )
  const exchange = report.steps[0]?.exchanges[0]
  return exchange && { exchange, simulator, parts }
}

function sampleCall(answer: AnswerSpec, endpoint: Endpoint | undefined): Fields | undefined {
  const script = scriptsOf(answer).flatMap((one) => one.script)
  const needs = {
    tools: toolsCalled(answer),
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
  const kind = context.vocabulary.endpoint(operation)?.job?.submits
  const poll = context.vocabulary.all.find(({ endpoint }) => endpoint.job?.polls?.kind === kind)?.endpoint
    .operation
  // Without its delay: time would pass before the first poll.
  const probed = kind && (await probe(answer, operation, context))
  if (kind === undefined || poll === undefined || probed === undefined) return undefined
  const { exchange, simulator, parts } = probed
  const resources: readonly Resource[] = simulator.core.sessions
    .get('default')
    .sandbox.store.list(kind.resource)
  const made = resources.find(({ id }) => id !== kind.sample?.['id'])
  if (made === undefined) return undefined
  // `explain` chooses the polls of a drawing.
  made.onPoll = []
  const request = await callRequest({ call: poll, with: kind.pollParams(made), key: made.owner }, parts)
  const ends = made.timeline.flatMap(({ at, ramps = {} }) =>
    [0, ...Object.values(ramps).map(({ over }) => over)].map((over) => at + over),
  )
  const changes = [...new Set([0, ...ends])].sort((a, b) => a - b)
  const states = new Map<number, Fields | undefined>()
  for (const at of samplesBetween(changes)) {
    simulator.clock.advance(Math.max(0, made.bornAt + at - simulator.clock.now()))
    const response = await simulator.fetch(request.url, { ...request.init, body: request.init.body ?? null })
    const body: unknown = await response.json()
    states.set(at, response.status !== 404 && isFields(body) ? kind.readPoll(body) : undefined)
  }
  await simulator.close()
  const lanes = lanesOf(states, kind.ramps, answer.timeline ?? [])
  const seen = new Set(lanes.flatMap(({ points }) => points.map(({ at }) => at)))
  return {
    operation: poll,
    call: { operation, status: exchange.response?.status ?? 'broken' },
    lanes,
    changes: changes.filter((at) => seen.has(at)),
  }
}

/** Enough times for numbers that move between two changes. */
function samplesBetween(changes: readonly number[]): number[] {
  return changes.flatMap((at, index) => {
    const duration = (changes[index + 1] ?? at) - at
    return Array.from({ length: 80 }, (_, step) => at + Math.round((duration * step) / 80))
  })
}

/** The status, and those fields that change and that people follow or the timeline sets. */
function lanesOf(
  states: ReadonlyMap<number, Fields | undefined>,
  ramps: readonly string[],
  timeline: TimelineSpec,
): TrackLane[] {
  const names = ['status', 'error', 'urls', 'comment', ...timeline.flatMap(Object.keys), ...ramps]
  return [...new Set(names)].flatMap((name): TrackLane[] => {
    const all = [...states].map(([at, fields]) => ({ at, text: valueWords(name, fields) }))
    const points = all.filter(({ text }, index) => text !== all[index - 1]?.text)
    const shows = ramps.includes(name) ? 'numbers' : 'values'
    return name === 'status' || points.length > 1 ? [{ name, shows, points }] : []
  })
}

function valueWords(name: string, fields: Fields | undefined): string {
  if (fields === undefined) return name === 'status' ? 'not found (404)' : ''
  const value = fields[name] ?? ''
  if (typeof value === 'string') return value
  if (name === 'urls' && Array.isArray(value)) return counted(value.length, 'url')
  if (!isFields(value)) return JSON.stringify(value)
  const { jobId: _, costAt: __, ...shown } = value
  if (name !== 'error') return JSON.stringify(shown)
  return [value['code'], value['message']].filter((part) => part !== undefined).join(': ')
}

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
  const { response, broken, comments, streamEnd = 'no-end-marker' } = exchange
  const { events = [], status = 'broken' } = response ?? {}
  if (response !== undefined && response.events === undefined) return undefined
  const points = [
    ...events.map((event) => ({ at: event.at, content: readContent(event) })),
    ...comments.map(({ at, text }) => ({ at, content: ['comment', text] as const })),
  ].sort((a, b) => a.at - b.at)
  const names = new Set(points.map(({ content: [lane] }) => lane))
  const lanes = [...names].map((name): TrackLane => {
    const own = points.flatMap(({ at, content: [lane, text = ''] }) => (lane === name ? [{ at, text }] : []))
    return { name, shows: 'events', points: own }
  })
  const lost = broken === 'hang' ? 'hang' : 'disconnected'
  const how = response === undefined ? lost : streamEnd
  // The timeout of the client on a stalled stream is not a property of the stream.
  const at = how === 'stalled' ? (points.at(-1)?.at ?? 0) : exchange.endedAfter
  return { operation, call: { operation, status }, lanes, changes: [], end: { at, how } }
}

function readContent({ event, data }: StreamEvent): readonly [lane: string, text?: string] {
  if (data === '[DONE]') return ['end', data]
  const value = jsonIn(data)
  if (!isFields(value)) return ['raw', data]
  const { error, calls, reasoning, refusal, text, finish, usage } = readEvent({ event, data })
  const isChat = Array.isArray(value['choices'])
  if (isFields(error)) return ['error', String(error['message'] ?? error['type'] ?? '')]
  for (const [index, { name, input }] of calls) {
    // Chunks of several tool calls may be interleaved.
    const number = isChat && Number(index) > 0 ? `#${Number(index) + 1} ` : ''
    return ['tool', `${number}${name === '' ? '' : `${name} `}${input}`]
  }
  const { delta } = value
  if (isFields(delta) && 'partial_json' in delta) return ['tool', String(delta['partial_json'])]
  for (const [lane, words] of Object.entries({ reasoning, refusal, text }))
    if (words !== '') return [lane, words]
  if (finish !== undefined) return ['end', finish]
  if (isChat) return usage === undefined ? ['start'] : ['usage']
  const type = String(value['type'] ?? event ?? '')
  if (type === 'ping') return ['ping']
  if (type === 'message_stop') return ['end', type]
  if (/\.(?:partial_image|completed)$/.test(type)) return ['image', type]
  return type === '' ? ['raw', data] : ['start']
}
