import * as fc from 'fast-check'
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { encode as encodeRaw } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it, vi } from 'vitest'
import { createTokens } from '../../src/behaviours/tokens/tokens.ts'
import { maxWordLength } from '../../src/behaviours/tokens/word-encoder.ts'
import { tokenTable } from '../../src/http/token-table.ts'
import { runs } from '../_counts.ts'

const encode = (text: string): number[] => encodeRaw(text, { disallowedSpecial: new Set() })
const table = await tokenTable()
const tokens = createTokens(table)

const parts = [
  ...'hello |😀|👨‍👩‍👧‍👦|𠮷|漢字|e\u0301|ก็|\ufffd|🤖🤖| naïve|<_endoftext_>|\n\n|  |It ends. And goes on'.split(
    '|',
  ),
  ...`. a|... A|.| Z|. é|etc.) |"|don't|🇩🇪|✈️`.split('|'),
].map((part) => part.replaceAll('_', '|'))
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((chosen) => chosen.join('')),
)
/** Code points of a script, first and last: among them some that are not assigned, and lone surrogates. */
const scripts = [
  '00-1f 20-7e 61-7a 30-39 a0-24f 300-36f 370-52f 5d0-6ff 900-97f e00-e7f 2000-206f',
  '3040-30ff 4e00-9fff ac00-d7a3 d800-dfff fe00-ffff 1f1e6-1faff 20000-2a6df',
].flatMap((all) => all.split(' ').map((one) => one.split('-').map((code) => Number.parseInt(code, 16))))
const inScript = fc
  .constantFrom(...scripts)
  .chain(([min = 0, max = 0]) => fc.array(fc.integer({ min, max }), { maxLength: 12 }))
  .map((codes) => String.fromCodePoint(...codes))
const bit = fc.constantFrom(' ', '  ', '\n', '. ', '\u200d', '\ufe0f', "'", '/', 'the', ' return ', 'é', '漢')
const anyScript = fc
  .array(fc.oneof(inScript, bit, fc.string({ maxLength: 20 })), { maxLength: 8 })
  // gpt-tokenizer loses a byte order mark, and so finds none of the nine tokens that begin with one.
  .map((parts) => parts.join('').replaceAll('\ufeff', '').slice(0, maxWordLength))

/** The texts of the tokens of gpt-tokenizer: characters that a token does not complete go with the next. */
function tokenTextsOf(text: string): string[] {
  const ends = [...text].map((character) => Buffer.byteLength(character))
  for (const [at, end] of ends.entries()) ends[at] = end + (ends[at - 1] ?? 0)
  const characters = [...text]
  let bytes = 0
  return encode(text)
    .map((id) => {
      bytes += Buffer.from(ranks[id] as string).length
      const whole = ends.findLastIndex((end) => end <= bytes) + 1
      ends.splice(0, whole)
      return characters.splice(0, whole).join('')
    })
    .filter((tokenText) => tokenText !== '')
}

const textsOf = (text: string) => tokens.encode(text).tokenTexts
const textOf = (all: readonly { readonly text: string }[]): string => all.map(({ text }) => text).join('')
const costOf = (all: readonly { readonly tokens: number }[]): number =>
  all.reduce((sum, tokenText) => sum + tokenText.tokens, 0)

describe('counting tokens', () => {
  it.each([
    'Hello',
    'The quick brown fox jumps over the lazy dog.',
    '{"city":"Paris","days":[1,2,3],"note":"it\'s fine"}',
    'function add(a: number, b: number): number {\n  return a + b\n}\n',
    '天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。'.repeat(40),
    `Line one.\n\n\n   Indented by three, and ${'a word '.repeat(500)}`,
    '😀 family 👨‍👩‍👧‍👦, flag 🇩🇪, ก็, e\u0301',
    'https://example.com/a/very/long/path?with=a&query=string#and-a-fragment',
    '1234567890'.repeat(50),
  ])('is what the tokenizer says: %#', (text) => {
    expect(tokens.count(text)).toBe(encode(text).length)
  })

  it('and the token texts are those of gpt-tokenizer in all scripts', () => {
    fc.assert(
      fc.property(anyScript, (text) => {
        const size = encode(text).length
        expect([tokens.count(text), tokenTextsOf(text)]).toEqual([
          size,
          textsOf(text).map((tokenText) => tokenText.text),
        ])
      }),
      runs(20_000),
    )
  })

  it('is that of its parts for a word longer than is encoded at once: at most one more for each', () => {
    const word = `worde\u0301${'supercalifragilisticexpialidocious'.repeat(30)}`
    const cuts = Math.floor(word.length / maxWordLength)
    expect(Math.abs(tokens.count(word) - encode(word).length)).toBeLessThanOrEqual(cuts)
    const begun = word.slice(0, maxWordLength)
    expect(tokens.count(begun)).toBe(encode(begun).length)
  })

  it('knows the tokens that begin with a byte order mark', () => {
    expect(['\ufeff', '\ufeffusing', '\ufeff\n\n'].map((text) => tokens.count(text))).toEqual([1, 1, 1])
  })

  it('is 0 for nothing', () => {
    expect(tokens.count('')).toBe(0)
    expect(textsOf('')).toEqual([])
  })

  it('takes text that looks like a special token for plain text', () => {
    expect(tokens.count('<|endoftext|>')).toBe(7)
    const parts = textsOf('<|endoftext|>').map(({ text }) => text)
    expect(parts).toEqual('< | end of text | >'.split(' '))
  })
})

