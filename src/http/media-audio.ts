/** Sounds: a soft tone of the seed for `wav` and `pcm16`, checked-in silence for the compressed formats. */
import { randomFrom } from '../engine/random.ts'
import type { AudioMedia } from '../protocol/media.ts'
import { fromBase64 } from './media-base64.ts'

/** Samples per second of every sound; one channel of 16-bit samples. */
export const sampleRate = 24_000
/** The longest sound that is made, in milliseconds; a longer one is asked for in vain and ends here. */
export const longest = 120_000

const headerBytes = 44

/** What each format is called in a content type. `pcm16` is little-endian, so it is not `audio/L16`. */
export const audioTypes: Readonly<Record<AudioMedia['format'], string>> = {
  wav: 'audio/wav',
  pcm16: 'audio/pcm',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  opus: 'audio/ogg',
}

/** The bytes of a sound. `mp3` and `aac` last whole seconds, rounded up; `flac` and `opus` always one second. */
export async function renderAudio({ format, milliseconds, seed }: AudioMedia): Promise<Uint8Array> {
  const length = Math.min(Math.max(milliseconds, 0), longest)
  if (format === 'wav' || format === 'pcm16') return tone(Math.round((length * sampleRate) / 1000), seed, format === 'wav')
  const { silences } = await import('./media-audio-data.ts')
  const second = fromBase64(silences[format])
  // These two are rows of frames that stand alone; the other two count their samples in a header.
  const times = format === 'mp3' || format === 'aac' ? Math.max(1, Math.ceil(length / 1000)) : 1
  const bytes = new Uint8Array(second.length * times)
  for (let i = 0; i < times; i++) bytes.set(second, i * second.length)
  return bytes
}

function tone(samples: number, seed: string, withHeader: boolean): Uint8Array {
  const random = randomFrom(`tone ${seed}`)
  const pitch = random.integer(196, 392)
  const pulse = random.integer(2, 5)
  const offset = withHeader ? headerBytes : 0
  const bytes = new Uint8Array(offset + samples * 2)
  const view = new DataView(bytes.buffer)
  if (withHeader) writeHeader(view, samples)
  const fade = Math.max(1, Math.min(480, samples >> 1))
  for (let i = 0; i < samples; i++) {
    const edge = Math.min(1, i / fade, (samples - 1 - i) / fade)
    const swell = 0.6 + 0.4 * wave((i * pulse) / sampleRate)
    view.setInt16(offset + i * 2, Math.round(6000 * edge * swell * wave((i * pitch) / sampleRate)), true)
  }
  return bytes
}

// Parabolas in place of a sine: Math.sin may differ between engines in its last digit, plain arithmetic may not.
function wave(turns: number): number {
  const t = 2 * (turns - Math.floor(turns)) - 1
  return 4 * t * (1 - (t < 0 ? -t : t))
}

function writeHeader(view: DataView, samples: number): void {
  const word = (at: number, text: string): void => {
    for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i))
  }
  word(0, 'RIFF')
  view.setUint32(4, headerBytes - 8 + samples * 2, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  word(36, 'data')
  view.setUint32(40, samples * 2, true)
}
