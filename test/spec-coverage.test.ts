/** docs/spec-coverage.md holds: its rows name tests that exist and run, and settings that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
/** The rows of all tables: statements have three cells, open questions five. */
const rows = read('docs/spec-coverage.md')
  .split('\n')
  .filter((line) => /^\| (?!#|Open point|---)/.test(line))
  .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /))
const statements = rows.filter((cells) => cells.length === 3)
const questions = rows.filter((cells) => cells.length === 5)

/** The settings of docs/reference/settings.md, which another test holds against the code. */
const settings = [...read('docs/reference/settings.md').matchAll(/^`([^`]+)` \| /gm)].map(([, name]) => name)

const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.thorough.test.ts'))
  .map((name) => read(`test/${name}`))

/** Whether `npm test` runs a file: as a test, or as shared tests that a test imports. */
const runs = (path: string): boolean =>
  existsSync(join(root, path)) &&
  !path.endsWith('.thorough.test.ts') &&
  (path.endsWith('.test.ts') || testFiles.some((source) => source.includes(`/${basename(path)}'`)))

const skipping = /\b(?:it|test|describe)\.(?:skip|todo|fails|only)\b|\.(?:skipIf|runIf)\(|\bskip\(\)/

/** Each text in quotes; a template in backquotes may go over several lines. */
const quoted = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g

/** What a run fills in a title: `%s`, `$name` and `${name}`. */
const hole = /%[sdifjo#$]|\$\{[^}]*\}|\$[a-z][\w.]*/

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Whether a source gives a test this title, as it is or in a table that also holds what fills it. */
function hasTitle(source: string, title: string): boolean {
  const plain = source.replace(/\\(.)/g, '$1')
  if ([`'`, '"', '`'].some((quote) => plain.includes(quote + title + quote))) return true
  const texts = [...source.matchAll(quoted)].map((match) => match.slice(1).join('').replace(/\\(.)/g, '$1'))
  return texts
    .map((text) => text.split(hole))
    .filter((fixed) => fixed.length > 1)
    .some((fixed) => {
      const filled = new RegExp(`^${fixed.map(escapePattern).join('([^]*)')}$`).exec(title)?.slice(1)
      // A file that compares its titles with the page makes them at run time.
      const isKnown = (part: string): boolean =>
        plain.includes(part) || source.includes('docs/spec-coverage.md')
      return filled?.every(isKnown) ?? false
    })
}

/** What is wrong with `` `test/a.test.ts` › "block" › "title" ``. */
function problemsOf(reference: string): string[] {
  const [, file = '', titles] =
    /^(?:(?:at|beyond): )?`(test\/[^`]+\.ts)`(?: › "(.+)")?$/.exec(reference) ?? []
  if (file === '') return [`no reference: ${reference}`]
  if (!runs(file)) return [`${file} does not exist, or \`npm test\` does not run it`]
  const source = read(file)
  if (skipping.test(source)) return [`${file} has a test that is or may be skipped`]
  return (titles?.split('" › "') ?? [])
    .filter((title) => !hasTitle(source, title))
    .map((title) => `${file} has no block, test or table "${title}"`)
}

it('names only tests that exist and run', () => {
  const proofs = rows.flatMap((cells) => (cells.at(-1) as string).replaceAll('\\|', '|').split('<br>'))
  expect([...new Set(proofs)].flatMap((proof) => problemsOf(proof.trim()))).toEqual([])
  expect(rows.length).toBe(statements.length + questions.length)
})

it('names a test on either side of a limit', () => {
  const sides = (cells: readonly string[], side: string) => cells.at(-1)?.includes(`${side}: \`test/`)
  expect(rows.filter((cells) => sides(cells, 'at') !== sides(cells, 'beyond'))).toEqual([])
})

it('names only settings that exist', () => {
  const named = questions.flatMap((cells) =>
    [...(cells[3] as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  expect(named.filter((name) => !settings.includes(name))).toEqual([])
  expect(settings.length).toBeGreaterThan(40)
})

it('has statements in every section, each with an id of its own', () => {
  const ids = statements.map(([id]) => id as string)
  expect(new Set(ids).size).toBe(ids.length)
  const filled = new Set(ids.map((id) => id.replace(/-\d+$/, '').replace(/^W.*/, 'W')))
  const sections = read('docs/spec-coverage.md').matchAll(/^## (?:([\d.]+) .+|Wire formats)$/gm)
  expect([...sections].map(([, section = 'W']) => section).filter((section) => !filled.has(section))).toEqual(
    [],
  )
})
