/**
 * Parts of one answer that exclude each other: one of them would win, and the other silently do nothing.
 */
import { type Fields, isFields } from '../../engine/fields.ts'
import type { Operation } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { isHeaderText, transportHeaders } from '../../protocol/reply.ts'
import { scriptsOf } from '../compile/select.ts'
import { faultNamed, placedFaults, plannedFault } from '../faults/all.ts'
import type { Fault } from '../faults/fault.ts'
import type { AnswerSpec } from '../format/rule.ts'
import type { ScriptItemSpec } from '../format/stream.ts'
import { hasTemplates } from '../templates.ts'
import { type Path, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'

type Part = keyof AnswerSpec

/** Parts of which the first leaves nothing for the others to do. */
const exclusive: readonly (readonly [part: Part, others: readonly Part[], why: string])[] = [
  [
    'reply',
    ['error', 'patch', 'unset', 'text', 'choices', 'stream', 'timeline', 'job', 'upstream'],
    'which is the whole reply: keep one of them',
  ],
  [
    'error',
    ['patch', 'unset', 'text', 'choices', 'stream', 'upstream'],
    'which refuses the call: keep one of them',
  ],
]

/** A fault that always happens, with its plan. */
interface SureFault {
  readonly word: string
  readonly fault: Fault
  readonly plan: Plan
  readonly path: Path
}

export function* checkTogether(
  answer: AnswerSpec,
  written: Fields,
  path: Path,
  operation: Operation | undefined,
): Generator<ScenarioMistake> {
  const { text, stream, job, error, timeline, reply } = answer
  for (const [part, others, why] of exclusive)
    if (answer[part] !== undefined) yield* conflicts(answer, others, path, `\`${part}\`, ${why}`)
  if (text !== undefined && stream?.script !== undefined)
    yield wrongKey([...path, 'text'], 'conflicts with `stream.script`: put the text into the script')
  if (job === 'continues' && error === undefined)
    yield wrongValue(
      [...path, 'job'],
      '`continues` is for a call that is refused although its job continues: it needs an `error`',
    )
  if (job !== undefined && job !== 'continues' && timeline !== undefined)
    yield wrongKey([...path, 'job'], 'conflicts with `timeline`, which defines everything: keep one of them')
  const [kept, ...others] = (['body', 'text', 'base64', 'file'] as const).filter(
    (name) => reply?.[name] !== undefined,
  )
  for (const name of others)
    yield wrongKey([...path, 'reply', name], `conflicts with \`${kept}\`: keep one of them`)
  if (reply?.type !== undefined && (kept === undefined || kept === 'body'))
    yield wrongKey(
      [...path, 'reply', 'type'],
      'belongs to a `file`, `base64` or `text`: write it under `headers`, as `content-type`',
    )
  yield* checkHeaders(answer, path)
  yield* checkPlaces(written['fault'], [...path, 'fault'])
  yield* checkJob(answer, path)
  yield* checkScripts(answer, path)
  const faults = sureFaults(answer, path, operation)
  for (const [index, one] of faults.entries()) yield* checkFault(one, faults.slice(0, index), answer, path)
}

function conflicts(
  answer: AnswerSpec,
  parts: readonly Part[],
  path: Path,
  withWhat: string,
): ScenarioMistake[] {
  return parts.flatMap((part) =>
    answer[part] === undefined ? [] : [wrongKey([...path, part], `conflicts with ${withWhat}`)],
  )
}

/** Options that name the place of a fault: of several, one would silently win. */
const places: readonly string[] = ['afterEvents', 'afterBytes', 'afterShare']

// Takes what was written: parsed options include defaults.
function* checkPlaces(written: unknown, path: Path): Generator<ScenarioMistake> {
  if (Array.isArray(written)) {
    for (const [index, one] of written.entries()) yield* checkPlaces(one, [...path, index])
    return
  }
  const [first, second] = isFields(written) ? places.filter((name) => written[name] !== undefined) : []
  if (first !== undefined && second !== undefined)
    yield wrongKey([...path, second], `conflicts with \`${first}\`: keep one of them`)
}

function sureFaults({ fault }: AnswerSpec, path: Path, operation: Operation | undefined): SureFault[] {
  return placedFaults(fault).flatMap(({ fault: one, at }) => {
    const found = faultNamed(one.kind)
    // A fault with a chance does not always happen, so it excludes nothing.
    if (found === undefined || (one.chance !== undefined && one.chance < 1)) return []
    return [
      {
        word: one.kind,
        fault: found,
        plan: (operation && found.plan?.(plannedFault(one).options, operation)) ?? {},
        path: [...path, 'fault', ...at],
      },
    ]
  })
}

function* checkFault(
  { word, fault, plan, path }: SureFault,
  earlier: readonly SureFault[],
  answer: AnswerSpec,
  answerPath: Path,
): Generator<ScenarioMistake> {
  const beside = (parts: readonly Part[], why: string): ScenarioMistake[] =>
    conflicts(answer, parts, answerPath, `the fault ${word}, ${why}`)
  const mistake = (message: string): ScenarioMistake => wrongValue(path, `${word}: ${message}`)
  const refuses = earlier.find((one) => one.plan.refuse !== undefined)
  const decidesJob = earlier.find((one) => one.plan.job !== undefined)
  const { error, reply, stream, job } = answer
  if (plan.refuse !== undefined) {
    const parts = ['error', 'reply', 'text', 'choices', 'stream', 'patch', 'unset', 'upstream'] as const
    const ofJob = plan.refuse.jobContinues === true ? [] : (['timeline', 'job'] as const)
    yield* beside([...parts, ...ofJob], 'which refuses the call: keep one of them')
    if (refuses !== undefined)
      yield mistake(
        `the call is refused by ${refuses.word} already: keep one of them, or put them into a \`sequence\``,
      )
  }
  if (plan.answer !== undefined) {
    yield* beside(
      ['text', 'choices', 'error', 'reply'],
      'which decides how the answer ends: keep one of them (in a script, write `finish: content_filter`)',
    )
    if (stream?.script !== undefined)
      yield mistake('conflicts with `stream.script`: write `finish: content_filter` there')
  }
  if (plan.job !== undefined) {
    const why = 'which decides how the job continues: keep one of them'
    yield* beside(['timeline', 'reply', ...(job === 'continues' ? [] : (['job'] as const))], why)
    if (error !== undefined && job !== 'continues' && plan.refuse === undefined)
      yield mistake(
        'the call is refused, so there is no job: add `job: continues` if the job continues anyway',
      )
    if (decidesJob !== undefined && plan.refuse === undefined && decidesJob.plan.refuse === undefined)
      yield mistake(`conflicts with ${decidesJob.word}, ${why}`)
  }
  if (fault.part === 'stream' && (error ?? reply ?? refuses) !== undefined)
    yield mistake('acts on streams, and this answer is not one')
}

function* checkJob({ job }: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  if (typeof job !== 'object') return
  const at = (name: string): Path => [...path, 'job', name]
  const { failAt, vanishAt, blocked } = job
  if (Object.keys(job).length === 0) yield wrongValue([...path, 'job'], 'is empty: leave it out')
  if (failAt === undefined)
    for (const name of ['code', 'message'] as const)
      if (job[name] !== undefined) yield wrongKey(at(name), 'belongs to a failure: add `failAt`')
  if (failAt !== undefined && blocked !== undefined)
    yield wrongKey(at('blocked'), 'conflicts with `failAt`: a job that fails has no images')
  if (failAt !== undefined && vanishAt !== undefined && vanishAt <= failAt)
    yield wrongValue(at('vanishAt'), `hides \`failAt\` (${failAt}): expected a larger percentage`)
}

function* checkHeaders({ headers = {} }: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, 'headers', name]
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(name))
      yield wrongKey(at, 'is not a header name: expected letters, digits and dashes')
    else if (transportHeaders.has(name.toLowerCase()))
      yield wrongKey(
        at,
        'is set when the reply is sent: use the faults `wrong-length`, `truncate` and `reset`',
      )
    else if (value !== null && !hasTemplates(value) && !isHeaderText(String(value)))
      yield wrongValue(
        at,
        'expected visible ASCII characters and spaces: encode others (as %E9); line ends cannot be sent',
      )
  }
}

