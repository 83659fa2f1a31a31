/** Writes Opus into Ogg (RFC 3533, RFC 7845): packets of 20 ms, one channel. */
import { joinBytes } from '../../engine/join-bytes.ts'

/** Samples of a packet, and how many the decoder throws away first; Opus always counts 48,000 a second. */
const packetSamples = 960
const preSkip = 120
const packetsPerPage = 50
// Any number will do that other streams of the file do not have: there are none.
const serial = 1
const [first, last] = [2, 4]

/**
 * The file that plays a packet again and again until `milliseconds` are full, exactly; at least one.
 * `comment` stands in its tags.
 */
export function oggOf(packet: Uint8Array, milliseconds: number, comment: string): Uint8Array {
  const end = preSkip + Math.max(1, milliseconds) * 48
  const count = Math.ceil(end / packetSamples)
  const pages = [page([head()], 0, 0, first), page([tags(comment)], 0, 1, 0)]
  for (let from = 0; from < count; from += packetsPerPage) {
    const to = Math.min(count, from + packetsPerPage)
    // The last page says where to stop within its last packet.
    pages.push(
      page(
        Array<Uint8Array>(to - from).fill(packet),
        Math.min(end, to * packetSamples),
        pages.length,
        to === count ? last : 0,
      ),
    )
  }
  return joinBytes(pages)
}

function head(): Uint8Array {
  const bytes = new Uint8Array(19)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OpusHead'))
  // Version, channels, what to skip, the rate before encoding.
  view.setUint8(8, 1)
  view.setUint8(9, 1)
  view.setUint16(10, preSkip, true)
  view.setUint32(12, 24_000, true)
  return bytes
}

function tags(comment: string): Uint8Array {
  const [vendor, written] = [
    new TextEncoder().encode('gateway-sim'),
    new TextEncoder().encode(`COMMENT=${comment}`),
  ]
  const bytes = new Uint8Array(8 + 4 + vendor.length + 4 + 4 + written.length)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OpusTags'))
  view.setUint32(8, vendor.length, true)
  bytes.set(vendor, 12)
  view.setUint32(12 + vendor.length, 1, true)
  view.setUint32(16 + vendor.length, written.length, true)
  bytes.set(written, 20 + vendor.length)
  return bytes
}

/** A page of whole packets (RFC 3533, section 6). `position` is the sample that it ends before. */
function page(packets: readonly Uint8Array[], position: number, number: number, flags: number): Uint8Array {
  // A length is written as bytes of 255 and a last one below.
  const lacing = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ])
  const bytes = new Uint8Array(27 + lacing.length + packets.reduce((sum, { length }) => sum + length, 0))
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('OggS'))
  view.setUint8(5, flags)
  view.setBigUint64(6, BigInt(position), true)
  view.setUint32(14, serial, true)
  view.setUint32(18, number, true)
  view.setUint8(26, lacing.length)
  bytes.set(lacing, 27)
  let at = 27 + lacing.length
  for (const packet of packets) {
    bytes.set(packet, at)
    at += packet.length
  }
  view.setUint32(22, crc(bytes), true)
  return bytes
}

// Like that of Ethernet, but from the highest bit on, beginning with 0.
function crc(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 24
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1
  }
  return sum >>> 0
}
