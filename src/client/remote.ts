/** The controls of a session on a server: each call becomes one request of the control API. */

import { defined, type Fields, jsonIn } from '../engine/fields.ts'
import type { Problem } from '../generated/control-types.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { clip, notData } from '../protocol/wording.ts'
import { mapControls, type RemoteControls } from '../sessions/controls/control.ts'

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

/** Calls the control API at a URL. @internal */
export interface Caller {
  /** A `GET` sends the argument as its query, a `POST` as its body. */
  call(method: string, path: string, argument?: unknown): Promise<unknown>
}

/** @internal */
export function createCaller(baseUrl: string, { token, fetch: own }: CallOptions): Caller {
  return {
    async call(method, path, argument) {
      const query = method === 'GET' ? queryOf(argument) : ''
      const body = method === 'POST' ? JSON.stringify(argument, sendable) : undefined
      const send = own ?? fetch
      const response = await send(`${baseUrl}${controlPrefix}${path}${query}`, {
        method,
        headers: defined({
          'x-sim-token': token,
          'content-type': body === undefined ? undefined : 'application/json',
        }),
        ...defined({ body }),
      }).catch((error: unknown) => {
        throw unreachable(baseUrl, error as FetchError)
      })
      const text = await response.text()
      const result = jsonIn(text)
      if (response.ok && result !== undefined) return result
      throw rejection(response, text, `${method} ${controlPrefix}${path}`, baseUrl)
    },
  }
}

function queryOf(argument: unknown): string {
  const query = String(new URLSearchParams(defined(argument ?? {}) as Record<string, string>))
  return query === '' ? '' : `?${query}`
}

interface FetchError {
  readonly message?: unknown
  readonly cause?: { readonly code?: unknown; readonly message?: unknown }
}

function unreachable(baseUrl: string, error: FetchError): ControlError {
  const reason = String(error.cause?.code ?? error.cause?.message ?? error.message)
  return new ControlError(
    `No simulator responds at ${baseUrl} (${reason}): start one with \`gateway-sim serve\`, or with ` +
      '`listen` from gateway-sim/node, and use its URL.',
    0,
    undefined,
    { cause: error },
  )
}

function rejection(response: Response, text: string, request: string, baseUrl: string): ControlError {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true
  const problem = isProblem ? (jsonIn(text) as Problem) : undefined
  const shown = /^\s*(?:<|$)/.test(text) ? '' : `: ${clip(text, 200)}`
  return new ControlError(
    problem?.detail ??
      `The server at ${baseUrl} is not a simulator: ${request} returned ${response.status}${shown}`,
    response.status,
    problem,
  )
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

/** The functions of a table of controls, over the control API of a server. @internal */
export function remoteControls<Table extends object>(caller: Caller, table: Table): RemoteControls<Table> {
  return mapControls(table, (control) => async (...args: unknown[]) => {
    const { path, rest } = fillPath(control.path, args)
    const argument = control.encode === undefined ? rest[0] : control.encode(rest[0] as never)
    if (control.paged === true) return readPages(caller, path, control.field as string, argument as Fields)
    const response = await caller.call(control.method, path, argument)
    const result = control.field === undefined ? response : (response as Fields)[control.field]
    return control.decode === undefined ? result : control.decode(result as never)
  }) as unknown as RemoteControls<Table>
}

/** The path, with its parameter filled by the first argument if there is one. */
function fillPath(template: string, args: readonly unknown[]): { path: string; rest: readonly unknown[] } {
  if (!template.includes('{')) return { path: template, rest: args }
  const path = template.replace(/\{\w+\}/, encodeURIComponent(String(args[0])))
  return { path, rest: args.slice(1) }
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
    const page = (await caller.call('GET', path, { ...query, cursor, limit: left })) as Fields
    entries.push(...(page[field] as unknown[]))
    if (page['nextCursor'] === undefined || entries.length >= limit) return entries
    cursor = page['nextCursor']
  }
}
