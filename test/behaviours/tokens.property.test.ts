import * as fc from 'fast-check'
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { encode as encodeRaw } from 'gpt-tokenizer/encoding/o200k_base'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { describe, expect, it } from 'vitest'
import { maxRunLength, splitLongRuns } from '../../src/behaviours/tokens/long-runs.ts'
import { createTokens } from '../../src/behaviours/tokens/tokens.ts'
import { runs } from '../_counts.ts'

const encode = (text: string): number[] => encodeRaw(text, { disallowedSpecial: new Set() })
const tokens = createTokens({ encode, ranks })

/** Tokens over the real tokenizer, with every text that it was handed. */
function watched(): { tokens: ReturnType<typeof createTokens>; handed: string[] } {
  const handed: string[] = []
  return { handed, tokens: createTokens({ ranks, encode: (text) => (handed.push(text), encode(text)) }) }
}

const kinds = { letters: /[\p{L}\p{M}]+/gu, signs: /[^\s\p{L}\p{N}]+/gu, blanks: /[\s/]+/gu }
const longest = (text: string): number =>
  Math.max(
    0,
    ...Object.values(kinds).flatMap((kind) => (text.match(kind) ?? []).map((run) => [...run].length)),
  )

const pieces = [
  ...'hello |😀|👨‍👩‍👧‍👦|𠮷|漢字|e\u0301|ก็|\ufffd|🤖🤖| naïve|<_endoftext_>|\n\n|  |It ends. And goes on'.split(
    '|',
  ),
  ...`. a|... A|.| Z|. é|etc.) |"|don't|🇩🇪|✈️`.split('|'),
].map((piece) => piece.replaceAll('_', '|'))
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join('')),
)
const textOf = (all: readonly { readonly text: string }[]): string => all.map(({ text }) => text).join('')
const costOf = (all: readonly { readonly tokens: number }[]): number =>
  all.reduce((sum, piece) => sum + piece.tokens, 0)

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

  it('word by word is the same as at once', () => {
    const worded = createTokens({
      encode,
      ranks,
      words: O200K_TOKEN_SPLIT_REGEX,
      sentences: ['It ends.', ' And goes on', '.', ' a'],
    })
    fc.assert(
      fc.property(anyText, (text) => {
        const known = text.toWellFormed()
        expect(worded.count(known)).toBe(tokens.count(known))
        expect(worded.pieces(known)).toEqual(tokens.pieces(known))
      }),
      runs(300),
    )
  })

  it('word by word is the same as at once for what looks like English', () => {
    const worded = createTokens({ encode, ranks, words: O200K_TOKEN_SPLIT_REGEX })
    const bits = [
      ..."word|Word|WORD|iPhone|HTMLParser|a|I|don't|THEY'LL|'s| |  |\n|.|. |...|, |!|? |:|; |(|)".split('|'),
      ...'"|-|/|17|2024|12345|3.14|$5|é|naïve|e\u0301|漢|٣|½|_|@|#tag|supercalifragilisticexpialidocious'.split(
        '|',
      ),
    ]
    const bit = fc.constantFrom(...bits)
    fc.assert(
      fc.property(
        fc.array(bit, { maxLength: 30 }).map((bits) => bits.join('')),
        (text) => {
          const counted = worded.count(text)
          // A long run is cut, and each cut may change the count by one.
          const cuts = splitLongRuns(text).length - 1
          expect(Math.abs(counted - encode(text).length)).toBeLessThanOrEqual(cuts)
          // A second time from memory.
          expect(worded.count(text)).toBe(counted)
        },
      ),
      runs(2000),
    )
  })

  it('of a word of more than 96 letters is that of its parts: here one more than the tokenizer has', () => {
    const worded = createTokens({ encode, ranks, words: O200K_TOKEN_SPLIT_REGEX })
    const word = `worde\u0301${'supercalifragilisticexpialidocious'.repeat(3)}`
    expect([worded.count(word), encode(word).length]).toEqual([34, 33])
    expect(worded.count(word.slice(0, maxRunLength))).toBe(encode(word.slice(0, maxRunLength)).length)
  })

  it('is 0 for nothing', () => {
    expect(tokens.count('')).toBe(0)
    expect(tokens.pieces('')).toEqual([])
  })

  it('takes text that looks like a special token for plain text', () => {
    expect(tokens.count('<|endoftext|>')).toBe(7)
    const parts = tokens.pieces('<|endoftext|>').map(({ text }) => text)
    expect(parts).toEqual('< | end of text | >'.split(' '))
  })
})

const shown = (text: string) => tokens.pieces(text).map(({ text: said, tokens: size }) => [said, size])

