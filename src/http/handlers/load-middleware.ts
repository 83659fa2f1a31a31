/**
 * Finds `@mswjs/http-middleware`, its msw and an Express to run it in, and reports what to install if one is
 * missing or has the wrong version.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { show } from '../../protocol/wording.ts'

/** The part of an msw request handler that the simulator uses. */
interface MswHandler {
  readonly info: object
  run(args: unknown): Promise<unknown>
  predicate(args: unknown): unknown
}

type Next = (error?: unknown) => void

/** An Express app with one middleware. `next` is called if the middleware did not respond. */
export type MiddlewareApp = (request: IncomingMessage, response: ServerResponse, next: Next) => void

/** The parts of msw and the middleware that the simulator uses. */
export interface Middleware {
  /** `next` gets an error when the request cannot be expressed as a web `Request`. */
  createApp(handler: MswHandler): MiddlewareApp
  getResponse(
    handlers: readonly MswHandler[],
    request: Request,
    context: { baseUrl: string },
  ): Promise<Response | undefined>
  /** A handler for every request that responds through `resolver`; undefined passes the request on. */
  catchAll(resolver: (info: { readonly request: Request }) => Promise<Response | undefined>): MswHandler
}

const install = 'npm install --save-dev @mswjs/http-middleware msw@2'

/**
 * Resolves both from `from` (a file URL), or else from the working directory (with npx, the simulator is not
 * installed next to the user's packages). Throws an `Error` that names the command to run.
 */
export function loadMiddleware(from: string = import.meta.url): Middleware {
  const places = [from, pathToFileURL(join(process.cwd(), 'handlers.js')).href]
  const address = find('@mswjs/http-middleware', places)
  if (address === undefined)
    throw new Error(
      `User handlers require the package @mswjs/http-middleware, which is not installed: ${install}`,
    )
  const near = createRequire(address)
  const version = mswVersion(near)
  if (version === undefined)
    throw new Error(`User handlers require the package msw, which is not installed: ${install}`)

  const msw = attempt(
    () =>
      near('msw') as {
        handleRequest?: unknown
        getResponse: Middleware['getResponse']
        http: { all(path: string, resolver: unknown): MswHandler }
      },
  )
  // The middleware imports this function unconditionally; msw 3 has removed it, and the first request would
  // end the process.
  if (msw === undefined || typeof msw.handleRequest !== 'function') {
    throw new Error(
      'User handlers over HTTP require @mswjs/http-middleware, which needs msw 2; found msw ' +
        `${version}: npm install --save-dev msw@2 (with msw 3, use them in-process: ` +
        'setupServer(...yours, ...handlers(sim, { origins })))',
    )
  }
  const { createMiddleware } = near(address) as {
    createMiddleware(
      ...handlers: MswHandler[]
    ): (request: IncomingMessage, response: ServerResponse, next: Next) => Promise<void>
  }
  // Express 5 if installed, or else the Express of the middleware: any version can run it.
  const express = near(find('express', [...places, address]) as string) as () => MiddlewareApp & {
    disable(setting: string): void
    use(middleware: MiddlewareApp): void
  }
  return {
    createApp(handler) {
      const app = express()
      app.disable('x-powered-by')
      const middleware = createMiddleware(handler)
      // Express 4 does not await promises; an unhandled rejection would end the process.
      app.use((request, response, next) => void middleware(request, response, next).catch(next))
      return app
    },
    getResponse: msw.getResponse,
    catchAll: (resolver) => msw.http.all('*', resolver),
  }
}

function find(name: string, places: readonly string[]): string | undefined {
  for (const place of places) {
    const address = attempt(() => createRequire(place).resolve(name))
    if (address !== undefined) return address
  }
  return undefined
}

function mswVersion(near: NodeJS.Require): string | undefined {
  return attempt(() => (near('msw/package.json') as { version: string }).version)
}

function attempt<T>(load: () => T): T | undefined {
  try {
    return load()
  } catch {
    return undefined
  }
}

/** Consecutive handlers that are tried together, because they have the same origin or none. */
export interface HandlerGroup {
  /** The origin of their paths, such as `https://api.openai.com`: they see requests as if sent there. */
  readonly origin: string | undefined
  readonly handlers: readonly MswHandler[]
}

// An origin without wildcards; `*://host` and regular expressions are matched against the simulator's URL.
const origins = /^(https?:\/\/[^/*:]+(?::\d+)?)(?:\/|$)/i

/** The handlers in order. Throws a `TypeError` with the index of an invalid handler. */
export function readHandlers(given: unknown): readonly HandlerGroup[] {
  if (!Array.isArray(given))
    throw new TypeError(`handlers: expected an array of msw handlers, got ${shapeOf(given)}`)
  const groups: { origin: string | undefined; handlers: MswHandler[] }[] = []
  for (const [index, handler] of given.entries()) {
    if (!isHandler(handler))
      throw new TypeError(
        `handlers[${index}]: expected an msw request handler such as ` +
          `http.post('/v1/chat/completions', …), got ${shapeOf(handler)}`,
      )
    const origin = originOf(handler)
    const last = groups.at(-1)
    if (last !== undefined && last.origin === origin) last.handlers.push(handler)
    else groups.push({ origin, handlers: [handler] })
  }
  return groups
}

function isHandler(value: unknown): value is MswHandler {
  if (value === null || typeof value !== 'object') return false
  const { run, predicate, info } = value as Partial<MswHandler>
  return typeof run === 'function' && typeof predicate === 'function' && typeof info === 'object'
}

function originOf({ info }: MswHandler): string | undefined {
  const { path } = info as { readonly path?: unknown }
  return typeof path === 'string' ? origins.exec(path)?.[1]?.toLowerCase() : undefined
}

function shapeOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return `${show(value)}: spread it (...list)`
  if (typeof value === 'function') {
    const name = value.name === '' ? '' : ` (${value.name})`
    return `a function${name}, a resolver without a path: write http.post(path, resolver)`
  }
  if (typeof value === 'string') return `${JSON.stringify(value.slice(0, 60))} (a string)`
  if (typeof value !== 'object') return `${String(value)} (a ${typeof value})`
  if (typeof (value as { then?: unknown }).then === 'function') return 'a promise: await it first'
  if ((value as { kind?: unknown }).kind === 'websocket')
    return 'a WebSocket handler: the gateway has no WebSockets'
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.slice(0, 5).join(', ')}`
}
