/** What comes of one reply: what it shows, what it teaches, or why it is not judged. */
import type { Learned } from '../protocol/probe.ts'
import { type Seen, type Shown, shownExchange } from './findings.ts'
import { type Answered, isExpected } from './judge-probe.ts'
import type { Attempt } from './patience.ts'
import { at, type Resolver } from './placeholders.ts'
import type { Run } from './run.ts'
import type { ProbeReply, SentRequest } from './send-probe.ts'
import { namesModel, type PlannedProbe } from './suite.ts'

/** What came of one probe. */
export interface Outcome {
  readonly planned: PlannedProbe
  /** Why it was not judged, or not to the end. */
  readonly skipped: string | undefined
  readonly deviations: readonly Seen[]
  readonly learned: Learned
}

/** Judges one reply, and keeps it for later probes. */
export function single(
  planned: PlannedProbe,
  run: Run,
  request: SentRequest,
  { reply, earlier }: Attempt,
  resolver: Resolver,
): Outcome {
  const { probe } = planned
  const answered = { planned, request, reply }
  // What a gateway says while it is busy has the form of a refusal, too.
  const before = earlier.flatMap((one) => judgedForm(run, { ...answered, reply: one }))
  const unjudged = notJudged(planned, run, reply)
  if (unjudged !== undefined) {
    run.keep(planned, reply, false, unjudged)
    return {
      planned,
      skipped: unjudged,
      deviations: [...before, ...judgedForm(run, answered)],
      learned: isLetRefuse(planned, reply.status) ? learn(planned, run, reply, 0) : [],
    }
  }
  if (usesKey(planned)) run.hasUsedKey = true
  const isFine = isExpected(planned, reply.status) && reply.status < 400
  run.keep(planned, reply, isFine, isFine ? undefined : `it needs ${probe.name}, which was refused`)
  return {
    planned,
    skipped: undefined,
    deviations: [...before, ...run.judge.judge(answered, resolver).map(withExchange(answered))],
    learned: learn(planned, run, reply, 0),
  }
}

/** Whether a probe carries the key. */
const usesKey = ({ probe: { request } }: PlannedProbe): boolean =>
  request.key !== false && request.to === undefined

export const withExchange =
  (answered: Answered) =>
  (deviation: Shown): Seen => ({
    ...deviation,
    probe: answered.planned.probe.name,
    exchange: shownExchange(answered),
  })

function judgedForm(run: Run, answered: Answered): Seen[] {
  // What stands before the gateway answers 502 to 504 in words of its own.
  if ([502, 503, 504].includes(answered.reply.status)) return []
  return run.judge.form(answered).map(withExchange(answered))
}

export function learn(planned: PlannedProbe, run: Run, reply: ProbeReply, took: number): Learned {
  const { probe, models: group } = planned
  const model = namesModel(probe.request) ? run.models.of(group).id : undefined
  const models = run.models.known(group)
  const { status, json: body, pace } = reply
  return probe.learn?.({ status, body, model, models, pace, took }) ?? []
}

/** Why a reply says nothing about the probe. */
function notJudged(planned: PlannedProbe, run: Run, reply: ProbeReply): string | undefined {
  const { probe, route, models } = planned
  const { status } = reply
  const said = at(reply.json, '/error/message')
  const words = typeof said === 'string' ? `: ${said.slice(0, 200)}` : ''
  if (status === 401 && usesKey(planned)) {
    run.refusedKeys.set(route.group.name, `401${words}`)
    return `the gateway refuses the key for ${route.group.name}: 401${words}`
  }
  if (isTransient(status)) return `the gateway was busy: ${status}${words}`
  if (isExpected(planned, status)) return undefined
  // 424 says so of what stands behind the gateway (contract 7).
  if ((status >= 500 || status === 424) && typeof probe.expect?.status !== 'string')
    return `the gateway failed: ${status}${words}`
  const broken = run.brokenGround(planned)
  if (broken !== undefined) return `it builds on ${broken}, which deviates`
  if (isLetRefuse(planned, status))
    return `${probe.mayRefuse?.because}; the gateway answers ${status}${words}`
  const model = namesModel(probe.request) ? run.models.of(models) : undefined
  if (model?.given !== false || (![403, 404].includes(status) && !/model/i.test(words))) return undefined
  return (
    `the gateway does not take the model ${model.id}: name one with --model ${models}=ID ` +
    `(${status}${words})`
  )
}

const isLetRefuse = ({ probe }: PlannedProbe, status: number): boolean =>
  probe.mayRefuse?.status.includes(status) === true

const isTransient = (status: number): boolean => [429, 502, 503, 504, 529].includes(status)
