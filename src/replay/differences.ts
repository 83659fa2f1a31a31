/** What keeps a value from being like a shape, field by field, in words. Knows nothing of calls. */
import { operatorWords } from '../scenario/format/values.ts'
import type { Shape } from '../scenario/format/step.ts'
import { clip } from '../protocol/wording.ts'

/** One field that is not as expected. */
export interface Difference {
  /** As `body.data[0].url`. */
  readonly field: string
  readonly expected: string
  readonly got: string
}

/** Nothing when the value is like the shape; `value` undefined is a field that is not there. */
export function differences(shape: Shape, value: unknown, field: string): Difference[] {
  if (isOperators(shape)) return meets(shape, value) ? [] : [{ field, expected: wordsOf(shape), got: shown(value) }]
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [{ field, expected: `a list of ${shape.length}`, got: shown(value) }]
    const length: Difference[] = shape.length === value.length ? [] : [{ field: `${field}.length`, expected: String(shape.length), got: String(value.length) }]
    return [...length, ...shape.slice(0, value.length).flatMap((item, index) => differences(item, value[index], `${field}[${index}]`))]
  }
  if (shape !== null && typeof shape === 'object') {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ field, expected: shown(shape), got: shown(value) }]
    return Object.entries(shape).flatMap(([key, inner]) => differences(inner, own(value, key), field === '' ? key : `${field}.${key}`))
  }
  return Object.is(shape, value) || shape === value ? [] : [{ field, expected: shown(shape), got: shown(value) }]
}

/** A value as a report shows it: JSON, its beginning where it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return clip(JSON.stringify(value) ?? String(value), 200)
}

type Operators = Readonly<Record<string, unknown>>

function isOperators(shape: unknown): shape is Operators {
  if (shape === null || typeof shape !== 'object' || Array.isArray(shape)) return false
  const keys = Object.keys(shape)
  return keys.length > 0 && keys.every((key) => operatorWords.includes(key))
}

function meets(shape: Shape, value: unknown): boolean {
  return isOperators(shape) ? Object.entries(shape).every(([word, operand]) => holds(word, operand, value)) : differences(shape, value, '').length === 0
}

function holds(word: string, operand: unknown, value: unknown): boolean {
  switch (word) {
    case 'equals':
      return same(operand, value)
    case 'not':
      return !meets(operand, value)
    case 'contains':
      return typeof value === 'string' ? value.includes(String(operand)) : Array.isArray(value) && value.includes(operand)
    case 'startsWith':
      return typeof value === 'string' && value.startsWith(String(operand))
    case 'endsWith':
      return typeof value === 'string' && value.endsWith(String(operand))
    case 'regex':
      return typeof value === 'string' && new RegExp(String(operand), 'u').test(value)
    case 'gt':
      return typeof value === 'number' && value > Number(operand)
    case 'gte':
      return typeof value === 'number' && value >= Number(operand)
    case 'lt':
      return typeof value === 'number' && value < Number(operand)
    case 'lte':
      return typeof value === 'number' && value <= Number(operand)
    case 'exists':
      return (value !== undefined) === operand
    case 'anyOf':
      return (operand as unknown[]).some((option) => meets(option, value))
    case 'some':
      return Array.isArray(value) && value.some((item) => meets(operand, item))
    case 'length':
      return (typeof value === 'string' || Array.isArray(value)) && meets(operand, value.length)
    default:
      return false
  }
}

function same(a: unknown, b: unknown): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(own(a, key), own(b, key)))
}

const says: Readonly<Record<string, string>> = {
  equals: 'exactly',
  not: 'not',
  contains: 'something that contains',
  startsWith: 'a text that begins with',
  endsWith: 'a text that ends with',
  regex: 'a text that matches',
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  anyOf: 'one of',
  some: 'a list in which some item is like',
  length: 'a length of',
}

function wordsOf(shape: Shape): string {
  if (!isOperators(shape)) return shown(shape)
  return Object.entries(shape)
    .map(([word, operand]) => {
      if (word === 'exists') return operand === true ? 'anything' : 'no such field'
      if (word === 'anyOf') return `one of ${(operand as unknown[]).map(wordsOf).join(', ')}`
      return `${says[word]} ${word === 'not' || word === 'some' || word === 'length' ? wordsOf(operand) : word === 'regex' ? `/${String(operand)}/u` : shown(operand)}`
    })
    .join(' and ')
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}
