/** Where the films of an operation are read, and which film such an address names. */
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { file, originMark, type Reply } from '../../protocol/reply.ts'
import { clip } from '../../protocol/wording.ts'
import { type Operation, operationView } from './operation.ts'
import { countVideos, describeVideo, expectedVideos } from './samples.ts'

/**
 * The address in results, in the form of the Gemini API: its clients look for `files/<id>` in it, and take of
 * the id what is a small letter or a digit.
 */
export function videoUrl(found: Operation, sample: number): string {
  return `${originMark}/v1beta/files/${fileIdOf(found, sample)}:download?alt=media`
}

/**
 * The id of a film as a file: that of the operation without dashes and the number of the sample, behind the
 * tag of the session where the former does not begin with it.
 */
export function fileIdOf({ id, facts: { tag = '' } }: Operation, sample: number): string {
  return `${tag}${id.replaceAll('-', '')}${sample}`
}

/** The operation that an id of a file names; undefined for one that `fileIdOf` never makes. */
export function operationIdIn(fileId: string): string | undefined {
  const [, ...parts] =
    /^(?:[0-9a-f]{8})?([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\d{1,4}$/.exec(
      fileId,
    ) ?? []
  return parts.length === 0 ? undefined : parts.join('-')
}

/** The last part of a film's address under `/media/operations/{operation_id}`. */
export function videoFileName({ facts: { tag } }: Operation, sample: number): string {
  return `${tag === undefined ? '' : `${tag}-`}${sample}.mp4`
}

/** The film that is called `name` by `nameOf`. Throws 404 that says what there is, or will be. */
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
