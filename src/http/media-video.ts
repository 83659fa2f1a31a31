/**
 * Films: seconds of H.264 that stand ready, in the order that the seed gives, put into an MP4 by mediabunny. Knows the units of
 * an H.264 stream, nothing of what they hold.
 * To be imported when the first film is asked for: the library and the films are large.
 */
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from 'mediabunny'
import type { VideoMedia } from '../protocol/media.ts'
import { fromBase64 } from './media-base64.ts'
import { films } from './media-video-data.ts'
import { codeOf, frameRate, signs } from './media-video-scene.ts'

/** The MP4 of a film, its index before its pictures. Throws for a size of which there is no film, and for a duration that no film has. */
export async function renderVideo(media: VideoMedia): Promise<Uint8Array> {
  const { width, height, seconds, seed, label } = media
  const size = `${width}x${height}`
  if (!Object.hasOwn(films, size)) throw new RangeError(`render-media: there is no film of ${size}; expected one of ${Object.keys(films).join(', ')}`)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600) throw new RangeError(`render-media: expected a film of 1 to 600 whole seconds, got ${seconds}`)
  const stream = readStream(fromBase64(films[size as keyof typeof films]))
  const code = codeOf(media)

  const source = new EncodedVideoPacketSource('avc')
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  // The library writes the wall clock into the file and has no option for it; 0 says that nobody knows when it was made.
  Object.assign((output as unknown as { readonly _muxer: object })._muxer, { creationTime: 0 })
  output.addVideoTrack(source, { frameRate })
  // Two films of the same signs still differ.
  output.setMetadataTags({ title: `${code}: ${label}`, comment: seed })
  await output.start()
  const config = { codec: stream.codec, codedWidth: width, codedHeight: height, description: stream.description, colorSpace: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } } as const
  let count = 0
  for (const sign of code) {
    const first = signs.indexOf(sign) * frameRate
    for (const frame of stream.frames.slice(first, first + frameRate)) {
      await source.add(new EncodedPacket(frame, count % frameRate === 0 ? 'key' : 'delta', count / frameRate, 1 / frameRate), { decoderConfig: config })
      count++
    }
  }
  await output.finalize()
  if (target.buffer === null) throw new Error('render-media: the film has no bytes')
  return new Uint8Array(target.buffer)
}

interface Stream {
  /** As in RFC 6381. */
  readonly codec: string
  /** An `AVCDecoderConfigurationRecord` (ISO/IEC 14496-15, 5.3.3.1). */
  readonly description: Uint8Array
  /** The pictures, each behind its length, as MP4 wants them. */
  readonly frames: readonly Uint8Array[]
}

const sliceTypes: ReadonlySet<number> = new Set([1, 5])

/** Takes a stream (ISO/IEC 14496-10, annex B) apart: one slice is a picture, and all share the parameter sets at its beginning. */
function readStream(stream: Uint8Array): Stream {
  const frames: Uint8Array[] = []
  let sequence: Uint8Array | undefined
  let picture: Uint8Array | undefined
  for (const unit of unitsOf(stream)) {
    const type = (unit[0] as number) & 31
    if (type === 7) sequence ??= unit
    else if (type === 8) picture ??= unit
    else if (sliceTypes.has(type)) frames.push(Uint8Array.from([unit.length >>> 24, (unit.length >> 16) & 255, (unit.length >> 8) & 255, unit.length & 255, ...unit]))
  }
  if (sequence === undefined || picture === undefined || frames.length !== signs.length * frameRate) throw new Error('render-media: the stream of the films is not whole')
  const profile = sequence.subarray(1, 4)
  return {
    codec: `avc1.${Array.from(profile, (byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    description: Uint8Array.from([1, ...profile, 0xff, 0xe1, 0, sequence.length, ...sequence, 1, 0, picture.length, ...picture]),
    frames,
  }
}

/** What stands between start codes (three bytes, often with a zero before them). */
function unitsOf(stream: Uint8Array): Uint8Array[] {
  const starts: number[] = []
  for (let at = 0; at + 2 < stream.length; at++) if (stream[at] === 0 && stream[at + 1] === 0 && stream[at + 2] === 1) starts.push(at + 3)
  return starts.map((start, index) => {
    let end = (starts[index + 1] ?? stream.length + 3) - 3
    while (stream[end - 1] === 0) end--
    return stream.subarray(start, end)
  })
}
