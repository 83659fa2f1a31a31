/**
 * The seconds of film that stand ready, by size: a stream of H.264 for each, loaded when it is first asked
 * for, taken apart into pictures.
 */
import { fromBase64 } from '../../engine/base64.ts'
import { frameRate, signs } from './scene.ts'

/** All that a film of a size is put together from. */
export interface Stream {
  /** As in RFC 6381. */
  readonly codec: string
  /** The parameter sets (ISO/IEC 14496-10, 7.3.2.1 and 7.3.2.2) that all pictures refer to. */
  readonly sequence: Uint8Array
  readonly picture: Uint8Array
  /** The pictures of all signs, one second behind the other, without a length or a start code. */
  readonly frames: readonly Uint8Array[]
}

type Load = () => Promise<{ readonly film: string }>

// Each is a chunk of its own: who asks for 720 lines does not pay for 2160.
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

/** The stream of a size. Rejects with a `RangeError` for one that no film has. */
export async function loadStream(width: number, height: number): Promise<Stream> {
  const size = `${width}x${height}`
  const load = Object.hasOwn(streams, size) ? streams[size] : undefined
  if (load === undefined)
    throw new RangeError(
      `render-media: there is no film of ${size}; expected one of ${Object.keys(streams).join(', ')}`,
    )
  return readStream(fromBase64((await load()).film))
}

const sliceTypes: ReadonlySet<number> = new Set([1, 5])

/**
 * Takes a stream (ISO/IEC 14496-10, annex B) apart: one slice is a picture, and all share the parameter sets
 * at its beginning.
 */
function readStream(stream: Uint8Array): Stream {
  const frames: Uint8Array[] = []
  let sequence: Uint8Array | undefined
  let picture: Uint8Array | undefined
  for (const unit of unitsOf(stream)) {
    const type = (unit[0] as number) & 31
    if (type === 7) sequence ??= unit
    else if (type === 8) picture ??= unit
    else if (sliceTypes.has(type)) frames.push(unit)
  }
  if (sequence === undefined || picture === undefined || frames.length !== signs.length * frameRate)
    throw new Error('render-media: the stream of the films is not whole')
  return {
    codec: `avc1.${Array.from(sequence.subarray(1, 4), (byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    sequence,
    picture,
    frames,
  }
}

/** What stands between start codes (three bytes, often with a zero before them). */
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
