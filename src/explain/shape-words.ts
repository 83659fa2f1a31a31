/** What a value must be like, in words: `prompt contains "sunset"`. */
import { isOperators } from '../scenario/compile/match-shape.ts'
import { isFields, listed, shown } from './say.ts'

/** The conditions that a shape stands for, each with the path it is about. */
export function shapeWords(path: string, shape: unknown): string[] {
  if (isOperators(shape))
    return Object.entries(shape).flatMap(([word, wanted]) => operatorWords(path, word, wanted))
  if (isFields(shape))
    return Object.keys(shape).length === 0
      ? [`${path} is an object`]
      : Object.entries(shape).flatMap(([name, inner]) =>
          shapeWords(path === '' ? name : `${path}.${name}`, inner),
        )
  if (Array.isArray(shape))
    return shape.length === 0
      ? [`${path} is empty`]
      : [
          `${path} has ${shape.length} item${shape.length === 1 ? '' : 's'}`,
          ...shape.flatMap((item, index) => shapeWords(`${path}[${index}]`, item)),
        ]
  return [`${path} is ${shown(shape)}`]
}

function operatorWords(path: string, word: string, wanted: unknown): string[] {
  switch (word) {
    case 'equals':
      return [`${path} is exactly ${shown(wanted)}`]
    case 'not':
      return [`not: ${listed(shapeWords(path, wanted))}`]
    case 'contains':
      return [`${path} contains ${shown(wanted)}`]
    case 'startsWith':
      return [`${path} begins with ${shown(wanted)}`]
    case 'endsWith':
      return [`${path} ends with ${shown(wanted)}`]
    case 'regex':
      return [`${path} matches /${String(wanted)}/`]
    case 'gt':
      return [`${path} is more than ${shown(wanted)}`]
    case 'gte':
      return [`${path} is at least ${shown(wanted)}`]
    case 'lt':
      return [`${path} is less than ${shown(wanted)}`]
    case 'lte':
      return [`${path} is at most ${shown(wanted)}`]
    case 'exists':
      return [`${path} is ${wanted === true ? 'there' : 'not there'}`]
    case 'anyOf':
      return [
        listed(
          (wanted as readonly unknown[]).map((one) => listed(shapeWords(path, one))),
          'or',
        ),
      ]
    case 'some':
      return [`some item of ${path} is so: ${listed(shapeWords('it', wanted))}`]
    default:
      return shapeWords(`the length of ${path}`, wanted)
  }
}
