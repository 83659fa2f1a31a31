/**
 * Runs in a page: the simulator behind `setupWorker`, with what the test calls. Bundled for the browser, so
 * nothing of node can be in it.
 */
import * as msw from 'msw'
import { setupWorker } from 'msw/browser'
import { createSimulator } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'

export interface Stream {
  readonly type: string | null
  readonly before: string
  readonly text: string
  readonly error: string | undefined
}

/** What the page offers to the test. */
export interface Page {
  /** Of msw: 2 or 3. */
  generation(): number
  chat(body: object): Promise<{ readonly status: number; readonly text: string }>
  /** Starts a stream, waits for its headers, moves the clock by a minute and reads to the end. */
  stream(body: object): Promise<Stream>
  /** Starts a stream, moves the clock until events have come, leaves, and says what the journal holds. */
  leave(body: object): Promise<{ readonly error: string; readonly ended: string; readonly events: number }>
  /** Makes an image job, lets it finish and decodes the first image. Pixels. */
  image(): Promise<{ readonly type: string | null; readonly width: number; readonly height: number }>
  warnings(): readonly string[]
}

const warnings: string[] = []
const sim = createSimulator({
  clock: 'manual',
  selfCheck: true,
  onWarning: (message) => warnings.push(message),
  settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
})
const gateway = 'https://gateway.test/base'
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const post = (path: string, body: object, init: RequestInit = {}): Promise<Response> =>
  fetch(`${gateway}${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...init })

async function readAll(
  response: Response,
  first: { text: string },
): Promise<{ text: string; error: string | undefined }> {
  const decoder = new TextDecoder()
  try {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { text: first.text, error: undefined }
      first.text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    return { text: first.text, error: (error as Error).name }
  }
}

const page: Page = {
  generation: () => ('handleRequest' in msw ? 2 : 3),
  async chat(body) {
    const response = await post('/v1/chat/completions', body)
    return { status: response.status, text: await response.text() }
  },
  async stream(body) {
    const response = await post('/v1/chat/completions', body)
    const said = { text: '' }
    const reading = readAll(response, said)
    // A whole other call through the worker: what was to come without the clock would be here by now.
    await fetch(`${gateway}/__sim/health`)
    const before = said.text
    sim.clock.advance('1m')
    return { type: response.headers.get('content-type'), before, ...(await reading) }
  },
  async leave(body) {
    const leaving = new AbortController()
    const response = await post('/v1/chat/completions', body, { signal: leaving.signal })
    sim.clock.advance('120ms')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    leaving.abort()
    const error = await reader.read().then(
      () =>
        reader.read().then(
          () => 'none',
          (reason: Error) => reason.name,
        ),
      (reason: Error) => reason.name,
    )
    const entry = () => sim.journal().at(-1)
    // The worker tells of it by message: other calls through the worker let these come.
    for (let turn = 0; turn < 200 && entry()?.ended === 'open'; turn++) await fetch(`${gateway}/__sim/health`)
    return { error, ended: entry()?.ended ?? '', events: entry()?.response?.eventCount ?? 0 }
  },
  async image() {
    const { id } = (await (await post('/v1/tob/diffusion', { model: 'v7', text: 'a cat' })).json()) as {
      id: string
    }
    sim.clock.advance('1m')
    const { urls } = (await (await fetch(`${gateway}/v1/tob/job/${id}`, { headers })).json()) as {
      urls: string[]
    }
    const response = await fetch(urls[0] as string)
    const { createImageBitmap } = globalThis as unknown as {
      createImageBitmap(blob: Blob): Promise<{ width: number; height: number }>
    }
    const { width, height } = await createImageBitmap(await response.blob())
    return { type: response.headers.get('content-type'), width, height }
  },
  warnings: () => warnings,
}

await setupWorker(...handlers(sim, { origins: [gateway] })).start({
  quiet: true,
  onUnhandledRequest: 'bypass',
})
Object.assign(globalThis, { page })
