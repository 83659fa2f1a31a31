/**
 * ffmpeg and ffprobe as judges of films and sounds. Where they are missing, tests fail with what to install.
 */
import { spawnSync } from 'node:child_process'

export interface Probed {
  readonly codec: string
  readonly profile: string | undefined
  readonly pixels: string | undefined
  /** Of H.264, ten times its number. */
  readonly level: number | undefined
  readonly width: number | undefined
  readonly height: number | undefined
  /** Seconds, by what the container says. */
  readonly duration: number
  /** Frames that could be read, and what the container says of how many there are a second. */
  readonly frames: number
  readonly rate: string
  readonly tags: Readonly<Record<string, string>>
  /** Seconds of the whole file. */
  readonly whole: number
  /** The track beside the images. */
  readonly sound:
    | {
        readonly codec: string
        readonly rate: number
        readonly channels: number
        readonly duration: number
        readonly frames: number
      }
    | undefined
}

/**
 * What ffprobe says of a file with one track, or of the images of a film with sound. Throws what it
 * complains of.
 */
export function probe(file: Uint8Array): Probed {
  const { streams, format } = JSON.parse(
    run(
      'ffprobe',
      ['-v', 'error', '-count_frames', '-show_streams', '-show_format', '-of', 'json', '-'],
      file,
    ).toString(),
  ) as {
    streams: {
      codec_type: string
      codec_name: string
      profile?: string
      pix_fmt?: string
      level?: number
      width?: number
      height?: number
      duration?: string
      nb_read_frames: string
      avg_frame_rate: string
      sample_rate?: string
      channels?: number
    }[]
    format: { duration?: string; tags?: Record<string, string> }
  }
  const [stream, sound] = streams
  if (stream === undefined || streams.length > 2 || (sound !== undefined && sound.codec_type !== 'audio'))
    throw new Error(
      `ffprobe: expected one track, or images and a sound, got ${streams.map(({ codec_type: type }) => type).join(', ')}`,
    )
  return {
    codec: stream.codec_name,
    profile: stream.profile,
    pixels: stream.pix_fmt,
    level: stream.level,
    width: stream.width,
    height: stream.height,
    duration: Number(stream.duration ?? format.duration),
    frames: Number(stream.nb_read_frames),
    rate: stream.avg_frame_rate,
    tags: format.tags ?? {},
    whole: Number(format.duration),
    sound:
      sound === undefined
        ? undefined
        : {
            codec: `${sound.codec_name} ${sound.profile}`,
            rate: Number(sound.sample_rate),
            channels: Number(sound.channels),
            duration: Number(sound.duration),
            frames: Number(sound.nb_read_frames),
          },
  }
}

/** Which packets of a film can be sought to, by their place. */
export function syncPackets(file: Uint8Array): number[] {
  const lines = run(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v', '-show_entries', 'packet=flags', '-of', 'csv=p=0', '-'],
    file,
  )
    .toString()
    .trim()
    .split('\n')
  return lines.flatMap((flags, place) => (flags.startsWith('K') ? [place] : []))
}

/**
 * The samples of a sound: 16 bits, little-endian, mono, at `rate` a second. Throws what ffmpeg complains of.
 */
export function samplesOf(file: Uint8Array, rate: number): Int16Array {
  const bytes = run(
    'ffmpeg',
    ['-v', 'error', '-i', '-', '-f', 's16le', '-ac', '1', '-ar', String(rate), '-'],
    file,
  )
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

/** Decodes all of a file and gives what ffmpeg complains of: nothing, when it is whole. */
export function complaintsOf(file: Uint8Array): string {
  const { stderr, status, error } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-xerror', '-err_detect', 'explode', '-i', '-', '-f', 'null', '-'],
    { input: file },
  )
  if (error !== undefined) throw notInstalled('ffmpeg', error)
  return status === 0 ? stderr.toString() : `ended with ${String(status)}: ${stderr.toString()}`
}

function run(command: string, args: readonly string[], input: Uint8Array): Buffer {
  const { stdout, stderr, status, error } = spawnSync(command, args, { input, maxBuffer: 200_000_000 })
  if (error !== undefined) throw notInstalled(command, error)
  if (status !== 0 || stderr.length > 0)
    throw new Error(`${command} ended with ${String(status)}: ${stderr.toString()}`)
  return stdout
}

const notInstalled = (command: string, error: Error): Error =>
  new Error(`${command} does not run (${error.message}): run apt-get install ffmpeg`)
