/** Mistakes in resources that exist when a scenario starts: ids, keys, timelines. */
import * as z from 'zod'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { listed, show } from '../../protocol/wording.ts'
import { timelineSchema } from '../format/timeline.ts'
import { parseAround } from './readable.ts'
import type { ScenarioMistake } from './shape.ts'
import { checkTimeline } from './timeline.ts'

type Path = readonly PropertyKey[]

/** Takes `given` as written; `clean` tells whether no mistake was found yet at a path or below it. */
export function* checkGiven(
  given: unknown,
  vocabulary: Vocabulary,
  keys: readonly string[] | undefined,
  clean: (path: Path) => boolean,
): Generator<ScenarioMistake> {
  if (!isFields(given)) return
  const known = keys === undefined ? undefined : new Set(keys)
  for (const kind of vocabulary.kinds) {
    const ids = new Set<unknown>()
    for (const [index, one] of listOf(given[kind.name]).entries()) {
      if (!isFields(one)) continue
      const path = ['given', kind.name, index]
      const { id, key, timeline, offContract } = one
      if (id !== undefined && ids.has(id))
        yield {
          path: [...path, 'id'],
          message: `another of the ${kind.name} has the same id ${show(id)}`,
          key: false,
        }
      ids.add(id)
      if (typeof key === 'string' && known !== undefined && !known.has(key))
        yield {
          path: [...path, 'key'],
          message: `the account has no key ${show(key)}: expected one of ${listed([...known])}`,
          key: false,
        }
      yield* checkHidden(one, path)
      if (!Array.isArray(timeline) || !clean([...path, 'timeline'])) continue
      const parsed = parseAround(z.object({ timeline: timelineSchema([kind]) }), { timeline })
      if (parsed !== undefined)
        yield* checkTimeline(parsed.timeline, [...path, 'timeline'], kind, offContract === true, vocabulary)
    }
  }
}

/** The first entry of a timeline hides the same field of the resource. */
function* checkHidden(one: Fields, path: Path): Generator<ScenarioMistake> {
  const [first] = listOf(one['timeline'])
  if (!isFields(first) || (first['at'] !== 0 && first['at'] !== '0s')) return
  for (const name of Object.keys(first))
    if (name !== 'at' && Object.hasOwn(one, name))
      yield {
        path: [...path, name],
        message: `is never seen: the timeline starts with its own ${name}`,
        key: true,
      }
}
