/**
 * The codes of coefficients in H.264 without arithmetic coding (CAVLC: ISO/IEC 14496-10, 9.2), and the bits
 * that they become.
 */

/** Bits, the highest of each value first. */
export interface Bits {
  /** The lowest `length` (up to 24) bits of a value. */
  put(value: number, length: number): void
  /** Exp-Golomb codes (9.1): of a number from 0 on, and of one that may be negative. */
  unsigned(value: number): void
  signed(value: number): void
  /**
   * All bits with the closing one and zeros up to a whole byte (7.3.2.11), where a byte of 3 keeps three
   * zeros in a row from looking like a start code (7.4.1).
   */
  unit(): Uint8Array
}

/** No bits yet. `header` is the byte in front of them, which says what the unit is. */
export function createBits(header: number): Bits {
  let bytes = new Uint8Array(1024)
  let length = 1
  bytes[0] = header
  let zeros = 0
  let held = 0
  let count = 0
  const byte = (value: number): void => {
    if (length + 2 > bytes.length) {
      const larger = new Uint8Array(bytes.length * 2)
      larger.set(bytes)
      bytes = larger
    }
    if (zeros === 2 && value <= 3) {
      bytes[length++] = 3
      zeros = 0
    }
    bytes[length++] = value
    zeros = value === 0 ? zeros + 1 : 0
  }
  const put = (value: number, size: number): void => {
    held = (held << size) | (value & ((1 << size) - 1))
    count += size
    while (count >= 8) {
      count -= 8
      byte((held >> count) & 255)
    }
    held &= (1 << count) - 1
  }
  const unsigned = (value: number): void => {
    const size = 32 - Math.clz32(value + 1)
    put(0, size - 1)
    put(value + 1, size)
  }
  return {
    put,
    unsigned,
    signed: (value) => unsigned(value > 0 ? 2 * value - 1 : -2 * value),
    unit() {
      put(1, 1)
      if (count > 0) put(0, 8 - count)
      return bytes.slice(0, length)
    },
  }
}

type Code = readonly [value: number, length: number]

const codes = (written: string): readonly Code[] =>
  written.split(' ').map((bits) => [Number.parseInt(bits, 2), bits.length])

/**
 * Table 9-5, by how many coefficients stand around a block (0 and 1, 2 and 3, 4 to 7), by trailing ones, by
 * coefficients from as many on.
 */
export const coefficientTokens: readonly (readonly (readonly Code[])[])[] = [
  [
    codes(
      '1 000101 00000111 000000111 0000000111 00000000111 0000000001111 0000000001011 0000000001000 00000000001111 00000000001011 000000000001111 000000000001011 0000000000001111 0000000000001011 0000000000000111 0000000000000100',
    ),
    codes(
      '01 000100 00000110 000000110 0000000110 00000000110 0000000001110 0000000001010 00000000001110 00000000001010 000000000001110 000000000001010 000000000000001 0000000000001110 0000000000001010 0000000000000110',
    ),
    codes(
      '001 0000101 00000101 000000101 0000000101 00000000101 0000000001101 0000000001001 00000000001101 00000000001001 000000000001101 000000000001001 0000000000001101 0000000000001001 0000000000000101',
    ),
    codes(
      '00011 000011 0000100 00000100 000000100 0000000100 00000000100 0000000001100 00000000001100 00000000001000 000000000001100 000000000001000 0000000000001100 0000000000001000',
    ),
  ],
  [
    codes(
      '11 001011 000111 0000111 00000111 00000100 000000111 00000001111 00000001011 000000001111 000000001011 000000001000 0000000001111 0000000001011 0000000000111 00000000001001 00000000000111',
    ),
    codes(
      '10 00111 001010 000110 0000110 00000110 000000110 00000001110 00000001010 000000001110 000000001010 0000000001110 0000000001010 00000000001011 00000000001000 00000000000110',
    ),
    codes(
      '011 001001 000101 0000101 00000101 000000101 00000001101 00000001001 000000001101 000000001001 0000000001101 0000000001001 0000000000110 00000000001010 00000000000101',
    ),
    codes(
      '0101 0100 00110 001000 000100 0000100 000000100 00000001100 00000001000 000000001100 0000000001100 0000000001000 0000000000001 00000000000100',
    ),
  ],
  [
    codes(
      '1111 001111 001011 001000 0001111 0001011 0001001 0001000 00001111 00001011 000001111 000001011 000001000 0000001101 0000001001 0000000101 0000000001',
    ),
    codes(
      '1110 01111 01100 01010 01000 001110 001010 0001110 00001110 00001010 000001110 000001010 000000111 0000001100 0000001000 0000000100',
    ),
    codes(
      '1101 01110 01011 01001 001101 001001 0001101 0001010 00001101 00001001 000001101 000001001 0000001011 0000000111 0000000011',
    ),
    codes(
      '1100 1011 1010 1001 1000 01101 001100 0001100 00001100 00001000 000001100 0000001010 0000000110 0000000010',
    ),
  ],
]

/** The same for the means of a block's colour. */
export const colourTokens: readonly (readonly Code[])[] = [
  codes('01 000111 000100 000011 000010'),
  codes('1 000110 0000011 00000011'),
  codes('001 0000010 00000010'),
  codes('000101 0000000'),
]

