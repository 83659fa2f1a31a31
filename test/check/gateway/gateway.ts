/**
 * A gateway for tests, written from the contract alone: it imports nothing of ours, has ids of its own, sends
 * the least that the contract demands and streams of the simplest kind that clients take. `change` plants one
 * violation.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chat, messages, systemone } from './answers.ts'
import { type Answer, type Asked, type Change, isRecord, isText, Rejected, require } from './exchange.ts'
import { images, png } from './images.ts'
import { createThings } from './jobs.ts'

export interface Gateway {
  readonly baseUrl: string
  readonly apiKey: string
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Listens on loopback. `baseUrl` and links in answers name that port from then on. */
  listen(): Promise<{ readonly baseUrl: string; close(): Promise<void> }>
}

const project = 'projects/{p}/locations/{l}/publishers/{b}/models'
const routes: readonly (readonly [method: string, path: string, operation: string])[] = [
  ['POST', '/v1/chat/completions', 'chat'],
  ['POST', '/v1/messages', 'messages'],
  ['POST', '/v1/systemone', 'systemone'],
  ['POST', '/v1/images/generations', 'generations'],
  ['POST', '/v1/images/edits', 'edits'],
  ...['upload-paint', 'retexture', 'pan', 'remove-background', 'variation', 'diffusion'].map(
    (name) => ['POST', `/v1/tob/${name}`, name] as const,
  ),
  ['GET', '/v1/tob/job/{job_id}', 'job'],
  ['POST', '/v1/videos', 'videos'],
  ['GET', '/v1/videos/{video_id}', 'video'],
  ['GET', '/v1/videos/{video_id}/content', 'content'],
  ['POST', '/v1/videos/{video_id}/remix', 'remix'],
  ['POST', '/v1beta/models/{model}:predictLongRunning', 'submit'],
  ['GET', `/v1beta/${project}/{model}/operations/{operation_id}`, 'operation'],
  ['POST', '/v1/files/upload_url', 'upload_url'],
  ['PUT', '/store/{file}', 'put'],
  ['GET', '/store/{file}', 'read'],
]
const open = ['put', 'read']
const jobOperations = [
  'upload-paint',
  'retexture',
  'pan',
  'remove-background',
  'variation',
  'diffusion',
  'job',
]
const forms = ['edits', 'videos']

const compiled = routes.map(([method, path, operation]) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+?)')}$`)
  return { method, pattern, names, operation }
})

/** A gateway with nothing in it. Its clock stands still, and a thing is done at its nth poll. */
export function createGateway(
  options: { readonly change?: Change; readonly pollsUntilDone?: number; readonly baseUrl?: string } = {},
): Gateway {
  const { change } = options
  const apiKey = 'key-of-the-tests'
  const now = 1_770_000_000
  let baseUrl = options.baseUrl ?? 'http://gateway.test'
  let count = 0
  const next = (): string => `${(count += 1)}`
  const files = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>()
  const address = (): string => {
    const name = `p${next()}`
    files.set(name, { type: 'image/png', bytes: Buffer.from(png, 'base64') })
    return `${baseUrl}/store/${name}`
  }
  const things = createThings({ pollsUntilDone: options.pollsUntilDone ?? 3, now, address })
  const seen = new Map<string, number>()

  const act: Readonly<Record<string, (asked: Asked) => Answer>> = {
    chat: (asked) => chat(asked, `c-${next()}`, now),
    messages: (asked) => messages(asked, `m-${next()}`),
    systemone,
    generations: (asked) => images(asked, false, now, address),
    edits: (asked) => images(asked, true, now, address),
    ...Object.fromEntries(jobOperations.map((name) => [name, things.submitJob])),
    job: things.pollJob,
    videos: things.createVideo,
    video: things.pollVideo,
    content: things.videoContent,
    remix: things.remixVideo,
    submit: things.submitOperation,
    operation: things.pollOperation,
    upload_url({ body }) {
      require(isText(body['path']), 'path is needed')
      require(['undefined', 'string'].includes(typeof body['storage_provider']), 'storage_provider is a text')
      const file = `u${next()}`
      return {
        status: 200,
        json: {
          upload_url: `${baseUrl}/store/${file}?sig=${file}`,
          method: 'PUT',
          path: `cos://bucket/${body['path']}`,
          visit_url: `${baseUrl}/store/${file}`,
        },
      }
    },
    put(asked) {
      const type = asked.headers.get('content-type') ?? 'application/octet-stream'
      files.set(String(asked.params['file']), { type, bytes: asked.bytes })
      return { status: 200, bytes: new Uint8Array() }
    },
    read({ params }) {
      const file = files.get(String(params['file']))
      if (file === undefined) throw new Rejected(404, 'there is no such file')
      return { status: 200, ...file }
    },
  }

  const answer = (asked: Asked): Answer => {
    try {
      if (!open.includes(asked.operation)) authenticate(asked, apiKey)
      const run = act[asked.operation]
      if (run === undefined) throw new Rejected(404, 'there is no such address')
      return run(asked)
    } catch (error) {
      if (!(error instanceof Rejected)) throw error
      return { status: error.status, json: { error: envelope(error, asked.operation) } }
    }
  }

  const handle = async (request: Request): Promise<Response> => {
    const read = await readRequest(request)
    const asked = change?.request?.(read) ?? read
    const first = answer(asked)
    const place = `${asked.method} ${asked.path}`
    const before = seen.get(place) ?? 0
    if (first.status < 400) seen.set(place, before + 1)
    return render(change?.answer?.(first, read, before) ?? first)
  }

  return {
    get baseUrl() {
      return baseUrl
    },
    apiKey,
    fetch: (input, init) => handle(new Request(input, init)),
    listen: () =>
      listen(handle, (at) => {
        baseUrl = at
      }),
  }
}

