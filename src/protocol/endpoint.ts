/**
 * The shape of every operation: what it takes, what it answers, and one synchronous function between them.
 */
import type * as z from 'zod'
import type { World } from '../engine/world.ts'
import type { Call, FilePart, FormField, Payload } from './call.ts'
import type { ApiError } from './errors.ts'
import type { ReplyFacts } from './rate.ts'
import type { Reply, StreamEvent } from './reply.ts'
import type { GivenFiles, ScriptedKind } from './scripted.ts'
import type { Settings } from './settings.ts'

/** What an endpoint may need beside its call; the edge loads it before the call is handled. */
export type Need = 'tokens' | 'fakes'

/** What the edge loaded. Behaviours offer typed access (`tokensOf`, `fakesOf`). */
export type Facilities = Partial<Record<Need, unknown>>

/** What an endpoint does with the files of a call. Each costs memory or time; none is done by default. */
export interface FileUse {
  /** The files of a form whose bytes it draws from (`content`): each is copied. */
  store?(fields: readonly FormField[]): readonly FilePart[]
  /** The files of a form whose pixels it asks for (`image.pixels`): each is decoded. */
  inspect?(fields: readonly FormField[]): readonly FilePart[]
  /** The uploaded files (`path` or `visit_url`) whose pixels it asks for; the body is not validated yet. */
  uploads?(payload: Payload): readonly string[]
  /** A larger file of the form is refused in any case, so only facts about it are kept. */
  readonly maxBytes?: number
}

/** How an operation answers in words. */
export interface Speech {
  /** How an answer ends that the content filter breaks off, as its reply says it. */
  readonly filtered: string
  /** Whether a refusal has a field of its own; else it comes as text. */
  readonly hasRefusals: boolean
  /** Whether thinking may come encrypted. */
  readonly redactsThinking: boolean
}

/** What a call must ask for, so that a stream script can be shown as a whole. */
export interface SampleNeeds {
  /** The tools that the script calls. */
  readonly tools: readonly string[]
  /** Whether it has partial images. */
  readonly partials: boolean
  readonly usage: boolean
}

/** Where a call happens. @internal */
export interface Context {
  readonly world: World
  readonly settings: Settings
  readonly facilities: Facilities
}

/**
 * One operation of the service. What is marked internal stays out of the published types, which so need no
 * zod.
 */
export interface Endpoint {
  /** The public name: `videos.create`. */
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Further methods that reach it; `call.method` says which one did. */
  readonly alsoMethods?: readonly ('POST' | 'PUT')[]
  /** As `/v1/videos/{video_id}`; a segment may end in a literal: `{model}:predictLongRunning`. */
  readonly path: string
  /** True when the last path parameter takes all that is left of the path, slashes included. */
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
  /** True when it is read without a key (result files). */
  readonly open?: boolean
  /** True when every call in flight has its first reply byte before this one acts (moving the clock). */
  readonly waitsForInFlight?: boolean
  /**
   * True when it reads or completes what an earlier call has begun: `strict` asks no rule of its own for it.
   * Reading (GET) and deleting do so in any case.
   */
  readonly continues?: boolean
  /** True when a call without a body means an empty object. */
  readonly bodyOptional?: boolean
  /**
   * True when the content type does not matter and every body is read as JSON (the control API: `curl -d`
   * works).
   */
  readonly anyContentType?: boolean
  /**
   * The media types of body it takes; empty for none. A body of another type is refused (415); `bytes` is a
   * body of any type, kept as it is.
   */
  readonly accepts: readonly ('json' | 'form' | 'bytes')[]
  /** Set when it answers in words: scripts of text and tool calls act, and `when.conversation`. */
  readonly speaks?: Speech
  /** True when it answers with images: scripts of images act. */
  readonly draws?: true
  /** The kind of the resource that it makes: timelines and faults of jobs act. @internal */
  readonly submits?: ScriptedKind
  /** What it shows as it is now, and the body field with its id, when that is not in the path. @internal */
  readonly polls?: { readonly kind: ScriptedKind; readonly field?: string }
  /** The kind of which it lists resources. @internal */
  readonly lists?: ScriptedKind
  /** The kind of the resource that its path names. @internal */
  readonly about?: ScriptedKind
  /** True when what it returns expires. */
  readonly expires?: true
  /** Deprecated body fields, with what to use instead. */
  readonly deprecated?: Readonly<Record<string, readonly string[]>>
  /** Two body fields of which a client should adjust only one; the default of both is 1. */
  readonly adjustOne?: readonly [string, string]
  /** What SDKs call it, with a remark behind our name for it: `, with \`body: { stream: true }\``. */
  readonly sdkNames?: Readonly<Record<string, string>>
  /** True when it passes on what an upstream provider answers. */
  readonly upstream?: true
  /** Its part in an upload: it hands out the URL, takes the bytes there, or gives them back. */
  readonly upload?: 'grant' | 'receive' | 'serve'
  /** What it needs loaded for such a body. */
  needs?(payload: Payload): readonly Need[]
  /**
   * Turns the parts of a form into the object that `body` validates; by default the last value of each name.
   */
  readForm?(fields: readonly FormField[]): unknown
  /** What it does with files, be they in its form or uploaded before. */
  readonly files?: FileUse
  /** @internal */
  readonly body?: z.ZodType
  /** @internal */
  readonly query?: z.ZodType
  /** The success body, when it is JSON. @internal */
  readonly reply?: z.ZodType
  /** One event of the success body, when it is a stream; judged on the parsed `data`. @internal */
  readonly event?: z.ZodType
  /**
   * Top-level body fields that the content must not depend on (DESIGN, idea 3); in forms with what belongs to
   * them: `image[0]`, `image.0` to `image`.
   */
  readonly contentIgnores?: readonly string[]
  /**
   * The documented defaults of top-level body fields: writing one out, or null, says the same as leaving the
   * field out.
   */
  readonly contentDefaults?: Readonly<Record<string, string | number | boolean>>
  /** Body fields whose digits matter beyond double precision; their source text counts. */
  readonly exactNumbers?: readonly string[]
  /**
   * Where an id stands that may name the session: path parameters (of one that takes the rest of a path, its
   * last part) and top-level body fields.
   */
  readonly idsIn?: { readonly params?: readonly string[]; readonly body?: readonly string[] }
  /** Refuses what the headers lack; they are looked at once the key is known, before query and body. */
  checkHeaders?(headers: Call['headers']): void
  /**
   * The prompt in an unvalidated body, for rules and reserved values; anything that is not a text is ignored.
   * The fields of a form are texts.
   */
  promptOf?(body: Readonly<Record<string, unknown>>): unknown
  /**
   * The path of the file that path-reserved values and rules look at; the body is unvalidated, and undefined
   * unless it is JSON.
   */
  filePathOf?(body: unknown, params: Readonly<Record<string, string>>): string | undefined
  /** @internal */
  act(call: Call<never, never>, context: Context): Reply
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
    readonly body?: Body
    readonly query?: Query
    act(
      call: Call<
        Output<Body>,
        Query extends z.ZodType ? z.output<Query> : Readonly<Record<string, string>>
      > & { readonly params: PathParams<Path> },
      context: Context,
    ): Reply
  },
): Endpoint {
  return endpoint as unknown as Endpoint
}

