/** A recorded request as text to paste: curl, an SDK call, a rule, a matcher, a step of a scenario. */
import type { JournalEntryJson } from '../../journal/filter.ts'

/** The URL of the simulator: the page is under its control API. */
export const baseUrl = (): string => location.origin + location.pathname.replace(/\/[^/]+\/ui\/.*$/, '')

export function asCurl({ method, path, request, session, headers }: JournalEntryJson): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${baseUrl()}${path}`)}`]
  lines.push("-H 'authorization: Bearer sk-test'")
  if (session !== 'default') lines.push(`-H ${quoted(`x-sim-session: ${session}`)}`)
  const type = headers['content-type']
  if (request !== null && type?.startsWith('application/json') === true) {
    lines.push("-H 'content-type: application/json'")
    lines.push(`-d ${quoted(request)}`)
  }
  return lines.join(' \\\n  ')
}

export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** SDK methods by the path that they request. */
const sdkMethods: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'openai.chat.completions.create',
  '/v1/images/generations': 'openai.images.generate',
  '/v1/videos': 'openai.videos.create',
  '/v1/messages': 'anthropic.messages.create',
}

export function asSdkCall({ request, method, path }: JournalEntryJson): string {
  const sdk = method === 'POST' ? sdkMethods[path] : undefined
  const body = parsed(request)
  if (sdk !== undefined && body !== undefined) return `await ${sdk}(${JSON.stringify(body, null, 2)})`
  const init =
    body === undefined
      ? `{ method: '${method}' }`
      : `{ method: '${method}', body: JSON.stringify(${JSON.stringify(body, null, 2)}) }`
  return `await sim.fetch(${JSON.stringify(path)}, ${init})`
}

export function asMatcher(entry: JournalEntryJson): string {
  return JSON.stringify(matcherOf(entry), null, 2)
}

function matcherOf({ operation, request }: JournalEntryJson): Record<string, unknown> {
  const body = parsed(request)
  return {
    ...(operation === null ? {} : { operation }),
    ...(body === undefined ? {} : promptMatcher(body)),
  }
}

function promptMatcher(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const contains = (text: string): object => ({ contains: text.slice(0, 80) })
  if (typeof body['prompt'] === 'string') return { body: { prompt: contains(body['prompt']) } }
  const messages = Array.isArray(body['messages']) ? (body['messages'] as Record<string, unknown>[]) : []
  const last = messages.findLast(({ role }) => role === 'user')?.['content']
  return typeof last === 'string' ? { conversation: { lastUser: contains(last) } } : {}
}

/** A scenario with one rule that gives the same response. JSON is YAML too. */
export function asRule(entry: JournalEntryJson): string {
  const { operation, status, response, seq } = entry
  const body = parsed(response)
  const then =
    body === undefined ? {} : status >= 400 ? { error: errorOf(status, body) } : { fields: withoutIds(body) }
  const rule = { id: `${operation ?? 'request'}-${seq}`, when: matcherOf(entry), then }
  return JSON.stringify({ title: `Request ${seq}`, rules: [rule] }, null, 2)
}

function errorOf(status: number, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type, message } = (body['error'] ?? {}) as Readonly<Record<string, unknown>>
  return {
    status,
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
}

/** The simulator generates these for each response. */
const generated = new Set(['id', 'created', 'created_at', 'object', 'usage', 'system_fingerprint'])
const withoutIds = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !generated.has(name)))

export function asStep(entry: JournalEntryJson): string {
  const { operation, request, status } = entry
  const body = parsed(request)
  return JSON.stringify(
    { call: operation, ...(body === undefined ? {} : { body }), expect: { status } },
    null,
    2,
  )
}

function parsed(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
