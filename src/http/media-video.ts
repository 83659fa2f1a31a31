/**
 * Films: one of the checked-in H.264 films, stretched to the asked duration and marked with its seed. Knows MP4 boxes,
 * nothing of H.264.
 */
import type { VideoMedia } from '../protocol/media.ts'
import { fromBase64 } from './media-base64.ts'

const containers: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts'])

/** The MP4 of a film. Throws for a size of which there is no film, and for a duration that no film has. */
export async function renderVideo(media: VideoMedia): Promise<Uint8Array> {
  const { films } = await import('./media-video-data.ts')
  const size = `${media.width}x${media.height}`
  if (!Object.hasOwn(films, size)) throw new RangeError(`render-media: there is no film of ${size}; expected one of ${Object.keys(films).join(', ')}`)
  if (!Number.isInteger(media.seconds) || media.seconds < 1 || media.seconds > 600) throw new RangeError(`render-media: expected a film of 1 to 600 whole seconds, got ${media.seconds}`)
  const film = fromBase64(films[size as keyof typeof films])
  stretch(film, media.seconds)
  return mark(film, `gateway-sim\n${media.seed}\n${media.label}`)
}

// The pictures stay, each is shown for longer: every place that states a duration is of fixed width, so nothing moves.
function stretch(film: Uint8Array, seconds: number): void {
  const view = new DataView(film.buffer, film.byteOffset, film.byteLength)
  const boxes = boxesOf(view, 0, film.byteLength)
  const at = (name: string): number => {
    const start = boxes.get(name)
    if (start === undefined) throw new Error(`render-media: the film has no ${name} box`)
    return start
  }
  const movieTimescale = view.getUint32(at('mvhd') + 20)
  const mediaTimescale = view.getUint32(at('mdhd') + 20)
  view.setUint32(at('mvhd') + 24, seconds * movieTimescale)
  view.setUint32(at('tkhd') + 28, seconds * movieTimescale)
  view.setUint32(at('elst') + 16, seconds * movieTimescale)
  view.setUint32(at('mdhd') + 24, seconds * mediaTimescale)
  // One run of frames of equal length; 12,288 units a second divide evenly by the 96 frames of every film.
  const frames = view.getUint32(at('stts') + 16)
  view.setUint32(at('stts') + 20, (seconds * mediaTimescale) / frames)
}

function boxesOf(view: DataView, from: number, to: number, found = new Map<string, number>()): Map<string, number> {
  for (let at = from; at + 8 <= to; at += view.getUint32(at)) {
    const name = String.fromCharCode(view.getUint8(at + 4), view.getUint8(at + 5), view.getUint8(at + 6), view.getUint8(at + 7))
    found.set(name, at)
    if (containers.has(name)) boxesOf(view, at + 8, at + view.getUint32(at), found)
  }
  return found
}

// A `free` box at the end: players skip it, and two films never have the same bytes.
function mark(film: Uint8Array, text: string): Uint8Array {
  const note = new TextEncoder().encode(text)
  const marked = new Uint8Array(film.length + 8 + note.length)
  marked.set(film)
  new DataView(marked.buffer).setUint32(film.length, 8 + note.length)
  marked.set(new TextEncoder().encode('free'), film.length + 4)
  marked.set(note, film.length + 8)
  return marked
}
