/** Sounds, judged by ffmpeg, and by their bytes where that says more. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fromBase64 } from '../../src/engine/bytes.ts'
import { notes } from '../../src/media/data/notes.ts'
import { createMedia, type RenderedMedia } from '../../src/media/media.ts'
import type { AudioMedia } from '../../src/protocol/media.ts'
import { complaintsOf, probe, samplesOf } from '../_ffmpeg.ts'

const audio = (change: Partial<AudioMedia> = {}): AudioMedia => ({
  kind: 'audio',
  format: 'wav',
  milliseconds: 500,
  seed: 'fox',
  ...change,
})
const made = (media: AudioMedia): Promise<RenderedMedia> => createMedia({ cacheBytes: 0 }).render(media)
const bytesOf = async (media: AudioMedia): Promise<Uint8Array> => (await made(media)).bytes
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const latin = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

// A frame's length in seconds: no encoder can end within one.
const formats = [
  { format: 'wav', codec: 'pcm_s16le', type: 'audio/wav', frame: 0 },
  { format: 'mp3', codec: 'mp3', type: 'audio/mpeg', frame: 576 / 24_000 },
  { format: 'aac', codec: 'aac', type: 'audio/aac', frame: 1024 / 24_000 },
] as const

describe('a sound, to ffmpeg', () => {
  it.each(
    formats.flatMap((format) => [250, 1234, 100_000].map((milliseconds) => ({ ...format, milliseconds }))),
  )(
    'as $format of $milliseconds ms is whole and lasts that long, at most a frame longer',
    async ({ format, codec, type, frame, milliseconds }) => {
      const { bytes, type: said } = await made(audio({ format, milliseconds }))
      expect(said).toBe(type)
      expect(probe(bytes).codec).toBe(codec)
      expect(complaintsOf(bytes)).toBe('')
      // Counted, not read from a header: MP3 and AAC have none that says.
      const seconds = samplesOf(bytes, 24_000).length / 24_000
      expect(seconds).toBeGreaterThanOrEqual(milliseconds / 1000 - 1e-9)
      expect(seconds - milliseconds / 1000).toBeLessThan(frame + 1e-9)
    },
  )

  it.each(
    formats
      .flatMap((format) => [0, 1].map((milliseconds) => ({ ...format, milliseconds })))
      .filter(({ format, milliseconds }) => format !== 'wav' || milliseconds > 0),
  )('as $format of $milliseconds ms is a file still', async ({ format, codec, milliseconds }) => {
    const bytes = await bytesOf(audio({ format, milliseconds }))
    expect(probe(bytes).codec).toBe(codec)
    expect(complaintsOf(bytes)).toBe('')
    expect(samplesOf(bytes, 24_000).length).toBeGreaterThan(0)
  })

  it.each([
    ['flac', 'flac', 'audio/flac'],
    ['opus', 'opus', 'audio/ogg'],
  ] as const)(
    'as %s is two seconds of a tone, however long it was asked to be',
    async (format, codec, type) => {
      const { bytes, type: said } = await made(audio({ format, milliseconds: 250 }))
      expect(said).toBe(type)
      expect(probe(bytes).codec).toBe(codec)
      expect(complaintsOf(bytes)).toBe('')
      const samples = samplesOf(bytes, 24_000)
      expect(Math.abs(samples.length / 24_000 - 2)).toBeLessThan(0.01)
      expect(Math.abs(pitchOf(samples) - 250)).toBeLessThanOrEqual(2)
      expect(sha256(await bytesOf(audio({ format, milliseconds: 60_000, seed: 'wolf' })))).toBe(sha256(bytes))
    },
  )
})

describe('a sound', () => {
  it('as wav is 24 kHz mono of 16 bits, as long as asked', async () => {
    const { bytes, type } = await made(audio({ milliseconds: 1234 }))
    const view = viewOf(bytes)
    expect(type).toBe('audio/wav')
    expect([latin(bytes, 0, 4), latin(bytes, 8, 16), latin(bytes, 36, 40)]).toEqual([
      'RIFF',
      'WAVEfmt ',
      'data',
    ])
    expect({
      format: view.getUint16(20, true),
      channels: view.getUint16(22, true),
      rate: view.getUint32(24, true),
      bits: view.getUint16(34, true),
    }).toEqual({ format: 1, channels: 1, rate: 24_000, bits: 16 })
    expect(view.getUint32(40, true)).toBe(1234 * 24 * 2)
    expect(view.getUint32(4, true)).toBe(bytes.length - 8)
    expect(bytes.length).toBe(44 + 1234 * 24 * 2)
  })

  it('as pcm16 is the same samples without the header', async () => {
    const wav = await bytesOf(audio())
    const { bytes, type } = await made(audio({ format: 'pcm16' }))
    expect(type).toBe('audio/pcm')
    expect(sha256(bytes)).toBe(sha256(wav.subarray(44)))
  })

  it('is a soft tone: silent at both ends, never near the top', async () => {
    const view = viewOf(await bytesOf(audio({ format: 'pcm16' })))
    const samples = Array.from({ length: view.byteLength / 2 }, (_, i) => view.getInt16(i * 2, true))
    expect([samples[0], samples.at(-1)]).toEqual([0, 0])
    const loudest = Math.max(...samples.map(Math.abs))
    expect(loudest).toBeGreaterThan(3000)
    expect(loudest).toBeLessThan(8000)
  })

  const samplesIn = async (media: AudioMedia): Promise<number[]> => {
    const view = viewOf(await bytesOf({ ...media, format: 'pcm16' }))
    return Array.from({ length: view.byteLength / 2 }, (_, i) => view.getInt16(i * 2, true))
  }

  it('has its own pitch and its own swell for each seed', async () => {
    const first = new Set<string>()
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      first.add((await samplesIn(audio({ milliseconds: 200, seed }))).slice(1000, 1100).join())
    expect(first.size).toBe(8)
    const pitches = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(async (seed) =>
        pitchOf(Int16Array.from(await samplesIn(audio({ milliseconds: 2000, seed })))),
      ),
    )
    expect(Math.min(...pitches)).toBeGreaterThanOrEqual(195)
    expect(Math.max(...pitches)).toBeLessThanOrEqual(393)
    expect(Math.max(...pitches) - Math.min(...pitches)).toBeGreaterThan(80)
  })

  it('ends after ten minutes, and may be empty', async () => {
    expect((await bytesOf(audio({ format: 'pcm16', milliseconds: 10 ** 9 }))).length).toBe(600_000 * 24 * 2)
    expect((await bytesOf(audio({ format: 'pcm16', milliseconds: 0 }))).length).toBe(0)
  })

  it.each(['mp3', 'aac'] as const)(
    'as %s is made of the fixture files, which are in the package byte for byte',
    (format) => {
      for (const [cycles, frame] of Object.entries<string>(notes[format]))
        expect(sha256(fromBase64(frame))).toBe(
          sha256(readFileSync(new URL(`../../fixtures/audio/${cycles}.${format}`, import.meta.url))),
        )
    },
  )

  it.each(['flac', 'opus'] as const)('as %s is the fixture file', async (format) => {
    const fixture = readFileSync(new URL(`../../fixtures/audio/tone.${format}`, import.meta.url))
    expect(sha256(await bytesOf(audio({ format })))).toBe(sha256(fixture))
  })
})

/** Cycles a second, by the zeros that the second second goes up through. */
function pitchOf(samples: Int16Array): number {
  let count = 0
  for (let i = 24_001; i < 48_000; i++)
    if ((samples[i - 1] as number) < 0 && (samples[i] as number) >= 0) count++
  return count
}
