/** Mistakes in timelines: entries out of order, fields and values that their kind cannot show. */

import type * as z from 'zod'
import { replyFindings } from '../../protocol/findings.ts'
import { safeParse } from '../../protocol/safe-parse.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { show } from '../../protocol/wording.ts'
import { isRamp } from '../compile/timeline.ts'
import { entryWords, type TimelineSpec } from '../format/timeline.ts'
import { hasTemplates } from '../templates.ts'
import type { ScenarioMistake } from './shape.ts'
import { unlessIntended } from './suggestion.ts'

type Path = readonly PropertyKey[]

/** Checks a timeline against its kind; also used for given resources. */
export function* checkTimeline(
  timeline: TimelineSpec,
  path: Path,
  kind: ScriptedKind,
  offContract: boolean,
): Generator<ScenarioMistake> {
  let before = 0
  const names = Object.keys(kind.entry.shape).join(', ')
  for (const [index, { at, unset, gone: _, ...fields }] of timeline.entries()) {
    const here = [...path, index]
    if (at < before)
      yield {
        path: [...here, 'at'],
        message: `is earlier than the entry above it (${before} ms): sort the entries by time`,
        key: false,
      }
    before = at
    for (const name of unset ?? [])
      if (kind.entry.shape[name] === undefined)
        yield {
          path: [...here, 'unset'],
          message: `${name} is not a field of ${kind.name}: expected some of ${names}`,
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
