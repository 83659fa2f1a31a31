/** What a film says of itself, for tests that look into the bytes. */

/** Width, height and seconds of an MP4, from its boxes. */
export function readVideoFacts(file: Uint8Array): [number, number, number] {
  const bytes = Buffer.from(file)
  const [movie, track] = [bytes.indexOf('mvhd'), bytes.indexOf('tkhd')]
  return [
    bytes.readUInt32BE(track + 80) >> 16,
    bytes.readUInt32BE(track + 84) >> 16,
    bytes.readUInt32BE(movie + 20) / bytes.readUInt32BE(movie + 16),
  ]
}
