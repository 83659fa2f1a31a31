/** What a rule answers as a plan: the one place where the words of scenario files get their meaning. */

import type { Random } from '../../engine/random.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import { heldFile } from '../../protocol/held-file.ts'
import type { Operation } from '../../protocol/operations.ts'
import type { Plan, PlannedJob, PlannedReply } from '../../protocol/plan.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import type { Script } from '../../protocol/script.ts'
import type { RuleFacts } from '../facts.ts'
import { faultNamed } from '../faults/all.ts'
import type { AnswerSpec, DelaySpec, JobSpec } from '../format/then.ts'
import { fillTemplates, hasTemplates } from '../templates.ts'
import { refusalOf } from './error.ts'
import { compileFaults } from './fault.ts'
import { framesOf, paceOf, scriptOf } from './stream.ts'
import { timelineOf } from './timeline.ts'

/** Makes the plan of a call that a rule answers. */
export type MakePlan = (facts: RuleFacts) => Plan

export type ReplySpec = NonNullable<AnswerSpec['reply']>

/** The bytes of a reply that has some of its own. Throws for a file that cannot be read. */
export type HoldReply = (reply: ReplySpec) => HeldBytes | undefined

/**
 * An answer, ready to be used many times: what does not depend on the call is worked out once for each
 * operation.
 */
export function compileAnswer(answer: AnswerSpec, rule: string, hold: HoldReply): MakePlan {
  const { delay, fault, ...still } = answer
  const bytes = answer.reply === undefined ? undefined : hold(answer.reply)
  const templated = hasTemplates(still)
  const made = new Map<string, Plan>()
  const planOf = (facts: RuleFacts): Plan => {
    if (templated) return stillPlan(fillTemplates(still, facts), rule, facts.route, bytes)
    const known = made.get(facts.operation)
    if (known !== undefined) return known
    const plan = stillPlan(still, rule, facts.route, bytes)
    made.set(facts.operation, plan)
    return plan
  }
  if (delay === undefined && fault === undefined) return planOf
  const faults = fault === undefined ? undefined : compileFaults(fault)
  return (facts) => {
    const random = facts.identity.fork(`rule ${rule}`)
    const waiting = delay === undefined ? {} : { delay: drawDelay(delay, random.fork('delay')) }
    const met = faults?.(random) ?? []
    return withFaults({ ...planOf(facts), ...waiting }, met, facts.route)
  }
}

function withFaults(plan: Plan, met: readonly PlannedFault[], operation: Operation): Plan {
  let planned = plan
  const later = met.filter(({ kind, options }) => {
    const fault = faultNamed(kind)
    if (fault?.plan !== undefined) planned = merged(planned, fault.plan(options, operation))
    return (fault?.events ?? fault?.wire) !== undefined
  })
  return later.length === 0 ? planned : { ...planned, faults: [...(planned.faults ?? []), ...later] }
}

// What a fault plans stands beside what the rule says; of one thing, the fault has the last word.
function merged(plan: Plan, more: Plan): Plan {
  return {
    ...plan,
    ...more,
    ...(plan.job === undefined && more.job === undefined ? {} : { job: { ...plan.job, ...more.job } }),
    ...(plan.answer === undefined && more.answer === undefined
      ? {}
      : { answer: { ...plan.answer, ...more.answer } }),
    ...(plan.upload === undefined && more.upload === undefined
      ? {}
      : { upload: { ...plan.upload, ...more.upload } }),
    ...(plan.headers === undefined && more.headers === undefined
      ? {}
      : { headers: { ...plan.headers, ...more.headers } }),
    ...(plan.faults === undefined && more.faults === undefined
      ? {}
      : { faults: [...(plan.faults ?? []), ...(more.faults ?? [])] }),
  }
}

