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
 * Writes a text for a pattern. `turn` counts the tries for one place: later ones repeat more, until the text
 * has about `length` characters.
 */
export type WriteText = (random: Random, length: number, turn: number) => string

/** The writer for a pattern without look-around, which is parsed when the first text is written. */
export function textWriter(source: string): WriteText {
  let pattern: AST.Pattern | undefined
  const members = new Map<AST.Node, readonly string[]>()
  return (random, length, turn) => {
    let size = 0
    const write = (node: AST.Node): string => {
      if (size > maxLength) return ''
      switch (node.type) {
        case 'Pattern':
        case 'Group':
        case 'CapturingGroup':
          return random.pick(node.alternatives).elements.map(write).join('')
        case 'Quantifier': {
          const more = size >= length && turn % 4 < 2 ? turn % 2 : Math.max(1, length) * 2 ** (turn % 4) + 3
          const most = Math.max(node.min, Math.min(node.max, node.min + more))
          return Array.from({ length: random.integer(node.min, most) }, () => write(node.element)).join('')
        }
        case 'Character':
          size++
          return String.fromCodePoint(node.value)
        case 'CharacterClass':
        case 'CharacterSet':
          size++
          if (!members.has(node)) members.set(node, membersOf(node))
          return oneOf(members.get(node) ?? [], random, turn % 3 === 2)
        default:
          return ''
      }
    }
    return write((pattern ??= parsed(source)))
  }
}

function parsed(source: string): AST.Pattern {
  const parser = new RegExpParser()
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true })
  } catch {
    return parser.parsePattern(source, 0, source.length, { unicode: false })
  }
}

/** A letter or digit, if there are any and not every member is wanted. */
function oneOf(members: readonly string[], random: Random, isAny: boolean): string {
  const plain = isAny ? [] : members.filter((character) => /[a-z\d]/i.test(character))
  const list = plain.length > 0 ? plain : members
  return list.length === 0 ? '' : random.pick(list)
}

/** The characters of the alphabet, and those that are written in the class, that a class contains. */
function membersOf(node: AST.CharacterClass | AST.CharacterSet): readonly string[] {
  const one = new RegExp(`^${node.raw}$`, 'u')
  const written = node.type === 'CharacterClass' ? node.elements.flatMap(endsOf) : []
  return [...alphabet, ...written].filter((character) => one.test(character))
}

function endsOf(element: AST.CharacterClassElement | AST.UnicodeSetsCharacterClassElement): string[] {
  if (element.type === 'Character') return [String.fromCodePoint(element.value)]
  if (element.type !== 'CharacterClassRange') return []
  return [element.min.value, element.max.value].map((code) => String.fromCodePoint(code))
}
