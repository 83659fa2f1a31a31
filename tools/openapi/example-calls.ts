/** Makes the calls of the examples against its own simulators: every example is a recorded response. */
import { defaultStart } from '../../src/engine/clock.ts'
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/index.ts'
import type { Route } from '../../src/protocol/router.ts'
import { smallLimit, temptations } from './error-examples.ts'
import {
  type ExampleCall,
  type FormValue,
  type GroupNotes,
  groupNotes,
  type OperationNotes,
  type Recorded,
  type Sent,
} from './notes.ts'

/** The calls of one operation with their responses. */
export interface Surveyed {
  readonly route: Route
  readonly notes: OperationNotes | undefined
  /** The calls of the notes, both successful and rejected. */
  readonly calls: readonly Recorded[]
  /** Rejections of invalid calls; one for each status, code and reserved value. */
  readonly rejections: readonly Recorded[]
}

const workingKey = 'sk-your-key'
/** A PNG of one clear pixel. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAACklEQVR4XmMAAQAABQABmzsGegAAAABJRU5ErkJggg==',
  'base64',
)
/** The default URL of `gateway-sim serve`. */
export const defaultServer = 'http://127.0.0.1:4010'

/** Calls every route. The result for a route does not depend on the other routes. */
export async function survey(routes: readonly Route[]): Promise<Surveyed[]> {
  const surveyed: Surveyed[] = []
  // Sequential: parallel calls would make the order of ids random.
  for (const route of routes) surveyed.push(await surveyOne(route))
  return surveyed
}

const routeOf = (sim: Simulator, operation: string): Route => {
  const route = sim.routes.find(({ endpoint }) => endpoint.operation === operation)
  if (route === undefined)
    throw new Error(`openapi: an example starts from ${operation}, which is not an operation`)
  return route
}

const placeholder = /\$\{(\w+)\}/g

const memberOf = (value: unknown, key: string): unknown =>
  (value as Record<string, unknown> | undefined)?.[key]

/** Makes the calls under `made` when an example needs them, each once. */
function createMaker(sim: Simulator, notes: GroupNotes | undefined) {
  const values = new Map<string, string>()
  const fill = async <Part>(part: Part): Promise<Part> => {
    const text = JSON.stringify(part) ?? 'null'
    for (const [, name = ''] of text.matchAll(placeholder)) await make(name)
    return JSON.parse(text.replace(placeholder, (_, name: string) => values.get(name) ?? ''))
  }
  const make = async (name: string): Promise<void> => {
    if (values.has(name)) return
    const { call, save, ...sent } = notes?.made?.[name] ?? {}
    if (call === undefined) throw new Error(`openapi: no call named ${name} under \`made\``)
    const response = await send(sim, routeOf(sim, call), { name, summary: '', ...(await fill(sent)) })
    if (response.status >= 400)
      throw new Error(`openapi: ${name} answered ${response.status} ${JSON.stringify(response.body)}`)
    const value = String(save?.split('.').reduce(memberOf, response.body) ?? '')
    values.set(name, value.replace(defaultServer, ''))
  }
  return { make, fill }
}

async function surveyOne(route: Route): Promise<Surveyed> {
  const group = groupNotes[route.group.name]
  const sim = newSimulator()
  const { make, fill } = createMaker(sim, group)
  const found = group?.operations[route.endpoint.operation]
  const notes = found && { source: group?.source ?? '', ...found }
  for (const name of notes?.needs ?? []) await make(name)
  const calls: Recorded[] = []
  for (const call of notes?.examples ?? plainCall(route)) calls.push(await send(sim, route, await fill(call)))

  // Keep all calls of the notes, and one call of each other kind.
  const rejections = new Map<string, Recorded>()
  for (const response of calls) if (response.status >= 400) rejections.set(response.call.name, response)
  const known = new Set([...rejections.values()].map(kindOf))
  const note = (response: Recorded): void => {
    if ((response.status < 400 && response.status !== 206) || known.has(kindOf(response))) return
    known.add(kindOf(response))
    rejections.set(response.call.name, response)
  }
  const answered = calls.find(({ status }) => status < 300)
  // With small limits, ignore other rejections: the calls that the example needs first have failed too.
  const small = newSimulator({ jsonBytes: smallLimit, requestsPerMinute: 1 })
  for (const { call, only } of temptations(route, answered)) {
    const response = await send(only === undefined ? sim : small, route, call)
    if (only === undefined || response.status === only) note(response)
  }
  return { route, notes, calls, rejections: [...rejections.values()] }
}

