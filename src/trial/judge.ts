/** The verdict on a run, derived from its requests and from the end of the command. */
import { formatDuration } from '../engine/duration.ts'
import { isFields, jsonIn } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { Finding } from '../generated/control-types.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { readStream } from '../protocol/read-stream.ts'
import type { Nature } from '../scenario/faults/nature.ts'
import { counted } from '../text/printable.ts'
import type { Hang } from './client-time/client-time.ts'

/** The end of a run. `hung`: it was stopped, at the limit of real time or for another reason. */
export type RunEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'hung'; readonly hang: Hang | 'timeout' }

/** The observations of one run of the client. */
export interface ObservedRun {
  readonly end: RunEnd
  /** The end of its output. */
  readonly stdout: string
  readonly stderr: string
  /** Its duration, by the client's time. */
  readonly seconds: number
  readonly entries: readonly JournalEntry[]
  readonly findings: readonly Finding[]
}

export const verdicts = {
  recovered: 'The command succeeded, with the same results as in the healthy run.',
  'fell back': 'The command succeeded with another model or API.',
  'gave up': 'The command failed promptly.',
  ignored: 'The command succeeded although a response was an error, damaged or incomplete.',
  duplicated: 'The client created a job that already existed.',
  hammered: 'The client retried too often, without waiting, or before `retry-after` had passed.',
  hung: 'The command was still running at the time limit.',
  crashed: 'A signal or an error in the program ended the command.',
  'not reached': 'The client never sent the request selected to fail.',
} as const
export type VerdictName = keyof typeof verdicts

export interface TrialVerdict {
  readonly verdict: VerdictName
  /** The evidence, in one sentence. */
  readonly reason: string
  /** The `seq` of the requests that are the evidence. */
  readonly evidence: readonly number[]
}

/** The failure of a run. */
export interface Injection {
  readonly nature: Nature
  /** Whether it truncates text without an error. */
  readonly cutsText?: boolean | undefined
  /** The id of the rule: the entries with it met the failure. */
  readonly rule: string
}

/** The maximum number of attempts at one failing request, however long the client waits between them. */
const maxAttempts = 10
/** Shorter pauses between attempts do not count as waiting. Milliseconds. */
const shortestWait = 100
const impatientAttempts = 4
/** The minimum length of a text: shorter ones may be in the output by chance. */
const minPartial = 8

export function judgeRun(
  run: ObservedRun,
  healthy: ObservedRun,
  injection: Injection,
  vocabulary: Vocabulary,
): TrialVerdict {
  const met = run.entries.filter(({ cause }) => cause.rule === injection.rule)
  const verdict = (
    name: VerdictName,
    reason: string,
    entries: readonly JournalEntry[] = met,
  ): TrialVerdict => ({ verdict: name, reason, evidence: entries.map(({ seq }) => seq) })
  const last = run.entries.at(-1)
  if (met.length === 0) return verdict('not reached', 'The client never sent the request selected to fail.')
  if (run.end.kind === 'hung')
    return verdict('hung', hangReasonOf(run, run.end.hang), last === undefined ? [] : [last])
  const crash = crashOf(run)
  if (crash !== undefined) return verdict('crashed', crash)
  const twice = createdTwice(run, healthy, injection, vocabulary)
  if (twice !== undefined) return verdict('duplicated', twice.reason, twice.entries)
  const impatience = impatienceOf(run, healthy, met, injection)
  if (impatience !== undefined) return verdict('hammered', impatience)
  if (run.end.kind === 'exited' && run.end.code !== 0)
    return verdict(
      'gave up',
      `Exited with ${run.end.code} after ${counted(met.length, 'failing request')} in ${durationOf(run)}.`,
    )
  const other = fallbackOf(run, healthy, vocabulary)
  if (other !== undefined) return verdict('fell back', other.reason, [...met, ...other.entries])
  const lack = missingOf(run, healthy, injection, vocabulary)
  if (lack !== undefined) return verdict('ignored', `Exited with 0, but ${lack}.`)
  if (injection.nature === 'harmless') {
    const lost = met.find((entry) => isTextLost(entry, run, healthy))
    if (lost !== undefined)
      return verdict('ignored', `Exited with 0, but the output has no text from ${lost.operation}.`, [lost])
  }
  const requests = counted(run.entries.length, 'request')
  return verdict('recovered', `The same results after ${durationOf(run)}, with ${requests}.`)
}