/** Tables 9-7 and 9-8: how many zeros there are, by how many coefficients from 1 on. */
export const totalZeros: readonly (readonly Code[])[] = [
  codes(
    '1 011 010 0011 0010 00011 00010 000011 000010 0000011 0000010 00000011 00000010 000000011 000000010 000000001',
  ),
  codes('111 110 101 100 011 0101 0100 0011 0010 00011 00010 000011 000010 000001 000000'),
  codes('0101 111 110 101 0100 0011 100 011 0010 00011 00010 000001 00001 000000'),
  codes('00011 111 0101 0100 110 101 100 0011 011 0010 00010 00001 00000'),
  codes('0101 0100 0011 111 110 101 100 011 0010 00001 0001 00000'),
  codes('000001 00001 111 110 101 100 011 010 0001 001 000000'),
  codes('000001 00001 101 100 011 11 010 0001 001 000000'),
  codes('000001 0001 00001 011 11 10 010 001 000000'),
  codes('000001 000000 0001 11 10 001 01 00001'),
  codes('00001 00000 001 11 10 01 0001'),
  codes('0000 0001 001 010 1 011'),
  codes('0000 0001 01 1 001'),
  codes('000 001 1 01'),
  codes('00 01 1'),
  codes('0 1'),
]

/** Table 9-9 (a): the same for the means of a block's colour. */
export const colourZeros: readonly (readonly Code[])[] = [
  codes('1 01 001 000'),
  codes('1 01 00'),
  codes('1 0'),
]

/** Table 9-10: how many zeros stand before a coefficient, by how many are left, from 1 to 7 or more. */
export const runsBefore: readonly (readonly Code[])[] = [
  codes('1 0'),
  codes('1 01 00'),
  codes('11 10 01 00'),
  codes('11 10 01 001 000'),
  codes('11 10 011 010 001 000'),
  codes('11 000 001 011 010 101 100'),
  codes('111 110 101 100 011 010 001 0001 00001 000001 0000001 00000001 000000001 0000000001 00000000001'),
]

/**
 * Writes the coefficients of a block, the lowest frequency first, and gives back how many are not 0. `around`
 * is how many the neighbours have (9.2.1), or `colour` for the four means of a colour. No value may be beyond
 * 2000.
 */
export function putBlock(bits: Bits, levels: ArrayLike<number>, around: number | 'colour'): number {
  const places: number[] = []
  for (let i = levels.length - 1; i >= 0; i--) if (levels[i] !== 0) places.push(i)
  const total = places.length
  let ones = 0
  while (ones < Math.min(3, total) && Math.abs(levels[places[ones] as number] as number) === 1) ones++
  putToken(bits, total, ones, around)
  if (total === 0) return 0
  for (const place of places.slice(0, ones)) bits.put((levels[place] as number) < 0 ? 1 : 0, 1)
  putLevels(
    bits,
    places.slice(ones).map((place) => levels[place] as number),
    total,
    ones,
  )
  let zeros = (places[0] as number) + 1 - total
  if (total < levels.length) put(bits, (around === 'colour' ? colourZeros : totalZeros)[total - 1]?.[zeros])
  for (let i = 0; i + 1 < total && zeros > 0; i++) {
    const run = (places[i] as number) - (places[i + 1] as number) - 1
    put(bits, runsBefore[Math.min(zeros, 7) - 1]?.[run])
    zeros -= run
  }
  return total
}

function putToken(bits: Bits, total: number, ones: number, around: number | 'colour'): void {
  if (around === 'colour') put(bits, colourTokens[ones]?.[total - ones])
  else if (around >= 8) bits.put(total === 0 ? 3 : ((total - 1) << 2) | ones, 6)
  else put(bits, coefficientTokens[around < 2 ? 0 : around < 4 ? 1 : 2]?.[ones]?.[total - ones])
}

// Each value is a prefix of zeros and a suffix, which grows with the values that came before (9.2.2.1).
function putLevels(bits: Bits, levels: readonly number[], total: number, ones: number): void {
  let suffix = total > 10 && ones < 3 ? 1 : 0
  levels.forEach((level, place) => {
    // Behind fewer than three ones the first value is not one of them.
    const code = (level > 0 ? 2 * level - 2 : -2 * level - 1) - (place === 0 && ones < 3 ? 2 : 0)
    const most = suffix === 0 ? 14 : 15 << suffix
    if (code < most) {
      put(bits, [1, (code >> suffix) + 1])
      bits.put(code, suffix)
    } else if (suffix === 0 && code < 30) {
      put(bits, [1, 15])
      bits.put(code - 14, 4)
    } else {
      put(bits, [1, 16])
      bits.put(code - (suffix === 0 ? 30 : most), 12)
    }
    if (suffix === 0) suffix = 1
    if (Math.abs(level) > 3 << (suffix - 1) && suffix < 6) suffix++
  })
}

function put(bits: Bits, code: Code | undefined): void {
  if (code === undefined) throw new Error('render-media: the film has a coefficient without a code')
  bits.put(code[0], code[1])
}
