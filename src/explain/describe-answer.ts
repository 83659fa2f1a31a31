/** Describes what a call gets. What happens over time is drawn elsewhere. */
import { formatDuration } from '../engine/duration.ts'
import { refusals } from '../protocol/errors.ts'
import type { Operation } from '../protocol/operations.ts'
import { scriptsOf } from '../scenario/check/script.ts'
import { refusalOf } from '../scenario/compile/error.ts'
import { faultsOf, plannedFault } from '../scenario/compile/fault.ts'
import { faultNamed } from '../scenario/faults/all.ts'
import type { FaultSpec } from '../scenario/format/fault.ts'
import type { AnswerSpec, DelaySpec, JobSpec } from '../scenario/format/then.ts'
import { formatValue, joinWords, ordinal } from './phrases.ts'

/** Sentences without a subject; none for the default behaviour. */
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
    choices,
    stream,
    delay,
    upstream,
    fault,
    setState,
    offContract,
  } = answer
  const sentences: string[] = []
  if (delay !== undefined) sentences.push(`waits ${describeDelay(delay)}`)
  if (error !== undefined) {
    const {
      type,
      message,
      code,
      status = refusals[type].status,
      retryAfterMs,
      param,
      own = {},
    } = refusalOf(error, rule, operation?.endpoint)
    const more = [
      ...(code === undefined ? [] : [`code ${code}`]),
      ...(param === undefined ? [] : [`about ${param}`]),
      ...(own.details === undefined ? [] : [`details ${formatValue(own.details)}`]),
      ...(own.traceId === undefined ? [] : [`trace_id ${own.traceId}`]),
      ...(retryAfterMs === undefined ? [] : [`retry after ${formatDuration(retryAfterMs)}`]),
      ...(error.before === undefined
        ? []
        : [`before ${error.before === 'auth' ? 'the key is looked at' : 'the request is validated'}`]),
    ]
    const details = more.length === 0 ? '' : ` (${more.join(', ')})`
    const text = error.message === undefined ? '' : `, ${formatValue(message, 90)}`
    const goesOn =
      job === undefined && timeline === undefined ? '' : '; the job exists all the same and goes on'
    sentences.push(`is refused: ${status} ${own.type ?? type}${details}${text}${goesOn}`)
  }
  if (job !== undefined && job !== 'continues') sentences.push(describeJob(job))
  if (reply !== undefined)
    sentences.push(`gets ${reply.status ?? 200} ${describeBody(reply)}; the service does not act`)
  for (const [path, value] of Object.entries(patch ?? {}))
    sentences.push(`has ${path} replaced by ${formatValue(value)}`)
  if (unset !== undefined) sentences.push(`lacks ${joinWords(unset)}`)
  for (const [name, value] of Object.entries(headers ?? {}))
    sentences.push(value === null ? `gets no header ${name}` : `gets the header ${name}: ${value}`)
  if (text !== undefined) sentences.push(`gets the text ${formatValue(text, 90)}`)
  if (choices !== undefined) sentences.push(describeChoices(choices))
  if (stream !== undefined) sentences.push(describeStream(stream))
  for (const item of [...scriptsOf(answer).flatMap(({ script }) => script), ...(stream?.frames ?? [])])
    if (typeof item === 'object' && 'fault' in item)
      sentences.push(`where the script has it, ${describeFault(item.fault, operation)}`)
  if (upstream?.status !== undefined) sentences.push(`meets an upstream that refuses with ${upstream.status}`)
  if (upstream?.usage !== undefined) sentences.push(`meets an upstream whose usage is ${upstream.usage}`)
  if (upstream?.fields !== undefined)
    sentences.push(`gets further fields from upstream: ${formatValue(upstream.fields)}`)
  for (const one of faultsOf(fault)) sentences.push(describeFault(one, operation))
  for (const [name, value] of Object.entries(setState ?? {}))
    sentences.push(`sets the state ${name} to ${formatValue(value)}`)
  if (offContract === true) sentences.push('violates the contract on purpose')
  return sentences
}

/** Which calls of a rule get this one of several answers. */
export function sequenceLabel(
  index: number,
  count: number,
  end: 'last' | 'cycle' | 'pass' | undefined,
): string {
  const last = index === count - 1
  if (!last) return `${ordinal(index + 1)} call`
  if (end === 'cycle') return `${ordinal(index + 1)} call, then again from the 1st`
  return end === 'pass'
    ? `${ordinal(index + 1)} call, then the rule is used up`
    : `${ordinal(index + 1)} call and all later ones`
}

