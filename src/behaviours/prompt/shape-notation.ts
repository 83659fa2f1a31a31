/**
 * Reads the shape of a value as people note it: a JSON example, TypeScript, zod, BAML, or a mixture.
 * What is not understood is a text; only what has no members at all is no shape.
 */
import { NoNotation, type Token, TokenReader, tokensOf } from './notation-tokens.ts'
import {
  choicesIn,
  kindNamed,
  objectOf,
  type Schema,
  schemaOfName,
  schemaOfNote,
  schemaOfNumber,
  schemaOfText,
} from './value-notes.ts'

/** A noted value: its schema, whether it may be left out, and whether it stands for others of its kind. */
interface Noted {
  readonly schema: Schema
  readonly optional?: boolean
  /** The text of a quoted value, which in a union is one of the choices. */
  readonly literal?: string | number
  /** The quoted values of an array, which may be choices. */
  readonly literals?: readonly (string | number)[]
}

const maxNesting = 24

/** The schema of what a text notes as an object or an array; undefined when it is neither. */
export function readNotation(text: string): Schema | undefined {
  const tokens = tokensOf(text)
  if (tokens === undefined) return undefined
  const reader = new NotationReader(tokens)
  try {
    return reader.whole()
  } catch (error) {
    if (error instanceof NoNotation) return undefined
    throw error
  }
}

class NotationReader extends TokenReader {
  #depth = 0

  whole(): Schema {
    this.skip('line', 'note')
    if (!this.is('{') && !this.is('[')) throw new NoNotation()
    return this.#value('').schema
  }

