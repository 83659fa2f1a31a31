/** The controls of a session on a server: each call becomes one request of the control API. */

import { defined, type Fields, jsonIn } from '../engine/fields.ts'
import type { Problem } from '../generated/control-types.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { clip, notData } from '../protocol/wording.ts'
import { type Control, mapControls, type RemoteControls } from '../sessions/controls/control.ts'
import { controls } from '../sessions/controls/table.ts'

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface CallOptions {
  /** The token for the control API, needed if the server listens beyond loopback; `serve` prints it. */
  readonly token?: string | undefined
  /** Replaces the global `fetch`: `sim.fetch` for a simulator in this process. */
  readonly fetch?: Fetch | undefined
}

/** Thrown if the control API rejects a request, or another server responds. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** The problem document (RFC 9457); undefined if the response is not from a simulator. */
  readonly problem: Problem | undefined

  constructor(message: string, status: number, problem: Problem | undefined, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.problem = problem
  }
}

/** @internal */
export interface Caller {
  get<T>(path: string, query?: Readonly<Record<string, unknown>>): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  /** The statuses of `also` count as success. */
  remove<T>(path: string, also?: readonly number[]): Promise<T>
}

/** @internal Calls the control API at a URL. */
export function createCaller(baseUrl: string, { token, fetch: own }: CallOptions): Caller {
  const call = async <T>(
    method: string,
    path: string,
    body: unknown,
    also: readonly number[] = [],
  ): Promise<T> => {
    const url = `${baseUrl}${controlPrefix}${path}`
    const send = own ?? fetch
    const asked = send(url, {
      method,
      headers: defined({
        'x-sim-token': token,
        'content-type': body === undefined ? undefined : 'application/json',
      }),
      ...defined({ body: body === undefined ? undefined : JSON.stringify(body, sendable) }),
    })
    const response = await asked.catch((cause: unknown) => {
      const { cause: reason, message } = cause as {
        readonly cause?: { readonly code?: unknown; readonly message?: unknown }
        readonly message?: unknown
      }
      throw new ControlError(
        `No simulator responds at ${baseUrl} ` +
          `(${String(reason?.code ?? reason?.message ?? message)}): start one with \`gateway-sim ` +
          'serve`, or with `listen` from gateway-sim/node, and use its URL.',
        0,
        undefined,
        { cause },
      )
    })
    const text = await response.text()
    const isDone = response.ok || also.includes(response.status)
    const result = isDone ? jsonIn(text) : undefined
    if (isDone && (result !== undefined || text === '')) return result as T
    const problem =
      response.headers.get('content-type')?.startsWith('application/problem+json') === true
        ? (jsonIn(text) as Problem)
        : undefined
    throw new ControlError(
      problem?.detail ??
        `The server at ${baseUrl} is not a simulator: ${method} ${controlPrefix}${path} returned ` +
          `${response.status}${/^\s*(?:<|$)/.test(text) ? '' : `: ${clip(text, 200)}`}`,
      response.status,
      problem,
    )
  }
  return {
    get(path, query = {}) {
      const given = String(new URLSearchParams(defined(query) as Record<string, string>))
      return call('GET', given === '' ? path : `${path}?${given}`, undefined)
    },
    post: (path, body) => call('POST', path, body),
    remove: (path, also) => call('DELETE', path, undefined, also),
  }
}

/** Rejects values that JSON would silently omit or turn into `{}`. */
function sendable(this: unknown, name: string, value: unknown): unknown {
  const wrong = notData(value)
  if (wrong === undefined) return value
  const remedy =
    typeof value === 'function'
      ? 'functions cannot be sent: write the response as data, or use createSimulator in this process'
      : wrong.remedy
  throw new ControlError(`\`${name}\` is ${wrong.what}, which cannot be sent: ${remedy}`, 0, undefined)
}

/** The controls of a session on a server, created from the table: each call becomes one request. */
type AnyControl = Pick<Control<never>, 'method' | 'path' | 'encode' | 'field' | 'paged' | 'decode'>

/** The functions of the table, over the control API of a server. @internal */
export function remoteControls(caller: Caller): RemoteControls<typeof controls> {
  return mapControls(controls, (control: AnyControl) => async (...args: unknown[]) => {
    const { path, rest } = fillPath(control.path, args)
    const argument = control.encode === undefined ? rest[0] : control.encode(rest[0] as never)
    if (control.paged === true) return readPages(caller, path, control.field as string, argument as Fields)
    const response = await send(caller, control.method, path, argument)
    const result = control.field === undefined ? response : (response as Fields)[control.field]
    return control.decode === undefined ? result : control.decode(result as never)
  }) as unknown as RemoteControls<typeof controls>
}

/** The path, with its parameter filled by the first argument if there is one. */
function fillPath(template: string, args: readonly unknown[]): { path: string; rest: readonly unknown[] } {
  if (!template.includes('{')) return { path: template, rest: args }
  const path = template.replace(/\{\w+\}/, encodeURIComponent(String(args[0])))
  return { path, rest: args.slice(1) }
}

function send(
  { get, post, remove }: Caller,
  method: AnyControl['method'],
  path: string,
  argument: unknown,
): Promise<unknown> {
  if (method === 'POST') return post(path, argument)
  return method === 'GET' ? get(path, argument as Fields | undefined) : remove(path)
}

/** All pages of a list, or as many entries as `limit` allows. */
async function readPages(
  caller: Caller,
  path: string,
  field: string,
  query: Fields = {},
): Promise<unknown[]> {
  const limit = (query['limit'] as number | undefined) ?? Infinity
  const entries: unknown[] = []
  let cursor = query['cursor']
  for (;;) {
    const left = limit === Infinity ? undefined : limit - entries.length
    const page = await caller.get<Fields>(path, { ...query, cursor, limit: left })
    entries.push(...(page[field] as unknown[]))
    if (page['nextCursor'] === undefined || entries.length >= limit) return entries
    cursor = page['nextCursor']
  }
}