/** Mistakes in what an answer says: in scripts, choices and frames. */
function* checkScripts(answer: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  const { text, choices = [], stream } = answer
  const { script, frames = [] } = stream ?? {}
  const said = text !== undefined ? 'text' : (script ?? stream?.frames) !== undefined ? 'stream' : undefined
  if (answer.choices !== undefined && said !== undefined)
    yield wrongKey([...path, 'choices'], `conflicts with \`${said}\`: put what is said into the choices`)
  if (stream?.frames !== undefined && (script ?? text) !== undefined)
    yield wrongKey(
      [...path, 'stream', 'frames'],
      `conflicts with \`${text === undefined ? 'script' : 'text'}\`: frames are the whole stream`,
    )
  for (const [index, choice] of choices.entries()) yield* checkChoice(choice, [...path, 'choices', index])
  for (const { script: items, path: at } of scriptsOf(answer)) yield* checkScript(items, [...path, ...at])
  yield* checkEnd(
    frames.map((frame) => (typeof frame === 'object' && 'fault' in frame ? frame.fault.kind : undefined)),
    [...path, 'stream', 'frames'],
  )
}

function* checkChoice(
  { text, script, finish }: NonNullable<AnswerSpec['choices']>[number],
  path: Path,
): Generator<ScenarioMistake> {
  if (text === undefined && script === undefined)
    yield wrongValue(path, 'says nothing: give it a `text` or a `script`')
  if (text !== undefined && script !== undefined)
    yield wrongKey([...path, 'text'], 'conflicts with `script`: put the text into the script')
  if (finish !== undefined && script?.some((item) => 'finish' in item) === true)
    yield wrongKey([...path, 'finish'], 'stands in the script, too: keep one of them')
}

function* checkScript(script: readonly ScriptItemSpec[], path: Path): Generator<ScenarioMistake> {
  yield* checkEnd(
    script.map((item) => ('fault' in item ? item.fault.kind : undefined)),
    path,
  )
  for (const [index, item] of script.entries()) {
    if (!('text' in item) || item.logprobs === undefined) continue
    const { text, logprobs } = item
    if (!Array.isArray(text))
      yield wrongKey(
        [...path, index, 'logprobs'],
        'belong to pieces: write `text` as a list, with one log probability for each piece',
      )
    else if (text.length !== logprobs.length)
      yield wrongValue(
        [...path, index, 'logprobs'],
        `expected one for each piece of \`text\` (${text.length}), got ${logprobs.length}`,
      )
  }
}

function* checkEnd(faults: readonly (string | undefined)[], path: Path): Generator<ScenarioMistake> {
  const end = faults.findIndex((kind) => kind !== undefined && faultNamed(kind)?.endsStream === true)
  if (end >= 0 && end < faults.length - 1)
    yield wrongValue([...path, end + 1], 'comes after a fault that ends the stream: it is never sent')
}
