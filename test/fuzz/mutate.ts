/** Ways to make a good value, text or run of bytes into one that is a little, or very, wrong. */
import { words } from '../hostile/_inputs.ts'
import { type Path, valueAt, withMembers, without, withRaw, wrongValues } from '../hostile/_json.ts'
import type { Random } from './random.ts'

/** Numbers at which code that counts, allocates or shifts tends to break. */
const edges = [
  '0', '-0', '1', '-1', '2', '3', '100', '0.5', '1e-7', '127', '128', '255', '256', '1000', '4096', '65535',
  '65536', '1e5', '1000000', '2147483647', '2147483648', '4294967295', '4294967296', '9007199254740991',
  '9007199254740993', '-9007199254740991', '1e21', '1e308', '1e999', '-1e999', '1767225600', '8.64e15',
] // biome-ignore format: a table

const wrong = Object.entries(wrongValues)
  .filter(([name]) => name !== 'a million letters')
  .map(([, raw]) => raw)

/** A value as JSON text, with one to three places changed. `others` are values to borrow parts from. */
export function mutatedJson(random: Random, value: unknown, others: readonly unknown[]): string {
  let changed = value
  for (let left = random.below(3); left > 0; left--)
    changed = reparsed(mutateOnce(random, changed, others), changed)
  return mutateOnce(random, changed, others)
}

/** The text as a value, or what it was before, where it is no JSON any more. */
function reparsed(text: string, before: unknown): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return before
  }
}

function mutateOnce(random: Random, value: unknown, others: readonly unknown[]): string {
  const place = placeIn(random, value)
  const found = valueAt(value, place)
  // Counts, sizes and times are where loops never end.
  if (typeof found === 'number' && random.chance(0.6)) return withRaw(value, place, near(random, found))
  switch (
    random.weighted({ wrong: 4, near: 9, drop: 3, member: 2, borrow: 2, list: 2, bytes: 1, huge: 0.05 })
  ) {
    case 'wrong':
      return withRaw(value, place, random.pick(wrong))
    case 'near':
      return withRaw(value, place, near(random, found))
    case 'drop':
      return place.length === 0 ? '' : without(value, place)
    case 'member':
      return withMember(random, value, place, found)
    case 'borrow':
      return withRaw(value, place, borrowed(random, others))
    case 'list':
      return withRaw(value, place, listed(random, found))
    case 'bytes':
      return mutatedText(random, JSON.stringify(value))
    case 'huge':
      return withRaw(value, place, JSON.stringify('a'.repeat(random.pick([10_000, 100_000, 1_000_000]))))
  }
}

