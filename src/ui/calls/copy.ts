/** A recorded request as text to paste: curl, an SDK call, a matcher, a step of a scenario. */
import type { JournalEntryJson } from '../../journal/filter.ts'
import { matcherOf, parsed } from '../rules/rule-of.ts'

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

export function asStep(entry: JournalEntryJson): string {
  const { operation, request, status } = entry
  const body = parsed(request)
  return JSON.stringify(
    { call: operation, ...(body === undefined ? {} : { body }), expect: { status } },
    null,
    2,
  )
}
