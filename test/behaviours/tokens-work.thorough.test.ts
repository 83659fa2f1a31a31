/** What the tokenizer's work is in proportion to: the text that is wanted, and never the table. */
import { expect, it } from 'vitest'
import { countBlocks } from '../_work.ts'

const work = await countBlocks()
const { clearMergeCache } = await import('gpt-tokenizer/encoding/o200k_base')
const { loadTokens } = await import('../../src/http/tokenizer.ts')

it('the beginning of a long text costs no more than itself', async () => {
  const tokens = await loadTokens()
  const begin = (sentences: number) => () =>
    tokens.tokenTexts('Some words of no consequence. '.repeat(sentences), 10)
  await work(begin(100))
  expect(await work(begin(100_000))).toBeLessThan(1.5 * (await work(begin(100))))
})

// Byte-pair encoding is quadratic in the length of a word.
it.each(['a', 'A', '漢', '𠮷', '😀', '-', '!\u0301', ' ', '\u00a0 ', '/\n', '\r\n'])(
  'a run without a break costs no more for each character than a short one: %j',
  async (unit) => {
    const count = async (times: number) => {
      // Nothing is remembered of the last count, here or in the library.
      const tokens = await loadTokens()
      clearMergeCache()
      return work(() => tokens.count(unit.repeat(times)))
    }
    await count(1000)
    const [short, long] = [await count(1000), await count(8000)]
    expect(long).toBeLessThan(9 * short)
  },
)