// Without notes, an operation shows its example, or a call without body and parameters.
function plainCall({ endpoint }: Route): ExampleCall[] {
  if (endpoint.example !== undefined)
    return [{ name: 'plain', summary: endpoint.summary, ...endpoint.example }]
  return endpoint.accepts.length === 0 && !endpoint.path.includes('{')
    ? [{ name: 'plain', summary: endpoint.summary }]
    : []
}

/**
 * The identity of a rejection: its status, reserved value and code, whether it names a job, and the limit.
 */
function kindOf({ status, body }: Recorded): string {
  const { error, type } = (body ?? {}) as {
    error?: { type?: unknown; code?: unknown; message?: unknown; job_id?: unknown }
    type?: unknown
  }
  return [
    status,
    error?.type ?? (status < 300 ? undefined : type),
    error?.code,
    error?.job_id !== undefined,
    status === 429 ? error?.message : '',
  ].join(' ')
}

function newSimulator(limits: NonNullable<SimulatorOptions['settings']>['limits'] = {}): Simulator {
  return createSimulator({
    seed: 'openapi',
    clock: 'auto',
    publicUrl: defaultServer,
    selfCheck: true,
    settings: { limits: { activeImageJobs: 1000, ...limits } },
    onWarning() {},
    wallClock: () => defaultStart,
  })
}

/** The parameters of a path and its query, as the template of the operation names them. */
function placeOf({ endpoint }: Route, url: string): Pick<Sent, 'params' | 'query'> {
  const [path = '', query] = url.split('?')
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = endpoint.path.replace(/\{\w+\}$/, '(.+)').replace(/\{\w+\}/g, '([^/]+?)')
  const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1)
  if (values === undefined) throw new Error(`openapi: ${url} is not a path of ${endpoint.operation}`)
  return {
    params: Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')])),
    ...(query === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(query)) }),
  }
}

async function send(sim: Simulator, route: Route, sent: ExampleCall): Promise<Recorded> {
  const { endpoint, group } = route
  const { url, ...given } = sent
  const call: ExampleCall = url === undefined ? given : { ...given, ...placeOf(route, url) }
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.params?.[name] ?? 'unknown'),
  )
  const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query)}`
  const [credential] = group.credentials
  const key = call.key === undefined ? workingKey : call.key
  const response = await sim.fetch(`${defaultServer}${path}${query}`, {
    method: endpoint.method,
    headers: {
      ...(endpoint.open === true || credential === undefined || key === null
        ? {}
        : { [credential.header]: credential.scheme === undefined ? key : `${credential.scheme} ${key}` }),
      ...(call.raw === undefined
        ? call.json === undefined
          ? {}
          : { 'content-type': 'application/json' }
        : { 'content-type': call.raw.type }),
      ...call.headers,
    },
    ...bodyOf(call),
  })
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim() ?? ''
  // A stream of the control API goes on for as long as it is read.
  const isEndless = group.internal === true && type === 'text/event-stream'
  const bytes = isEndless ? await firstChunk(response) : new Uint8Array(await response.arrayBuffer())
  const text = (): string => new TextDecoder().decode(bytes)
  return {
    call,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    type,
    body: /^application\/(?:problem\+)?json$/.test(type)
      ? JSON.parse(text())
      : /^text\/|[/+]xml$/.test(type)
        ? text()
        : undefined,
  }
}

async function firstChunk({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader()
  const { value = new Uint8Array() } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return value
}

function bodyOf({ json, form, raw }: ExampleCall): { readonly body?: string | FormData } {
  if (json !== undefined) return { body: JSON.stringify(json) }
  if (raw !== undefined) return { body: raw.text }
  if (form === undefined) return {}
  const data = new FormData()
  for (const [name, value] of Object.entries(form)) for (const one of [value].flat()) append(data, name, one)
  return { body: data }
}

function append(data: FormData, name: string, value: FormValue): void {
  if (typeof value === 'string') data.append(name, value)
  else data.append(name, new File([onePixel], value.file, { type: 'image/png' }))
}
