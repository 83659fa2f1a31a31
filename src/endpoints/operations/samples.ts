/** The videos of an operation: how many there are, what each shows, and their addresses. */
import { describeSource } from '../../behaviours/image-series.ts'
import type { World } from '../../engine/world.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { Media } from '../../protocol/media.ts'
import { originMark } from '../../protocol/reply.ts'
import type { Operation, OperationView } from './operation.ts'
import { resolutions } from './schema.ts'

/** One video of a result, as the contract has it (2.4). */
export interface GeneratedVideo {
  readonly uri: string
  readonly videoBytes: string
  readonly mimeType: string
  readonly createTime: string
}

/** The video of one sample. */
export function describeVideo({ facts }: Operation, sample: number, world: World): Media {
  const [long, short] = resolutions[facts.resolution]
  const [width, height] = facts.portrait ? [short, long] : [long, short]
  const { first, last, fit } = facts.stills ?? {}
  const images =
    fit === undefined
      ? undefined
      : {
          ...(first === undefined ? {} : { first: describeSource(first, world) }),
          ...(last === undefined ? {} : { last: describeSource(last, world) }),
          fit,
        }
  return {
    kind: 'video',
    width,
    height,
    seconds: facts.seconds,
    seed: `${facts.seed} ${sample}`,
    label: `${facts.model}, ${width}x${height}, ${facts.seconds} s`,
    ...(facts.silent ? { silent: true } : {}),
    ...(images === undefined ? {} : { images }),
  }
}

/** The file of one sample, where a scenario gives one. */
export function givenVideo({ facts: { contents } }: Operation, sample: number): HeldBytes | undefined {
  return contents?.[Math.min(sample, contents.length - 1)]
}

/** How many videos can be read now. */
export function countVideos(found: Operation, view: OperationView): number {
  return view.state === 'SUCCEEDED'
    ? expectedVideos(found, view)
    : (scriptedVideos(view.fields['response'])?.length ?? 0)
}

/** How many there will be once it has succeeded, as far as is known. */
export function expectedVideos({ facts }: Operation, { filtered, fields }: OperationView): number {
  return scriptedVideos(fields['response'])?.length ?? Math.max(0, facts.samples - filtered.length)
}

/** The videos that a script lists in a response. */
export function scriptedVideos(response: unknown): readonly Partial<GeneratedVideo>[] | undefined {
  const list =
    response !== null && typeof response === 'object'
      ? (response as { generatedVideos?: unknown }).generatedVideos
      : undefined
  return Array.isArray(list) ? list : undefined
}

/**
 * The address in results, in the form of the Gemini API: its clients look for `files/<id>`, and accept only
 * lower-case letters and digits in the id.
 */
export function videoUrl(found: Operation, sample: number): string {
  return `${originMark}/v1beta/files/${fileIdOf(found, sample)}:download?alt=media`
}

/**
 * The file id of a video: the id of the operation without dashes, then the index of the sample. It begins
 * with the tag of the session, which is put in front if the operation's id does not carry it.
 */
export function fileIdOf({ id, facts: { tag = '' } }: Operation, sample: number): string {
  return `${tag}${id.replaceAll('-', '')}${sample}`
}

/** The id of the operation in a file id; undefined if `fileIdOf` cannot have made it. */
export function operationIdIn(fileId: string): string | undefined {
  const [, ...parts] =
    /^(?:[0-9a-f]{8})?([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\d{1,4}$/.exec(
      fileId,
    ) ?? []
  return parts.length === 0 ? undefined : parts.join('-')
}

/** The last part of a video's address under `/media/operations/{operation_id}`. */
export function videoFileName({ facts: { tag } }: Operation, sample: number): string {
  return `${tag === undefined ? '' : `${tag}-`}${sample}.mp4`
}
