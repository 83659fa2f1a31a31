/** What the tokenizer's work is in proportion to: the text that is wanted, and never the table. */
import { expect, it } from 'vitest'
import { countBlocks } from '../_work.ts'

const work = await countBlocks()
const { createTokens } = await import('../../src/behaviours/tokens/tokens.ts')
const { tokenTable } = await import('../../src/http/token-table.ts')
const table = await tokenTable()

it('the first count of a process builds nothing of the table', async () => {
  expect(await work(() => createTokens(table).count('Good morning'))).toBeLessThan(3000)
})

it('the beginning of a long text costs no more than itself', async () => {
  const begin = (sentences: number) => () =>
    createTokens(table).say({ text: 'Some words of no consequence. '.repeat(sentences) }, 10)
  await work(begin(100))
  expect(await work(begin(100_000))).toBeLessThan(1.5 * (await work(begin(100))))
})

// Byte-pair encoding is quadratic in the length of a word.
it.each(['a', 'A', '漢', '𠮷', '😀', '-', '!\u0301', ' ', '\u00a0 ', '/\n', '\r\n'])(
  'a run without a break costs no more for each character than a short one: %j',
  async (unit) => {
    const count = (times: number) => () => createTokens(table).count(unit.repeat(times))
    await work(count(1000))
    const [short, long] = [await work(count(1000)), await work(count(8000))]
    expect(long).toBeLessThan(9 * short)
  },
)
