/** What a call gets, in sentences. What unfolds over time is drawn elsewhere. */
import { formatDuration } from '../engine/duration.ts'
import { refusals } from '../protocol/errors.ts'
import type { Operation } from '../protocol/operations.ts'
import { refusalOf } from '../scenario/compile/error.ts'
import { faultsOf, plannedFault } from '../scenario/compile/fault.ts'
import { faultNamed } from '../scenario/faults/all.ts'
import type { FaultSpec } from '../scenario/format/fault.ts'
import type { AnswerSpec, DelaySpec, JobSpec } from '../scenario/format/then.ts'
import { joinWords, ordinal, formatValue } from './phrases.ts'

/** Sentences without a subject; none when nothing but the default behaviour is meant. */
export function describeAnswer(answer: AnswerSpec, rule: string, operation: Operation | undefined): string[] {
  const {
    error,
    job,
    timeline,
    reply,
    patch,
    unset,
    headers,
    text,
    stream,
    delay,
    upstream,
    fault,
    setState,
    offContract,
  } = answer
  const said: string[] = []
  if (delay !== undefined) said.push(`waits ${delayWords(delay)}`)
  if (error !== undefined) {
    const {
      type,
      message,
      code,
      status = refusals[type].status,
      retryAfterMs,
      param,
    } = refusalOf(error, rule, operation?.endpoint)
    const more = [
      ...(code === undefined ? [] : [`code ${code}`]),
      ...(param === undefined ? [] : [`about ${param}`]),
      ...(retryAfterMs === undefined ? [] : [`retry after ${formatDuration(retryAfterMs)}`]),
      ...(error.before === undefined
        ? []
        : [`before ${error.before === 'auth' ? 'the key is looked at' : 'the request is validated'}`]),
    ]
    said.push(
      `is refused: ${status} ${type}${more.length === 0 ? '' : ` (${more.join(', ')})`}${error.message === undefined ? '' : `, ${formatValue(message, 90)}`}${job === undefined && timeline === undefined ? '' : '; what it asked for exists all the same, and goes on'}`,
    )
  }
  if (job !== undefined && job !== 'continues') said.push(jobWords(job))
  if (reply !== undefined)
    said.push(
      `gets ${reply.status ?? 200} ${reply.text !== undefined ? `with the text ${formatValue(reply.text)}` : reply.body === undefined ? 'without a body' : `with ${formatValue(reply.body, 90)}`}; the service does not act`,
    )
  for (const [path, value] of Object.entries(patch ?? {}))
    said.push(`finds ${path} changed to ${formatValue(value)}`)
  if (unset !== undefined) said.push(`misses ${joinWords(unset)}`)
  for (const [name, value] of Object.entries(headers ?? {}))
    said.push(value === null ? `gets no header ${name}` : `gets the header ${name}: ${value}`)
  if (text !== undefined) said.push(`is told ${formatValue(text, 90)}`)
  if (stream !== undefined) said.push(streamWords(stream))
  for (const item of stream?.script ?? [])
    if ('fault' in item) said.push(`where the script says so, ${faultWords(item.fault, operation)}`)
  if (upstream?.status !== undefined) said.push(`meets an upstream that refuses with ${upstream.status}`)
  if (upstream?.usage !== undefined) said.push(`meets an upstream whose usage is ${upstream.usage}`)
  if (upstream?.fields !== undefined)
    said.push(`gets further fields from upstream: ${formatValue(upstream.fields)}`)
  for (const one of faultsOf(fault)) said.push(faultWords(one, operation))
  for (const [name, value] of Object.entries(setState ?? {}))
    said.push(`leaves the state ${name} at ${formatValue(value)}`)
  if (offContract === true) said.push('breaks the contract on purpose')
  return said
}

/** Which call of a rule gets which of several answers. */
export function sequenceLabel(
  index: number,
  count: number,
  end: 'last' | 'cycle' | 'pass' | undefined,
): string {
  const last = index === count - 1
  if (!last) return `${ordinal(index + 1)} call`
  if (end === 'cycle') return `${ordinal(index + 1)} call, then again from the 1st`
  return end === 'pass'
    ? `${ordinal(index + 1)} call, then this rule no more`
    : `${ordinal(index + 1)} call and all later ones`
}

export function chanceLabel(weight: number, total: number): string {
  const percent = (weight / total) * 100
  return `${percent >= 1 ? Math.round(percent) : Number(percent.toPrecision(1))} % of the calls`
}

function delayWords(delay: DelaySpec): string {
  const time = formatDuration
  if (typeof delay !== 'object') return `${time(delay)} for its first byte`
  if ('from' in delay) return `${time(delay.from)} to ${time(delay.to)} for its first byte`
  const most = delay.max === undefined ? '' : `, at most ${time(delay.max)}`
  return `about ${time(delay.median)} for its first byte (lognormal, sigma ${delay.sigma}${most})`
}

function jobWords(job: Exclude<JobSpec, 'continues'>): string {
  if (job === 'stuck') return 'makes something that never ends'
  if (job === 'at-once') return 'makes something that is finished at once'
  const { failAt, code, message, vanishAt, regressAt, blocked } = job
  const failure = [
    ...(code === undefined ? [] : [`the code ${code}`]),
    ...(message === undefined ? [] : [`the words ${formatValue(message)}`]),
  ]
  const fails = [
    failAt === undefined ? 'fails' : `fails when ${failAt} % of its time are over`,
    ...(failure.length === 0 ? [] : [`with ${joinWords(failure)}`]),
  ].join(' ')
  const parts = [
    ...(regressAt === undefined
      ? []
      : [`falls back to its beginning at ${regressAt} % and goes on from there`]),
    ...(failAt === undefined && failure.length === 0 ? [] : [fails]),
    ...(vanishAt === undefined ? [] : [`is unknown from ${vanishAt} % on`]),
    ...(blocked === undefined
      ? []
      : [
          `has its ${joinWords(blocked.map((at) => ordinal(at + 1)))} picture${blocked.length === 1 ? '' : 's'} blocked by the audit`,
        ]),
  ]
  return parts.length === 0 ? 'makes something as usual' : `makes something that ${parts.join('; that ')}`
}

function streamWords({
  firstAfter,
  every,
  tokensPerSecond,
  jitter,
  script,
}: NonNullable<AnswerSpec['stream']>): string {
  const pace = [
    ...(firstAfter === undefined ? [] : [`its first event after ${formatDuration(firstAfter)}`]),
    ...(every === undefined ? [] : [`one each ${formatDuration(every)}`]),
    ...(tokensPerSecond === undefined ? [] : [`${tokensPerSecond} tokens a second`]),
    ...(jitter === undefined ? [] : [`give or take ${formatDuration(jitter)}`]),
  ]
  return `${script === undefined ? 'is answered as usual' : 'is told what the script says'}${pace.length === 0 ? '' : `, ${pace.join(', ')}`}`
}

function faultWords(spec: FaultSpec, operation: Operation | undefined): string {
  const { kind, options } = plannedFault(spec)
  const fault = faultNamed(kind)
  const defaults: Readonly<Record<string, unknown>> = fault?.options().parse({}) ?? {}
  const given = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== defaults[name]),
  )
  const shownOptions = Object.keys(given).length === 0 ? '' : ` ${formatValue(given)}`
  const likely = spec.chance === undefined ? '' : `, in ${Math.round(spec.chance * 100)} % of the calls`
  const seen = operation === undefined ? undefined : fault?.seen?.(options, operation)
  return `meets the fault ${kind}${shownOptions}${likely}: ${lowered(seen ?? fault?.what ?? '')}`
}

function lowered(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`
}
