/** What a value must be like, in words: `prompt contains "sunset"`. */
import { isOperators } from '../scenario/compile/match-shape.ts'
import { isRecord, joinWords, formatValue } from './phrases.ts'

/** The conditions that a shape stands for, each with the path it is about. */
export function describeShape(path: string, shape: unknown): string[] {
  if (isOperators(shape))
    return Object.entries(shape).flatMap(([word, wanted]) => operatorWords(path, word, wanted))
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

function operatorWords(path: string, word: string, wanted: unknown): string[] {
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
      return [`${path} is ${wanted === true ? 'there' : 'not there'}`]
    case 'anyOf':
      return [
        joinWords(
          (wanted as readonly unknown[]).map((one) => joinWords(describeShape(path, one))),
          'or',
        ),
      ]
    case 'some':
      return [`some item of ${path} is so: ${joinWords(describeShape('it', wanted))}`]
    default:
      return describeShape(`the length of ${path}`, wanted)
  }
}