function stillPlan(
  answer: Omit<AnswerSpec, 'delay' | 'fault'>,
  rule: string,
  { endpoint }: Operation,
  bytes: HeldBytes | undefined,
): Plan {
  const kind = endpoint.submits
  const timeline =
    answer.timeline === undefined || kind === undefined ? undefined : timelineOf(answer.timeline, kind)
  const job: PlannedJob = {
    ...(answer.job === undefined ? {} : jobOf(answer.job)),
    ...(timeline === undefined ? {} : { timeline }),
  }
  const refuse =
    answer.error === undefined
      ? undefined
      : {
          ...refusalOf(answer.error, rule, endpoint),
          ...(answer.job === 'continues' || Object.keys(job).length > 0 ? { jobContinues: true } : {}),
        }
  const scripts = scriptsOf(answer)
  const pace = answer.stream === undefined ? undefined : paceOf(answer.stream)
  const patched = answer.patch !== undefined || answer.unset !== undefined
  const headers =
    answer.headers === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [
            name.toLowerCase(),
            value === null ? null : String(value),
          ]),
        )
  const { upstream } = answer
  return {
    ...(refuse === undefined ? {} : { refuse }),
    ...(Object.keys(job).length === 0 ? {} : { job }),
    ...(scripts[0] === undefined ? {} : { script: scripts[0] }),
    ...(scripts.length < 2 ? {} : { choices: scripts }),
    ...(answer.stream?.frames === undefined ? {} : { frames: framesOf(answer.stream.frames) }),
    ...(pace === undefined ? {} : { pace }),
    ...(answer.reply === undefined ? {} : { reply: replyOf(answer.reply, bytes) }),
    ...(patched ? { patch: { merge: answer.patch ?? {}, unset: answer.unset ?? [] } } : {}),
    ...(headers === undefined ? {} : { headers }),
    ...(upstream?.status === undefined ? {} : { upstream: { status: upstream.status } }),
    ...(upstream?.usage === undefined ? {} : { upstream: { usage: upstream.usage } }),
    ...(upstream?.fields === undefined ? {} : { upstream: { fields: upstream.fields } }),
    ...(answer.offContract === true ? { offContract: true } : {}),
  }
}

/** What is said: by one answer to every choice, or by each its own. */
function scriptsOf({ text, choices, stream }: Omit<AnswerSpec, 'delay' | 'fault'>): readonly Script[] {
  if (stream?.script !== undefined) return [scriptOf(stream.script)]
  if (text !== undefined) return [scriptOf([{ text }])]
  return (choices ?? []).map((choice) =>
    scriptOf([
      ...(choice.script ?? [{ text: choice.text ?? '' }]),
      ...(choice.finish === undefined ? [] : [{ finish: choice.finish }]),
    ]),
  )
}

function jobOf(job: JobSpec): PlannedJob {
  if (job === 'continues') return {}
  if (job === 'stuck') return { stuck: true }
  if (job === 'at-once') return { atOnce: true }
  const { failAt, code, message, vanishAt, regressAt, blocked } = job
  const failure =
    code === undefined && message === undefined
      ? undefined
      : { code: code ?? 'failed', message: message ?? code ?? 'failed' }
  return {
    ...(failAt === undefined ? {} : { failAt }),
    ...(failure === undefined ? {} : { failure }),
    ...(vanishAt === undefined ? {} : { vanishAt }),
    ...(regressAt === undefined ? {} : { regressAt }),
    ...(blocked === undefined ? {} : { blocked }),
  }
}

function replyOf(
  { status = 200, body, text, type, file }: ReplySpec,
  bytes: HeldBytes | undefined,
): PlannedReply {
  const headers = type === undefined ? {} : { 'content-type': type }
  if (bytes !== undefined) {
    const { body: held } = heldFile(bytes, file ?? '', type)
    // Ranges are for what is found.
    return status === 200
      ? { status, headers, body: held }
      : { status, headers: { 'content-type': held.type }, body: { ...held, asIs: true } }
  }
  if (text !== undefined) return { status, headers, body: { kind: 'text', text } }
  return { status, headers: {}, body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body } }
}

const maxDelay = 24 * 3_600_000

/** Milliseconds, whole. */
function drawDelay(delay: DelaySpec, random: Random): number {
  if (typeof delay !== 'object') return delay
  if ('from' in delay) return random.integer(delay.from, delay.to)
  // Box and Muller; the first draw must not be zero.
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.min(Math.round(delay.median * Math.exp(delay.sigma * normal)), delay.max ?? maxDelay)
}
