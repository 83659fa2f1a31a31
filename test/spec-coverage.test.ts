/**
 * docs/spec-coverage.md holds: every row names tests that exist and run, every open point a setting that
 * exists.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { judge } from './spec-coverage/_judge.ts'
import { readPage } from './spec-coverage/_page.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = read('docs/spec-coverage.md')

const sections =
  '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 3 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 5 6 7 8 9 W'.split(' ')

/** The settings of docs/reference/settings.md, which another test holds against the code. */
const settings = new Set(
  [...read('docs/reference/settings.md').matchAll(/^`([^`]+)` \| /gm)].map(([, name]) => name as string),
)

const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.test.ts') && !name.endsWith('.thorough.test.ts'),
)

/** A test file that `npm test` runs, or a file of shared tests that such a file imports. */
function source(path: string): string | undefined {
  if (!existsSync(join(root, path)) || path.endsWith('.thorough.test.ts')) return undefined
  const runs =
    path.endsWith('.test.ts') ||
    testFiles.some((name) => read(`test/${name}`).includes(`/${basename(path)}'`))
  return runs ? read(path) : undefined
}

it('names only tests that exist and run, and only settings that exist', () => {
  expect(judge(page, { source, settings, sections })).toEqual([])
})

it('has rows in every section', () => {
  const filled = new Set(readPage(page).rows.map(({ section }) => section))
  expect(sections.filter((section) => !filled.has(section))).toEqual([])
  expect(settings.size).toBeGreaterThan(40)
})
