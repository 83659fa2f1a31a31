/**
 * What a call must have somewhere for a condition to hold, where a map can look it up: literals, beginnings,
 * and lists of them. A call that has it need not meet the condition; one that lacks it never does.
 */
import { isOperators } from './match-shape.ts'

/** Where in a call an index may look. */
export type NeedRoot = 'key' | 'model' | 'path' | 'headers' | 'query' | 'prompt' | 'body'

/** A place in a call, of whose texts it must have one there. */
export interface Need {
  readonly place: readonly [NeedRoot, ...string[]]
  readonly texts: readonly NeededText[]
}

export interface NeededText {
  readonly text: string
  /** Whether a text that only begins so will do. */
  readonly beginning: boolean
}

/** What a shape needs; `endings` as in `Comparing`. */
export function* needsOf(shape: unknown, place: Need['place'], endings: boolean): Generator<Need> {
  if (shape !== null && typeof shape === 'object' && !isOperators(shape)) {
    for (const [name, inner] of Object.entries(shape)) yield* needsOf(inner, [...place, name], endings)
    return
  }
  const texts = textsOf(shape, endings)
  if (texts !== undefined) yield { place, texts }
}

/**
 * How an index writes a value: alike for all that are equal to one literal. Undefined for what is no
 * scalar.
 */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : undefined
}

function textsOf(shape: unknown, endings: boolean): readonly NeededText[] | undefined {
  if (isOperators(shape)) {
    const { equals, startsWith, anyOf } = shape
    if (equals !== undefined) return literal(equals)
    if (startsWith !== undefined) return [{ text: String(startsWith), beginning: true }]
    if (!Array.isArray(anyOf)) return undefined
    const each = anyOf.map((one) => textsOf(one, endings))
    return each.includes(undefined) ? undefined : each.flatMap((texts) => texts ?? [])
  }
  return endings && typeof shape === 'string' && shape.endsWith('*')
    ? [{ text: shape.slice(0, -1), beginning: true }]
    : literal(shape)
}

function literal(value: unknown): readonly NeededText[] | undefined {
  const text = scalarText(value)
  return text === undefined ? undefined : [{ text, beginning: false }]
}
