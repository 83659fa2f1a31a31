/** Arbitraries of values, texts and YAML that are a little, or very, wrong: good ones with some places changed. */
import fc from 'fast-check'
import { words } from '../hostile/_inputs.ts'
import {
  nested,
  type Path,
  placesOf,
  valueAt,
  withMembers,
  without,
  withRaw,
  wrongValues,
} from '../hostile/_json.ts'

/** Numbers at which code that counts, allocates or shifts tends to break. */
const edges = [
  '0', '-0', '1', '-1', '2', '3', '100', '0.5', '1e-7', '127', '128', '255', '256', '1000', '4096', '65535',
  '65536', '1e5', '1000000', '2147483647', '2147483648', '4294967295', '4294967296', '9007199254740991',
  '9007199254740993', '-9007199254740991', '1e21', '1e308', '1e999', '-1e999', '1767225600', '8.64e15',
] // biome-ignore format: a table

const wrong = Object.entries(wrongValues)
  .filter(([name]) => name !== 'a million letters')
  .map(([, raw]) => raw)

const yamlChunks = [
  '&a ', '*a', '<<: *a', '!!binary ', '!!js/function ', '!!set ', '? ', '---\n', '...\n', '%YAML 9.9\n', '|+\n', '>-\n',
  '{', '}', '[', ']', ': ', '- ', '#', '"', "'", '\t', '\r\n', '\u0085', '@', '`', '~', '.inf', '.nan', '0o777', '1_000',
  '&a [*a, *a]', '{ a: 1, a: 2 }', '__proto__: { x: 1 }', '${{ x }}', '{{ body.prompt }}', '{{', '}}',
] // biome-ignore format: a table

/** Changes one value to another, or a text to another. */
type Change<T> = (before: T) => T

const applied = <T>(value: fc.Arbitrary<T>, change: fc.Arbitrary<Change<T>>, most = 3): fc.Arbitrary<T> =>
  fc
    .tuple(value, fc.array(change, { minLength: 1, maxLength: most, size: 'max' }))
    .map(([before, changes]) => changes.reduce((text, one) => one(text), before))

/** A text with letters left out, put in and repeated. */
export function changedText(text: fc.Arbitrary<string>, chunks: readonly string[] = words) {
  const put = fc.oneof(fc.constantFrom(...chunks), fc.string({ unit: 'binary', maxLength: 8 }))
  const cut = fc.oneof({ weight: 7, arbitrary: fc.nat(8) }, fc.nat(5000))
  const times = fc.oneof({ weight: 50, arbitrary: fc.constant(1) }, fc.constantFrom(2, 500))
  const change = fc.tuple(fc.nat(), cut, put, times).map(
    ([from, length, chunk, repeats]): Change<string> =>
      (before) => {
        const at = from % (before.length + 1)
        return before.slice(0, at) + chunk.repeat(repeats) + before.slice(at + length)
      },
  )
  return applied(text, change).map((changed) => changed.slice(0, 300_000))
}

/** What may stand at a place instead, as JSON; `others` are values to borrow parts from. */
function rawOf(others: readonly unknown[]): fc.Arbitrary<string> {
  const borrowed = fc.tuple(fc.constantFrom(...others), fc.nat()).map(([other, at]) => {
    const places = placesOf(other)
    return JSON.stringify(valueAt(other, places[at % places.length] as Path))
  })
  const long = fc.constantFrom(10_000, 100_000, 1_000_000).map((length) => `"${'a'.repeat(length)}"`)
  const deep = fc
    .tuple(fc.constantFrom(100, 129, 5000), fc.constantFrom('array' as const, 'object' as const))
    .map(([depth, kind]) => nested(depth, kind))
  return fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...wrong) },
    { weight: 60, arbitrary: fc.constantFrom(...edges) },
    { weight: 60, arbitrary: fc.constantFrom(...words).map((word) => JSON.stringify(word)) },
    { weight: 20, arbitrary: fc.json({ maxDepth: 2 }) },
    { weight: 20, arbitrary: borrowed },
    { weight: 1, arbitrary: fc.oneof(long, deep) },
  )
}

const rest = (value: unknown, place: Path): string =>
  place.length === 0 ? JSON.stringify(value) : without(value, place)

