import { expect, it } from 'vitest'
import { nearestWord } from '../../src/protocol/nearest-word.ts'

it.each([
  ['seeed', ['start', 'seed', 'keys'], 'seed'],
  ['prot', ['host', 'port'], 'port'],
  ['public_url', ['publicUrl', 'seed'], 'publicUrl'],
  ['Json-Bytes', ['jsonBytes'], 'jsonBytes'],
  ['port', ['cors', 'seed'], undefined],
  ['ate', ['create', 'update'], undefined],
  ['anything', [], undefined],
])('%s among %j means %s', (written, words, meant) => {
  expect(nearestWord(written, words)).toBe(meant)
})

it('looks at the beginning of a very long word only', () => {
  expect(nearestWord('x'.repeat(1_000_000), ['seed'])).toBeUndefined()
})
