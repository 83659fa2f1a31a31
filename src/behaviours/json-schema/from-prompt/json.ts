/** Finds the JSON that a prompt gives: a whole object, or the value of one property. */
import { asText } from '../../../protocol/wording.ts'
import { promptWords } from '../../prompt/words.ts'
import { conforms } from '../conforms.ts'
import type { Filling } from '../filling.ts'
import { cloneJson, isModestJson, type JsonValue } from '../json-value.ts'
import type { Naming } from '../property-naming.ts'
import type { SchemaNode, ValueShape } from '../schema-node.ts'

type JsonObject = { [key: string]: JsonValue }

/** The object in the prompt that a schema asks for: one that conforms and shares a name with it. */
export function objectFromPrompt(shape: ValueShape, filling: Filling): JsonObject | undefined {
  const declared = shape.object?.properties ?? []
  for (const value of objectsOf(filling)) {
    if (declared.length > 0 && !declared.some(({ name }) => Object.hasOwn(value, name))) continue
    const mark = `json ${filling.facts.json.indexOf(value)}`
    if (filling.used.includes(mark) || !fitsShape(shape, value, filling)) continue
    filling.used.push(mark)
    return cloneJson(value) as JsonObject
  }
  return undefined
}

/** The value that an object in the prompt has under a property's name. */
export function jsonFromPrompt(
  name: string,
  { words }: Naming,
  node: SchemaNode,
  filling: Filling,
): JsonValue | undefined {
  for (const object of objectsOf(filling)) {
    if (Object.keys(object).length > 200) continue
    const key = Object.hasOwn(object, name)
      ? name
      : Object.keys(object).find((other) => promptWords(other).join(' ') === words.join(' '))
    const value = key === undefined ? undefined : object[key]
    if (value === undefined || value === null || !fitsNode(node, value, filling)) continue
    filling.used.push(asText(value))
    return cloneJson(value)
  }
  return undefined
}

/** The arrays of the prompt, as its own or under a property's name. */
export function arraysFromPrompt({ facts }: Filling): readonly (readonly JsonValue[])[] {
  return facts.json.filter((value): value is JsonValue[] => Array.isArray(value) && isModestJson(value))
}

export function fitsShape(shape: ValueShape, value: JsonValue, { work }: Filling): boolean {
  return (
    shape.clauses.every((clause) => conforms(clause, value, work, true)) &&
    !shape.excluded.some((branch) => conforms(branch, value, work))
  )
}

export function fitsNode(node: SchemaNode, value: JsonValue, filling: Filling): boolean {
  return node.shapes.some((shape) => fitsShape(shape, value, filling))
}

function objectsOf({ facts }: Filling): readonly JsonObject[] {
  return facts.json.flatMap((value) =>
    (Array.isArray(value) ? value.slice(0, 20) : [value]).filter(
      (one): one is JsonObject =>
        one !== null && typeof one === 'object' && !Array.isArray(one) && isModestJson(one),
    ),
  )
}
