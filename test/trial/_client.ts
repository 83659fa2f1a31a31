/**
 * A small client without an SDK: it streams a chat response, makes a video and downloads it. It can have one
 * vice.
 */
export const vices = [
  'duplicates',
  'trusts half',
  'hammers',
  'hangs',
  'ignores error events',
  'polls for ever',
  'swallows 401',
  'crashes',
] as const
export type Vice = (typeof vices)[number] | undefined

type Fetch = (input: string, init?: RequestInit) => Promise<Response>

class GatewayError extends Error {
  readonly status: number
  readonly retryAfter: number

  constructor(message: string, status = 0, retryAfter = 0) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }

  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const usualPatience = 1200
/** For a video: the rendering of the first one starts a thread. */
const patienceForVideo = { first: 4000, again: 2000 }
const maxPolls = 20

/** In steps: a process that a busy machine stops for a second has not waited for that long. */
async function expire(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= 100) await sleep(100)
}

/** Its output. Rejects when it gives up. */
export async function useGateway(fetch: Fetch, vice: Vice, patience = usualPatience): Promise<string> {
  const client = new Client(fetch, vice, patience)
  try {
    return `${await client.chat()}\n${await client.video()}`
  } catch (error) {
    if (vice === 'swallows 401' && error instanceof GatewayError && error.status === 401) return ''
    throw error
  }
}

class Client {
  readonly #fetch: Fetch
  readonly #vice: Vice
  readonly #patience: number
  #patienceForVideo = patienceForVideo.first

  constructor(fetch: Fetch, vice: Vice, patience: number) {
    this.#fetch = fetch
    this.#vice = vice
    this.#patience = patience
  }

  async chat(): Promise<string> {
    return this.#retried(() =>
      this.#send('/v1/chat/completions', chatRequest, (response) => this.#readStream(response)),
    )
  }

  async video(): Promise<string> {
    const submit = () => this.#send('/v1/videos', { model: 'sora-2', prompt: 'A calm sea' }, readJson)
    const { id } = await (this.#vice === 'duplicates' ? this.#retried(submit) : this.#submitOnce(submit))
    if (typeof id !== 'string') throw new GatewayError('the video has no id')
    const videoPath = `/v1/videos/${id}`
    for (let polls = 1; ; polls++) {
      const { status } = await this.#retried(() => this.#send(videoPath, undefined, readJson))
      if (status === 'completed') break
      if (status === 'failed' || typeof status !== 'string')
        throw new GatewayError(`the video: ${String(status)}`)
      if (polls >= maxPolls && this.#vice !== 'polls for ever')
        throw new GatewayError('the video takes too long')
      await sleep(1)
    }
    const bytes = await this.#retried(() =>
      this.#send(`${videoPath}/content`, undefined, (response) => response.arrayBuffer()),
    )
    return `a video of ${bytes.byteLength > 1000 ? 'some' : 'no'} length`
  }

  /** A submission is repeated only if the gateway says that it created nothing. */
  async #submitOnce<Made>(submit: () => Promise<Made>): Promise<Made> {
    try {
      return await submit()
    } catch (error) {
      if (!(error instanceof GatewayError) || ![429, 503].includes(error.status)) throw error
      await sleep(Math.max(error.retryAfter * 1000, 120))
      return submit()
    }
  }

  async #send<Result>(path: string, body: object | undefined, read: (response: Response) => Promise<Result>) {
    const abort = new AbortController()
    const ended = new AbortController()
    const isVideo = path.endsWith('/content')
    const patience = isVideo ? Math.max(this.#patience, this.#patienceForVideo) : this.#patience
    if (isVideo) this.#patienceForVideo = patienceForVideo.again
    void expire(patience, ended.signal).then(() => abort.abort())
    const hasLimit = this.#vice !== 'hangs'
    try {
      const response = await this.#fetch(`http://gateway.test${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        ...(hasLimit ? { signal: abort.signal } : {}),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!response.ok) await this.#reject(path, response)
      return await read(response)
    } catch (error) {
      if (error instanceof GatewayError || this.#vice === 'crashes') throw error
      throw new GatewayError(`${path}: ${(error as Error).message}`)
    } finally {
      ended.abort()
    }
  }

  async #reject(path: string, response: Response): Promise<never> {
    const { status, headers } = response
    if (this.#vice === 'crashes') {
      const { details } = ((await response.json()) as { error: { details: { message: string }[] } }).error
      throw new GatewayError(`${path}: ${(details[0] as { message: string }).message}`, status)
    }
    await response.body?.cancel()
    throw new GatewayError(`${path}: ${status}`, status, Number(headers.get('retry-after') ?? 0))
  }

  async #retried<Result>(work: () => Promise<Result>): Promise<Result> {
    const hammers = this.#vice === 'hammers'
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        const isLast = attempt >= (hammers ? 12 : 3)
        if (!(error instanceof GatewayError) || !error.isTemporary || isLast) throw error
        if (!hammers) await sleep(Math.max(error.retryAfter * 1000, 120 * attempt))
      }
    }
  }

  /** The text of a stream. Throws unless it is complete. */
  async #readStream(response: Response): Promise<string> {
    let text = ''
    let finish: unknown
    try {
      for await (const event of eventsOf(response)) {
        if (event.error !== undefined) {
          if (this.#vice === 'ignores error events') return text
          throw new GatewayError('an error event')
        }
        const [choice] = event.choices ?? []
        text += choice?.delta?.content ?? ''
        finish = choice?.finish_reason ?? finish
      }
    } catch (error) {
      if (this.#vice !== 'trusts half' || text === '') throw error
      return text
    }
    if (finish !== 'stop' && this.#vice !== 'trusts half') throw new GatewayError('an incomplete stream')
    return text
  }
}

const chatRequest = {
  model: 'gpt-4o',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me about the sea.' }],
}

interface ChatEvent {
  readonly error?: unknown
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string }
    readonly finish_reason?: unknown
  }[]
}

async function* eventsOf({ body }: Response): AsyncGenerator<ChatEvent> {
  let buffer = ''
  const decoder = new TextDecoder()
  for await (const bytes of body ?? []) {
    buffer += decoder.decode(bytes as Uint8Array, { stream: true }).replace(/^\uFEFF/, '')
    const frames = buffer
      .replaceAll('\r\n', '\n')
      .replace(/\r(?!$)/g, '\n')
      .split('\n\n')
    buffer = frames.pop() ?? ''
    for (const frame of frames) {
      const lines = frame.split('\n').filter((line) => line.startsWith('data:'))
      const data = lines.map((line) => line.slice(5)).join('\n')
      if (lines.length > 0 && data.trim() !== '[DONE]') yield parsed(data) as ChatEvent
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new GatewayError('invalid JSON')
  }
}

const readJson = async (response: Response) =>
  parsed(await response.text()) as Readonly<Record<string, unknown>>
