/** Writes a text within its length, patterns and formats. */
import type { Random } from '../../engine/random.ts'
import type { Pattern } from '../pattern.ts'
import { writeMatching } from '../write-pattern.ts'
import { type Fakes, kindOf } from './fakes.ts'
import { hasFormat, otherTextsOf, textOfFormat } from './formats.ts'
import { codePointLength } from './json-value.ts'

export interface StringTask {
  readonly minLength: number
  readonly maxLength: number
  readonly patterns: readonly Pattern[]
  readonly formats: readonly string[]
  /** The name of the property. */
  readonly name: string
  readonly random: Random
  /** The source that the properties of one object share. */
  readonly around: Random
  readonly fakes: Fakes
  /** An additional condition, such as a text unequal to those before. */
  accepts(text: string): boolean
}

/** Texts that are tried for one place. */
const tries = 60

/** A text that fits, or undefined if none was found. */
export function fillString(task: StringTask): string | undefined {
  const { minLength, maxLength, patterns, formats } = task
  const fits = (text: string): boolean => {
    const length = codePointLength(text)
    if (length < minLength || length > maxLength || !task.accepts(text)) return false
    return (
      patterns.every((pattern) => pattern.matches(text)) && formats.every((format) => hasFormat(format, text))
    )
  }
  for (const text of textsFor(task)) if (fits(text)) return text
  return undefined
}

/** Texts to try: of the format, of the pattern, a fake for the name, words. */
function* textsFor({ minLength, maxLength, patterns, formats, ...task }: StringTask): Generator<string> {
  const { name, random, around, fakes } = task
  for (const format of formats) {
    for (let turn = 0; turn < 6; turn++) {
      const text = textOfFormat(format, random.fork(`${format} ${turn}`), turn === 0 ? 0 : minLength)
      if (text !== undefined) yield text
      if (text !== undefined && turn > 0) yield text.slice(0, maxLength)
    }
  }
  for (const format of formats) yield* otherTextsOf(format)
  const written = (source: string, turn: number): string =>
    writeMatching(source, random.fork(`pattern ${turn}`), minLength, turn)
  for (let turn = 0; turn < tries; turn++) {
    for (const { source } of patterns) {
      const text = written(source, turn)
      yield text
      // A pattern without an anchor is found in a longer text too.
      yield text.padEnd(minLength, 'a')
    }
    if (patterns.length < 2) continue
    const joined = patterns.map(({ source }) => written(source, turn)).join('')
    yield joined
    yield joined.padEnd(minLength, 'a').slice(0, maxLength)
  }
  const kind = kindOf(name)
  if (kind !== undefined) {
    yield fakes.text(kind, around)
    yield fakes.text(kind, random)
  }
  const adjective = fakes.word('adjective', random.fork('adjective'))
  const start = `${adjective} ${fakes.word('noun', random.fork('noun'))}`
  yield start
  yield padded(start, minLength, maxLength)
  for (let turn = 0; turn < tries; turn++)
    yield random.fork(`hex ${turn}`).hex(Math.max(1, Math.min(8, maxLength)))
}

/** The text, repeated and cut to a length. */
function padded(text: string, minLength: number, maxLength: number): string {
  const repeated = `${text} `
    .repeat(Math.ceil(minLength / text.length))
    .slice(0, Math.max(minLength, text.length))
  return repeated.slice(0, maxLength).replace(/ $/, 's')
}
