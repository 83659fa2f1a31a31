/** Conditional requests (RFC 9110 section 13), before anything of a response. */
import { describe, expect, it } from 'vitest'
import { holdsPart, judge, parseHttpDate } from '../../src/http/write-file.ts'

const modified = 1_767_225_600
const [before, then, after] = [-1, 0, 1].map((seconds) =>
  new Date((modified + seconds) * 1000).toUTCString(),
) as [string, string, string]
const now = modified + 60
const dated = { etag: '"a"', modified, exact: true }
const undated = { etag: '"a"' }
const failed = (header: string) => ({ failed: header })

describe('a date', () => {
  it.each([
    ['Thu, 01 Jan 2026 00:00:00 GMT', 1_767_225_600],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777],
    ['Sun Nov  6 08:49:37 1994', 784_111_777],
    ['Tue Nov 16 08:49:37 2027', 1_826_354_977],
    ['Friday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1) / 1000],
    ['Saturday, 01-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 1) / 1000],
    ['Sat, 31 Dec 2016 23:59:60 GMT', 1_483_228_800],
    ['Sat, 01 Jan 0001 00:00:00 GMT', -62_135_596_800],
    ['  Thu, 01 Jan 2026 00:00:00 GMT ', 1_767_225_600],
  ])('%s', (text, seconds) => {
    expect(parseHttpDate(text, now)).toBe(seconds)
  })

  it.each([
    '',
    'never',
    '2026-01-01T00:00:00Z',
    '1767225600',
    'Thu, 01 Jan 2026 00:00:00',
    'Thu, 01 Jan 2026 00:00:00 +0000',
    'Thu, 31 Feb 2026 00:00:00 GMT',
    'Thu, 01 Foo 2026 00:00:00 GMT',
    'Thu, 01 Jan 2026 24:00:00 GMT',
    'Thu, 01 Jan 2026 00:60:00 GMT',
    'Thu, 1 Jan 2026 00:00:00 GMT',
    'Thu, 01 Jan 2026 00:00:00 GMT, Thu, 01 Jan 2026 00:00:00 GMT',
  ])('%j is invalid', (text) => {
    expect(parseHttpDate(text, now)).toBeUndefined()
  })
})

describe('a condition', () => {
  it.each([
    ['if-none-match', '"a"', 'not modified'],
    ['if-none-match', 'W/"a"', 'not modified'],
    ['if-none-match', '"b, c", W/"a"', 'not modified'],
    ['if-none-match', '*', 'not modified'],
    ['if-none-match', '"b"', 'go on'],
    ['if-none-match', 'a', 'go on'],
    ['if-none-match', '"b, *"', 'go on'],
    ['if-match', '"a"', 'go on'],
    ['if-match', '"b","a"', 'go on'],
    ['if-match', '*', 'go on'],
    ['if-match', 'W/"a"', failed('if-match')],
    ['if-match', '"b"', failed('if-match')],
    ['if-match', '', failed('if-match')],
    ['if-modified-since', before, 'go on'],
    ['if-modified-since', then, 'not modified'],
    ['if-modified-since', after, 'not modified'],
    ['if-modified-since', 'never', 'go on'],
    ['if-unmodified-since', before, failed('if-unmodified-since')],
    ['if-unmodified-since', then, 'go on'],
    ['if-unmodified-since', after, 'go on'],
    ['if-unmodified-since', 'never', 'go on'],
  ])('%s: %s', (name, value, verdict) => {
    expect(judge({ [name]: value }, dated, now)).toEqual(verdict)
  })

  it('on a date does not apply without a Last-Modified', () => {
    expect([
      judge({ 'if-modified-since': after }, undated, now),
      judge({ 'if-unmodified-since': before }, undated, now),
    ]).toEqual(['go on', 'go on'])
  })

  it.each([
    ['a matching tag, whatever the date', { 'if-match': '"a"', 'if-unmodified-since': before }, 'go on'],
    [
      'another tag, whatever the date',
      { 'if-match': '"b"', 'if-unmodified-since': after },
      failed('if-match'),
    ],
    [
      'a client with another version, whatever the date',
      { 'if-none-match': '"b"', 'if-modified-since': after },
      'go on',
    ],
    [
      'a client with this version, whatever the date',
      { 'if-none-match': '"a"', 'if-modified-since': before },
      'not modified',
    ],
    [
      'preconditions before cache validation',
      { 'if-match': '"b"', 'if-none-match': '"a"' },
      failed('if-match'),
    ],
    ['preconditions, then cache validation', { 'if-match': '"a"', 'if-none-match': '"a"' }, 'not modified'],
    [
      'a date as a precondition, then cache validation',
      { 'if-unmodified-since': then, 'if-modified-since': then },
      'not modified',
    ],
  ])('combined with others: %s', (_, headers, verdict) => {
    expect(judge(headers, dated, now)).toEqual(verdict)
  })
})

describe('a part belongs to this version', () => {
  it.each([
    [undefined, true],
    ['"a"', true],
    [' "a" ', true],
    ['W/"a"', false],
    ['"b"', false],
    [then, true],
    [before, false],
    [after, false],
    ['never', false],
  ])('by If-Range %s: %s', (header, holds) => {
    expect(holdsPart(header, dated, now)).toBe(holds)
  })

  it('not by a date that two versions share, or that is missing', () => {
    expect([holdsPart(then, { ...dated, exact: false }, now), holdsPart(then, undated, now)]).toEqual([
      false,
      false,
    ])
  })
})
