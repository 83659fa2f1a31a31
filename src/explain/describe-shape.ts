/** Describes a shape: `prompt contains "sunset"`. */
import { isOperators } from '../scenario/compile/match-shape.ts'
import { formatValue, isRecord, joinWords } from './phrases.ts'

/** The conditions of a shape, each with its path. */
export function describeShape(path: string, shape: unknown): string[] {
  if (isOperators(shape))
    return Object.entries(shape).flatMap(([word, wanted]) => describeOperator(path, word, wanted))
  if (isRecord(shape))
    return Object.keys(shape).length === 0
      ? [`${path} is an object`]
      : Object.entries(shape).flatMap(([name, inner]) =>
          describeShape(path === '' ? name : `${path}.${name}`, inner),
        )
  if (Array.isArray(shape))
    return shape.length === 0
      ? [`${path} is empty`]
      : [
          `${path} has ${shape.length} item${shape.length === 1 ? '' : 's'}`,
          ...shape.flatMap((item, index) => describeShape(`${path}[${index}]`, item)),
        ]
  return [`${path} is ${formatValue(shape)}`]
}

function describeOperator(path: string, word: string, wanted: unknown): string[] {
  switch (word) {
    case 'equals':
      return [`${path} is exactly ${formatValue(wanted)}`]
    case 'not':
      return [`not: ${joinWords(describeShape(path, wanted))}`]
    case 'contains':
      return [`${path} contains ${formatValue(wanted)}`]
    case 'startsWith':
      return [`${path} begins with ${formatValue(wanted)}`]
    case 'endsWith':
      return [`${path} ends with ${formatValue(wanted)}`]
    case 'regex':
      return [`${path} matches /${String(wanted)}/`]
    case 'gt':
      return [`${path} is more than ${formatValue(wanted)}`]
    case 'gte':
      return [`${path} is at least ${formatValue(wanted)}`]
    case 'lt':
      return [`${path} is less than ${formatValue(wanted)}`]
    case 'lte':
      return [`${path} is at most ${formatValue(wanted)}`]
    case 'exists':
      return [`${path} is ${wanted === true ? 'present' : 'absent'}`]
    case 'anyOf':
      return [
        joinWords(
          (wanted as readonly unknown[]).map((one) => joinWords(describeShape(path, one))),
          'or',
        ),
      ]
    case 'some':
      return [`some item of ${path}: ${joinWords(describeShape('it', wanted))}`]
    default:
      return describeShape(`the length of ${path}`, wanted)
  }
}