/** Changes of a JSON text at one place. */
function changeOf(others: readonly unknown[]): fc.Arbitrary<Change<string>> {
  const raw = rawOf(others)
  const key = fc.constantFrom(...words).map((word) => JSON.stringify(word))
  const side = fc.constantFrom('front' as const, 'back' as const)
  const times = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(1, 2, 5, 17) }, fc.constant(200))
  type AtPlace = (value: unknown, place: Path) => string
  const member = fc.tuple(key, raw, side).map(
    ([name, inner, where]): AtPlace =>
      (value, place) => {
        const found = valueAt(value, place)
        const isObject = found !== null && typeof found === 'object' && !Array.isArray(found)
        return isObject ? withMembers(value, place, `${name}:${inner}`, where) : withRaw(value, place, '{}')
      },
  )
  const near = fc.constantFrom(-1, 1, 0.5, 10).map(
    (step): AtPlace =>
      (value, place) => {
        const found = valueAt(value, place)
        return withRaw(value, place, typeof found === 'number' ? String(found + step) : '[]')
      },
  )
  const list = times.map(
    (length): AtPlace =>
      (value, place) => {
        const one = JSON.stringify(valueAt(value, place))
        return withRaw(
          value,
          place,
          `[${Array<string>(one.length > 5000 ? 1 : length)
            .fill(one)
            .join(',')}]`,
        )
      },
  )
  // Counts, sizes and times are where loops never end.
  const put = fc.tuple(raw, fc.constantFrom(...edges), fc.nat(9)).map(
    ([text, edge, chance]): AtPlace =>
      (value, place) => {
        const isNumber = typeof valueAt(value, place) === 'number'
        return withRaw(value, place, isNumber && chance < 6 ? edge : text)
      },
  )
  const atPlace = fc.oneof(
    { weight: 12, arbitrary: put },
    { weight: 3, arbitrary: fc.constant(rest) },
    { weight: 2, arbitrary: member },
    { weight: 1, arbitrary: near },
    { weight: 2, arbitrary: list },
  )
  return fc.tuple(fc.nat(), atPlace).map(([at, change]) => (text) => {
    // What is no JSON any more stays as it is, and what is too deep to walk through.
    const value = /(?:\[|\{"a":){200}/.test(text) ? undefined : parsed(text)
    if (value === undefined) return text
    const places = placesOf(value)
    return change(value, places[at % places.length] as Path)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A value as JSON text, with one to three places changed. */
export function changedJson(value: fc.Arbitrary<unknown>, others: readonly unknown[]): fc.Arbitrary<string> {
  const text = value.map((one) => JSON.stringify(one))
  return fc.oneof(
    { weight: 19, arbitrary: applied(text, changeOf(others)) },
    { weight: 1, arbitrary: changedText(text) },
  )
}

/** YAML with lines gone, doubled, further in, from elsewhere, or with another value. */
export function changedYaml(texts: readonly string[]): fc.Arbitrary<string> {
  const text = fc.constantFrom(...texts)
  const value = fc.oneof(
    fc.constantFrom(...edges, ...yamlChunks, ...wrong),
    fc.constantFrom(...words).map((word) => JSON.stringify(word)),
  )
  const foreign = fc.tuple(text, fc.nat()).map(([other, at]) => {
    const lines = other.split('\n')
    return (lines[at % lines.length] as string).trimStart()
  })
  type LineChange = (line: string, indent: string) => readonly string[]
  const change = fc.oneof(
    fc.constantFrom<LineChange[]>(
      () => [],
      (line) => [line, line],
      (line) => [`  ${line}`],
      (line) => [line.replace(/^ {2}/, '')],
      (line) => Array<string>(50).fill(line),
    ),
    foreign.map(
      (other): LineChange =>
        (line, indent) => [indent + other, line],
    ),
    value.map(
      (other): LineChange =>
        (line) => [line.replace(/(:|-) [^:{[]+$/, `$1 ${other}`)],
    ),
    value.map(
      (other): LineChange =>
        (line) => [line.replace(/(?<=: )[\w.]+(?=[ ,}\]])/, () => other)],
    ),
  )
  const lineChange = fc.tuple(fc.nat(), change).map(
    ([from, one]): Change<string> =>
      (before) => {
        const lines = before.split('\n')
        const at = from % lines.length
        const line = lines[at] as string
        return lines.toSpliced(at, 1, ...one(line, /^ */.exec(line)?.[0] ?? '')).join('\n')
      },
  )
  return fc.oneof(
    { weight: 6, arbitrary: applied(text, lineChange) },
    { weight: 4, arbitrary: changedText(text, [...words, ...yamlChunks]) },
  )
}
