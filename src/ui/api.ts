/** Requests of the page to the control API of its own server. */
import { signal } from '@preact/signals'
import type { JournalEntryJson } from '../exchange/plain.ts'
import type { Problem } from '../generated/control-types.ts'
import type { SavedTrace } from '../trace/trace.ts'
import { fromTrace } from './saved-trace.ts'

/** The data of a saved trace; undefined on a server. */
export const saved: SavedTrace | undefined = readTrace()

function readTrace(): SavedTrace | undefined {
  const text = document.getElementById('trace')?.textContent
  return text == null ? undefined : (JSON.parse(text) as SavedTrace)
}

/** The URL of the control API, with a trailing slash: the page is at `ui/` below it. */
const root = new URL('..', location.href.replace(/[?#].*$/, '')).href

const tokenKey = 'gateway-sim token'

/** The control token; asked for once, and kept until the tab closes. Never part of a URL. */
export const token = signal(saved === undefined ? (sessionStorage.getItem(tokenKey) ?? '') : '')
/** Whether the server has rejected a request for lack of a valid token. */
export const needsToken = signal(false)

export function setToken(value: string): void {
  sessionStorage.setItem(tokenKey, value)
  token.value = value
  needsToken.value = false
}

export function headersFor(session: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (session !== undefined) headers['x-sim-session'] = session
  if (token.value !== '') headers['x-sim-token'] = token.value
  return headers
}

/** The URL of a path of the control API, such as `journal?limit=1`. */
export const controlUrl = (path: string): string => root + path

/** Sends a control request for a session, and returns its JSON. Throws the reason if it is rejected. */
export async function control<Result>(
  session: string | undefined,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Result> {
  if (saved !== undefined) {
    const found = method === 'GET' ? fromTrace(saved, session, path) : undefined
    if (found === undefined) throw new Error('The saved trace does not contain this data.')
    return found as Result
  }
  const headers = headersFor(session)
  if (body !== undefined) headers['content-type'] = 'application/json'
  const response = await fetch(controlUrl(path), {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  }).catch(() => {
    throw new Error('The server cannot be reached.')
  })
  if (response.ok) return (await response.json()) as Result
  if (response.status === 401) needsToken.value = true
  const problem = (await response.json().catch(() => undefined)) as Partial<Problem> | undefined
  throw new Error(problem?.detail ?? `The server responded with ${response.status}.`)
}

/** A request: its session, and its number there. */
export interface Place {
  readonly session: string
  readonly seq: number
}

/** A request with its bodies, from the journal. Throws if the journal no longer has it. */
export async function fetchEntry({ session, seq }: Place): Promise<JournalEntryJson> {
  const path = `journal?cursor=${seq - 1}&limit=1`
  const { entries } = await control<{ readonly entries: readonly JournalEntryJson[] }>(session, 'GET', path)
  const [entry] = entries
  if (entry?.seq !== seq) throw new Error('The journal no longer contains this request.')
  return entry
}

/** Saves a text as a file. */
export function download(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
