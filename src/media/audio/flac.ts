/** Writes FLAC (RFC 9639): one channel of 16 bits, without loss, each sample told by the two before it. */

const blockSamples = 4096
/** The largest parameter of four bits: 15 says that there is none. */
const largestParameter = 14

/** The file of some samples, at least one; 24,000 a second. */
export function flacOf(samples: Int16Array): Uint8Array {
  const out = new Bits()
  for (const letter of 'fLaC') out.write(letter.charCodeAt(0), 8)
  // The only block of metadata, and so the last: STREAMINFO, 34 bytes (section 8.2).
  out.write(0x80, 8)
  out.write(34, 24)
  out.write(blockSamples, 16)
  out.write(blockSamples, 16)
  // Sizes of frames are not told.
  out.write(0, 24)
  out.write(0, 24)
  out.write(24_000, 20)
  out.write(0, 3)
  out.write(15, 5)
  out.write(0, 4)
  out.write(samples.length, 32)
  // Nor is the sum of the samples.
  for (let i = 0; i < 16; i++) out.write(0, 8)
  for (let from = 0, number = 0; from < samples.length; from += blockSamples, number++)
    writeFrame(out, samples.subarray(from, from + blockSamples), number)
  return out.bytes()
}

// Section 9. Block size in 16 bits behind the number of the frame, 24 kHz, mono, 16 bits.
function writeFrame(out: Bits, samples: Int16Array, number: number): void {
  const start = out.length
  out.write(0b1111_1111_1111_1000, 16)
  out.write(0b0111_0111, 8)
  out.write(0b0000_1000, 8)
  writeNumber(out, number)
  out.write(samples.length - 1, 16)
  out.write(crc(out.since(start), 0x07, 8), 8)
  if (samples.length < 3) writeVerbatim(out, samples)
  else writePredicted(out, samples)
  out.align()
  out.write(crc(out.since(start), 0x8005, 16), 16)
}

// As UTF-8 writes a code point: ten minutes have 3,516 frames, so three bytes are enough.
function writeNumber(out: Bits, number: number): void {
  if (number < 0x80) out.write(number, 8)
  else if (number < 0x800) out.write(0xc080 | ((number >> 6) << 8) | (number & 63), 16)
  else out.write(0xe08080 | ((number >> 12) << 16) | (((number >> 6) & 63) << 8) | (number & 63), 24)
}

function writeVerbatim(out: Bits, samples: Int16Array): void {
  out.write(0b0_000001_0, 8)
  for (const sample of samples) out.write(sample & 0xffff, 16)
}

// A fixed predictor of order two (section 9.2.5); what it misses by is Rice-coded in one partition (section
// 9.2.7).
function writePredicted(out: Bits, samples: Int16Array): void {
  const folded: number[] = []
  let sum = 0
  for (let i = 2; i < samples.length; i++) {
    const missed = (samples[i] as number) - 2 * (samples[i - 1] as number) + (samples[i - 2] as number)
    const value = missed < 0 ? -2 * missed - 1 : 2 * missed
    sum += value
    folded.push(value)
  }
  // As many bits as the mean has, near enough to the best.
  let parameter = 0
  while (parameter < largestParameter && folded.length * 2 ** (parameter + 1) <= sum) parameter++
  out.write(0b0_001010_0, 8)
  out.write((samples[0] as number) & 0xffff, 16)
  out.write((samples[1] as number) & 0xffff, 16)
  out.write(0, 2)
  out.write(0, 4)
  out.write(parameter, 4)
  for (const value of folded) {
    let run = value >> parameter
    for (; run >= 16; run -= 16) out.write(0, 16)
    out.write(1, run + 1)
    out.write(value & ((1 << parameter) - 1), parameter)
  }
}

/** The check sum of FLAC: from the highest bit on, beginning with 0. `width` is 8 or 16. */
function crc(bytes: Uint8Array, polynomial: number, width: number): number {
  const top = 1 << (width - 1)
  const mask = (1 << width) - 1
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit++) sum = (sum & top ? (sum << 1) ^ polynomial : sum << 1) & mask
  }
  return sum
}

/** Bits in a row, the highest of each number first. */
class Bits {
  #bytes = new Uint8Array(65_536)
  #length = 0
  #pending = 0
  #count = 0

  /** Whole bytes so far. */
  get length(): number {
    return this.#length
  }

  /** The lowest `width` bits of a number, at most 32. */
  write(value: number, width: number): void {
    if (width > 16) {
      this.write(value >>> 16, width - 16)
      this.write(value & 0xffff, 16)
      return
    }
    this.#pending = (this.#pending << width) | value
    this.#count += width
    while (this.#count >= 8) {
      this.#count -= 8
      this.#push((this.#pending >> this.#count) & 255)
    }
    this.#pending &= (1 << this.#count) - 1
  }

  /** Fills the last byte up with zeros. */
  align(): void {
    if (this.#count > 0) this.write(0, 8 - this.#count)
  }

  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#length)
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(this.#length * 2)
      longer.set(this.#bytes)
      this.#bytes = longer
    }
    this.#bytes[this.#length++] = byte
  }
}
