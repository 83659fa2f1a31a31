/**
 * Judges what a user gave as handlers before anything is served, and orders it by the origin each handler was
 * written for.
 */
import type { MswHandler } from './load-middleware.ts'

/** Neighbouring handlers that are asked together: they were written for the same origin, or for none. */
export interface HandlerGroup {
  /**
   * `https://api.openai.com`, when their paths begin with it; a call is shown to them as if it was sent
   * there.
   */
  readonly origin: string | undefined
  readonly handlers: readonly MswHandler[]
}

// An origin without wildcards; `*://host` and regular expressions are matched against the simulator's own
// address.
const origins = /^(https?:\/\/[^/*:]+(?::\d+)?)(?:\/|$)/i

/**
 * The handlers in their order. Throws a `TypeError` that names the index of what is no msw request handler.
 */
export function readHandlers(given: unknown): readonly HandlerGroup[] {
  if (!Array.isArray(given))
    throw new TypeError(`handlers: expected an array of msw handlers, got ${shapeOf(given)}`)
  const groups: { origin: string | undefined; handlers: MswHandler[] }[] = []
  for (const [index, handler] of given.entries()) {
    if (!isHandler(handler))
      throw new TypeError(
        `handlers[${index}]: expected a request handler of msw such as ` +
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
  if (Array.isArray(value)) return `an array of ${value.length}: spread it (...list)`
  if (typeof value === 'function') {
    const name = value.name === '' ? '' : ` (${value.name})`
    return `a function${name}: a resolver alone has no path; write http.post(path, resolver)`
  }
  if (typeof value === 'string') return `${JSON.stringify(value.slice(0, 60))} (a string)`
  if (typeof value !== 'object') return `${String(value)} (a ${typeof value})`
  if (typeof (value as { then?: unknown }).then === 'function') return 'a promise: await it first'
  if ((value as { kind?: unknown }).kind === 'websocket')
    return 'a WebSocket handler: the gateway has no WebSockets'
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.slice(0, 5).join(', ')}`
}
