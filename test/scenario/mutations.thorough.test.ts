/** However a scenario file is spoilt, it is used or rejected with places: nothing else is ever thrown. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { loadScenario, ScenarioError } from '../../src/index.ts'
import { runs } from '../_counts.ts'
import { simulator } from '../_setup.ts'

const library = join(import.meta.dirname, '../../scenarios')
const files = [
  join(import.meta.dirname, 'design-sample.yaml'),
  ...readdirSync(library)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(library, name)),
]
const texts = files.map((file) => readFileSync(file, 'utf8'))

const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-mutations-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/**
 * What becomes of bytes that may be a scenario: used, or rejected with these words. Anything else fails the
 * test.
 */
async function outcome(bytes: Uint8Array | string): Promise<'used' | string> {
  const file = join(directory, 'spoilt.yaml')
  writeFileSync(file, bytes)
  try {
    simulator({ scenarios: [await loadScenario(file)] })
    return 'used'
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    expect(error.errors.length).toBeGreaterThan(0)
    const lines = Buffer.from(bytes).toString('utf8').split('\n').length
    for (const finding of error.errors) {
      expect(finding).toMatchObject({
        file,
        line: expect.any(Number),
        column: expect.any(Number),
        message: expect.stringMatching(/./),
      })
      expect(finding.line).toBeGreaterThanOrEqual(1)
      expect(finding.line).toBeLessThanOrEqual(lines)
      expect(finding.column).toBeGreaterThanOrEqual(1)
      expect(error.message).toContain(`${file}:${finding.line}:${finding.column}: `)
    }
    return error.message
  }
}

/** Every place inside a value, as a path. */
function placesIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') return [path]
  const inner = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value)
  return [path, ...inner.flatMap(([name, item]) => placesIn(item, [...path, name]))]
}

/** A change at a place of a value. */
type Edit = (holder: any, name: string | number, other: unknown) => void

const edits: Readonly<Record<string, Edit>> = {
  deleted: (holder, name) =>
    void (Array.isArray(holder) ? holder.splice(name as number, 1) : delete holder[name]),
  renamed(holder, name) {
    if (Array.isArray(holder)) return
    holder[`${name}s`] = holder[name]
    delete holder[name]
  },
  replaced: (holder, name, other) => void (holder[name] = other),
  wrapped: (holder, name) => void (holder[name] = [holder[name]]),
  nested: (holder, name) => void (holder[name] = { [name]: holder[name] }),
  repeated: (holder, name) =>
    void (Array.isArray(holder) ? holder.push(holder[name as number]) : (holder['extra'] = holder[name])),
}

const others = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1e21,
    '',
    ' ',
    'x',
    '5s',
    '-5s',
    [],
    {},
    [[]],
    { equals: 1 },
    { regex: '(' },
    '${body}',
    '${',
    'constructor',
    '__proto__',
    { toString: 1 },
    { constructor: 1 },
    { then: 1 },
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
)
const which = fc.nat({ max: texts.length - 1 })

describe('random mutations of valid files', () => {
  it('start from valid files', async () => {
    for (const [index, file] of files.entries()) {
      // The library gives files that stand beside it by name.
      expect(await outcome(texts[index] as string), file).toMatch(/^used$|there is no file/)
    }
  })

  it.each(Object.keys(edits))('a value that is %s', async (name) => {
    const edit = edits[name] as Edit
    await fc.assert(
      fc.asyncProperty(
        which,
        fc.array(fc.tuple(fc.nat(), others), { minLength: 1, maxLength: 3 }),
        async (index, places) => {
          const value = parse(texts[index] as string) as object
          for (const [place, other] of places) {
            const all = placesIn(value).filter((path) => path.length > 0)
            const path = all[place % all.length]
            if (path === undefined) continue
            let holder: any = value
            for (const part of path.slice(0, -1)) holder = holder[part]
            // A copy: what one change has put in, the next one may change, and the constants are there for
            // all runs.
            edit(holder, path.at(-1) as string | number, structuredClone(other))
          }
          await outcome(stringify(value, { aliasDuplicateObjects: false }))
        },
      ),
      runs(100),
    )
  })

  it('a text cut off', async () => {
    await fc.assert(
      fc.asyncProperty(which, fc.nat(), fc.nat(), async (index, from, length) => {
        const text = texts[index] as string
        const at = from % text.length
        await outcome(text.slice(0, at) + text.slice(at + (length % 40)))
        await outcome(text.slice(0, at))
      }),
      runs(100),
    )
  })

  it('a text with a line duplicated, moved or indented differently', async () => {
    await fc.assert(
      fc.asyncProperty(which, fc.nat(), fc.nat(), fc.nat({ max: 6 }), async (index, from, to, indent) => {
        const lines = (texts[index] as string).split('\n')
        const line = lines[from % lines.length] as string
        const twice = [...lines]
        twice.splice(to % lines.length, 0, ' '.repeat(indent) + line.trimStart())
        await outcome(twice.join('\n'))
        await outcome(
          lines
            .map((one, position) => (position === from % lines.length ? `${one}\n${one}` : one))
            .join('\n'),
        )
      }),
      runs(100),
    )
  })

  it('inserted bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 6 }),
      fc
        .constantFrom(
          '&a ',
          '*a ',
          '!!map ',
          '%YAML 9\n',
          '---\n',
          '...\n',
          '\t',
          '{',
          '}',
          '[',
          ']',
          '- ',
          ': ',
          '? ',
          '#',
          '"',
          "'",
          '|',
          '>',
          '<<: ',
          '\u0000',
          '\uFEFF',
          '\u2028',
          '!<tag> ',
          '@',
          '`',
        )
        .map((text) => new TextEncoder().encode(text)),
    )
    await fc.assert(
      fc.asyncProperty(which, fc.nat(), bytes, async (index, at, inserted) => {
        const before = Buffer.from(texts[index] as string)
        const place = at % (before.length + 1)
        await outcome(Buffer.concat([before.subarray(0, place), inserted, before.subarray(place)]))
      }),
      runs(100),
    )
  })

  it('a completely different text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue().map((value) => JSON.stringify(value)),
          fc.string(),
          fc.uint8Array(),
        ),
        async (given) => void (await outcome(given)),
      ),
      runs(100),
    )
  })
})

describe('deliberately hostile files', () => {
  it.each([
    [
      'aliases that expand without limit',
      `title: a\ndescription: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]}, `.repeat(9)}]`)
        .join('\n')}\n`,
    ],
    ['an alias to itself', 'title: a\nrules: &a [*a]\n'],
    ['deep nesting', `title: a\nrules: ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    [
      'deep nesting where any value is valid',
      `title: a\nrules: [{ when: { operation: chat.create, body: ${'{ metadata: '.repeat(3000)}1${' }'.repeat(3000)} }, then: {} }]\n`,
    ],
    [
      'a key inherited from Object',
      'title: a\n__proto__: { rules: [] }\nconstructor: 1\nflags: { __proto__: a, toString: b }\nrules: [{ when: { flags: { hasOwnProperty: x } }, then: { setFlags: { constructor: y } } }]\n',
    ],
    [
      'an invalid regular expression',
      'title: a\nrules: [{ when: { key: { regex: "a{2,1}" } }, then: {} }]\n',
    ],
    ['a tag of another type', 'title: !!binary aGVsbG8=\nseed: !!set { a, b }\n'],
  ])('%s', async (_what, text) => {
    expect(await outcome(text)).not.toBe('used')
  })
})
