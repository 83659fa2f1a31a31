/**
 * Videos: checked-in seconds of H.264, in an order derived from the seed, muxed into an MP4 by mediabunny.
 * Imported with the first video, because the library is large.
 */
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { fromBase64 } from '../engine/bytes.ts'
import type { VideoMedia } from '../protocol/media.ts'
import { notes } from './data/notes.ts'
import { frameRate, signs, signsOf } from './signs.ts'

const maxSeconds = 600

interface StreamData {
  /** As in RFC 6381. */
  readonly codec: string
  /** An `AVCDecoderConfigurationRecord` (ISO/IEC 14496-15, 5.3.3.1) as base64. */
  readonly description: string
  /** The frames of all signs, second by second, each after its length (four bytes), as base64. */
  readonly frames: string
}

// A separate chunk for each size: users of 720 lines do not load 2160.
const streams: Readonly<Record<string, () => Promise<{ readonly stream: StreamData }>>> = {
  '720x1280': () => import('./data/video/720x1280.ts'),
  '1280x720': () => import('./data/video/1280x720.ts'),
  '1024x1792': () => import('./data/video/1024x1792.ts'),
  '1792x1024': () => import('./data/video/1792x1024.ts'),
  '1080x1920': () => import('./data/video/1080x1920.ts'),
  '1920x1080': () => import('./data/video/1920x1080.ts'),
  '2160x3840': () => import('./data/video/2160x3840.ts'),
  '3840x2160': () => import('./data/video/3840x2160.ts'),
}

/** The MP4 of a video, with the index before the frames. Rejects for an unsupported size or duration. */
export async function renderVideo(media: VideoMedia): Promise<Uint8Array> {
  const { width, height, seconds, seed, label } = media
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxSeconds)
    throw new RangeError(`media: expected a video of 1 to ${maxSeconds} whole seconds, got ${seconds}`)
  const size = `${width}x${height}`
  const load = Object.hasOwn(streams, size) ? streams[size] : undefined
  if (load === undefined)
    throw new RangeError(`media: expected a video size of ${Object.keys(streams).join(', ')}; got ${size}`)
  const { stream } = await load()
  const images = framesOf(fromBase64(stream.frames))
  const shown = signsOf(seed, seconds)

  const frames = new EncodedVideoPacketSource('avc')
  const sound = new EncodedAudioPacketSource('aac')
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  // The library writes the current time into the file and has no option against it; 0 means that the time is
  // unknown.
  Object.assign((output as unknown as { readonly _muxer: object })._muxer, { creationTime: 0 })
  output.addVideoTrack(frames, { frameRate })
  if (!media.silent) output.addAudioTrack(sound)
  // Distinguishes two videos with the same signs.
  output.setMetadataTags({ title: `${shown}: ${label}`, comment: seed })
  await output.start()
  const decoderConfig = {
    codec: stream.codec,
    codedWidth: width,
    codedHeight: height,
    description: fromBase64(stream.description),
    colorSpace: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false },
  } as const
  const addSound = createSoundWriter(sound, media.silent ? [] : soundOf(shown))
  for (const [second, sign] of [...shown].entries()) {
    const from = signs.indexOf(sign) * frameRate
    for (const [place, frame] of images.slice(from, from + frameRate).entries()) {
      const at = second + place / frameRate
      const type = place === 0 ? 'key' : 'delta'
      const packet = new EncodedPacket(frame, type, at, 1 / frameRate)
      await frames.add(packet, { decoderConfig })
    }
    // Interleaved, so that sequential readers do not wait for one of the tracks.
    await addSound(second + 1)
  }
  await output.finalize()
  if (target.buffer === null) throw new Error('media: the video has no bytes')
  return new Uint8Array(target.buffer)
}

/** Writes the packets that begin before a second, each once. */
function createSoundWriter(
  track: EncodedAudioPacketSource,
  packets: readonly Uint8Array[],
): (until: number) => Promise<void> {
  const decoderConfig = {
    codec: 'mp4a.40.2',
    sampleRate: soundRate,
    numberOfChannels: 1,
    description: soundDescription,
  }
  const duration = packetSamples / soundRate
  let written = 0
  return async (until) => {
    for (; written < packets.length && written * packetSamples < until * soundRate; written++) {
      const at = (written * packetSamples) / soundRate
      const packet = new EncodedPacket(packets[written] as Uint8Array, 'key', at, duration)
      await track.add(packet, { decoderConfig })
    }
  }
}

/** The frames, each with its length, as MP4 stores them. */
function framesOf(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at)
    frames.push(bytes.subarray(at, end))
    at = end
  }
  return frames
}

/** Samples per second, and samples per packet, for one channel. */
const soundRate = 24_000
const packetSamples = 1024

/** An `AudioSpecificConfig` (ISO/IEC 14496-3, 1.6.2.1): AAC-LC, 24 kHz, one channel. */
const soundDescription: Uint8Array = Uint8Array.of(0x13, 0x08)

/** The audio packets of a video with one sign per second, up to the end of the video. */
function soundOf(videoSigns: string): Uint8Array[] {
  const packets = Object.values(notes.aac).map((frame) => withoutHeader(fromBase64(frame)))
  return Array.from({ length: Math.floor((videoSigns.length * soundRate) / packetSamples) }, (_, place) => {
    const second = Math.floor((place * packetSamples) / soundRate)
    return packets[signs.indexOf(videoSigns.charAt(second)) % packets.length] as Uint8Array
  })
}

/**
 * A frame without its ADTS header (ISO/IEC 14496-3, 1.A.2.2), which has seven bytes, or nine with a checksum:
 * in MP4, the index contains this information.
 */
function withoutHeader(frame: Uint8Array): Uint8Array {
  return frame.subarray(((frame[1] as number) & 1) === 1 ? 7 : 9)
}
