/** Texts to try for a string: of its format, of its pattern, a fake for its name, words. */
import type { Random } from '../../engine/random.ts'
import type { Pattern } from '../pattern.ts'
import type { Words } from '../words.ts'
import type { Fakes } from './fakes.ts'
import { textsOfFormat } from './formats.ts'
import { least, most, type Shape } from './merge-schema.ts'

interface Sources {
  readonly random: Random
  /** The source that the properties of one object share. */
  readonly around: Random
  readonly fakes: Fakes
}

/** The rounds of texts that are tried for one place. */
const tries = 60

/** Texts of about the right length; a caller checks whether they conform. */
export function* texts(shape: Shape, name: Words, sources: Sources): Generator<string> {
  const { random, around, fakes } = sources
  const { schemas } = shape
  const [minLength, maxLength] = [least(shape, 'minLength'), most(shape, 'maxLength')]
  const inBounds = (text: string): string => text.slice(0, maxLength)
  for (const { keywords } of schemas)
    if (keywords.format !== undefined)
      for (const text of textsOfFormat(keywords.format, random)) yield* new Set([text, inBounds(text)])
  const patterns = schemas.flatMap(({ pattern }) => pattern ?? []).sort((a, b) => endOf(a) - endOf(b))
  for (let turn = 0; turn < tries && patterns.length > 0; turn++) {
    const found = patterns.map(({ write }) => write(random.fork(`pattern ${turn}`), minLength, turn))
    // A pattern without an anchor is found in a longer text too.
    for (const text of new Set([...found, found.join('')]))
      yield* new Set([text, inBounds(text.padEnd(minLength, 'a'))])
  }
  const fake = fakes.textFor(name, around)
  if (fake !== undefined) yield* [fake, fakes.textFor(name, random) as string]
  const start = fakes.words(random.fork('words'))
  const repeated = `${start} `.repeat(Math.ceil((minLength + 1) / start.length))
  yield inBounds(repeated.slice(0, Math.max(minLength, start.length))).replace(/ $/, 's')
  for (let turn = 0; turn < tries; turn++) yield inBounds(random.fork(`hex ${turn}`).hex(8))
}

/** Where a pattern belongs in a text that joins several: at the start, in between, at the end. */
function endOf({ source }: Pattern): number {
  return Number(source.endsWith('$')) - Number(source.startsWith('^'))
}
