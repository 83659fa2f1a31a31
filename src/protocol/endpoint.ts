/** The shape of every operation: what it takes, what it answers, and one synchronous function. */
import type * as z from 'zod'
import { defined, lazy } from '../engine/fields.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { BodyFields } from './body-fields.ts'
import type { Call, FilePart, FormField, Payload } from './call.ts'
import type { ApiError } from './errors.ts'
import type { ResponseFacts } from './rate.ts'
import type { PlainResponse, StreamEvent } from './response.ts'
import type { GivenFiles, ScriptedKind } from './scripted.ts'
import type { Settings } from './settings.ts'
import type { Traffic } from './traffic.ts'

/** Data that an endpoint may need, loaded before the call is handled. */
export type Need = 'tokens' | 'fakes'

/** What the calls of a simulator share. Behaviours offer typed access (`tokensOf`, `loadedValues`). */
export interface Facilities extends Partial<Record<Need, unknown>> {
  /** The schemas that were read before: `createSchemas` keeps them here. */
  schemas?: unknown
  /** The texts that were read before: `createReader` keeps them here. */
  readings?: unknown
  /** What is known of the tools of earlier calls: `profilesOf` keeps it here. */
  profiles?: unknown
}

/** What an endpoint does with the files of a call. Each costs memory or time: nothing by default. */
export interface FileUse {
  /** The files of a form whose bytes it needs (`content`): each is copied. */
  store?(fields: readonly FormField[]): readonly FilePart[]
  /** The files of a form whose pixels it inspects (`image.pixels`): each is decoded. */
  inspect?(fields: readonly FormField[]): readonly FilePart[]
  /** The uploaded files (`path` or `visit_url`) whose pixels it inspects; the body is not validated yet. */
  uploads?(payload: Payload): readonly string[]
  /** A larger file of the form is rejected in any case, so only facts about it are kept. */
  readonly maxBytes?: number
}

/** How an operation answers with text. */
export interface Speech {
  /** The finish reason of an answer that the content filter cut off. */
  readonly filtered: string
  /** Whether a rejection has its own field; otherwise it is sent as text. */
  readonly hasRefusals: boolean
  /** Whether thinking may be encrypted. */
  readonly redactsThinking: boolean
}

/** What a call must ask for, so that a whole stream script can be shown. */
export interface SampleNeeds {
  /** The tools that the script calls. */
  readonly tools: readonly string[]
  /** Whether it has partial images. */
  readonly partials: boolean
  readonly usage: boolean
}

/** Where a call happens. @internal */
export interface Context {
  readonly sandbox: Sandbox
  readonly settings: Settings
  readonly facilities: Facilities
  /** What `checkResponseSize` asks. */
  readonly traffic: Readonly<Traffic>
  /** Takes notes of why the answer is as it is, for explanations of the call. */
  readonly note?: (lines: () => readonly string[]) => void
}

