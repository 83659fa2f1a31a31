/** The README and the glossary keep what readers and tools rely on. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './_built.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
/** The first cells of the table in a text, in lower case. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:\| )?([^|\n]+?) \| /gm)]
    .map(([, word = '']) => word.toLowerCase().replaceAll('`', ''))
    .filter((word) => word !== 'word' && !/^:?--/.test(word))

describe('README.md', () => {
  const lines = read('README.md').split('\n')

  it('has at most 150 lines', () => {
    expect(lines.length).toBeLessThanOrEqual(150)
  })

  it('has the two commands of the repository, each alone on its line', () => {
    expect(lines).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']))
  })

  it('has the example of the first page of the site', () => {
    const blocks = read('docs/index.md').match(/^```(?:ts|text)\n[\s\S]*?^```$/gm) ?? []
    expect(blocks.length).toBe(2)
    for (const block of blocks) expect(read('README.md')).toContain(block)
  })
})

describe('the glossary', () => {
  const words = wordsOf(read('docs/start/glossary.md'))

  it('has every word once, in alphabetical order', () => {
    expect(words.length).toBeGreaterThan(40)
    expect(words).toEqual([...new Set(words)].sort((a, b) => a.localeCompare(b, 'en')))
  })

  it('shares no word with those of ARCHITECTURE.md, which would define it a second time', () => {
    const [, architecture = ''] = read('ARCHITECTURE.md').split('\n## Words\n')
    const internal = wordsOf(architecture)
    expect(internal.length).toBeGreaterThan(8)
    expect(internal.filter((word) => words.includes(word))).toEqual([])
  })
})
