/** The declaration of an operation: its request, its response, and one synchronous function. */
import type * as z from 'zod'
import { defined, lazy } from '../engine/fields.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { BodyFields } from './body-fields.ts'
import type { Call, FormField, Payload } from './call.ts'
import type { ApiError } from './errors.ts'
import type { ResponseFacts } from './rate.ts'
import type { PlainResponse, StreamEvent } from './response.ts'
import type { GivenFiles, ScriptedKind } from './scripted.ts'
import type { Settings } from './settings.ts'
import type { Traffic } from './traffic.ts'

/** Data that an endpoint may need, loaded before the call is handled. */
export type Need = 'tokens' | 'schemas' | 'har' | 'trace'

/** Data that the calls of a simulator share. Behaviours offer typed access (`tokensOf`, `schemasOf`). */
export type Facilities = Partial<Record<Need, unknown>>

/** What an endpoint has declared in `needs`. Throws if nothing has loaded it. */
export function loaded(facilities: Facilities, need: Need): unknown {
  if (facilities[need] !== undefined) return facilities[need]
  throw new Error(`${need} is not loaded: call simulator.preload() before handle(), or use fetch`)
}

/** Traits of an operation that returns text. */
export interface Speech {
  /** Whether thinking may be encrypted. */
  readonly redactsThinking: boolean
}

/** The parameters that a request needs to show a whole stream script. */
export interface SampleNeeds {
  /** The tools that the script calls. */
  readonly tools: readonly string[]
  /** Whether it has partial images. */
  readonly partials: boolean
  readonly usage: boolean
}

/** What an operation does with jobs. */
export interface JobUse {
  /** The kind of the job that it creates: then timelines and faults of jobs apply. */
  readonly submits?: ScriptedKind
  /** The number of images of the job that it creates. Default: 4. */
  readonly images?: number
  /** The kind of the job that it polls: the last path parameter has its id. */
  readonly polls?: ScriptedKind
  /** The kind of the jobs that it lists, and of the job in its path. */
  readonly lists?: ScriptedKind
  readonly about?: ScriptedKind
  /** The job of an unvalidated call, for rules. */
  readonly concerns?: {
    readonly kind: ScriptedKind
    id(params: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): unknown
  }
}

/** Where a call happens. @internal */
export interface Context {
  readonly sandbox: Sandbox
  readonly settings: Settings
  readonly facilities: Facilities
  /** The bounds of a response. */
  readonly traffic: Readonly<Traffic>
  /** Collects reasons for the response, for explanations of the call. */
  readonly note?: (lines: () => readonly string[]) => void
}

