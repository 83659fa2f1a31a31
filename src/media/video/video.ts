/**
 * Films: seconds of H.264 that stand ready, in the order that the seed gives, between stills of pictures, put
 * into an MP4 by mediabunny. To be imported when the first film is asked for: the library is large.
 */
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import type { VideoMedia } from '../../protocol/media.ts'
import { codeOf, frameRate, signs } from './scene.ts'
import { packetSamples, soundDescription, soundOf, soundRate } from './soundtrack.ts'
import { stillOf } from './still-encoder.ts'
import type { Stills } from './stills.ts'
import { loadStream, type Stream } from './streams.ts'

/**
 * The MP4 of a film, its index before its pictures. Rejects for a size of which there is no film, and for a
 * duration that no film has.
 */
export async function renderVideo(media: VideoMedia, stills: Stills): Promise<Uint8Array> {
  const { width, height, seconds, seed, label } = media
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600)
    throw new RangeError(`render-media: expected a film of 1 to 600 whole seconds, got ${seconds}`)
  const stream = await loadStream(width, height)
  const code = codeOf(media)
  const [first, last] = [stills.first, stills.last].map((picture) =>
    picture === undefined ? undefined : stillOf(picture, stream.sequence, frameRate),
  )

  const pictures = new EncodedVideoPacketSource('avc')
  const sound = new EncodedAudioPacketSource('aac')
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  // The library writes the wall clock into the file and has no option for it; 0 says that nobody knows when
  // it was made.
  Object.assign((output as unknown as { readonly _muxer: object })._muxer, { creationTime: 0 })
  output.addVideoTrack(pictures, { frameRate })
  if (!media.silent) output.addAudioTrack(sound)
  // Two films of the same signs still differ.
  output.setMetadataTags({ title: `${code}: ${label}`, comment: seed })
  await output.start()
  const config = {
    codec: stream.codec,
    codedWidth: width,
    codedHeight: height,
    description: descriptionOf(stream, (first ?? last)?.picture),
    colorSpace: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false },
  } as const
  const packets = media.silent ? [] : soundOf(code)
  const soundConfig = {
    codec: 'mp4a.40.2',
    sampleRate: soundRate,
    numberOfChannels: 1,
    description: soundDescription,
  }
  let heard = 0
  for (const [second, sign] of [...code].entries()) {
    const still = second === 0 ? first : second === seconds - 1 ? last : undefined
    const from = signs.indexOf(sign) * frameRate
    for (const [place, frame] of (still?.frames ?? stream.frames.slice(from, from + frameRate)).entries()) {
      await pictures.add(
        new EncodedPacket(
          behindLength(frame),
          place === 0 ? 'key' : 'delta',
          second + place / frameRate,
          1 / frameRate,
        ),
        { decoderConfig: config },
      )
    }
    // Beside its pictures, so that whoever reads from the beginning need not wait for either.
    for (; heard < packets.length && heard * packetSamples < (second + 1) * soundRate; heard++) {
      await sound.add(
        new EncodedPacket(
          packets[heard] as Uint8Array,
          'key',
          (heard * packetSamples) / soundRate,
          packetSamples / soundRate,
        ),
        { decoderConfig: soundConfig },
      )
    }
  }
  await output.finalize()
  if (target.buffer === null) throw new Error('render-media: the film has no bytes')
  return padded(new Uint8Array(target.buffer), media.minBytes ?? 0)
}

/** The smallest box, which holds nothing. */
const emptyBox = 8

/** With a box of free space behind it (ISO/IEC 14496-12, 8.1.2) where the file is shorter than asked for. */
function padded(bytes: Uint8Array, least: number): Uint8Array {
  if (bytes.length >= least) return bytes
  const size = Math.max(emptyBox, least - bytes.length)
  const longer = new Uint8Array(bytes.length + size)
  longer.set(bytes)
  new DataView(longer.buffer).setUint32(bytes.length, size)
  longer.set(
    [...'free'].map((letter) => letter.charCodeAt(0)),
    bytes.length + 4,
  )
  return longer
}

/**
 * An `AVCDecoderConfigurationRecord` (ISO/IEC 14496-15, 5.3.3.1); `another` is the parameter set of pictures
 * that were made for this film.
 */
function descriptionOf({ sequence, picture }: Stream, another: Uint8Array | undefined): Uint8Array {
  const pictures = another === undefined ? [picture] : [picture, another]
  return Uint8Array.from([
    1,
    ...sequence.subarray(1, 4),
    0xff,
    0xe1,
    0,
    sequence.length,
    ...sequence,
    pictures.length,
    ...pictures.flatMap((set) => [0, set.length, ...set]),
  ])
}

/** A unit of the stream as MP4 wants it. */
function behindLength(unit: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + unit.length)
  new DataView(bytes.buffer).setUint32(0, unit.length)
  bytes.set(unit, 4)
  return bytes
}
