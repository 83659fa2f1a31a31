/** The checked-in seconds of video: one H.264 stream per size, loaded on first use. */
import { fromBase64 } from '../../engine/bytes.ts'
import { frameRate, signs } from './scene.ts'

/** The parts of all videos of one size. */
export interface Stream {
  /** As in RFC 6381. */
  readonly codec: string
  /** The parameter sets (ISO/IEC 14496-10, 7.3.2.1 and 7.3.2.2) that all frames refer to. */
  readonly sequenceSet: Uint8Array
  readonly imageSet: Uint8Array
  /** The frames of all signs, second by second, without lengths or start codes. */
  readonly frames: readonly Uint8Array[]
}

type Load = () => Promise<{ readonly stream: string }>

// A separate chunk for each size: users of 720 lines do not load 2160.
const streams: Readonly<Record<string, Load>> = {
  '720x1280': () => import('../data/video/720x1280.ts'),
  '1280x720': () => import('../data/video/1280x720.ts'),
  '1024x1792': () => import('../data/video/1024x1792.ts'),
  '1792x1024': () => import('../data/video/1792x1024.ts'),
  '1080x1920': () => import('../data/video/1080x1920.ts'),
  '1920x1080': () => import('../data/video/1920x1080.ts'),
  '2160x3840': () => import('../data/video/2160x3840.ts'),
  '3840x2160': () => import('../data/video/3840x2160.ts'),
}

/** The stream of a size. Rejects with a `RangeError` for an unsupported size. */
export async function loadStream(width: number, height: number): Promise<Stream> {
  const size = `${width}x${height}`
  const load = Object.hasOwn(streams, size) ? streams[size] : undefined
  if (load === undefined)
    throw new RangeError(`media: expected a video size of ${Object.keys(streams).join(', ')}; got ${size}`)
  return parseStream(fromBase64((await load()).stream))
}

const sliceTypes: ReadonlySet<number> = new Set([1, 5])

/** Parses a stream (ISO/IEC 14496-10, annex B) with one slice per frame and shared parameter sets. */
function parseStream(stream: Uint8Array): Stream {
  const frames: Uint8Array[] = []
  let sequenceSet: Uint8Array | undefined
  let imageSet: Uint8Array | undefined
  for (const unit of unitsOf(stream)) {
    const type = (unit[0] as number) & 31
    if (type === 7) sequenceSet ??= unit
    else if (type === 8) imageSet ??= unit
    else if (sliceTypes.has(type)) frames.push(unit)
  }
  if (sequenceSet === undefined || imageSet === undefined || frames.length !== signs.length * frameRate)
    throw new Error('media: an embedded video stream is corrupt')
  const profile = Array.from(sequenceSet.subarray(1, 4), (byte) => byte.toString(16).padStart(2, '0'))
  return { codec: `avc1.${profile.join('')}`, sequenceSet, imageSet, frames }
}

/** The data between start codes (three bytes, often after a zero). */
function unitsOf(stream: Uint8Array): Uint8Array[] {
  const starts: number[] = []
  for (let at = 0; at + 2 < stream.length; at++)
    if (stream[at] === 0 && stream[at + 1] === 0 && stream[at + 2] === 1) starts.push(at + 3)
  return starts.map((start, index) => {
    let end = (starts[index + 1] ?? stream.length + 3) - 3
    while (stream[end - 1] === 0) end--
    return stream.subarray(start, end)
  })
}