/** A place in a value, by a walk that may stop anywhere: to list all of a large one would take too long. */
function placeIn(random: Random, value: unknown): Path {
  const place: (string | number)[] = []
  for (let found = value; found !== null && typeof found === 'object' && place.length < 50; ) {
    const keys = Object.keys(found)
    if (keys.length === 0 || (place.length > 0 && random.chance(0.15))) break
    const key = random.pick(keys)
    place.push(Array.isArray(found) ? Number(key) : key)
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  return place
}

/** A value of the same kind that is not the same. */
function near(random: Random, found: unknown): string {
  if (typeof found === 'number')
    return random.chance(0.25) ? String(found + random.pick([-1, 1, 0.5, 10])) : random.pick(edges)
  if (typeof found === 'string')
    return JSON.stringify(random.chance(0.5) ? random.pick(words) : mutatedText(random, found))
  if (typeof found === 'boolean') return String(!found)
  return random.chance(0.5) ? random.pick(edges) : JSON.stringify(random.pick(words))
}

function withMember(random: Random, value: unknown, place: Path, found: unknown): string {
  if (found === null || typeof found !== 'object' || Array.isArray(found)) return withRaw(value, place, '{}')
  const key = JSON.stringify(random.pick([...Object.keys(found), ...words.slice(0, 20)]))
  return withMembers(value, place, `${key}:${random.pick(wrong)}`, random.pick(['front', 'back']))
}

function borrowed(random: Random, others: readonly unknown[]): string {
  const other = random.pick(others)
  return JSON.stringify(valueAt(other, placeIn(random, other)))
}

/** The value several times, or turned into or out of a list. */
function listed(random: Random, found: unknown): string {
  const one = JSON.stringify(found)
  if (Array.isArray(found) && random.chance(0.5)) return JSON.stringify([...found, ...found].reverse())
  const times = random.chance(0.05) && one.length < 1000 ? 200 : random.pick([1, 2, 5, 17])
  return `[${Array<string>(times).fill(one).join(',')}]`
}

/** A text with letters cut, doubled, swapped or put in; of bytes when it is given as bytes. */
export function mutatedText(random: Random, text: string, chunks: readonly string[] = words): string {
  let changed = text
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(changed.length + 1)
    const length = random.chance(0.7) ? random.below(8) : random.below(changed.length + 1)
    const part = changed.slice(at, at + length)
    const rest = changed.slice(at + length)
    const head = changed.slice(0, at)
    switch (random.weighted({ cut: 3, put: 4, double: 2, flip: 3, swap: 1, move: 1 })) {
      case 'cut':
        changed = head + rest
        break
      case 'put':
        changed = head + random.pick(chunks) + changed.slice(at)
        break
      case 'double':
        changed = head + part.repeat(random.chance(0.02) ? 500 : 2) + rest
        break
      case 'flip':
        changed =
          head +
          String.fromCharCode((changed.charCodeAt(at) || 0) ^ (1 << random.below(7))) +
          changed.slice(at + 1)
        break
      case 'swap':
        changed = head + [...part].reverse().join('') + rest
        break
      case 'move':
        changed = rest + head + part
        break
    }
  }
  return changed.slice(0, 300_000)
}

/** YAML changes by lines too: one gone, one doubled, one further in, one from elsewhere. */
export function mutatedYaml(random: Random, text: string, others: readonly string[]): string {
  if (random.chance(0.4)) return mutatedText(random, text, [...words, ...yamlChunks])
  const lines = text.split('\n')
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(lines.length)
    const line = lines[at] ?? ''
    const elsewhere = random.pick(random.pick(others).split('\n'))
    const change = random.weighted({
      drop: 2,
      double: 2,
      indent: 2,
      outdent: 1,
      foreign: 3,
      value: 5,
      many: 0.1,
    })
    const indent = /^ */.exec(line)?.[0] ?? ''
    if (change === 'drop') lines.splice(at, 1)
    else if (change === 'double') lines.splice(at, 0, line)
    else if (change === 'indent') lines[at] = `  ${line}`
    else if (change === 'outdent') lines[at] = line.replace(/^ {2}/, '')
    else if (change === 'foreign') lines.splice(at, 0, indent + elsewhere.trimStart())
    else if (change === 'many') lines.splice(at, 0, ...Array<string>(random.pick([50, 500])).fill(line))
    else
      lines[at] = line.replace(/(:|-) [^:{[]+$|(?<=: )[\w.]+(?=[ ,}\]])/, (found) =>
        /^[:-]/.test(found) ? `${found[0]} ${yamlValue(random)}` : yamlValue(random),
      )
  }
  return lines.join('\n')
}

const yamlChunks = [
  '&a ', '*a', '<<: *a', '!!binary ', '!!js/function ', '!!set ', '? ', '---\n', '...\n', '%YAML 9.9\n', '|+\n', '>-\n',
  '{', '}', '[', ']', ': ', '- ', '#', '"', "'", '\t', '\r\n', '\u0085', '@', '`', '~', '.inf', '.nan', '0o777', '1_000',
  '&a [*a, *a]', '{ a: 1, a: 2 }', '__proto__: { x: 1 }', '${{ x }}', '{{ body.prompt }}', '{{', '}}',
] // biome-ignore format: a table

const yamlValue = (random: Random): string =>
  random.pick([
    random.pick(edges),
    random.pick(yamlChunks),
    random.pick(wrong),
    JSON.stringify(random.pick(words)),
  ])