/** One operation of the service. Members marked internal are not in the published types. */
export interface Endpoint {
  /** The public name: `videos.create`. */
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Other methods of the operation; `call.method` is the one used. */
  readonly alsoMethods?: readonly ('POST' | 'PUT')[]
  /** Such as `/v1/videos/{video_id}`; a segment may end in a literal: `{model}:predictLongRunning`. */
  readonly path: string
  /** True when the last path parameter takes the rest of the path, including slashes. */
  readonly tail?: boolean
  /** A short description: an imperative phrase without full stop. */
  readonly summary: string
  /**
   * A valid JSON body, with `params` for the path if it has some. The OpenAPI document and the suites for
   * determinism and hostile input use it, unless they have their own examples.
   */
  readonly example?: {
    readonly json: Readonly<Record<string, unknown>>
    readonly params?: Readonly<Record<string, string>>
  }
  /**
   * A sample request for `explain`: path parameters and body fields in one object. Default: the fields of
   * `example`, with `stream: true` if the operation streams.
   */
  sampleCall?(needs: SampleNeeds): Readonly<Record<string, unknown>>
  /** The reason for an operation that is not in the contract; undefined for operations of the contract. */
  readonly extension?: string
  /** The inferred parts of an operation that the contract mentions but does not document. */
  readonly inferred?: string
  /** True if it takes no API key (result files). */
  readonly open?: boolean
  /**
   * The handling of an unknown session: create it (the default), respond without it, or reject the request.
   */
  unknownSession?(headers: Call['headers']): 'create' | 'ignore' | 'reject'
  /** True if it waits until all calls in flight have sent their first byte (advancing the clock). */
  readonly waitsForInFlight?: boolean
  /**
   * True if it reads or completes something that an earlier call started: `strict` requires no rule for it.
   * GET and DELETE never need one.
   */
  readonly continues?: boolean
  /** The maximum size of a body in bytes, if lower than in the settings. */
  readonly maxBody?: number
  /** True if a missing body means an empty object. */
  readonly bodyOptional?: boolean
  /**
   * True if a body needs the content type of JSON (control API), which forces a CORS preflight for pages of
   * other origins.
   */
  readonly declaresJson?: boolean
  /** The accepted kinds of body: empty for none, `bytes` for any type. Other kinds are rejected (415). */
  readonly accepts: readonly ('json' | 'form' | 'bytes')[]
  /** Set if it returns text: then scripts of text and tool calls and `when.conversation` apply. */
  readonly speaks?: Speech
  /** True if it returns images: then scripts of images apply. */
  readonly draws?: true
  /** What it does with jobs. @internal */
  readonly job?: JobUse
  /** True if its result expires. */
  readonly expires?: true
  /** Deprecated body fields with their replacements. */
  readonly deprecated?: Readonly<Record<string, readonly string[]>>
  /** Two body fields of which a client should change only one. Both default to 1. */
  readonly adjustOne?: readonly [string, string]
  /** True if it passes through the response of an upstream provider. */
  readonly upstream?: true
  /** Its part in an upload: creates the URL, receives the file, or serves it. */
  readonly upload?: 'grant' | 'receive' | 'serve'
  /** The data to load before this body is handled. */
  needs?(payload: Payload): readonly Need[]
  /** Turns a form into the object that `body` validates. Default: the last value of each name. */
  readForm?(fields: readonly FormField[]): unknown
  /** Each schema is created on first use: together, schemas take half of the import time. @internal */
  readonly body?: (() => z.ZodType) & Partial<Pick<BodyFields, 'fields' | 'always'>>
  /** @internal */
  readonly query?: () => z.ZodType
  /** The schema of a JSON success body. @internal */
  readonly response?: () => z.ZodType
  /** The schema of one event's parsed `data`, for streams. @internal */
  readonly event?: () => z.ZodType
  /**
   * Top-level body fields that do not influence the content. In a form, a name covers its indexed fields:
   * `image` covers `image[0]` and `image.0`.
   */
  readonly contentIgnores?: readonly string[]
  /** The documented defaults of body fields: an explicit default or null equals an absent field. */
  readonly contentDefaults?: Readonly<Record<string, string | number | boolean>>
  /**
   * The places of an id that may identify the session: path parameters (for a rest parameter, its last
   * segment) and top-level body fields.
   */
  readonly idsIn?: { readonly params?: readonly string[]; readonly body?: readonly string[] }
  /** Rejects missing headers; runs after authentication, before the query and body are validated. */
  checkHeaders?(headers: Call['headers']): void
  /** The prompt in an unvalidated body, for rules and reserved values; only strings count. */
  promptOf?(body: Readonly<Record<string, unknown>>): unknown
  /** The file path for reserved values and rules. `body` is unvalidated; undefined unless JSON. */
  filePathOf?(body: unknown, params: Readonly<Record<string, string>>): string | undefined
  /** Rejects unknown models and contradictory fields, after the schema and before the rules. @internal */
  check?(call: Unplanned<never>, settings: Settings): void
  /** @internal */
  act(call: Call<never, never>, context: Context): PlainResponse
}

/** The part of a call that is known before the rules. @internal */
export type Unplanned<Body, Params = Call['params']> = Pick<Call<Body>, 'body' | 'key'> & { params: Params }

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** An endpoint with its body, query and params typed from its own declaration. @internal */
export function defineEndpoint<
  const Path extends string,
  Body extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