/** `4.2 s`; from a minute on in whole seconds: `10m4s`. */
export const durationOf = ({ seconds }: Pick<ObservedRun, 'seconds'>): string =>
  seconds < 60 ? `${seconds.toFixed(1)} s` : formatDuration(Math.round(seconds) * 1000)

function hangReasonOf(run: ObservedRun, hang: Hang | 'timeout'): string {
  if (hang === 'timeout') return `Still running after ${durationOf(run)}.`
  if (hang === 'patience') return `Still waiting after ${durationOf(run)} of its time.`
  return 'Waits for ever: no timer is pending that could end its wait for a response.'
}

/** Errors that show that a program did not expect such a response. */
const programErrors = [
  'TypeError|ReferenceError|RangeError',
  'KeyError|AttributeError|IndexError|UnboundLocalError|ZeroDivisionError',
].join('|')
/** A TypeError that `fetch` of Node.js throws although the program is correct. */
const networkErrors = 'fetch failed|terminated|network|abort'
const programError = new RegExp(
  String.raw`^\s*(?:Uncaught )?((?:(?:${programErrors})\b|panic:)(?!.*(?:${networkErrors})).*)$`,
  'm',
)
/** A line of a stack trace in JavaScript, Python or Go. */
const stack = /^\s+at .+:\d+:\d+\)?$|^Traceback \(most recent call last\):|^goroutine \d+ /m

function crashOf({ end, stderr }: ObservedRun): string | undefined {
  if (end.kind === 'killed') return `Killed by ${end.signal}.`
  if (end.kind !== 'exited' || end.code === 0 || !stack.test(stderr)) return undefined
  const message = programError.exec(stderr)?.[1]
  return message === undefined ? undefined : `Exited with ${end.code}: ${message.trim().slice(0, 160)}`
}

/** The ids of what a run created, by resource. */
function createdIn(entries: readonly JournalEntry[]): Map<string, Set<string>> {
  const created = new Map<string, Set<string>>()
  for (const { cause } of entries)
    for (const { resource, id, from } of cause.transitions)
      if (from === null) created.set(resource, (created.get(resource) ?? new Set()).add(id))
  return created
}

function createdTwice(run: ObservedRun, healthy: ObservedRun, { nature }: Injection, vocabulary: Vocabulary) {
  // If the job itself fails, a new job is the remedy.
  if (nature === 'final') return undefined
  const before = createdIn(healthy.entries)
  for (const [resource, ids] of createdIn(run.entries)) {
    const wanted = before.get(resource)?.size ?? 0
    const kind = vocabulary.kinds.find((one) => one.resource === resource)
    if (kind === undefined || ids.size <= wanted) continue
    const entries = run.entries.filter(({ cause }) =>
      cause.transitions.some((one) => one.from === null && ids.has(one.id)),
    )
    return { reason: `Created ${counted(ids.size, kind.noun)} instead of ${wanted}.`, entries }
  }
  return undefined
}

const impatientFindings = ['hammered', 'ignored-retry-after', 'polled-too-fast', 'polled-after-end']

function impatienceOf(
  run: ObservedRun,
  healthy: ObservedRun,
  met: readonly JournalEntry[],
  { nature }: Injection,
): string | undefined {
  const finding = run.findings.find(
    ({ code }) => impatientFindings.includes(code) && !healthy.findings.some((known) => known.code === code),
  )
  if (finding !== undefined) return finding.message
  // If the response is complete, the next request is not a retry.
  if (nature === 'harmless' || nature === 'tolerable') return undefined
  const [{ operation } = { operation: undefined }] = met
  const usual = healthy.entries.filter((entry) => entry.operation === operation).length
  const attempts = met.length - usual + 1
  if (attempts > maxAttempts) return `Sent the failing request ${attempts} times.`
  const gaps = met.slice(usual).map(({ realAt = 0 }, index) => realAt - (met[usual + index - 1]?.realAt ?? 0))
  const short = gaps.filter((gap) => gap < shortestWait).length
  return attempts >= impatientAttempts && short === gaps.length
    ? `Sent the failing request ${attempts} times without waiting.`
    : undefined
}

