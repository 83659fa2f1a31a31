import { describe, expect, it } from 'vitest'
import { rangeOf } from '../../src/http/write-file.ts'

const of100 = (range: string | undefined) => rangeOf(100, range)

describe('a Range header', () => {
  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=90-', 90, 99],
    ['bytes=-10', 90, 99],
    ['bytes=99-99', 99, 99],
    ['bytes=50-1000', 50, 99],
    ['bytes=-1000', 0, 99],
    ['bytes=0-', 0, 99],
    ['BYTES=3-4', 3, 4],
    ['bytes= 3-4 ', 3, 4],
    ['bytes=0-99999999999999999999999999', 0, 99],
  ])('%s requests a part', (header, start, end) => {
    expect(of100(header)).toEqual({ start, end: end + 1 })
  })

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=99999999999999999999999999-'])(
    '%s requests a part that does not exist',
    (header) => {
      const range = of100(header)
      expect(range?.start).toBeGreaterThanOrEqual(range?.end as number)
    },
  )

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=9-3',
    'bytes=a-b',
    'bytes=0-1,5-6',
    'items=0-9',
    'bytes=0x1-2',
    'bytes=-5-9',
  ])('%s is ignored, and the whole file is sent', (header) => {
    expect(of100(header)).toBeUndefined()
  })

  it('requests nothing of an empty file', () => {
    expect(rangeOf(0, 'bytes=0-')).toEqual({ start: 0, end: 0 })
    expect(rangeOf(0, 'bytes=-5')).toEqual({ start: 0, end: 0 })
  })
})