describe('the pieces of a text', () => {
  it('can be said as JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(
          tokens
            .pieces(text.toWellFormed())
            .map(({ quoted }) => JSON.parse(quoted) as string)
            .join(''),
        ).toBe(text.toWellFormed())
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
    const first = tokens.pieces('👨‍👩‍👧‍👦 🤖')
    tokens.pieces('𠮷🤖\ufffd')
    expect(tokens.pieces('👨‍👩‍👧‍👦 🤖')).toEqual(first)
  })

  it('together are the text, cost what the text costs, and never begin or end inside a character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const pieces = tokens.pieces(text)
        expect(textOf(pieces)).toBe(text)
        expect(costOf(pieces)).toBe(tokens.count(text))
        for (const piece of pieces)
          expect(piece.text.isWellFormed() && piece.text !== '' && piece.tokens > 0).toBe(true)
      }),
    )
  })

  it('hold lone surrogates, which no UTF-8 has, as they are', () => {
    const text = 'a\ud800b \udc00'
    expect(textOf(tokens.pieces(text))).toBe(text)
  })
})

describe('the beginning of a long text', () => {
  const texts = fc.array(anyText, { minLength: 40, maxLength: 120 }).map((parts) => parts.join(''))

  it('comes in the pieces that the whole text has', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 60 }), (text, enough) => {
        const whole = tokens.pieces(text)
        const beginning = tokens.pieces(text, enough)
        expect(beginning).toEqual(whole.slice(0, beginning.length))
        if (beginning.length < whole.length) expect(costOf(beginning)).toBeGreaterThan(enough)
      }),
    )
  })

  it('costs no more than itself', () => {
    const { tokens: counted, handed } = watched()
    counted.pieces('Some words of no consequence. '.repeat(100_000), 10)
    expect(handed.join('').length).toBeLessThan(2000)
  })
})

// Byte-pair encoding is quadratic in the length of a run: the work is bounded by what the tokenizer is handed
// at once.
describe('a run without a break', () => {
  it.each([
    ['letters', 'a'.repeat(32_000)],
    ['capitals', 'A'.repeat(32_000)],
    ['Han characters', '漢'.repeat(32_000)],
    ['characters outside the first plane', '𠮷'.repeat(10_000)],
    ['emoji', '😀'.repeat(10_000)],
    ['dashes', '-'.repeat(32_000)],
    ['signs with marks', '!\u0301'.repeat(10_000)],
    ['blanks', ' '.repeat(32_000)],
    ['blanks of two kinds', '\u00a0 '.repeat(10_000)],
    ['lines and slashes', '/\n'.repeat(10_000)],
    ['newlines', '\r\n'.repeat(10_000)],
  ])('of %s is handed to the tokenizer in short parts', (_, text) => {
    const { tokens: counted, handed } = watched()
    const count = counted.count(text)
    expect(handed.join('')).toBe(text)
    expect(Math.max(...handed.map(longest))).toBeLessThanOrEqual(maxRunLength)
    expect(costOf(counted.pieces(text))).toBe(count)
  })

  it('is cut whatever stands around it, and what is short enough stays whole', () => {
    const part = fc
      .tuple(
        fc.constantFrom('a', 'Ä', '漢', '😀', '-', '/', ' ', '\n', '\u00a0', '\u0301', '1'),
        fc.integer({ min: 1, max: 200 }),
      )
      .map(([unit, times]) => unit.repeat(times))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        const { tokens: counted, handed } = watched()
        counted.count(text)
        expect(handed.join('')).toBe(text)
        for (const one of handed) expect(longest(one)).toBeLessThanOrEqual(maxRunLength)
        if (longest(text) <= maxRunLength) expect(handed.length).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('changes the count by at most one at each cut', () => {
    const word = 'honeycomb'.repeat(100)
    const cuts = Math.ceil(word.length / maxRunLength)
    expect(Math.abs(tokens.count(word) - encode(word).length)).toBeLessThanOrEqual(cuts)
  })
})

describe('saying a text within a limit', () => {
  const worded = createTokens({ encode, ranks, words: O200K_TOKEN_SPLIT_REGEX })

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
    const said = worded.say(text, limit)
    expect(said).toMatchObject({ text: expected, tokens: limit, cut: text !== expected })
    if (!said.cut) expect(textOf(said.pieces)).toBe(text)
    const { pieces, ...inPieces } = worded.say(text, limit, true)
    expect(inPieces).toEqual({ text: expected, tokens: limit, cut: text !== expected })
    expect(pieces).toEqual(said.pieces)
  })

  it('says a long text of few tokens whole', () => {
    const blanks = ' '.repeat(5000)
    expect(worded.say(blanks, 400)).toMatchObject({ text: blanks, cut: false, tokens: worded.count(blanks) })
  })
})

describe('the texts of one call', () => {
  it('are counted up to a million characters; what is beyond is estimated from them', () => {
    const { tokens: counted, handed } = watched()
    const call = counted.ofCall()
    const page = 'Plain words, 日本語 and numbers 1234. '.repeat(1000)
    const one = counted.count(page)
    handed.length = 0
    let all = 0
    for (let at = 0; at < 100; at++) all += call.count(`${page}${at % 10}`)
    expect(handed.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1_100_000)
    expect(all / (100 * one)).toBeCloseTo(1, 2)
    expect(call.count('')).toBe(0)
  })
})
