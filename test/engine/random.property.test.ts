import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../../src/engine/duration.ts'
import { Hasher, type HashWords } from '../../src/engine/hash.ts'
import { digest, mintId, mintUuid, randomFrom, sessionTag, tagIn } from '../../src/engine/random.ts'

const hash128 = (text: string): HashWords => new Hasher().text(text).words()

describe('keyed chance', () => {
  it('is a golden sequence: a change here changes every response there is', () => {
    const random = randomFrom('golden')
    expect([
      random.integer(0, 999),
      random.integer(0, 999),
      random.hex(12),
      random.fork('a').hex(8),
      random.fork('b').hex(8),
    ]).toEqual([364, 27, 'b7c34d347cb5', '8ba100a7', '29665e87'])
  })

  it('the same key draws the same, another key draws otherwise', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(randomFrom(a).hex(32)).toBe(randomFrom(a).hex(32))
        if (a.toWellFormed() !== b.toWellFormed())
          expect(randomFrom(a).hex(32)).not.toBe(randomFrom(b).hex(32))
      }),
    )
  })

  it('a fork does not depend on what was drawn before it', () => {
    const fresh = randomFrom('key')
    const used = randomFrom('key')
    for (let i = 0; i < 100; i++) used.next()
    expect(used.fork('child').hex(32)).toBe(fresh.fork('child').hex(32))
  })

  it('forks of different labels are different', () => {
    const random = randomFrom('key')
    const labels = Array.from({ length: 2000 }, (_, index) => `choice ${index}`)
    expect(new Set(labels.map((label) => random.fork(label).hex(16))).size).toBe(2000)
  })

  it('keeps to its bounds', () => {
    const random = randomFrom('bounds')
    for (let i = 0; i < 500; i++) {
      expect(random.integer(3, 5)).toBeGreaterThanOrEqual(3)
      expect(random.integer(3, 5)).toBeLessThanOrEqual(5)
      expect(random.next()).toBeLessThan(1)
    }
    expect(() => random.pick([])).toThrow('the list is empty')
    expect(random.chance(0, 10)).toBe(false)
    expect(random.chance(10, 10)).toBe(true)
  })

  it('digests are SHA-256', () => {
    expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('ids', () => {
  const tag = sessionTag('default')

  it('carry the tag of their session inside their usual shape', () => {
    const random = randomFrom('id')
    expect(mintId('video_', tag, random)).toMatch(new RegExp(`^video_${tag}[0-9a-f]{24}$`))
    expect(mintUuid(tag, random)).toMatch(
      new RegExp(`^${tag}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
    )
    expect(tagIn(mintId('chatcmpl-', tag, random, 29))).toBe(tag)
    expect(tagIn(mintUuid(tag, random))).toBe(tag)
  })

  it('ids of another make carry none', () => {
    for (const id of ['', 'job-1', 'video_', 'video_zzzzzzzz1', '__proto__', '12345678'])
      expect(tagIn(id)).toBeUndefined()
  })

  it('sessions have different tags', () => {
    expect(new Set(Array.from({ length: 500 }, (_, index) => sessionTag(`s${index}`))).size).toBe(500)
    expect(sessionTag('a', 1)).not.toBe(sessionTag('a'))
  })
})

describe('durations', () => {
  it.each([
    ['5s', 5000],
    ['350ms', 350],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    ['2d', 172_800_000],
    [250, 250],
    ['0s', 0],
  ])('%s is %s ms', (written, ms) => {
    expect(parseDuration(written)).toBe(ms)
  })

  it.each(['', '5', 'abc', '-5s', '5 s', '5s!', Number.NaN, Number.POSITIVE_INFINITY, -1, null, {}])(
    '%s is none',
    (written) => {
      expect(parseDuration(written)).toBeUndefined()
    },
  )

  it('are written the way they are read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
    expect(formatDuration(90_000)).toBe('1m30s')
    expect(formatDuration(0)).toBe('0s')
  })
})

describe('the hash behind the keys', () => {
  it('is pinned: a change here changes every response there is', () => {
    expect(
      ['', 'a', 'hello', 'a text of more than eight code units', '漢字 👩‍👩‍👧'].map((text) => hash128(text)),
    ).toEqual([
      [585629716, 486492822, -1747169338, 694634545],
      [1715289985, 743201920, 2049920233, -1342989497],
      [-571001084, 734250707, 754381526, 1735962971],
      [456497842, 401798800, 1388832510, 747179247],
      [-1775299600, -2034402698, 1454055158, -121382363],
    ])
  })

  it('tells texts apart that differ in one code unit, in length or in trailing zeros', () => {
    const texts = [
      '',
      '\0',
      '\0\0',
      ...Array.from({ length: 3000 }, (_, index) => `request ${index}`),
      ...Array.from({ length: 100 }, (_, index) => 'x'.repeat(index + 1)),
    ]
    // The 53 bits by which a session knows a request.
    const keys = texts.map((text) => hash128(text)).map(([a, b]) => `${a} ${b >>> 11}`)
    expect(new Set(keys).size).toBe(texts.length)
  })
})
