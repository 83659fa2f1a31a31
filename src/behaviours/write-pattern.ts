/** Writes a text that a regular expression may match; the caller checks it. */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import type { Random } from '../engine/random.ts'
import { PatternError } from './pattern.ts'

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

/** The writer for a pattern. Throws `PatternError` for one that is not valid in JavaScript. */
export function textWriter(source: string): WriteText {
  const pattern = parsed(source)
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
        case 'CharacterSet': {
          size++
          const all = members.get(node) ?? membersOf(node)
          members.set(node, all)
          const plain = turn % 3 === 2 ? [] : all.filter((character) => /[a-z\d]/i.test(character))
          const list = plain.length > 0 ? plain : all
          return list.length === 0 ? '' : random.pick(list)
        }
        default:
          return ''
      }
    }
    return write(pattern)
  }
}

function parsed(source: string): AST.Pattern {
  try {
    return inEitherMode((unicode) => new RegExpParser().parsePattern(source, 0, source.length, { unicode }))
  } catch {
    throw new PatternError('write a regular expression that is valid in JavaScript')
  }
}

/** The characters of the alphabet, and those that are written in the class, that a class contains. */
function membersOf(node: AST.CharacterClass | AST.CharacterSet): readonly string[] {
  const characters = [...alphabet]
  visitRegExpAST(node, { onCharacterEnter: ({ value }) => characters.push(String.fromCodePoint(value)) })
  const one = inEitherMode((unicode) => new RegExp(`^${node.raw}$`, unicode ? 'u' : ''))
  return characters.filter((character) => one.test(character))
}

/** Only one of the modes allows `\_`, and only the other one `\p{L}`. */
function inEitherMode<T>(read: (unicode: boolean) => T): T {
  try {
    return read(true)
  } catch {
    return read(false)
  }
}
