/** An answer that is spoken. */
import { mintId } from '../../engine/ids.ts'
import type { Random } from '../../engine/random.ts'
import type { World } from '../../engine/world.ts'
import type { Call } from '../../protocol/call.ts'
import type { AudioMedia } from '../../protocol/media.ts'
import type { ChatRequest } from './schema.ts'

export interface AudioAnswer {
  readonly id: string
  /** Unix seconds. */
  readonly expiresAt: number
  readonly media: AudioMedia
}

/** The voice that a request asks for. */
export type Voice = NonNullable<ChatRequest['audio']>

export function voiceOf(body: ChatRequest): Voice | undefined {
  return body.modalities?.includes('audio') === true ? (body.audio ?? undefined) : undefined
}

/**
 * The audio of choice `index` (0-based), as long as its pieces take to speak; `random` is that choice's
 * source.
 */
export function speechOf(
  { format }: Voice,
  pieces: number,
  index: number,
  { identity, now }: Call<ChatRequest>,
  world: World,
  random: Random,
): AudioAnswer {
  return {
    id: mintId('audio_', world.tag, identity.fork(`audio ${index}`)),
    expiresAt: Math.floor(now / 1000) + 3600,
    media: { kind: 'audio', format, milliseconds: spokenFor(pieces), seed: random.fork('voice').hex(16) },
  }
}

/** How many pieces of a transcript come before their audio is sent: two seconds. */
const piecesPerPart = 8

/**
 * The part of the audio that a stream sends behind piece `index` (0-based): the sound up to there, every
 * other second and at the end.
 */
export function soundBehind(index: number, pieces: number, { media }: AudioAnswer): AudioMedia | undefined {
  const parts = Math.max(1, Math.ceil(pieces / piecesPerPart))
  const isLast = index === pieces - 1
  if (!isLast && (index + 1) % piecesPerPart !== 0) return undefined
  return parts === 1 ? media : { ...media, part: { index: Math.floor(index / piecesPerPart), of: parts } }
}

/** The maximum duration in milliseconds: ten minutes are 38 MB of base64. */
const maxDuration = 600_000

// The pace of speech: a token takes about a quarter of a second. Milliseconds.
function spokenFor(pieces: number): number {
  return Math.min(maxDuration, Math.max(250, pieces * 250))
}
