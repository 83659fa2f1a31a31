/** What the tests of long-running operations share. */
import { get, post, type simulator } from '../../_setup.ts'

export type Sim = ReturnType<typeof simulator>

/** A simulator or a session, as far as it is called. */
export type Reached = Pick<Sim, 'fetch' | 'clock'>

export const body = (
  prompt = 'a fox in the snow',
  parameters?: Record<string, unknown>,
): Record<string, unknown> => ({
  instances: [{ prompt }],
  ...(parameters === undefined ? {} : { parameters }),
})

export const submitPath = '/v1beta/models/veo-3.0:predictLongRunning'

export async function submit(sim: Reached, sent: unknown = body(), path = submitPath): Promise<string> {
  const response = await post(sim, path, sent)
  const { name } = (await response.json()) as { name: string }
  return name
}

export interface Poll {
  readonly name: string
  readonly done: boolean
  readonly metadata: { readonly state: string; readonly progressPercent: number; readonly updateTime: string }
  readonly error?: { readonly code: number; readonly message: string; readonly details: unknown[] }
  readonly response?: {
    readonly generatedVideos: {
      readonly uri: string
      readonly videoBytes: string
      readonly mimeType: string
      readonly createTime: string
    }[]
    readonly generateVideoResponse: {
      readonly generatedSamples: { readonly video: { readonly uri: string; readonly encodedVideo: string } }[]
    }
  }
}

export const poll = async (sim: Reached, name: string): Promise<Poll> =>
  (await (await get(sim, `/v1beta/${name}`)).json()) as Poll

/** An operation that is done: its id and the addresses of its videos. */
export async function finish(
  sim: Reached,
  parameters?: Record<string, unknown>,
): Promise<{ readonly id: string; readonly uris: readonly [string, ...string[]] }> {
  const name = await submit(sim, body(undefined, parameters))
  sim.clock.advance('1h')
  const { response } = await poll(sim, name)
  const uris = (response?.generatedVideos ?? []).map(({ uri }) => uri) as [string, ...string[]]
  return { id: name.slice(-36), uris }
}

export const rejectionOf = async (
  response: Response,
): Promise<{
  status: number
  error: { code: number; type: string; message: string; status: string; param: string | null }
}> => ({ status: response.status, ...((await response.json()) as { error: never }) })
