import { expect, it } from 'vitest'
import { markdownTable, textTable } from '../../src/text/printable.ts'

it('aligns columns without trailing spaces', () => {
  expect(
    textTable(
      ['A', 'B'],
      [
        ['long', ''],
        ['x', 'y'],
      ],
    ),
  ).toBe('A     B\nlong\nx     y\n')
})

it('escapes a bar inside a cell', () => {
  expect(markdownTable(['A'], [['x | y']])).toBe('| A |\n| --- |\n| x \\| y |\n')
})
