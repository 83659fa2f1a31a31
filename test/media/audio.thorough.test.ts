/** Sounds, judged by ffmpeg, and by their bytes where that says more. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
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
  it('as pcm16 is the same samples without the header', async () => {
    const wav = await bytesOf(audio())
    const { bytes, type } = await made(audio({ format: 'pcm16' }))
    expect(type).toBe('audio/pcm')
    expect(sha256(bytes)).toBe(sha256(wav.subarray(44)))
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
})

/** Cycles a second, by the zeros that the second second goes up through. */
function pitchOf(samples: Int16Array): number {
  let count = 0
  for (let i = 24_001; i < 48_000; i++)
    if ((samples[i - 1] as number) < 0 && (samples[i] as number) >= 0) count++
  return count
}
