import { describe, expect, it } from 'vitest'
import { applyRange } from '../../src/http/write-file.ts'

const of100 = (range: string | undefined) => applyRange(100, range)

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
    expect(of100(header)).toEqual({ kind: 'part', start, end })
  })

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=99999999999999999999999999-'])(
    '%s requests a part that does not exist',
    (header) => {
      expect(of100(header)).toEqual({ kind: 'unsatisfiable' })
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
    expect(of100(header)).toEqual({ kind: 'full' })
  })

  it('finds nothing in an empty file', () => {
    expect(applyRange(0, 'bytes=0-')).toEqual({ kind: 'unsatisfiable' })
    expect(applyRange(0, 'bytes=-5')).toEqual({ kind: 'unsatisfiable' })
    expect(applyRange(0, undefined)).toEqual({ kind: 'full' })
  })
})