/** One operation of the service. What is marked internal stays out of the published types. */
export interface Endpoint {
  /** The public name: `videos.create`. */
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Further methods that reach it; `call.method` says which one did. */
  readonly alsoMethods?: readonly ('POST' | 'PUT')[]
  /** As `/v1/videos/{video_id}`; a segment may end in a literal: `{model}:predictLongRunning`. */
  readonly path: string
  /** True when the last path parameter takes the rest of the path, including slashes. */
  readonly tail?: boolean
  /** One line for people. */
  readonly summary: string
  /**
   * A JSON body that is answered, with `params` for the path where it has some. The OpenAPI document shows
   * it, and the suites for determinism and hostile input start from it, unless they have more to say of the
   * operation.
   */
  readonly example?: {
    readonly json: Readonly<Record<string, unknown>>
    readonly params?: Readonly<Record<string, string>>
  }
  /**
   * A call by which `explain` shows what a scenario does: path parameters and body fields in one. By default
   * the fields of `example`, with `stream: true` where the operation streams.
   */
  sampleCall?(needs: SampleNeeds): Readonly<Record<string, unknown>>
  /** Why it exists although the contract does not name it; undefined for operations of the contract. */
  readonly extension?: string
  /** What of it is inferred: the contract refers to the operation and does not show it. */
  readonly inferred?: string
  /** True when it needs no key (result files). */
  readonly open?: boolean
  /**
   * A call that names an unknown session creates it (the default), is answered without it, or is rejected.
   */
  unknownSession?(headers: Call['headers']): 'create' | 'ignore' | 'reject'
  /** True when it waits until every call in flight has sent its first response byte (moving the clock). */
  readonly waitsForInFlight?: boolean
  /**
   * True when it reads or completes something that an earlier call started, so `strict` requires no rule for
   * it. This always holds for reading (GET) and deleting.
   */
  readonly continues?: boolean
  /** The most bytes that a body may have, where the settings allow more. */
  readonly maxBody?: number
  /** True when a call without a body means an empty object. */
  readonly bodyOptional?: boolean
  /** True when a body must say that it is JSON (control API): pages of other origins must ask before that. */
  readonly declaresJson?: boolean
  /** The accepted kinds of body; empty for none, `bytes` for any type. Others are rejected (415). */
  readonly accepts: readonly ('json' | 'form' | 'bytes')[]
  /** Set when it answers with text: scripts of text and tool calls apply, and `when.conversation`. */
  readonly speaks?: Speech
  /** True when it answers with images: scripts of images apply. */
  readonly draws?: true
  /** The kind of the resource that it makes: timelines and faults of jobs act. @internal */
  readonly submits?: ScriptedKind
  /** How many images the job has that it makes; four unless set. @internal */
  readonly jobImages?: number
  /** What it shows as it is now, and the body field with its id, when that is not in the path. @internal */
  readonly polls?: { readonly kind: ScriptedKind; readonly field?: string }
  /** The kind of which it lists resources. @internal */
  readonly lists?: ScriptedKind
  /** The kind of the resource that its path names. @internal */
  readonly about?: ScriptedKind
  /** The job, video or operation that a call names, for rules; nothing of the call is validated. @internal */
  readonly concerns?: {
    readonly kind: ScriptedKind
    id(params: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): unknown
  }
  /** True when what it returns expires. */
  readonly expires?: true
  /** Deprecated body fields, with what to use instead. */
  readonly deprecated?: Readonly<Record<string, readonly string[]>>
  /** Two body fields; a client should change only one of them. Both default to 1. */
  readonly adjustOne?: readonly [string, string]
  /**
   * The names of its SDK methods, each with a note to append to the operation: `, with \`body: { stream: true
   * }\``.
   */
  readonly sdkNames?: Readonly<Record<string, string>>
  /** True when it passes on what an upstream provider answers. */
  readonly upstream?: true
  /** Its part in an upload: creates the URL, receives the file, or serves it. */
  readonly upload?: 'grant' | 'receive' | 'serve'
  /** What must be loaded to handle this body. */
  needs?(payload: Payload): readonly Need[]
  /** Turns a form into the object that `body` validates; by default the last value of each name. */
  readForm?(fields: readonly FormField[]): unknown
  /** What it does with files in its form and with files uploaded earlier. */
  readonly files?: FileUse
  /** Each schema is made when it is first needed: together they are half of an import. @internal */
  readonly body?: (() => z.ZodType) & Partial<Pick<BodyFields, 'fields' | 'always'>>
  /** @internal */
  readonly query?: () => z.ZodType
  /** The success body, when it is JSON. @internal */
  readonly response?: () => z.ZodType
  /** One event of the success body, when it is a stream; judged on the parsed `data`. @internal */
  readonly event?: () => z.ZodType
  /**
   * The paths at which events show what the success body has at `path`, first the one where a new field
   * belongs; the same path when left out.
   */
  shownAs?(path: readonly string[]): readonly (readonly string[])[]
  /**
   * Top-level body fields that do not influence the content. In a form, a name covers its indexed fields:
   * `image` covers `image[0]` and `image.0`.
   */
  readonly contentIgnores?: readonly string[]
  /** The documented defaults of body fields: writing one out, or null, says the same as leaving it out. */
  readonly contentDefaults?: Readonly<Record<string, string | number | boolean>>
  /** Body fields whose numbers need more than double precision; their source text counts. */
  readonly exactNumbers?: readonly string[]
  /**
   * Where to look for an id that may identify the session: path parameters (if one takes the rest of the
   * path, its last segment) and top-level body fields.
   */
  readonly idsIn?: { readonly params?: readonly string[]; readonly body?: readonly string[] }
  /** Rejects missing headers; called after authentication, before query and body are validated. */
  checkHeaders?(headers: Call['headers']): void
  /** The prompt in an unvalidated body, for rules and reserved values; anything but a string is ignored. */
  promptOf?(body: Readonly<Record<string, unknown>>): unknown
  /** The file path that reserved values and rules look at. `body` is not validated; undefined unless JSON. */
  filePathOf?(body: unknown, params: Readonly<Record<string, string>>): string | undefined
  /** @internal */
  act(call: Call<never, never>, context: Context): PlainResponse
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** An endpoint with its body, query and params typed from its own declaration. @internal */
export function defineEndpoint<
  const Path extends string,
  Body extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
>(
  endpoint: Omit<Endpoint, 'path' | 'body' | 'query' | 'act'> & {
    readonly path: Path
    readonly body?: () => Body
    readonly query?: () => Query
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

/** A header that may carry the key; `scheme` is the word before the key (case-insensitive). */
export interface Credential {
  readonly header: string
  readonly scheme?: string
}

/** The endpoints of one API, with what they share. */
export interface EndpointGroup {
  readonly name: string
  /** The name of this group's model list in the settings. */
  readonly catalog?: 'chat' | 'messages' | 'images' | 'imageJobs' | 'videos' | 'videoOperations' | 'systemone'
  readonly credentials: readonly Credential[]
  /** Headers that its clients send in addition to the key. */
  readonly clientHeaders?: Readonly<Record<string, string>>
  /** True when its calls are not journaled (the control API). */
  readonly internal?: boolean
  readonly endpoints: readonly Endpoint[]
  /** How it keeps the files that scenarios give. @internal */
  readonly givenFiles?: GivenFiles
  /** The path prefix of the group: its error format is used there even where no endpoint matches. */
  readonly under?: string
  /**
   * The error body and headers of this group; the status is the error's. A string body is sent as is, with
   * the `content-type` from the headers.
   */
  renderError(
    error: ApiError,
    ids: { readonly requestId: string; readonly traceId: string },
  ): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The response for a bug in the simulator; the default envelope when left out. */
  renderBug?(
    message: string,
    ids: { readonly requestId: string },
  ): { readonly body: unknown; readonly headers: Readonly<Record<string, string>> }
  /** How an error is sent inside a stream that has started. */
  streamError?(
    error: ApiError,
    ids: { readonly requestId: string; readonly traceId: string },
  ): Omit<StreamEvent, 'after'>
  /** The numeric code of rejections before the endpoint acts, if not the status. */
  rejectionCode?(type: ApiError['type']): number | undefined
  /** The message of a rate limit set by a scenario, without a full stop. Default: the number of requests. */
  readonly rateLimited?: string
  /** How it rejects an unknown model, if not with `not_found_error` and OpenAI's message. */
  unknownModel?(model: string): { readonly type?: ApiError['type']; readonly message?: string }
  /** The HTTP status of a rejection, if this family does not use the default one. */
  rejectionStatus?(type: ApiError['type']): number | undefined
  /**
   * Headers of every response of the group, in an object made for this response; by default those that speak
   * of the request limit (`usualHeaders`). @internal
   */
  responseHeaders?(facts: ResponseFacts, settings: Settings): Record<string, string>
}

/** A group with its endpoints. */
export function defineGroup(group: EndpointGroup): EndpointGroup {
  return group
}

/**
 * The field of a call that may hold the name of what it polls, instead of a path parameter for each part of
 * it; undefined where one parameter is all.
 */
export function nameFieldOf({ polls, path }: Pick<Endpoint, 'polls' | 'path'>): string | undefined {
  return polls !== undefined && path.split('{').length > 2 ? (polls.field ?? 'name') : undefined
}

/** The path parameters that a name says: `{project_id}` is what follows `projects`. */
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
