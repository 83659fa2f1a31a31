/** Finds the user's msw and checks the handlers that were given. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { notData, show } from '../../protocol/wording.ts'

/** The part of an msw request handler that the simulator uses. */
interface MswHandler {
  readonly info: { readonly path?: unknown }
  readonly run: unknown
}

/** The function of msw 2 and 3; resolves to undefined if no handler responds. */
export type GetResponse = (
  handlers: readonly MswHandler[],
  request: Request,
  context: { readonly baseUrl: string },
) => Promise<Response | undefined>

/**
 * Resolves msw from `from` (a file URL), or else from the working directory: with npx, the simulator is not
 * installed next to the user's packages. Rejects with an `Error` that names the command to run.
 */
export async function loadGetResponse(from: string = import.meta.url): Promise<GetResponse> {
  for (const place of [from, pathToFileURL(join(process.cwd(), 'handlers.js')).href]) {
    const file = resolved(place)
    if (file === undefined) continue
    const msw = (await import(pathToFileURL(file).href)) as Record<string, unknown>
    const { getResponse } = { ...(msw['default'] as object | undefined), ...msw } as Record<string, unknown>
    if (typeof getResponse === 'function') return getResponse as GetResponse
  }
  throw new Error('User handlers require the package msw 2.7 or later: npm install --save-dev msw')
}

function resolved(place: string): string | undefined {
  try {
    return createRequire(place).resolve('msw')
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
    const { path } = handler.info
    const origin = typeof path === 'string' ? origins.exec(path)?.[1]?.toLowerCase() : undefined
    const last = groups.at(-1)
    if (last !== undefined && last.origin === origin) last.handlers.push(handler)
    else groups.push({ origin, handlers: [handler] })
  }
  return groups
}

const shapeOf = (value: unknown): string => notData(value)?.what ?? show(value)

function isHandler(value: unknown): value is MswHandler {
  const { run, info } = Object(value) as Partial<MswHandler>
  return typeof run === 'function' && typeof info === 'object'
}
