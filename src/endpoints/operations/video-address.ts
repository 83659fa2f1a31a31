/** The addresses of an operation's videos, and which video an address names. */
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { heldFile } from '../../protocol/held-file.ts'
import { file, originMark, type Reply } from '../../protocol/reply.ts'
import { clip } from '../../protocol/wording.ts'
import { type Operation, operationView } from './operation.ts'
import { countVideos, describeVideo, expectedVideos, givenVideo } from './samples.ts'

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

/** The video that `nameOf` calls `name`. Throws 404 that says which videos there are, or will be. */
export function serveVideo(
  name: string,
  found: Operation,
  { now, world }: { readonly now: number; readonly world: World },
  nameOf: (found: Operation, sample: number) => string,
  param: string,
): Reply {
  const view = operationView(found, now)
  const samples = view.state === 'SUCCEEDED' ? countVideos(found, view) : 0
  const sample = Array.from({ length: samples }, (_, place) => place).find(
    (place) => nameOf(found, place) === name,
  )
  const own = sample === undefined ? undefined : givenVideo(found, sample)
  if (own !== undefined) return heldFile(own, 'video.mp4')
  // Downloads of many operations land in one folder.
  if (sample !== undefined)
    return file(describeVideo(found, sample, world), { download: `${found.id}-${sample}.mp4` })
  const all = expectedVideos(found, view)
  const names =
    all === 0
      ? 'it has no videos'
      : all === 1
        ? `its only video is ${nameOf(found, 0)}`
        : `its videos are ${nameOf(found, 0)} to ${nameOf(found, all - 1)}`
  const when = view.state === 'SUCCEEDED' ? '' : ' once it has succeeded'
  throw new ApiError(
    'not_found_error',
    [
      `The operation \`${found.id}\` has no video \`${clip(name, 100)}\`: its state is ${view.state},`,
      `${view.state === 'FAILED' ? 'a failed one has no videos' : `${names}${when}`}.`,
    ].join(' '),
    { param },
  )
}
