/**
 * Sounds: a soft tone derived from the seed for uncompressed formats, and checked-in notes or tones for
 * formats that would need an encoder.
 */
import { fromBase64 } from '../engine/bytes.ts'
import { randomFrom } from '../engine/random.ts'
import type { AudioMedia } from '../protocol/media.ts'

/** Samples per second. Every sound has one channel of 16-bit samples. */
const sampleRate = 24_000
/** The maximum duration in milliseconds. Longer sounds are truncated. */
const maxLength = 600_000

const headerBytes = 44

/** The content type of each format. `pcm16` is little-endian, so it is not `audio/L16`. */
export const audioTypes: Readonly<Record<AudioMedia['format'], string>> = {
  wav: 'audio/wav',
  pcm16: 'audio/pcm',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  opus: 'audio/ogg',
}

/**
 * The file of a sound. `wav` and `pcm16` have the exact duration, `mp3` and `aac` are rounded up to whole
 * frames (24 and 42.7 ms; at least two and three), `flac` and `opus` always have the same two seconds.
 */
export async function renderAudio({ format, milliseconds, seed }: AudioMedia): Promise<Uint8Array> {
  const samples = Math.round((Math.min(Math.max(milliseconds, 0), maxLength) * sampleRate) / 1000)
  const random = randomFrom(`tone ${seed}`)
  switch (format) {
    case 'wav':
      return waveFile(toneOf(samples, random.integer(196, 392)))
    case 'pcm16':
      return littleEndian(toneOf(samples, random.integer(196, 392)), 0)
    case 'mp3':
    case 'aac': {
      const { notes } = await import('./data/notes.ts')
      const frames = Object.values(notes[format])
      const frame = fromBase64(frames[random.integer(0, frames.length - 1)] as string)
      const count = Math.max(minFrames[format], Math.ceil(samples / frameSamples[format]))
      const bytes = new Uint8Array(frame.length * count)
      for (let i = 0; i < count; i++) bytes.set(frame, i * frame.length)
      return bytes
    }
    case 'flac':
    case 'opus':
      return fromBase64((await import('./data/tones.ts')).tones[format])
  }
}

/** The number of samples in one frame at `sampleRate`. */
const frameSamples = { mp3: 576, aac: 1024 } as const
/** Decoders recognise a sound only if several frames follow each other. */
const minFrames = { mp3: 2, aac: 3 } as const

/** A tone of `pitch` cycles per second that fades in and out. */
function toneOf(count: number, pitch: number): Int16Array {
  const samples = new Int16Array(count)
  const fade = Math.max(1, Math.min(480, count >> 1))
  for (let i = 0; i < count; i++) {
    const volume = Math.min(1, i / fade, (count - 1 - i) / fade)
    samples[i] = Math.round(6000 * volume * wave((i * pitch) / sampleRate))
  }
  return samples
}

// Parabolas instead of a sine: the last digit of Math.sin may differ between engines, that of plain
// arithmetic may not.
function wave(turns: number): number {
  const t = 2 * (turns - Math.floor(turns)) - 1
  return 4 * t * (1 - (t < 0 ? -t : t))
}

/** The samples as bytes, after `offset` bytes that remain free. */
function littleEndian(samples: Int16Array, offset: number): Uint8Array {
  const bytes = new Uint8Array(offset + samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < samples.length; i++) view.setInt16(offset + i * 2, samples[i] as number, true)
  return bytes
}

function waveFile(samples: Int16Array): Uint8Array {
  const bytes = littleEndian(samples, headerBytes)
  writeHeader(new DataView(bytes.buffer), samples.length)
  return bytes
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
