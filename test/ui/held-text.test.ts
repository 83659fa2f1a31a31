/** The text of a held response that is edited. */
import { expect, it } from 'vitest'
import { asSent, asShown } from '../../src/ui/held-text.ts'

it('is JSON with line breaks, which are not sent', () => {
  const sent = '{"a":[1,"x y"]}'
  const shown = asShown(sent)
  expect(shown.split('\n')).toHaveLength(6)
  expect(asSent(shown, sent)).toBe(sent)
  expect(asSent(shown.replace('1', '2'), sent)).toBe('{"a":[2,"x y"]}')
})

it('is as written where line breaks would lose something, or where it is no JSON', () => {
  for (const sent of ['{"a": 1.0}', '12345678901234567890', 'text', '']) {
    expect(asShown(sent)).toBe(sent)
    expect(asSent(`${sent} `, sent)).toBe(`${sent} `)
  }
  expect(asSent('{"a":\n', '{"a":1}')).toBe('{"a":\n')
})
