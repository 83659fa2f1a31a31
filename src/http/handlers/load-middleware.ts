/**
 * Finds `@mswjs/http-middleware`, the msw that it will use and an Express to carry it, and says what to
 * install when one of them is missing or of the wrong generation.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A request handler of msw, as far as the simulator looks at it. */
export interface MswHandler {
  readonly info: object
  run(args: unknown): Promise<unknown>
  predicate(args: unknown): unknown
}

type Next = (error?: unknown) => void

/** An Express app with one middleware. `next` is called when the middleware answered nothing. */
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
  /** A handler for every request, answered by `resolver`; undefined lets it through. */
  catchAll(resolver: (info: { readonly request: Request }) => Promise<Response | undefined>): MswHandler
}

const install = 'npm install --save-dev @mswjs/http-middleware msw@2'

/**
 * Loads both from where `from` (a file URL) finds them, else from the working directory (a simulator started
 * by npx has no packages of yours around it). Throws an `Error` that names the command to run.
 */
export function loadMiddleware(from: string = import.meta.url): Middleware {
  const places = [from, pathToFileURL(join(process.cwd(), 'handlers.js')).href]
  const address = find('@mswjs/http-middleware', places)
  if (address === undefined)
    throw new Error(
      `Your handlers run through the package @mswjs/http-middleware, which is not installed: ${install}`,
    )
  const near = createRequire(address)
  const version = mswVersion(near)
  if (version === undefined)
    throw new Error(`Your handlers run through the package msw, which is not installed: ${install}`)

  const msw = attempt(
    () =>
      near('msw') as {
        handleRequest?: unknown
        getResponse: Middleware['getResponse']
        http: { all(path: string, resolver: unknown): MswHandler }
      },
  )
  // The middleware imports this function without looking; in msw 3 it is gone and the first request would end
  // the process.
  if (msw === undefined || typeof msw.handleRequest !== 'function') {
    throw new Error(
      [
        'Your handlers run over HTTP through @mswjs/http-middleware, which needs msw 2; found msw',
        `${version}: npm install --save-dev msw@2 (with msw 3, use them in-process:`,
        'setupServer(...yours, ...handlers(sim, { origins })))',
      ].join(' '),
    )
  }
  const { createMiddleware } = near(address) as {
    createMiddleware(
      ...handlers: MswHandler[]
    ): (request: IncomingMessage, response: ServerResponse, next: Next) => Promise<void>
  }
  // Express 5 where it is installed, else the Express that the middleware brings along: it carries one
  // middleware, and any does.
  const express = near(find('express', [...places, address]) as string) as () => MiddlewareApp & {
    disable(setting: string): void
    use(middleware: MiddlewareApp): void
  }
  return {
    createApp(handler) {
      const app = express()
      app.disable('x-powered-by')
      const middleware = createMiddleware(handler)
      // Express 4 does not wait for promises; unheard, a rejection would end the process.
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
