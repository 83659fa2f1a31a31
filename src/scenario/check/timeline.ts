/** Timelines: entries in order of time, with fields and values that their kind can show. */
import type * as z from 'zod'
import { replyFindings } from '../../protocol/findings.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { show } from '../../protocol/wording.ts'
import { isRamp } from '../compile/timeline.ts'
import { entryWords, type TimelineSpec } from '../format/timeline.ts'
import { hasTemplates } from '../templates.ts'
import type { ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

/** A timeline against what its kind can show; also used for given resources. */
export function* checkTimeline(
  timeline: TimelineSpec,
  path: Path,
  kind: ScriptedKind,
  offContract: boolean,
): Generator<ScenarioMistake> {
  let before = 0
  for (const [index, { at, unset, gone: _, ...fields }] of timeline.entries()) {
    const here = [...path, index]
    if (at < before)
      yield {
        path: [...here, 'at'],
        message: `comes before the entry above it (${before} ms): put the entries in order of time`,
        key: false,
      }
    before = at
    for (const name of unset ?? [])
      if (kind.entry.shape[name] === undefined)
        yield {
          path: [...here, 'unset'],
          message: [
            `${name} is no field of ${kind.name}: expected some of`,
            `${Object.keys(kind.entry.shape).join(', ')}`,
          ].join(' '),
          key: false,
        }
    for (const [name, value] of Object.entries(fields)) {
      const schema = kind.entry.shape[name] as z.ZodType | undefined
      if (schema === undefined) {
        if (!offContract)
          yield {
            path: [...here, name],
            message: [
              `is no field of ${kind.name}: expected ${entryWords.join(', ')} or one of`,
              `${Object.keys(kind.entry.shape).join(', ')}`,
            ].join(' '),
            key: true,
          }
        continue
      }
      if (isRamp(value)) {
        if (!kind.ramps.includes(name))
          yield {
            path: [...here, name],
            message: [
              `cannot move along a ramp: of ${kind.name}`,
              `only ${kind.ramps.join(', ') || 'nothing'} can`,
            ].join(' '),
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
  const result = schema.safeParse(value)
  if (result.success) return
  const [first] = replyFindings(result.error, value)
  yield {
    path,
    message: [
      `${first?.field ? `${first.field}: ` : ''}${first?.message ?? `got ${show(value)}`}; mark the`,
      'answer `offContract: true` if the client is to meet what the contract does not allow',
    ].join(' '),
    key: false,
  }
}
