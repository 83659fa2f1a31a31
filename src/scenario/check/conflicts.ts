/**
 * Parts of one answer that exclude each other: one of them would win, and the other silently do nothing.
 */
import { type Fields, isFields } from '../../engine/fields.ts'
import { isHeaderText, transportHeaders } from '../../protocol/header-text.ts'
import type { Operation } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { placedFaults, plannedFault } from '../compile/fault.ts'
import { faultNamed } from '../faults/all.ts'
import type { Fault } from '../faults/fault.ts'
import type { AnswerSpec } from '../format/then.ts'
import { hasTemplates } from '../templates.ts'
import { checkScripts } from './script.ts'
import type { ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

/** What a reply may consist of: one of them. */
const bodies = ['body', 'text', 'base64', 'file'] as const

/** A fault that always happens, with its plan. */
interface SureFault {
  readonly word: string
  readonly fault: Fault
  readonly plan: Plan
  readonly path: Path
}

/** The first of the faults above one that refuse the call, or decide how its job continues. */
interface EarlierFaults {
  refuses?: SureFault
  decidesJob?: SureFault
}

export function* checkTogether(
  answer: AnswerSpec,
  written: Fields,
  path: Path,
  operation: Operation | undefined,
): Generator<ScenarioMistake> {
  const beside = (
    name: keyof AnswerSpec,
    others: readonly (keyof AnswerSpec)[],
    why: string,
  ): ScenarioMistake[] =>
    answer[name] === undefined
      ? []
      : others.flatMap((other) =>
          answer[other] === undefined
            ? []
            : [{ path: [...path, other], message: `conflicts with \`${name}\`, ${why}`, key: true }],
        )
  yield* beside(
    'reply',
    ['error', 'patch', 'unset', 'text', 'choices', 'stream', 'timeline', 'job', 'upstream'],
    'which is the whole reply: keep one of them',
  )
  yield* beside(
    'error',
    ['patch', 'unset', 'text', 'choices', 'stream', 'upstream'],
    'which refuses the call: keep one of them',
  )
  if (answer.text !== undefined && answer.stream?.script !== undefined)
    yield {
      path: [...path, 'text'],
      message: 'conflicts with `stream.script`: put the text into the script',
      key: true,
    }
  if (answer.job === 'continues' && answer.error === undefined)
    yield {
      path: [...path, 'job'],
      message: '`continues` is for a call that is refused although its job continues: it needs an `error`',
      key: false,
    }
  if (answer.job !== undefined && answer.job !== 'continues' && answer.timeline !== undefined)
    yield {
      path: [...path, 'job'],
      message: 'conflicts with `timeline`, which defines everything: keep one of them',
      key: true,
    }
  const [kept, ...others] = bodies.filter((name) => answer.reply?.[name] !== undefined)
  for (const name of others)
    yield {
      path: [...path, 'reply', name],
      message: `conflicts with \`${kept}\`: keep one of them`,
      key: true,
    }
  if (answer.reply?.type !== undefined && (kept === undefined || kept === 'body'))
    yield {
      path: [...path, 'reply', 'type'],
      message: 'belongs to a `file`, `base64` or `text`: write it under `headers`, as `content-type`',
      key: true,
    }
  yield* checkHeaders(answer, path)
  yield* checkPlaces(written['fault'], [...path, 'fault'])
  yield* checkJob(answer, path)
  yield* checkScripts(answer, path)
  const before: EarlierFaults = {}
  for (const one of sureFaults(answer, path, operation)) {
    yield* checkFault(one, before, answer, path)
    if (one.plan.refuse !== undefined) before.refuses ??= one
    if (one.plan.job !== undefined) before.decidesJob ??= one
  }
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
    yield { path: [...path, second], message: `conflicts with \`${first}\`: keep one of them`, key: true }
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
  before: Readonly<EarlierFaults>,
  answer: AnswerSpec,
  answerPath: Path,
): Generator<ScenarioMistake> {
  const conflicts = (names: readonly (keyof AnswerSpec)[], why: string): ScenarioMistake[] =>
    names.flatMap((name) =>
      answer[name] === undefined
        ? []
        : [{ path: [...answerPath, name], message: `conflicts with the fault ${word}, ${why}`, key: true }],
    )
  const mistake = (message: string): ScenarioMistake => ({ path, message: `${word}: ${message}`, key: false })
  if (plan.refuse !== undefined) {
    yield* conflicts(
      [
        'error',
        'reply',
        'text',
        'choices',
        'stream',
        'patch',
        'unset',
        'upstream',
        ...(plan.refuse.jobContinues === true ? [] : (['timeline', 'job'] as const)),
      ],
      'which refuses the call: keep one of them',
    )
    const earlier = before.refuses
    if (earlier !== undefined)
      yield mistake(
        `the call is refused by ${earlier.word} already: keep one of them, or put them into a \`sequence\``,
      )
  }
  if (plan.answer !== undefined)
    yield* conflicts(
      ['text', 'choices', 'error', 'reply'],
      'which decides how the answer ends: keep one of them (in a script, write `finish: content_filter`)',
    )
  if (plan.answer !== undefined && answer.stream?.script !== undefined)
    yield mistake('conflicts with `stream.script`: write `finish: content_filter` there')
  if (plan.job !== undefined) {
    yield* conflicts(['timeline', 'reply'], 'which decides how the job continues: keep one of them')
    if (answer.job !== undefined && answer.job !== 'continues')
      yield* conflicts(['job'], 'which decides how the job continues: keep one of them')
    if (answer.error !== undefined && answer.job !== 'continues' && plan.refuse === undefined)
      yield mistake(
        'the call is refused, so there is no job: add `job: continues` if the job continues anyway',
      )
    const earlier = before.decidesJob
    if (earlier !== undefined && plan.refuse === undefined && earlier.plan.refuse === undefined)
      yield mistake(`conflicts with ${earlier.word}, which decides how the job continues: keep one of them`)
  }
  if (
    fault.part === 'stream' &&
    (answer.error !== undefined || answer.reply !== undefined || before.refuses !== undefined)
  )
    yield mistake('acts on streams, and this answer is not one')
}

function* checkJob({ job }: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  if (typeof job !== 'object') return
  const at = (name: string): Path => [...path, 'job', name]
  const { failAt, vanishAt, blocked } = job
  if (Object.keys(job).length === 0)
    yield { path: [...path, 'job'], message: 'is empty: leave it out', key: false }
  if (failAt === undefined)
    for (const name of ['code', 'message'] as const)
      if (job[name] !== undefined)
        yield { path: at(name), message: 'belongs to a failure: add `failAt`', key: true }
  if (failAt !== undefined && blocked !== undefined)
    yield {
      path: at('blocked'),
      message: 'conflicts with `failAt`: a job that fails has no images',
      key: true,
    }
  if (failAt !== undefined && vanishAt !== undefined && vanishAt <= failAt)
    yield {
      path: at('vanishAt'),
      message: `hides \`failAt\` (${failAt}): expected a larger percentage`,
      key: false,
    }
}

function* checkHeaders({ headers = {} }: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, 'headers', name]
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(name))
      yield { path: at, message: 'is not a header name: expected letters, digits and dashes', key: true }
    else if (transportHeaders.has(name.toLowerCase()))
      yield {
        path: at,
        message: 'is set when the reply is sent: use the faults `wrong-length`, `truncate` and `reset`',
        key: true,
      }
    else if (value !== null && !hasTemplates(value) && !isHeaderText(String(value)))
      yield {
        path: at,
        message:
          'expected visible ASCII characters and spaces: encode others (as %E9); line ends cannot be sent',
        key: false,
      }
  }
}
