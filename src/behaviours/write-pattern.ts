/** Writes a text that a regular expression may match; the caller checks it. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Random } from '../engine/random.ts'

/** Characters to choose from, the most readable ones first. */
const alphabet = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. ',
  ...' !"#$%&\'()*+,/:;<=>?@[]^`{|}~\\\n\tßéñЖ日',
]
/** The characters of one text. */
const maxLength = 4000

/**
 * A text for a pattern without look-around. `attempt` counts the tries for one place: later ones repeat
 * more, until the text has about `length` characters.
 */
export function writeMatching(source: string, random: Random, length: number, attempt: number): string {
  let size = 0
  const some = (min: number, max: number): number => {
    const more =
      size >= length && attempt % 4 < 2 ? attempt % 2 : Math.max(1, length) * 2 ** (attempt % 4) + 3
    return random.integer(min, Math.max(min, Math.min(max, min + more)))
  }
  const write = (node: AST.Node): string => {
    if (size > maxLength) return ''
    switch (node.type) {
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup':
        return random.pick(node.alternatives).elements.map(write).join('')
      case 'Quantifier':
        return Array.from({ length: some(node.min, node.max) }, () => write(node.element)).join('')
      case 'Character':
        size++
        return String.fromCodePoint(node.value)
      case 'CharacterClass':
      case 'CharacterSet': {
        size++
        const members = membersOf(node, attempt % 3 === 2)
        return members.length === 0 ? '' : random.pick(members)
      }
      default:
        return ''
    }
  }
  return write(parsed(source))
}

function parsed(source: string): AST.Pattern {
  const parser = new RegExpParser()
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true })
  } catch {
    return parser.parsePattern(source, 0, source.length, { unicode: false })
  }
}

/** The characters of the alphabet, and those that are written in the class, that a class contains. */
function membersOf(node: AST.CharacterClass | AST.CharacterSet, isAny: boolean): readonly string[] {
  const one = new RegExp(`^${node.raw}$`, 'u')
  const written = node.type === 'CharacterClass' ? node.elements.flatMap(endsOf) : []
  const members = [...alphabet, ...written].filter((character) => one.test(character))
  // Letters and digits, if there are any and not every member is wanted.
  const plain = members.filter((character) => /[a-z\d]/i.test(character))
  return plain.length > 0 && !isAny ? plain : members
}

function endsOf(element: AST.CharacterClassElement | AST.UnicodeSetsCharacterClassElement): string[] {
  if (element.type === 'Character') return [String.fromCodePoint(element.value)]
  if (element.type !== 'CharacterClassRange') return []
  return [element.min.value, element.max.value].map((code) => String.fromCodePoint(code))
}