/** Whether a whole response arrived that is no error. */
const succeeded = ({ operation, ended, response }: JournalEntry): boolean =>
  operation !== undefined &&
  response !== undefined &&
  response.status >= 200 &&
  response.status < 400 &&
  ended === 'completed'

const modelOf = ({ request }: JournalEntry): string | undefined => {
  const body = jsonIn(request.body?.text)
  return isFields(body) && typeof body['model'] === 'string' ? body['model'] : undefined
}

/** Whether requests to another model or API succeeded that the healthy run did not send. */
function fallbackOf(run: ObservedRun, healthy: ObservedRun, vocabulary: Vocabulary) {
  const route = (entry: JournalEntry): string => `${groupOf(entry)} ${modelOf(entry) ?? ''}`
  const usual = new Set(healthy.entries.map(route))
  const entries = run.entries.filter(
    (entry) =>
      succeeded(entry) &&
      !usual.has(route(entry)) &&
      (modelOf(entry) !== undefined || vocabulary.endpoint(entry.operation ?? '')?.speaks !== undefined),
  )
  const [first] = entries
  if (first === undefined) return undefined
  const model = modelOf(first)
  return { reason: `Used ${first.operation}${model === undefined ? '' : ` with ${model}`} instead.`, entries }
}

const groupOf = ({ operation = '' }: JournalEntry): string => operation.split('.', 1)[0] ?? ''

/** The results of the healthy run that this run lacks. */
function missingOf(
  run: ObservedRun,
  healthy: ObservedRun,
  { nature, cutsText, rule }: Injection,
  vocabulary: Vocabulary,
): string | undefined {
  const isDamaged = ({ cause, operation = '' }: JournalEntry): boolean =>
    cause.rule === rule &&
    (nature === 'damaged' || (cutsText === true && vocabulary.endpoint(operation)?.speaks !== undefined))
  const wanted = resultsOf(healthy.entries, vocabulary)
  const whole = run.entries.filter((entry) => !isDamaged(entry))
  const got = resultsOf(whole, vocabulary)
  for (const [result, times] of wanted) {
    const have = got.get(result) ?? 0
    if (have < times) return `only ${have} of ${counted(times, `completed ${result}`)} arrived`
  }
  return undefined
}

/**
 * The successes and their counts: requests by operation (only one if the operation reads), and jobs whose
 * success the client has seen, by the noun of their kind.
 */
function resultsOf(entries: readonly JournalEntry[], { kinds }: Vocabulary): Map<string, number> {
  const results = new Map<string, number>()
  const seen = new Set<string>()
  for (const entry of entries) {
    if (succeeded(entry) && entry.operation !== undefined) {
      const before = results.get(entry.operation) ?? 0
      results.set(entry.operation, entry.request.method === 'GET' ? 1 : before + 1)
    }
    for (const { resource, id, to } of entry.cause.transitions) {
      const kind = kinds.find((one) => one.resource === resource)
      if (kind === undefined || to !== kind.ended.succeeded || !succeeded(entry) || seen.has(id)) continue
      seen.add(id)
      results.set(kind.noun, (results.get(kind.noun) ?? 0) + 1)
    }
  }
  return results
}

/** Whether this output lacks the text of a response that the healthy output has. */
function isTextLost({ operation, request }: JournalEntry, run: ObservedRun, healthy: ObservedRun): boolean {
  const same = healthy.entries.find(
    (entry) => entry.operation === operation && entry.request.body?.text === request.body?.text,
  )
  const text = same === undefined ? '' : textOf(same).trim()
  return text.length >= minPartial && healthy.stdout.includes(text) && !run.stdout.includes(text)
}

/** The text of a stream that was sent. */
const textOf = ({ response }: JournalEntry): string => readStream(response?.events ?? []).text
