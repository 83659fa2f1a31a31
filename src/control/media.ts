/**
 * `sim.getMedia`: an image or a video that the service serves. Unlike a request of a client, it leaves no
 * journal entry, is no poll, and no rule or fault applies to it.
 */

import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import { stateOf } from '../engine/resource.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { Journal } from '../exchange/journal.ts'
import { detailsOf } from '../exchange/kept-exchange.ts'
import type { ApiKey, Call } from '../protocol/call.ts'
import { type Context, defineEndpoint, defineGroup, type Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Media } from '../protocol/media.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { file, type PlainResponse } from '../protocol/response.ts'
import { createRouter, type Router } from '../protocol/router.ts'
import { clip } from '../protocol/wording.ts'
import { text } from '../sessions/controls/fields.ts'
import { type ControlApiParts, own } from './control.ts'

/** Whether it returns a file that the simulator has made. */
const servesMedia = ({ method, accepts, response, event, upload }: Endpoint): boolean =>
  method === 'GET' &&
  accepts.length === 0 &&
  response === undefined &&
  event === undefined &&
  upload === undefined

/** The query of `sim.getMedia`. */
interface MediaQuery {
  readonly path?: string | undefined
  readonly request?: number | undefined
  readonly index?: number | undefined
}

/** Reads media of a session. Throws `ApiError` for what does not exist. */
type ReadMedia = (query: MediaQuery, call: Pick<Call, 'now'>, context: MediaContext) => PlainResponse

interface MediaContext extends Context {
  readonly journal: Journal
}

export function mediaEndpoint({ vocabulary, sessions }: ControlApiParts): Endpoint {
  const read = createMediaReader(vocabulary)
  return defineEndpoint({
    ...own,
    operation: 'sim.getMedia',
    method: 'GET',
    path: '/__sim/media',
    summary: 'Download an image or a video without adding a journal entry',
    accepts: [],
    unknownSession: () => 'reject',
    query: () =>
      z.strictObject({
        path: text(
          'The path and query of the image or video, such as `/v1/videos/{video_id}/content`.',
        ).optional(),
        request: z.coerce
          .number()
          .int()
          .optional()
          .describe('Instead of `path`: the `seq` of a request whose response contains images as base64.'),
        index: z.coerce
          .number()
          .int()
          .min(0)
          .optional()
          .describe('The index of the image in that response. Default: 0.'),
      }),
    act(call, context) {
      const { journal } = sessions.get(context.sandbox.name).sandbox
      return read(call.query, call, { ...context, journal })
    },
  })
}

function createMediaReader({ groups }: Pick<Vocabulary, 'groups'>): ReadMedia {
  const router = lazy(() =>
    createRouter(
      groups.map((group) => defineGroup({ ...group, endpoints: group.endpoints.filter(servesMedia) })),
    ),
  )
  return ({ path, request: seq, index = 0 }, call, context) => {
    if ((path === undefined) === (seq === undefined))
      throw new ApiError('invalid_request_error', 'Expected `path` or `request`.', { param: 'path' })
    return path === undefined
      ? imageOf(seq as number, index, context)
      : servedAt(path, router(), call, context)
  }
}

function servedAt(wanted: string, router: Router, call: Pick<Call, 'now'>, context: Context): PlainResponse {
  const [path = '', query = ''] = wanted.split('?')
  const match = router.match('GET', path)
  if (match.kind !== 'found')
    throw new ApiError(
      'not_found_error',
      `path: ${JSON.stringify(clip(path, 200))} serves no media: expected the path of an image or ` +
        'video from a response.',
      { param: 'path' },
    )
  const { endpoint } = match.route
  const read = endpoint.query?.().safeParse(Object.fromEntries(new URLSearchParams(query)))
  if (read?.success === false)
    throw new ApiError('invalid_request_error', `path: the query ${JSON.stringify(query)} is invalid.`, {
      param: 'path',
    })
  const { operation } = endpoint
  const key = ownerOf(endpoint, match.params, context.sandbox, call.now) ?? { value: '' }
  const asked = { ...call, operation, params: match.params, query: read?.data ?? {}, key }
  return endpoint.act(asked as never, context)
}

/** An image in the response to a request. Throws 404 if the journal does not have it. */
function imageOf(seq: number, index: number, { journal, sandbox }: MediaContext): PlainResponse {
  const entry = journal.entryOf(seq)
  const image = entry === undefined ? undefined : detailsOf(entry)?.media?.[index]
  if (image !== undefined) return file(image as Media)
  throw new ApiError(
    'not_found_error',
    `request: the journal of the session "${sandbox.name}" has no image ${index} for request ${seq}. The ` +
      'journal keeps images sent as base64.',
    { param: 'request' },
  )
}

/** The API key that created the file. Throws 409 for a job that has not succeeded: reading could move it. */
function ownerOf(
  { job: { concerns } = {} }: Endpoint,
  params: Readonly<Record<string, string>>,
  { store }: Sandbox,
  now: number,
): ApiKey | undefined {
  const id = concerns?.id(params, {})
  const found = typeof id === 'string' ? store.find(concerns?.kind.resource ?? '', id) : undefined
  if (concerns === undefined || found === undefined) return undefined
  const { status } = stateOf(found, now).state
  if (status !== concerns.kind.ended.succeeded)
    throw new ApiError(
      'invalid_request_error',
      `path: the ${concerns.kind.noun} ${found.id} has no content: its status is ${JSON.stringify(status)}.`,
      { param: 'path', status: 409 },
    )
  return { value: found.owner }
}