/** The parameter names of a path, as an object type. */
export type PathParams<Path extends string> = { readonly [Name in NamesIn<Path>]: string }
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** A header in which a key may stand; `scheme` is the word before it (case-insensitive). */
export interface Credential {
  readonly header: string
  readonly scheme?: string
}

/** The endpoints of one API, with what they share. */
export interface EndpointGroup {
  readonly name: string
  /** How the model catalogue of this group is called in the settings. */
  readonly catalog?: 'chat' | 'messages' | 'images' | 'imageJobs' | 'videos' | 'operations' | 'systemone'
  readonly credentials: readonly Credential[]
  /** Headers that its clients send beside the key. */
  readonly clientHeaders?: Readonly<Record<string, string>>
  /** True when its calls are kept out of the journal (the control API watches, it takes no part). */
  readonly internal?: boolean
  readonly endpoints: readonly Endpoint[]
  /** How it keeps the files that scenarios give. @internal */
  readonly givenFiles?: GivenFiles
  /**
   * The path under which everything is the group's: it words what is wrong with addresses there, also where
   * no endpoint stands.
   */
  readonly under?: string
  /**
   * The error body and headers of this group; the status is the error's. A body that is a text goes out as it
   * is, with the `content-type` of the headers.
   */
  renderError(
    error: ApiError,
    ids: { readonly requestId: string; readonly traceId: string },
  ): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** How the group words that the simulator itself went wrong; the usual envelope by default. */
  renderBug?(
    message: string,
    ids: { readonly requestId: string },
  ): { readonly body: unknown; readonly headers: Readonly<Record<string, string>> }
  /** How an error stands inside a stream that has begun. */
  streamError?(
    error: ApiError,
    ids: { readonly requestId: string; readonly traceId: string },
  ): Omit<StreamEvent, 'after'>
  /**
   * The numeric code of refusals that the order of a call makes itself (validation, auth), when not the
   * status.
   */
  refusalCode?(type: ApiError['type']): number | undefined
  /** What a rate limit says that a scenario sets, without a full stop; the number of requests by default. */
  readonly rateLimited?: string
  /** How it refuses a model that does not exist, where not by `not_found_error` and the words of OpenAI. */
  unknownModel?(model: string): { readonly type?: ApiError['type']; readonly message?: string }
  /** The HTTP status of a refusal, when this family does not use the usual one. */
  refusalStatus?(type: ApiError['type']): number | undefined
  /**
   * Headers of every reply of the group, in an object made for this reply; by default those that speak of the
   * request limit (`usualHeaders`). @internal
   */
  replyHeaders?(facts: ReplyFacts, settings: Settings): Record<string, string>
}

/** A group with its endpoints. */
export function defineGroup(group: EndpointGroup): EndpointGroup {
  return group
}
