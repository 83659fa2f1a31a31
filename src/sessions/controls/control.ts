/** The parts of a control: its URL and types, its function, its description, and its form as a tool. */
import type * as z from 'zod'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { Holding } from '../../exchange/holding.ts'
import type { ClientReport } from '../../generated/control-types.ts'
import type { Endpoint, Facilities } from '../../protocol/endpoint.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { ScenarioReader } from '../../scenario/load/scenario.ts'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import type { Verifier } from '../../verify/verify.ts'
import type { Session, Sessions } from '../sessions.ts'

/** Any function: `never` or `unknown` as parameters would exclude some. */
// biome-ignore lint/suspicious/noExplicitAny: every function is assignable to this one
export type AnyFunction = (...args: any[]) => unknown

/** The same function of a session on a server. */
export type Promised<Local extends AnyFunction> = (
  ...args: Parameters<Local>
) => Promise<Awaited<ReturnType<Local>>>

/** How the arguments and the result of a control travel, and how its result is printed. */
export interface Wire {
  /** Converts the next argument to the JSON body or the query. By default it is sent unchanged. */
  readonly encode?: ((argument: never) => unknown) | undefined
  /** The field of the response that holds the result. Default: the whole response. */
  readonly field?: string | undefined
  /** Whether the response is a page: its `nextCursor` is the `cursor` of the next page. */
  readonly paged?: boolean | undefined
  /** Converts the response to the result, for a control that shares its path with another. */
  readonly decode?: ((response: never) => unknown) | undefined
  /** Whether it waits until earlier requests of the session have their responses. */
  readonly waits?: boolean | undefined
  /** The result as the text that commands and tools print. Default: JSON. */
  readonly print?: ((result: never) => string) | undefined
}

/** A control over HTTP. `Local` is its function in the library, `Remote` that of the client. */
export interface Control<Local extends AnyFunction, Remote extends AnyFunction = Promised<Local>>
  extends Wire {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path below the prefix of the control API. The first argument fills its parameter, if any. */
  readonly path: string
  /** For the compiler only. */
  readonly types?: { readonly local: Local; readonly remote: Remote }
}

/** Any control of a table. */
export type AnyControl = Control<AnyFunction, AnyFunction>

type Make = <Local extends AnyFunction, Remote extends AnyFunction = Promised<Local>>(
  path: string,
  wire?: Wire,
) => Control<Local, Remote>

export const get: Make = (path, wire) => ({ method: 'GET', path, ...wire })
export const post: Make = (path, wire) => ({ method: 'POST', path, ...wire })
export const remove: Make = (path, wire) => ({ method: 'DELETE', path, ...wire })

/** The functions of a table of controls, in this process. */
export type LocalControls<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Control<infer Local, AnyFunction>
    ? Local
    : LocalControls<Table[Name]>
}

/** The functions of a table of controls, on a server. */
export type RemoteControls<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Control<AnyFunction, infer Remote>
    ? Remote
    : RemoteControls<Table[Name]>
}

/** The parts of a simulator that controls use. @internal */
export interface ControlParts {
  readonly sessions: Sessions
  readonly settings: Settings
  readonly reader: ScenarioReader
  /** The scenarios of the simulator, which every session has. */
  script(): ScenarioSet | undefined
  /** The operations that scenarios and requests can name. */
  readonly vocabulary: Vocabulary
  /** How many sessions, and values in sessions, had to make room. */
  readonly evictions: { readonly count: number }
  /** Judges calls of these operations. */
  readonly verifier: Verifier
  /** Resolves once no call is pending; with a session, none that may belong to it. */
  settled(session?: string): Promise<void>
  /** Where the request of an entry is held, or was until its client left. */
  readonly breakpoints: { holding(entry: JournalEntry): Holding | undefined }
  /** The client report of a sandbox. */
  clientReportOf(sandbox: Sandbox): ClientReport
}

/** The context of a control. @internal */
export interface ControlContext<Parts = ControlParts> {
  readonly session: Session
  readonly parts: Parts
  /** Only the library may load local files. */
  readonly caller: 'library' | 'http'
}

/** The endpoint of a control. @internal */
export interface ControlEndpoint<Parts = ControlParts> {
  readonly operation: `sim.${string}`
  readonly summary: string
  /** True when the parameter takes the rest of the path. */
  readonly tail?: boolean
  /** What happens to a request that names an unknown session. Default: the session is created. */
  unknownSession?(): 'ignore' | 'reject'
  readonly query?: () => z.ZodType
  readonly body?: () => z.ZodType
  /** The maximum body in bytes, if it is not that of a small control. */
  readonly maxBody?: number
  /** Whether a missing body counts as an empty object. */
  readonly bodyOptional?: boolean
  readonly needs?: NonNullable<Endpoint['needs']>
  readonly response: () => z.ZodType
  readonly status?: number
  /** Whether the response contains URLs of the simulator. */
  readonly links?: boolean
  /** For responses that differ from the result of the control. */
  serve?(
    context: ControlContext<Parts>,
    call: { readonly query: never; readonly headers: Readonly<Record<string, string | undefined>> },
    facilities: Facilities,
  ): PlainResponse
}

/** A control as a tool of coding agents. @internal */
export interface ControlTool<Local extends AnyFunction = AnyFunction> {
  readonly name: string
  readonly description: string
  /** Whether it discards requests, jobs or faults. */
  readonly destructive?: boolean
  /** Default: the parameter of the path, and the fields of the body or the query. */
  readonly input?: () => z.ZodObject
  /** The arguments of the control. Default: the parameter of the path, then all other fields. */
  arguments?(input: never): Parameters<Local>
  /** The result as text. Default: as commands print it. */
  print?(result: never): string
}

/**
 * The function, the endpoint and the tool of a control; without an endpoint, it shares that of another.
 * @internal
 */
export interface Implementation<Local extends AnyFunction = AnyFunction, Parts = ControlParts> {
  act(context: ControlContext<Parts>, ...args: Parameters<Local>): ReturnType<Local>
  readonly endpoint?: ControlEndpoint<Parts>
  readonly tool?: ControlTool<Local>
}

/** One implementation for each control of a table. @internal */
export type Implementations<Table, Parts = ControlParts> = {
  readonly [Name in keyof Table]: Table[Name] extends Control<infer Local, AnyFunction>
    ? Implementation<Local, Parts>
    : Implementations<Table[Name], Parts>
}

/** Whether an entry of a table is a control; the others are groups of them. */
function isControl(entry: object): entry is AnyControl {
  return 'method' in entry
}

/** Each control of a table with its place (`['clock', 'advance']`). @internal */
export function listControls(
  table: object,
  place: readonly string[] = [],
): readonly (readonly [control: AnyControl, place: readonly string[]])[] {
  return Object.entries(table).flatMap(([name, entry]: [string, object]) => {
    const here = [...place, name]
    return isControl(entry) ? [[entry, here] as const] : listControls(entry, here)
  })
}

/** The functions of a table; `make` gets each control and its place. @internal */
export function mapControls(
  table: object,
  make: (control: AnyControl, place: readonly string[]) => AnyFunction,
  place: readonly string[] = [],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]: [string, object]) => {
      const here = [...place, name]
      return [name, isControl(entry) ? make(entry, here) : mapControls(entry, make, here)]
    }),
  )
}

/** The value at a place in nested objects. @internal */
export function at(nested: object, place: readonly string[]): unknown {
  return place.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], nested)
}
