/** One call of the control API: its address, its token, and what becomes of a refusal. */
import type { Problem } from '../control/problem-type.ts'
import { notData } from '../protocol/plain-data.ts'

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface CallOptions {
  /** The token of the control API, needed if its server listens beyond loopback; `serve` prints it. */
  readonly token?: string | undefined
  /** Replaces the global `fetch`: `sim.fetch` for a simulator in this process. */
  readonly fetch?: Fetch | undefined
  /** The path of the control API (setting `control.prefix`). Default: `/__sim`. */
  readonly prefix?: string | undefined
}

/** Thrown when the control API refuses a call, or something else answers. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The HTTP status; 0 when nothing answered at the address. */
  readonly status: number
  /** The refusal (RFC 9457); undefined when the answer did not come from a simulator. */
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
  /** Statuses of `also` are taken for success. */
  remove<T>(path: string, also?: readonly number[]): Promise<T>
}

/** @internal Calls the control API behind an address. */
export function createCaller(baseUrl: string, { token, fetch: own, prefix = '/__sim' }: CallOptions): Caller {
  const call = async <T>(
    method: string,
    path: string,
    body: unknown,
    also: readonly number[] = [],
  ): Promise<T> => {
    const url = `${baseUrl}${prefix}${path}`
    const send = own ?? fetch
    const asked = send(url, {
      method,
      headers: {
        ...(token === undefined ? {} : { 'x-sim-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body, sendable) }),
    })
    const response = await asked.catch((cause: unknown) => {
      const { cause: reason, message } = cause as {
        readonly cause?: { readonly code?: unknown; readonly message?: unknown }
        readonly message?: unknown
      }
      throw new ControlError(
        [
          `No simulator answers at ${baseUrl}`,
          `(${String(reason?.code ?? reason?.message ?? message)}): start one with \`gateway-sim`,
          'serve`, or `listen` of gateway-sim/node, and use the address that it prints.',
        ].join(' '),
        0,
        undefined,
        { cause },
      )
    })
    const text = await response.text()
    if (response.ok || also.includes(response.status)) return parsed(text) as T
    const problem =
      response.headers.get('content-type')?.startsWith('application/problem+json') === true
        ? (parsed(text) as Problem)
        : undefined
    throw new ControlError(
      problem?.detail ??
        [
          `${method} ${url} answered ${response.status}, and not as the control API of a simulator`,
          `does: ${text.slice(0, 500)}`,
        ].join(' '),
      response.status,
      problem,
    )
  }
  return {
    get(path, query = {}) {
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      )
      return call('GET', given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`, undefined)
    },
    post: (path, body) => call('POST', path, body),
    remove: (path, also) => call('DELETE', path, undefined, also),
  }
}

/** What JSON would leave out or turn into `{}` is refused: nobody would notice that it is missing. */
function sendable(this: unknown, name: string, value: unknown): unknown {
  const wrong = notData(value)
  if (wrong === undefined) return value
  const remedy =
    typeof value === 'function'
      ? 'functions stay in their process: write the answer as data, or use createSimulator here'
      : wrong.remedy
  throw new ControlError(`\`${name}\` is ${wrong.what}, which cannot be sent: ${remedy}`, 0, undefined)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