export function chanceLabel(weight: number, total: number): string {
  const percent = (weight / total) * 100
  return `${percent >= 1 ? Math.round(percent) : Number(percent.toPrecision(1))} % of the calls`
}

function describeBody({ text, body, file, base64 }: NonNullable<AnswerSpec['reply']>): string {
  if (file !== undefined) return `with the file ${file}`
  if (base64 !== undefined) return `with ${Math.floor((base64.replaceAll('=', '').length * 3) / 4)} bytes`
  if (text !== undefined) return `with the text ${formatValue(text)}`
  return body === undefined ? 'without a body' : `with ${formatValue(body, 90)}`
}

function describeDelay(delay: DelaySpec): string {
  const time = formatDuration
  if (typeof delay !== 'object') return `${time(delay)} for its first byte`
  if ('from' in delay) return `${time(delay.from)} to ${time(delay.to)} for its first byte`
  const limit = delay.max === undefined ? '' : `, at most ${time(delay.max)}`
  return `about ${time(delay.median)} for its first byte (lognormal, sigma ${delay.sigma}${limit})`
}

function describeJob(job: Exclude<JobSpec, 'continues'>): string {
  if (job === 'stuck') return 'starts a job that never ends'
  if (job === 'at-once') return 'starts a job that is finished at once'
  const { failAt, code, message, vanishAt, regressAt, blocked } = job
  const failure = [
    ...(code === undefined ? [] : [`the code ${code}`]),
    ...(message === undefined ? [] : [`the message ${formatValue(message)}`]),
  ]
  const fails = [
    failAt === undefined ? 'fails' : `fails at ${failAt} % of its duration`,
    ...(failure.length === 0 ? [] : [`with ${joinWords(failure)}`]),
  ].join(' ')
  const parts = [
    ...(regressAt === undefined ? [] : [`falls back to its start at ${regressAt} % and goes on from there`]),
    ...(failAt === undefined && failure.length === 0 ? [] : [fails]),
    ...(vanishAt === undefined ? [] : [`is unknown (404) from ${vanishAt} % on`]),
    ...(blocked === undefined
      ? []
      : [`has ${joinWords(blocked.map((at) => `image ${at + 1}`))} blocked by the audit`]),
  ]
  return parts.length === 0 ? 'starts a job as usual' : `starts a job that ${parts.join('; that ')}`
}

function describeChoices(choices: NonNullable<AnswerSpec['choices']>): string {
  const said = choices.map(({ text, finish }) =>
    [text === undefined ? 'a script' : formatValue(text, 40), ...(finish === undefined ? [] : [finish])].join(
      ', ',
    ),
  )
  return `gets a choice each of ${joinWords(said)}`
}

function describeStream({
  firstAfter,
  every,
  tokensPerSecond,
  jitter,
  script,
  frames,
}: NonNullable<AnswerSpec['stream']>): string {
  const pace = [
    ...(firstAfter === undefined ? [] : [`its first event after ${formatDuration(firstAfter)}`]),
    ...(every === undefined ? [] : [`one every ${formatDuration(every)}`]),
    ...(tokensPerSecond === undefined ? [] : [`${tokensPerSecond} tokens a second`]),
    ...(jitter === undefined ? [] : [`give or take ${formatDuration(jitter)}`]),
  ]
  const answer =
    frames !== undefined
      ? `gets a stream by hand of ${frames.length} frames`
      : script === undefined
        ? 'gets the default answer'
        : 'gets the scripted stream'
  return [answer, ...pace].join(', ')
}

function describeFault(spec: FaultSpec, operation: Operation | undefined): string {
  const { kind, options } = plannedFault(spec)
  const fault = faultNamed(kind)
  const defaults: Readonly<Record<string, unknown>> = fault?.options().parse({}) ?? {}
  const given = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== defaults[name]),
  )
  const shownOptions = Object.keys(given).length === 0 ? '' : ` ${formatValue(given)}`
  const chance = spec.chance === undefined ? '' : `, in ${Math.round(spec.chance * 100)} % of the calls`
  const seen = operation === undefined ? undefined : fault?.seen?.(options, operation)
  return `gets the fault ${kind}${shownOptions}${chance}: ${lowerFirst(seen ?? fault?.what ?? '')}`
}

function lowerFirst(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`
}
