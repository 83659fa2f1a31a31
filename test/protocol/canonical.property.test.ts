import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Hasher } from '../../src/engine/hash.ts'
import type { FormField, Payload } from '../../src/protocol/call.ts'
import {
  canonicalJson,
  type InputPart,
  type InputRules,
  maxDepth,
  TooDeepError,
  writeInput,
} from '../../src/protocol/canonical.ts'

const none = new Set<string>()

/** One part of the canonical input as a text. */
function inputText(part: InputPart, payload: Payload, rules: InputRules): string {
  let text = ''
  const mark = (sign: string): unknown => (text += sign)
  writeInput({ mark, text: (value) => mark(JSON.stringify(value)) }, part, payload, rules)
  return text
}

describe('the canonical form', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: 1, a: [{ d: null, c: 'x' }] })).toBe('{"a":[{"c":"x","d":null}],"b":1}')
  })

  it('is JSON that means the same, for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1},"a":2}'))).toBe('{"__proto__":{"x":1},"a":2}')
  })

  it('is bounded in depth', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect(canonicalJson(nested(maxDepth))).toHaveLength(maxDepth * 2)
    expect(() => canonicalJson(nested(maxDepth + 2))).toThrow(TooDeepError)
    expect(() => canonicalJson(nested(50_000))).toThrow(TooDeepError)
  })

  it('keeps what the content must not depend on apart', () => {
    const payload = { kind: 'json', value: { prompt: 'x', stream: true, n: 2 }, text: '' } as const
    const ignored = new Set(['stream', 'n'])
    expect([inputText('content', payload, { ignored }), inputText('rest', payload, { ignored })]).toEqual([
      '{"prompt":"x"}',
      '{"n":2,"stream":true}',
    ])
  })

  it('forms count by names, values and the content of files; boundaries and file names do not', () => {
    const file = (filename: string, sha256: string) => ({
      name: 'image',
      file: { filename, contentType: 'image/png', size: 1, sha256 },
    })
    const content = (...fields: FormField[]) =>
      inputText('content', { kind: 'form', fields }, { ignored: none })
    expect(content({ name: 'b', value: '1' }, { name: 'a', value: '2' }, file('x.png', 'aa'))).toBe(
      content(file('y.png', 'aa'), { name: 'a', value: '2' }, { name: 'b', value: '1' }),
    )
    expect(content(file('x.png', 'aa'))).not.toBe(content(file('x.png', 'bb')))
    expect(content(file('1', 'aa'), file('2', 'bb'))).not.toBe(content(file('2', 'bb'), file('1', 'aa')))
  })

  it('forms keep apart what belongs to a field that the content must not depend on, however its name is written', () => {
    const fields: FormField[] = ['a', 'a[]', 'a[0]', 'a.0.items', 'ab', 'b[a]'].map((name) => ({
      name,
      value: '1',
    }))
    const part = (which: 'content' | 'rest') =>
      inputText(which, { kind: 'form', fields }, { ignored: new Set(['a']) })
    expect([part('content'), part('rest')]).toEqual([
      '"ab"="1"&"b[a]"="1"',
      '"a"="1"&"a.0.items"="1"&"a[0]"="1"&"a[]"="1"',
    ])
  })

  it('taken into a hash tells apart what its text tells apart', () => {
    const hashOf = (value: unknown) => {
      const hasher = new Hasher()
      writeInput(hasher, 'content', { kind: 'json', value, text: '' }, { ignored: none })
      return hasher.words().join()
    }
    const simple = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(simple, simple, (a, b) => {
        expect(hashOf(a) === hashOf(b)).toBe(canonicalJson(a) === canonicalJson(b))
      }),
    )
    const near: unknown[] = [
      ['a', 'b'],
      ['ab'],
      ['a,b'],
      [['a'], 'b'],
      [['a', 'b']],
      { a: 'b' },
      { ab: '' },
      { a: { b: 1 } },
      '1',
      1,
      'null',
      null,
      [],
      {},
      [[]],
      [{}],
      '',
      ['', ''],
      [''],
      'true',
      true,
      [1, 2],
      [12],
      ['\0'],
      ['\0\0'],
      { a: 1, b: 2 },
      { a: [1], b: 2 },
      { a: { b: 2 } },
    ]
    expect(new Set(near.map(hashOf)).size).toBe(near.length)
    expect(hashOf({ b: 1, a: 2 })).toBe(hashOf({ a: 2, b: 1 }))
  })
})