  #object(): Schema {
    const properties = new Map<string, Schema>()
    const optional = new Set<string>()
    let others: Schema | undefined
    let named = 0
    for (;;) {
      this.skipSeparators()
      if (this.takes('}')) break
      if (this.takes('...') || this.takes('…')) continue
      if (this.takes('[')) {
        others = this.#indexed()
        continue
      }
      const key = this.#key()
      if (!this.is(':') && !this.is('=')) named++
      const { schema, optional: isOptional } = this.#member(key.name)
      if (key.name !== '__proto__') properties.set(key.name, schema)
      if (key.optional || isOptional === true) optional.add(key.name)
    }
    // "{name}" is a place in a template, "{name, age}" an object.
    if (named > 0 && (properties.size < 2 || named < properties.size)) throw new NoNotation()
    if (others !== undefined && properties.size === 0) return { type: 'object', additionalProperties: others }
    return properties.size === 0 ? { type: 'object' } : objectOf(properties, optional)
  }

  /** `[key: string]: number` */
  #indexed(): Schema {
    while (!this.takes(']')) this.next()
    if (!this.takes(':')) throw new NoNotation()
    return this.#value('').schema
  }

  /** A name, in quotes or of a few words, up to its colon. */
  #key(): { name: string; optional: boolean } {
    const first = this.next()
    if (first.kind !== 'word' && first.kind !== 'text') throw new NoNotation()
    const words = [first.text]
    while (first.kind === 'word' && this.peek()?.kind === 'word' && words.length < 4)
      words.push(this.next().text)
    const name = words.filter((word) => word !== 'readonly').join(first.kind === 'word' ? '_' : ' ')
    if (name === '' || name.length > 80) throw new NoNotation()
    return { name, optional: this.takes('?') }
  }

  /** What stands behind a key: its value, or nothing for a key that stands alone. */
  #member(name: string): Noted {
    if (!this.takes(':') && !this.takes('=')) {
      const next = this.peek()
      if (next !== undefined && next.kind !== 'line' && !',}'.includes(next.text)) throw new NoNotation()
      return { schema: schemaOfName(name) }
    }
    this.skip('line')
    const value = this.#value(name)
    const { note, optional } = this.#rest()
    const described = note === '' ? value.schema : withNote(value.schema, note)
    return { schema: described, optional: optional || value.optional === true }
  }

  /** A value and what is added to it: other choices, `[]`, methods of zod. */
  #value(name: string): Noted {
    if (++this.#depth > maxNesting) throw new NoNotation()
    const first = this.#one(name)
    const all = [first]
    while (this.takesOr()) {
      this.skip('line')
      all.push(this.#one(name))
    }
    this.#depth--
    return all.length === 1 ? first : unionOf(all)
  }

  #one(name: string): Noted {
    this.takes('|')
    let noted = this.#plain(name)
    for (;;) {
      const next = this.peek()
      if (this.is('[') && this.peek(1)?.text === ']') {
        this.at += 2
        noted = { schema: { type: 'array', items: noted.schema, minItems: 1 } }
      } else if (next?.kind === 'word' && next.text.startsWith('.')) noted = this.#method(noted)
      else return noted
    }
  }

  /** `.optional()`, `.min(3)` */
  #method({ schema, ...noted }: Noted): Noted {
    const { text } = this.next()
    if (this.is('(')) this.skipGroup()
    if (/^\.(?:optional|nullish|default)$/u.test(text)) return { ...noted, schema, optional: true }
    if (text === '.nullable') return { schema: orNull(schema) }
    if (text === '.array') return { schema: { type: 'array', items: schema, minItems: 1 } }
    if (text === '.int') return { schema: { type: 'integer' } }
    return { schema }
  }

  #plain(name: string): Noted {
    const { kind, text } = this.next()
    if (kind === 'text') return { schema: schemaOfText(text), literal: text }
    if (kind === 'number') return { schema: schemaOfNumber(text), literal: Number(text) }
    if (kind === 'word') return this.#named(text, name)
    switch (text) {
      case '{':
        return { schema: this.#object() }
      case '[':
        return this.#array(name)
      case '(': {
        const inner = this.#value(name)
        if (!this.takes(')')) throw new NoNotation()
        return inner
      }
      case '<':
        return { schema: this.#placeholder(name) }
      case '...':
      case '…':
        return { schema: { type: 'string' } }
      default:
        throw new NoNotation()
    }
  }

  /** `[string]`, `["a", "b", ...]`, `[{ … }]` */
  #array(name: string): Noted {
    let first: Noted | undefined
    const literals: (string | number)[] = []
    for (;;) {
      this.skipSeparators()
      if (this.takes(']')) break
      if (this.takes('...') || this.takes('…')) continue
      const value = this.#value(name)
      first ??= value
      if (value.literal !== undefined) literals.push(value.literal)
      this.#rest()
    }
    return {
      schema: { type: 'array', items: first?.schema ?? { type: 'string' }, minItems: 1 },
      literals: [...new Set(literals)],
    }
  }

  /** `<the age in years>` */
  #placeholder(name: string): Schema {
    const words: string[] = []
    while (!this.takes('>')) {
      if (words.length > 30) throw new NoNotation()
      words.push(this.next().text)
    }
    return ofWords(words.join(' '), name)
  }

  /** A type by its name, with arguments or not; other words describe a value. */
  #named(word: string, name: string): Noted {
    const base = word.split('.').at(-1)?.toLowerCase() as string
    if (base === 'true' || base === 'false') return { schema: { type: 'boolean' } }
    if (this.is('<') || this.is('[') || this.is('(')) {
      const applied = this.#applied(base)
      if (applied !== undefined) return applied
    }
    const words = [word]
    for (let next = this.peek(); next !== undefined && isPlain(next); next = this.peek()) {
      words.push(next.text)
      this.at++
    }
    return { schema: ofWords(words.join(' '), name) }
  }

  /** `Array<string>`, `list[str]`, `Literal["a", "b"]`, `z.object({ … })` */
  #applied(base: string): Noted | undefined {
    const opening = this.peek()?.text as string
    if (opening === '[' && this.peek(1)?.text === ']') return undefined
    const inside = opening === '(' ? /^(?:object|array|enum|literal|union|optional|nullable)$/u : /./u
    if (!inside.test(base)) {
      if (opening === '(') this.skipGroup()
      return opening === '(' ? { schema: kindNamed(base) ?? { type: 'string' } } : undefined
    }
    this.at++
    const closing = { '<': '>', '[': ']', '(': ')' }[opening] as string
    const parts: Noted[] = []
    while (!this.takes(closing)) {
      this.skipSeparators()
      if (this.takes(closing)) break
      parts.push(this.#value(''))
    }
    const [first] = parts
    if (base === 'enum' && first?.literals !== undefined && first.literals.length > 0)
      return { schema: { enum: first.literals } }
    if (/^(?:array|list|set|sequence|iterable)$/u.test(base))
      return { schema: { type: 'array', items: first?.schema ?? { type: 'string' }, minItems: 1 } }
    if (/^(?:record|dict|map)$/u.test(base))
      return { schema: { type: 'object', additionalProperties: parts.at(-1)?.schema ?? {} } }
    if (base === 'optional') return { schema: first?.schema ?? { type: 'string' }, optional: true }
    if (base === 'nullable') return { schema: orNull(first?.schema ?? { type: 'string' }) }
    if (base === 'literal' || base === 'union') return parts.length > 0 ? unionOf(parts) : undefined
    return first ?? { schema: kindNamed(base) ?? { type: 'string' } }
  }

  /** The words between a value and the end of its member: "(optional)", a comment. */
  #rest(): { readonly note: string; readonly optional: boolean } {
    const words: string[] = []
    for (let next = this.peek(); next !== undefined; next = this.peek()) {
      if (next.kind === 'line' || (next.kind === 'mark' && ',;}]'.includes(next.text))) break
      if (next.text === '(') words.push(...this.skipGroup())
      else words.push(this.next().text)
    }
    // A comment may stand behind the comma.
    if (this.is(',') && this.peek(1)?.kind === 'note') words.push((this.peek(1) as Token).text)
    const note = words.join(' ')
    return { note, optional: /\boptional\b/iu.test(note) }
  }
}