function envelope({ code, message }: Rejected, operation: string): object {
  // Only image jobs have more than code and message.
  if (!jobOperations.includes(operation)) return { code, message }
  return { code, message, details: [{ code, message }], trace_id: 't' }
}

/** The name of the version header carries a vendor's name. */
function authenticate({ headers, operation }: Asked, apiKey: string): void {
  const given =
    operation === 'messages'
      ? headers.get('x-api-key')
      : /^bearer (.*)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (given !== apiKey) throw new Rejected(401, 'who are you?')
  if (operation === 'messages')
    require([...headers.keys()].some((name) => /^\w+-version$/.test(name)), 'the version header is missing')
}

async function readRequest(request: Request): Promise<Asked> {
  const { pathname } = new URL(request.url)
  const found = compiled.find(({ method, pattern }) => method === request.method && pattern.test(pathname))
  const groups = found?.pattern.exec(pathname)?.slice(1) ?? []
  const params = Object.fromEntries((found?.names ?? []).map((name, at) => [name, groups[at] as string]))
  const asked = { method: request.method, path: pathname, operation: found?.operation ?? '', params }
  const bytes = new Uint8Array(await request.clone().arrayBuffer())
  const body = await readBody(request, bytes, asked.operation)
  return { ...asked, headers: request.headers, body, bytes }
}

/** A body that cannot be read is an empty one: then what it needs is missing. */
async function readBody(request: Request, bytes: Uint8Array, operation: string): Promise<Asked['body']> {
  if (bytes.length === 0 || open.includes(operation)) return {}
  try {
    if (forms.includes(operation)) return Object.fromEntries(await request.formData())
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function render({ status, type, json, bytes, events }: Answer): Response {
  if (events !== undefined) {
    const text = events.map(
      ({ event, data }) =>
        `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    )
    return new Response(text.join(''), { status, headers: { 'content-type': type ?? 'text/event-stream' } })
  }
  if (bytes !== undefined) {
    const headers = bytes.length === 0 ? {} : { 'content-type': type ?? 'application/octet-stream' }
    return new Response(Buffer.from(bytes), { status, headers })
  }
  return new Response(JSON.stringify(json), {
    status,
    headers: { 'content-type': type ?? 'application/json' },
  })
}

async function listen(
  handle: (request: Request) => Promise<Response>,
  moved: (baseUrl: string) => void,
): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  let baseUrl = ''
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const parts: Buffer[] = []
      for await (const part of incoming) parts.push(part as Buffer)
      const bodiless = incoming.method === 'GET' || incoming.method === 'HEAD'
      const response = await handle(
        new Request(`${baseUrl}${incoming.url}`, {
          method: incoming.method ?? 'GET',
          headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]),
          ...(bodiless ? {} : { body: Buffer.concat(parts) }),
        }),
      )
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(Buffer.from(await response.arrayBuffer()))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  moved(baseUrl)
  return {
    baseUrl,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
