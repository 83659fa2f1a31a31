/**
 * Reads the shape of a value as people note it: a JSON example, TypeScript, zod, Python, or a mixture.
 * What is not understood is a text; only what has no members at all is no shape.
 */
import { anyText, choicesIn, kindNamed, listOf, objectOf, type Schema, schemaOfNote } from './value-notes.ts'

interface Noted {
  readonly schema: Schema
  readonly optional?: boolean
  /** The text or number of a literal, which in a union is one of the choices. */
  readonly literal?: string | number
}

const maxDepth = 12
const maxLength = 20_000
/** Stands in front of a comment, which ends with its line. */
const COMMENT = '\u0001'

/** The schema of what a text notes as an object or an array; undefined when it is neither. */
export function readNotation(text: string): Schema | undefined {
  if (text.length > maxLength) return undefined
  const plain = text
    .replace(/\/\*([^]{0,2000}?)\*\//gu, (_, words: string) => `${COMMENT}${words.replaceAll('\n', ' ')}\n`)
    // A comment behind a comma speaks of what stands in front of it.
    .replace(/([,;]?)[^\S\n]*(?<=[\s,;{[])(?:\/\/|#)[^\S\n]*([^\n]*)/gu, `${COMMENT}$2`)
    .replace(/\s*\n\s*(?=\|)/gu, ' ')
    .replace(/(["'])\s*(?:\bor\b|\/)\s*(?=["'])/gu, '$1 | ')
  return plain.startsWith('{') ? objectIn(plain.slice(1, -1), 0) : noted(plain, '', 0).schema
}

const closings: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')', '<': '>' }
const quoted = /"(?:[^"\\\n]|\\.){0,2000}"|(?<![\p{L}\p{N}])'[^'\n]{0,300}'(?![\p{L}\p{N}])/uy

/** The parts between separators that stand outside of quotes, brackets and comments. */
function partsOf(text: string, separators: string): readonly string[] {
  const parts: string[] = []
  const open: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at)
    quoted.lastIndex = at
    if (open.length === 0 && separators.includes(letter)) {
      parts.push(text.slice(from, at))
      from = at + 1
    } else if (letter === COMMENT) {
      const end = text.indexOf('\n', at)
      at = (end < 0 ? text.length : end) - 1
    } else if ((letter === '"' || letter === "'") && quoted.test(text)) at = quoted.lastIndex - 1
    else if (letter === open.at(-1)) open.pop()
    else if (letter in closings && (letter !== '<' || /[\w"'{]/u.test(text.charAt(at + 1))))
      open.push(closings[letter] as string)
  }
  return [...parts, text.slice(from)]
}

const member = new RegExp(
  String.raw`^(?:readonly\s+)?(?:"([^"\n]{1,80})"|'([^'\n]{1,80})'|([\p{L}_$][\p{L}\p{N}_$-]{0,60}` +
    String.raw`(?: [\p{L}\p{N}_$-]{1,30}){0,3}))\s*(\?)?\s*(?:[:=]\s*([^]*))?$`,
  'u',
)

/** The schema of an object's members; undefined when they are none. */
function objectIn(inside: string, depth: number): Schema | undefined {
  const properties = new Map<string, Schema>()
  const optional = new Set<string>()
  let others: Schema | undefined
  let bare = 0
  for (const part of partsOf(inside, ',;\n')) {
    const text = part.trim()
    if (text === '' || text.startsWith(COMMENT) || /^(?:\.{3}|…)/u.test(text)) continue
    // `[key: string]: number`
    const indexed = /^\[[^\]]*\]\s*:([^]*)$/u.exec(text)?.[1]
    if (indexed !== undefined) {
      others = noted(indexed, '', depth + 1).schema
      continue
    }
    const [, double, single, word, mark, value] = member.exec(text) ?? []
    const name = double ?? single ?? word?.trim().replaceAll(' ', '_')
    if (name === undefined) return undefined
    if (value === undefined) bare++
    const { schema, optional: isOptional } = noted(value ?? '', name, depth + 1)
    if (name !== '__proto__') properties.set(name, schema)
    if (mark !== undefined || isOptional === true) optional.add(name)
  }
  // "{name}" is a place in a template, "{name, age}" an object.
  if (bare > 0 && (properties.size < 2 || bare < properties.size)) return undefined
  if (properties.size > 0) return objectOf(properties, optional)
  return others === undefined ? { type: 'object' } : { type: 'object', additionalProperties: others }
}

/** What a value is noted as, and whether it may be left out. */
function noted(written: string, name: string, depth: number): Noted {
  const [text = '', comment = ''] = partsOf(written, COMMENT).map((part) => part.trim())
  const all = depth > maxDepth ? [] : partsOf(text, '|').filter((part) => part.trim() !== '')
  const value = all.length > 1 ? unionOf(all, name, depth) : one(text, name, depth)
  const choices = /\bone of\b|\|/iu.test(comment) ? choicesIn(comment) : []
  return {
    ...value,
    optional: value.optional === true || /\boptional\b/iu.test(`${text.slice(-40)} ${comment}`),
    schema:
      comment === ''
        ? value.schema
        : choices.length > 0
          ? { enum: choices }
          : { ...value.schema, description: comment.slice(0, 300) },
  }
}

/** Several values of which one is meant: literals are choices, and so are words that name no type. */
function unionOf(parts: readonly string[], name: string, depth: number): Noted {
  const words = parts.map((part) => part.trim())
  const isWord = (word: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,40}$/u.test(word)
  if (words.every((word) => isWord(word) && kindNamed(word) === undefined)) return { schema: { enum: words } }
  const all = words.map((word) => one(word, name, depth + 1))
  const literals = all.flatMap(({ literal }) => literal ?? [])
  const others = all.flatMap(({ literal, schema }) => (literal === undefined ? [schema] : []))
  const given = literals.length === 0 ? [] : [{ enum: [...new Set(literals)] }]
  const kinds = [...given, ...others.filter((_, at) => words[at] !== 'undefined')]
  return {
    schema: kinds.length === 1 ? (kinds[0] as Schema) : { anyOf: kinds },
    optional: words.includes('undefined'),
  }
}

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

/** A value without alternatives. */
function one(text: string, name: string, depth: number): Noted {
  if (depth > maxDepth) return { schema: anyText }
  const [first, last] = [text.charAt(0), text.charAt(text.length - 1)]
  const inside = text.slice(1, -1)
  if ((first === '"' || first === "'") && last === first)
    return { schema: schemaOfText(inside.trim()), literal: inside }
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/u.test(text))
    return { schema: schemaOfNumber(text), literal: Number(text) }
  if (/^(?:true|false)$/iu.test(text)) return { schema: { type: 'boolean' } }
  if (text.endsWith('[]')) return { schema: listOf(noted(text.slice(0, -2), name, depth + 1).schema) }
  if (first === '{' && last === '}') return { schema: objectIn(inside, depth) ?? { type: 'object' } }
  if (first === '(' && last === ')') return noted(inside, name, depth + 1)
  if (first === '[' && last === ']') {
    const item = partsOf(inside, ',\n').find((part) => !/^\s*(?:\.{3}|…|$)/u.test(part))
    return { schema: listOf(item === undefined ? anyText : noted(item, '', depth + 1).schema) }
  }
  const [, before, method] = /^([^]+[)\]])\.(\w+)\([^()]*\)$/u.exec(text) ?? []
  if (before !== undefined) return withMethod(noted(before, name, depth + 1), method as string)
  const [, type, given] = /^(?:\w+\.)?(\w+)\s*[<[(]([^]*)[>\])]$/u.exec(text) ?? []
  const applied = type === undefined ? undefined : appliedType(type.toLowerCase(), given as string, depth)
  return applied ?? { schema: schemaOfNote(text, name) }
}

/** `.optional()`, `.min(3)` */
function withMethod(value: Noted, method: string): Noted {
  if (/^(?:optional|nullish|default)$/u.test(method)) return { ...value, optional: true }
  if (method === 'nullable') return { schema: orNull(value.schema) }
  if (method === 'array') return { schema: listOf(value.schema) }
  return method === 'int' ? { schema: { type: 'integer' } } : value
}

/** `Array<string>`, `list[str]`, `Literal["a", "b"]`, `z.object({ … })` */
function appliedType(type: string, given: string, depth: number): Noted | undefined {
  const parts = partsOf(type === 'enum' ? given.replace(/^\[|\]$/gu, '') : given, ',')
  const of = (part = ''): Noted => noted(part, '', depth + 1)
  if (/^(?:array|list|set|sequence|iterable)$/u.test(type)) return { schema: listOf(of(parts[0]).schema) }
  if (/^(?:record|dict|map)$/u.test(type))
    return { schema: { type: 'object', additionalProperties: of(parts.at(-1)).schema } }
  if (/^(?:enum|literal|union)$/u.test(type)) return unionOf(parts, '', depth)
  if (type === 'nullable') return { schema: orNull(of(given).schema) }
  if (type === 'optional') return { ...of(given), optional: true }
  return type === 'object' ? of(given) : undefined
}

/** The example of a text: a choice, the name of a type, a note on what to write, or any text. */
function schemaOfText(text: string): Schema {
  const isNote = /^(?:an? )?(?:array|list|number|integer|boolean|true ?(?:or|\/) ?false|one of)\b|\|/iu
  const inner = text.replace(/^<|>$/gu, '')
  return kindNamed(inner) ?? (isNote.test(inner) ? schemaOfNote(inner) : anyText)
}

/** The example of a number. */
function schemaOfNumber(text: string): Schema {
  const value = Number(text)
  if (!text.includes('.')) return { type: 'integer' }
  return value > 0 && value < 1 ? { type: 'number', minimum: 0, maximum: 1 } : { type: 'number' }
}
