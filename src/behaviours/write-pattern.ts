/** Writes a text that a regular expression may match; the caller checks it. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Random } from '../engine/random.ts'
import { PatternError, readPattern } from './pattern.ts'

/** Characters to choose from, the most readable ones first. */
const alphabet = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. ',
  ...'!"#$%&\'()*+,/:;<=>?@[]^`{|}~\\\n\tßéñЖ日',
]
/** The first members of a class, from which most texts are made. */
const readable = 36
/** The parts of the pattern that one text is written from; a part that repeats counts each time. */
const maxParts = 4000

/** Writes a text of about `length` characters; the later the `turn` of a place, the more it repeats. */
export type WriteText = (random: Random, length: number, turn: number) => string

/** The writer for a pattern. Throws `PatternError` for one that is not valid in JavaScript. */
export function textWriter(source: string): WriteText {
  const pattern = parsed(source)
  const members = new Map<AST.Node, readonly string[]>()
  return (random, length, turn) => {
    let parts = 0
    const write = (node: AST.Node): string => {
      if (parts > maxParts) return ''
      parts++
      switch (node.type) {
        case 'Pattern':
        case 'Group':
        case 'CapturingGroup':
          return random.pick(node.alternatives).elements.map(write).join('')
        case 'Quantifier': {
          const more = parts < length ? length * 2 ** (turn % 4) : turn % 4
          const count = random.integer(node.min, Math.min(node.max, node.min + more))
          return Array.from({ length: count }, () => write(node.element)).join('')
        }
        case 'Character':
          return String.fromCodePoint(node.value)
        case 'CharacterClass':
        case 'CharacterSet': {
          const all = members.get(node) ?? membersOf(node)
          members.set(node, all)
          return random.pick(turn % 3 === 2 ? all : all.slice(0, readable))
        }
        default:
          return ''
      }
    }
    return write(pattern)
  }
}

function parsed(source: string): AST.Pattern {
  // Only one of the modes allows `\_`, and only the other one `\p{L}`.
  for (const unicode of [true, false])
    try {
      return new RegExpParser().parsePattern(source, 0, source.length, { unicode })
    } catch {}
  throw new PatternError('write a regular expression that is valid in JavaScript')
}

/** The characters of the alphabet and of the class's own text that the class contains. */
function membersOf({ raw }: AST.CharacterClass | AST.CharacterSet): readonly string[] {
  const one = readPattern(raw)
  const members = [...alphabet, ...raw].filter((character) => one.matches(character))
  return members.length > 0 ? members : ['']
}
