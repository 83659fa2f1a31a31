/** Objects that a text gives one after the other. */
import { PromptFacts } from '../../prompt/facts.ts'
import { Reading } from '../../prompt/reading.ts'
import type { ObjectShape } from '../clause.ts'
import type { Filling } from '../filling.ts'
import type { JsonValue } from '../json-value.ts'
import { type Field, fieldsOf } from './fields.ts'

/** A list of objects: of the lines, sentences or enumerated parts of a text those that give all of one. */
export function objectsIn(
  field: Field,
  from: Reading,
  filling: Filling,
  read: (object: ObjectShape, filling: Filling) => ReadonlyMap<string, JsonValue>,
): JsonValue[] | undefined {
  const object = field.shape?.array?.rest.shapes.find((shape) => shape.object !== undefined)?.object
  if (object === undefined || filling.facts.sparing || from !== filling.facts.own) return undefined
  // Each part of the text is read for each of them.
  if (filling.lists-- < 1) return undefined
  const fields = fieldsOf(object).filter(({ required }) => required)
  const whole = (part: string): JsonValue[] => {
    const facts = new PromptFacts(new Reading(part.replace(/^[^:]*:\s+/, ''), from.now), {})
    const values =
      countedIn(facts.own.text, fields) ?? read(object, { ...filling, facts, used: [], lists: 0 })
    return fields.every(({ name }) => values.has(name)) ? [Object.fromEntries(values)] : []
  }
  const splits = [/\n+/, /[.;!]\s+/, /,\s+(?:and )?| and /].map((ends) =>
    from.text.slice(0, 4000).split(ends),
  )
  for (const parts of splits) {
    const all = parts.length < 2 ? [] : parts.slice(0, 40).flatMap(whole)
    if (all.length > 1) return all
  }
  return undefined
}

const counted = /^(?:[\p{L}-]{1,20} )?[-*]?\s*(\d{1,6}) ?[x×]? (\p{L}[\p{Ll} -]{1,40})\.?$/u
/** "3 pears": a number and its name, for objects of nothing else. */
function countedIn(text: string, fields: readonly Field[]): ReadonlyMap<string, JsonValue> | undefined {
  const [, count, thing = ''] = counted.exec(text.trim()) ?? []
  if (count === undefined || fields.length !== 2 || fields.every((one) => !one.isNumber)) return undefined
  return new Map(fields.map(({ name, isNumber }) => [name, isNumber ? Number(count) : thing]))
}