>(
  endpoint: Omit<Endpoint, 'path' | 'body' | 'query' | 'check' | 'act'> & {
    readonly path: Path
    readonly body?: () => Body
    readonly query?: () => Query
    check?(call: Unplanned<Output<Body>, PathParams<Path>>, settings: Settings): void
    act(
      call: Call<
        Output<Body>,
        Query extends z.ZodType ? z.output<Query> : Readonly<Record<string, string>>
      > & { readonly params: PathParams<Path> },
      context: Context,
    ): PlainResponse
  },
): Endpoint {
  const { body, query, response, event } = endpoint as unknown as Endpoint
  const schemas = defined({
    body: body?.fields === undefined ? body && lazy(body) : body,
    query: query && lazy(query),
    response: response && lazy(response),
    event: event && lazy(event),
  })
  return { ...endpoint, ...schemas } as unknown as Endpoint
}

/** The parameter names of a path, as an object type. */
export type PathParams<Path extends string> = { readonly [Name in NamesIn<Path>]: string }
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** A header for the API key; `scheme` precedes the key (case-insensitive). */
export interface Credential {
  readonly header: string
  readonly scheme?: string
}

/** The endpoints of one API, with their shared properties. */
export interface EndpointGroup {
  readonly name: string
  /** The name of this group's model list in the settings. */
  readonly catalog?: 'chat' | 'messages' | 'images' | 'imageJobs' | 'videos' | 'videoOperations' | 'systemone'
  readonly credentials: readonly Credential[]
  /** Headers that its clients send besides the API key. */
  readonly clientHeaders?: Readonly<Record<string, string>>
  /** True if the journal omits its calls (the control API). */
  readonly internal?: boolean
  readonly endpoints: readonly Endpoint[]
  /** Its storage of files that scenarios give. @internal */
  readonly givenFiles?: GivenFiles
  /** The path prefix of the group, whose error format also applies to unknown paths below it. */
  readonly under?: string
  /**
   * The error body and headers of this group; the status is the error's. A string body is sent as is, with
   * the `content-type` from the headers.
   */
  renderError(
    error: ApiError,
    ids: { readonly requestId: string; readonly traceId: string },
  ): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The response for a bug in the simulator. Default: the default envelope. */
  renderBug?(
    message: string,
    ids: { readonly requestId: string },
  ): { readonly body: unknown; readonly headers: Readonly<Record<string, string>> }
  /** The form of an error inside a stream. */
  streamError?(
    error: ApiError,
    ids: { readonly requestId: string; readonly traceId: string },
  ): Omit<StreamEvent, 'after'>
  /** The numeric code of rejections before the endpoint acts, if not the status. */
  rejectionCode?(type: ApiError['type']): number | undefined
  /** The message of a rate limit set by a scenario, without a full stop. Default: the number of requests. */
  readonly rateLimited?: string
  /** The rejection of an unknown model. Default: `not_found_error` with OpenAI's message. */
  unknownModel?(model: string): { readonly type?: ApiError['type']; readonly message?: string }
  /** The HTTP status of a rejection, if this family does not use the default one. */
  rejectionStatus?(type: ApiError['type']): number | undefined
  /**
   * Headers of every response of the group, in a new object. Default: headers of the request limit
   * (`usualHeaders`). @internal
   */
  responseHeaders?(facts: ResponseFacts, settings: Settings): Record<string, string>
}

/** A group with its endpoints. */
export const defineGroup = (group: EndpointGroup): EndpointGroup => group

/**
 * The call field with the whole name of the polled resource, as an alternative to path parameters for its
 * parts; undefined if the path has only one parameter.
 */
export function nameFieldOf({ job, path }: Pick<Endpoint, 'job' | 'path'>): string | undefined {
  return job?.polls !== undefined && path.split('{').length > 2 ? 'name' : undefined
}

/** The path parameters in a name: `{project_id}` follows `projects`. */
export function paramsInName(path: string, name: string): Record<string, string> {
  const parts = name.split('/')
  const found: Record<string, string> = {}
  for (const [, collection = '', param = ''] of path.matchAll(/([^/]+)\/\{(\w+)\}/g)) {
    const at = parts.indexOf(collection)
    const value = at < 0 ? undefined : parts[at + 1]
    if (value !== undefined && value !== '') found[param] = value
  }
  return found
}
