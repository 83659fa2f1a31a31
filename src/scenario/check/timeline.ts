/** Mistakes in timelines: entries out of order, fields and values that their kind cannot show. */

import type * as z from 'zod'
import { replyFindings } from '../../protocol/findings.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { safeParse } from '../../protocol/safe-parse.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { show } from '../../protocol/wording.ts'
import { isRamp } from '../compile/timeline.ts'
import { entryWords, type TimelineSpec } from '../format/timeline.ts'
import { hasTemplates } from '../templates.ts'
import { checkRemoved } from './patch.ts'
import type { ScenarioMistake } from './shape.ts'
import { unlessIntended } from './suggestion.ts'

type Path = readonly PropertyKey[]

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
  const names = Object.keys(kind.entry.shape).join(', ')
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
        if (kind.entry.shape[name] === undefined) {
          const nearest = nearestWord(name, Object.keys(kind.entry.shape))
          const hint = nearest === undefined ? `expected some of ${names}` : `did you mean ${nearest}?`
          yield {
            path: [...here, word],
            message: `${name} is not a field of ${kind.name}: ${hint}`,
            key: false,
          }
        } else if (word === 'unset' && !offContract && reply !== undefined)
          for (const { message } of checkRemoved(reply, kind.wirePaths?.[name] ?? name, here))
            yield {
              path: [...here, word],
              message: `${message} (\`default\` resets it); ${unlessIntended}`,
              key: false,
            }
    for (const [name, value] of Object.entries(fields)) {
      const schema = kind.entry.shape[name] as z.ZodType | undefined
      if (schema === undefined) {
        if (!offContract)
          yield {
            path: [...here, name],
            message: `is not a field of ${kind.name}: expected ${entryWords.join(', ')} or one of ${names}`,
            key: true,
          }
        continue
      }
      if (isRamp(value)) {
        if (!kind.ramps.includes(name))
          yield {
            path: [...here, name],
            message: `cannot be a ramp: of ${kind.name} only ${kind.ramps.join(', ') || 'nothing'} can`,
            key: false,
          }
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
      message: [
        'expected `at` (a duration since the submission) or `poll` (a number),',
        `got ${at === undefined ? 'neither' : 'both'}`,
      ].join(' '),
      key: poll !== undefined,
    }
  else if (at !== undefined && at < before.at)
    yield {
      path: [...here, 'at'],
      message: `is earlier than the entry above it (${before.at} ms): sort the entries by time`,
      key: false,
    }
  else if (poll !== undefined && poll < before.poll)
    yield {
      path: [...here, 'poll'],
      message: `comes before the entry above it (poll ${before.poll}): sort the entries by poll`,
      key: false,
    }
}

/** A value that the contract does not allow. */
export function* offending(schema: z.ZodType, value: unknown, path: Path): Generator<ScenarioMistake> {
  const result = safeParse(schema, value)
  if (result.success) return
  const [first] = replyFindings(result.error, value)
  const field = first?.field ? `${first.field}: ` : ''
  yield {
    path,
    message: `${field}${first?.message ?? `got ${show(value)}`}; ${unlessIntended}`,
    key: false,
  }
}
