/** Mistakes in timelines: entries out of order, fields and values that their kind cannot show. */
import type * as z from 'zod'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { replyFindings } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { show } from '../../protocol/wording.ts'
import { isRamp } from '../compile/compile.ts'
import { entryWords, type TimelineSpec, timelineSchema } from '../format/given.ts'
import { hasTemplates } from '../templates.ts'
import { suggestion, unlessIntended } from './forms.ts'
import { type Path, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'
import { checkRemoved } from './patch.ts'

/** Checks a timeline against its kind, and the reply to a poll; also used for given resources. */
export function* checkTimeline(
  timeline: TimelineSpec,
  path: Path,
  kind: ScriptedKind,
  offContract: boolean,
  { all, allowedReply }: Pick<Vocabulary, 'all' | 'allowedReply'>,
): Generator<ScenarioMistake> {
  const poll = all.find(({ endpoint }) => endpoint.polls?.kind === kind)
  const reply = poll && allowedReply(poll.endpoint.operation)
  const before = { at: 0, poll: 0 }
  const names = Object.keys(kind.entry.shape)
  for (const [
    index,
    { at, poll: count, unset = [], default: reset = [], gone: _, ...fields },
  ] of timeline.entries()) {
    const here = [...path, index]
    yield* checkMoment({ at, poll: count }, before, here)
    before.at = at ?? before.at
    before.poll = count ?? before.poll
    for (const [word, listed] of Object.entries({ unset, default: reset }))
      for (const name of listed)
        if (kind.entry.shape[name] === undefined)
          yield wrongValue(
            [...here, word],
            `${name} is not a field of ${kind.name}${suggestion(name, names)}`,
          )
        else if (word === 'unset' && !offContract && reply !== undefined)
          for (const { message } of checkRemoved(reply, kind.wirePaths?.[name] ?? name, here))
            yield wrongValue([...here, word], `${message} (\`default\` resets it); ${unlessIntended}`)
    const idle = offContract ? undefined : kind.idleField?.(fields)
    if (idle !== undefined) yield wrongKey([...here, idle.name], idle.message)
    for (const [name, value] of Object.entries(fields)) {
      const schema = kind.entry.shape[name] as z.ZodType | undefined
      if (schema === undefined) {
        if (!offContract)
          yield wrongKey(
            [...here, name],
            `is not a field of ${kind.name}: expected ${entryWords.join(', ')} or one of ${names.join(', ')}`,
          )
        continue
      }
      if (isRamp(value)) {
        if (!kind.ramps.includes(name))
          yield wrongValue(
            [...here, name],
            `cannot be a ramp: of ${kind.name} only ${kind.ramps.join(', ') || 'nothing'} can`,
          )
        else if (!offContract)
          for (const end of ['from', 'to'] as const)
            yield* offending(schema, value[end], [...here, name, end])
      } else if (!offContract && !hasTemplates(value)) yield* offending(schema, value, [...here, name])
    }
  }
}

type Moment = Readonly<Record<'at' | 'poll', number | undefined>>

function* checkMoment(
  { at, poll }: Moment,
  before: Readonly<Record<'at' | 'poll', number>>,
  here: Path,
): Generator<ScenarioMistake> {
  if ((at === undefined) === (poll === undefined))
    yield {
      path: poll === undefined ? here : [...here, 'poll'],
      message:
        'expected `at` (a duration since the submission) or `poll` (a number), ' +
        `got ${at === undefined ? 'neither' : 'both'}`,
      key: poll !== undefined,
    }
  else if (at !== undefined && at < before.at)
    yield wrongValue(
      [...here, 'at'],
      `is earlier than the entry above it (${before.at} ms): sort the entries by time`,
    )
  else if (poll !== undefined && poll < before.poll)
    yield wrongValue(
      [...here, 'poll'],
      `comes before the entry above it (poll ${before.poll}): sort the entries by poll`,
    )
}

/** A value that the contract does not allow. */
export function* offending(schema: z.ZodType, value: unknown, path: Path): Generator<ScenarioMistake> {
  const result = safeParse(schema, value)
  if (result.success) return
  const [first] = replyFindings(result.error, value)
  const field = first?.field ? `${first.field}: ` : ''
  yield wrongValue(path, `${field}${first?.message ?? `got ${show(value)}`}; ${unlessIntended}`)
}

/** Takes `given` as written; `clean` tells whether no mistake was found yet at a path or below it. */
export function* checkGiven(
  given: unknown,
  vocabulary: Vocabulary,
  keys: readonly string[] | undefined,
  clean: (path: Path) => boolean,
): Generator<ScenarioMistake> {
  if (!isFields(given)) return
  for (const kind of vocabulary.kinds) {
    const ids = new Set<unknown>()
    for (const [index, one] of listOf(given[kind.name]).entries()) {
      if (!isFields(one)) continue
      const path = ['given', kind.name, index]
      const { id, key, timeline, offContract } = one
      if (id !== undefined && ids.has(id))
        yield wrongValue([...path, 'id'], `another of the ${kind.name} has the same id ${show(id)}`)
      ids.add(id)
      if (typeof key === 'string' && keys?.includes(key) === false)
        yield wrongValue([...path, 'key'], `the account has no key ${show(key)}${suggestion(key, keys)}`)
      const idle = offContract === true ? undefined : kind.idleField?.(one)
      if (idle !== undefined) yield wrongKey([...path, idle.name], idle.message)
      yield* checkHidden(one, path)
      if (!Array.isArray(timeline) || !clean([...path, 'timeline'])) continue
      const { data } = safeParse(timelineSchema([kind]), timeline)
      if (data !== undefined)
        yield* checkTimeline(data, [...path, 'timeline'], kind, offContract === true, vocabulary)
    }
  }
}

/** The first entry of a timeline hides the same field of the resource. */
function* checkHidden(one: Fields, path: Path): Generator<ScenarioMistake> {
  const [first] = listOf(one['timeline'])
  if (!isFields(first) || (first['at'] !== 0 && first['at'] !== '0s')) return
  for (const name of Object.keys(first))
    if (name !== 'at' && Object.hasOwn(one, name))
      yield wrongKey([...path, name], `is never seen: the timeline starts with its own ${name}`)
}
