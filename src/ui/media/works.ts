/** The images and videos of a session, with their files, from its journal and jobs. */

import type { JournalEntry } from '../../exchange/exchange.ts'
import type { JobState } from '../../generated/control-types.ts'
import { parseJournalBody } from '../../protocol/canonical.ts'
import { escapeControls } from '../../text/printable.ts'

/** What the gallery keeps of a request; bodies with images are large. */
export interface Seen {
  readonly seq: number
  readonly operation: string
  /** The ids of the jobs that it created. */
  readonly made: readonly string[]
  /** The path and the request body, in which ids of sources occur. */
  readonly named: string
  readonly prompt: string
  /** The number of images in the response as base64. */
  readonly images: number
  /** The names of files that it uploaded. */
  readonly uploads: readonly string[]
  /** The paths of files whose URLs the response contains. */
  readonly paths: readonly string[]
}

type SeenEntry = Pick<JournalEntry, 'seq' | 'operation'> & {
  readonly request: { readonly url: string; readonly body?: SeenBody | undefined }
  readonly response?: { readonly status: number; readonly body?: SeenBody | undefined } | undefined
  readonly cause: { readonly transitions: readonly { readonly id: string; readonly from: unknown }[] }
}

interface SeenBody {
  readonly text?: string | undefined
}

/** A file: by the path that serves it, or in the response to a request. */
export interface MediaFile {
  readonly type: 'image' | 'video'
  /** The query of `GET /__sim/media`. */
  readonly query: string
  /** The same for the image of a video that is not playing. */
  readonly poster?: string
}

export interface Work {
  readonly id: string
  readonly noun: string
  /** The request that made it; undefined for a job that a scenario gave. */
  readonly maker: Seen | undefined
  readonly status: string
  /** Why it failed; empty if it has not. */
  readonly problem: string
  readonly files: readonly MediaFile[]
}

const maxNamed = 100_000

/** `draws`: whether its operation returns images. */
export function seenIn(entry: SeenEntry, draws: boolean): Seen {
  const { seq, operation, request, response, cause } = entry
  const text = request.body?.text
  const body = parsed(text)
  const made = cause.transitions.filter(({ from }) => from === null).map(({ id }) => id)
  const urls = (response?.body?.text ?? '').match(/https?:\/\/[^"\\\s]+/g) ?? []
  const paths = [...new Set(urls.flatMap(mediaPath))]
  const isInline = draws && (response?.status ?? 0) < 300 && paths.length === 0
  return {
    seq,
    operation: operation ?? request.url,
    made,
    named: `${request.url} ${text ?? ''}`.slice(0, maxNamed),
    prompt: escapeControls(promptIn(body) ?? formField(text, 'prompt') ?? ''),
    images: isInline ? Number(body?.['n'] ?? formField(text, 'n') ?? 1) : 0,
    uploads: uploadsIn(text),
    paths,
  }
}

function uploadsIn(request: string | undefined): string[] {
  const body = parseJournalBody(request)
  if (body?.kind !== 'form') return []
  return body.fields.flatMap((field) => ('file' in field ? (field.file.filename ?? field.name) : []))
}

/** The path of a file that the simulator serves, in a URL of it; without mount and session. */
function mediaPath(url: string): string[] {
  const [, path] = /^https?:\/\/[^/]+(?:\/[^?]*?)?(\/(?:media|v1beta\/files)\/.+)$/.exec(url) ?? []
  return path === undefined ? [] : [path]
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text ?? '') as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

/** A field of a form, as the journal writes it: `"prompt"="a boat"&"n"="2"`. */
function formField(request: string | undefined, name: string): string | undefined {
  const [, text] = new RegExp(`"${name}"=("(?:[^"\\\\]|\\\\.)*")`).exec(request ?? '') ?? []
  return text === undefined ? undefined : (JSON.parse(text) as string)
}

function promptIn(body: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const { prompt, text, instances } = body ?? {}
  const [first] = Array.isArray(instances) ? (instances as { readonly prompt?: unknown }[]) : []
  return [prompt, text, first?.prompt].find((one) => typeof one === 'string') as string | undefined
}

/** The works, newest first. */
export function worksOf(seen: readonly Seen[], jobs: readonly JobState[]): readonly Work[] {
  return [
    ...jobs.map((job) => workOfJob(job, seen)),
    ...seen.filter(({ images }) => images > 0).map(workOfResponse),
  ].sort((a, b) => (b.maker?.seq ?? -1) - (a.maker?.seq ?? -1))
}

function workOfJob({ id, kind, state, notFound }: JobState, seen: readonly Seen[]): Work {
  const noun = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const maker = seen.find(({ made }) => made.includes(id))
  const status = notFound ? 'not found' : statusText(state['status'])
  const problem = status === 'failed' ? problemOf(state) : ''
  const content = `/v1/videos/${id}/content`
  if (kind === 'video' && status === 'completed' && !notFound) {
    const files = [{ type: 'video', query: byPath(content), poster: byPath(`${content}?variant=thumbnail`) }]
    return { id, noun, maker, status, problem, files: files as MediaFile[] }
  }
  const paths = seen.flatMap(({ named, made, paths: all }) =>
    all.filter((path) => path.includes(id) || made.includes(id) || named.includes(id)),
  )
  // A source of the job is named like the job itself, but its files are of another job.
  const own = [...new Set(paths)].filter((path) => kind === 'videoOperation' || path.includes(id))
  const type = kind === 'videoOperation' ? 'video' : 'image'
  return { id, noun, maker, status, problem, files: own.map((path) => ({ type, query: byPath(path) })) }
}

/** Why a job failed: videos have an error, image jobs a comment. */
function problemOf({ error, comment }: JobState['state']): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return String(message ?? comment ?? '')
}

const byPath = (path: string): string => `path=${encodeURIComponent(path)}`

function workOfResponse(maker: Seen): Work {
  const work = { id: `request-${maker.seq}`, noun: 'images', maker, status: '' }
  if (maker.uploads.length > 0)
    return { ...work, problem: 'The journal does not keep images made from uploaded files.', files: [] }
  const files = Array.from({ length: Math.min(maker.images, 10) }, (_, index) => ({
    type: 'image' as const,
    query: `request=${maker.seq}&index=${index}`,
  }))
  return { ...work, problem: '', files }
}

/** The statuses of image jobs are numbers. */
const numbered = ['waiting', 'running', 'succeeded', 'failed']
export const statusText = (status: unknown): string =>
  typeof status === 'number' ? (numbered[status] ?? String(status)) : String(status ?? '').toLowerCase()
