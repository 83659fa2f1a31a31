/** The names that the package exports, their kinds, and that each leads to exported types alone. */
import { describe, expect, it } from 'vitest'
import { requireBuild } from './_built.ts'
import { readEntries } from './_exports.ts'

requireBuild()
const entries = readEntries()

describe('the exports of the package', () => {
  it('are these', async () => {
    const text = entries
      .map(({ name, exports }) =>
        [name, ...exports.map(({ name, kind }) => `  ${kind} ${name}`).sort()].join('\n'),
      )
      .join('\n\n')
    await expect(`${text}\n`).toMatchFileSnapshot('exports.txt')
  })

  it.each(entries)('lead to types that $name exports', ({ hidden }) => {
    expect(hidden).toEqual([])
  })

  it.each(entries)('have an @example on each function of $name', ({ exports }) => {
    const bare = exports.filter(({ kind, hasExample }) => kind === 'function' && !hasExample)
    expect(bare.map(({ name }) => name)).toEqual([])
  })
})