const shown = (text: string) => textsOf(text).map(({ text: said, tokens: size }) => [said, size])

describe('the token texts of a text', () => {
  it('can be said as JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const said = textsOf(text.toWellFormed()).map(({ quoted }) => JSON.parse(quoted) as string)
        expect(said.join('')).toBe(text.toWellFormed())
      }),
    )
  })

  it('are the words and word parts that the tokenizer says one after the other', () => {
    expect(shown('Hello there, world!')).toEqual([
      ['Hello', 1],
      [' there', 1],
      [',', 1],
      [' world', 1],
      ['!', 1],
    ])
  })

  it('keep a character whole that is spread over several tokens', () => {
    expect(shown('🤖🤖 𠮷野家')).toEqual([
      ['🤖', 2],
      ['🤖', 2],
      [' ', 1],
      ['𠮷', 4],
      ['野', 1],
      ['家', 1],
    ])
  })

  it('are the same each time, whatever was cut before', () => {
    const first = textsOf('👨‍👩‍👧‍👦 🤖')
    textsOf('𠮷🤖\ufffd')
    expect(textsOf('👨‍👩‍👧‍👦 🤖')).toEqual(first)
  })

  it('together are the text, cost what the text costs, and never begin or end inside a character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokenTexts = textsOf(text)
        expect(textOf(tokenTexts)).toBe(text)
        expect(costOf(tokenTexts)).toBe(tokens.count(text))
        for (const tokenText of tokenTexts)
          expect(tokenText.text.isWellFormed() && tokenText.text !== '' && tokenText.tokens > 0).toBe(true)
      }),
    )
  })

  it('hold lone surrogates, which no UTF-8 has, as they are', () => {
    const text = 'a\ud800b \udc00'
    expect(textOf(textsOf(text))).toBe(text)
  })
})

describe('saying a text within a limit', () => {
  const worded = createTokens(table)

  const short = 'One short sentence. And another one.'
  it.each([
    ['all of it when it fits, to the last token', short, encode(short).length, short],
    ['what the limit allows, and has used the whole limit', short, 6, 'One short sentence. And another'],
    ['no character that the limit leaves unfinished, but counts its tokens', '𠮷', 2, ''],
    [
      'the beginning of a text that is far too long',
      'words and more words. '.repeat(100_000),
      5,
      'words and more words.',
    ],
  ])('says %s', (_, text, limit, expected) => {
    const said = worded.say({ text }, limit)
    expect(said).toMatchObject({ text: expected, tokens: limit, cut: text !== expected })
    if (!said.cut) expect(textOf(said.tokenTexts)).toBe(text)
  })

  it('says a long text of few tokens whole', () => {
    const text = ' '.repeat(5000)
    expect(worded.say({ text }, 400)).toMatchObject({ text, cut: false, tokens: worded.count(text) })
  })
})

describe('the texts of one call', () => {
  it('are counted up to a million characters; what is beyond is estimated from them', () => {
    const counted = createTokens(table)
    const page = 'Plain words, 日本語 and numbers 1234. '.repeat(1000)
    const one = counted.count(page)
    const spied = vi.spyOn(counted, 'encode')
    const before = { characters: 0, tokens: 0 }
    let all = 0
    for (let at = 0; at < 100; at++) all += counted.count(`${page}${at % 10}`, before)
    const read = spied.mock.calls.reduce((sum, [text]) => sum + text.length, 0)
    expect(read).toBeLessThan(1_100_000)
    expect(all / (100 * one)).toBeCloseTo(1, 2)
    expect(counted.count('', before)).toBe(0)
  })
})