const isPlain = ({ kind, text }: Token): boolean =>
  (kind === 'word' && text !== 'or' && !text.startsWith('.')) ||
  kind === 'number' ||
  (kind === 'mark' && (text === '-' || text === '–' || text === '/'))

function ofWords(words: string, name: string): Schema {
  const noted = schemaOfNote(words)
  return noted['type'] === 'string' &&
    Object.keys(noted).length === 1 &&
    kindNamed(words) === undefined &&
    name !== ''
    ? numbersOnly(schemaOfName(name))
    : noted
}

// Words on a value say nothing of a list unless they name one.
const numbersOnly = (schema: Schema): Schema => (schema['type'] === 'array' ? { type: 'string' } : schema)

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

/** The schema of several values of which one is meant. */
function unionOf(all: readonly Noted[]): Noted {
  const optional = all.some((one) => one.optional === true || one.schema['type'] === 'undefined')
  const literals = all.map(({ literal }) => literal)
  if (literals.every((literal) => literal !== undefined))
    return { schema: { enum: [...new Set(literals)] }, optional }
  const words = all.filter(({ literal }) => literal !== undefined).map(({ literal }) => literal)
  const others = all.filter(({ literal }) => literal === undefined).map(({ schema }) => schema)
  return {
    schema: { anyOf: [...(words.length > 0 ? [{ enum: [...new Set(words)] }] : []), ...others] },
    optional,
  }
}

/** A comment on a value: kept as its description; it may tell the choices. */
function withNote(schema: Schema, note: string): Schema {
  const choices = schema['type'] === 'string' && /\bone of\b|\|/iu.test(note) ? choicesIn(note) : []
  return choices.length > 0 ? { enum: choices } : { ...schema, description: note.slice(0, 300) }
}
