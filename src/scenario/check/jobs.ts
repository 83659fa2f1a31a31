/** Errors in timelines and given resources: fields and values that their kind does not have. */
import * as z from 'zod'
import { isFields } from '../../engine/fields.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { locatedErrors } from '../../protocol/field-errors.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { show } from '../../protocol/wording.ts'
import { ramp, type TimelineSpec } from '../format/given.ts'
import type { ScenarioSpec } from '../format/scenario.ts'
import { hasTemplates } from '../templates.ts'
import { type FileError, type Path, suggestion, unlessIntended, wrongKey, wrongValue } from './file-error.ts'

export function* checkTimeline(
  timeline: TimelineSpec,
  path: Path,
  kind: ScriptedKind,
  offContract: boolean,
): Generator<FileError> {
  const known: Readonly<Record<string, z.ZodType>> = kind.entry().shape
  const unknown = (name: string): string =>
    `is not a field of ${kind.name}${suggestion(name, Object.keys(known))}`
  for (const [index, { at: _, poll: __, notFound: ___, ...entry }] of timeline.entries()) {
    const { unset = [], reset = [], ...fields } = entry
    const here = [...path, index]
    for (const [word, names] of Object.entries({ unset, reset }))
      for (const name of names)
        if (known[name] === undefined) yield wrongValue([...here, word], `${name} ${unknown(name)}`)
    for (const [name, value] of Object.entries(fields)) {
      const isRamp = kind.ramps.includes(name) && isFields(value)
      if (!isRamp && (offContract || hasTemplates(value))) continue
      const own = known[name]
      if (own === undefined) yield wrongKey([...here, name], unknown(name))
      else yield* checkValue(isRamp ? rampOf(own, offContract) : own, value, [...here, name])
    }
  }
}

function rampOf(own: z.ZodType, offContract: boolean): z.ZodType {
  const end = z.number().pipe(own as z.ZodType<unknown, number>)
  return offContract ? ramp() : ramp().extend({ from: end, to: end })
}

/** A value that the contract does not allow. */
function* checkValue(schema: z.ZodType, value: unknown, path: Path): Generator<FileError> {
  const { error } = safeParse(schema, value)
  const [first] = error === undefined ? [] : locatedErrors(error.issues, value)
  if (first === undefined) return
  const field = first.field === '' ? '' : `${first.field}: `
  yield wrongValue([...path, ...first.path], `${field}${first.message}; ${unlessIntended}`)
}

export function* checkGiven(
  { given = {}, keys: listed }: ScenarioSpec,
  { kinds }: Vocabulary,
): Generator<FileError> {
  const keys = listed && Object.keys(listed)
  for (const kind of kinds) {
    const ids = new Set<unknown>()
    for (const [index, one] of (given[kind.name] ?? []).entries()) {
      const path = ['given', kind.name, index]
      const { id, key, timeline, offContract = false } = one
      if (id !== undefined && ids.has(id))
        yield wrongValue([...path, 'id'], `another entry has the id ${show(id)}: give each entry a unique id`)
      ids.add(id)
      if (typeof key === 'string' && keys?.includes(key) === false)
        yield wrongValue([...path, 'key'], `\`keys\` does not list ${show(key)}${suggestion(key, keys)}`)
      if (timeline !== undefined)
        yield* checkTimeline(timeline as TimelineSpec, [...path, 'timeline'], kind, offContract)
    }
  }
}
