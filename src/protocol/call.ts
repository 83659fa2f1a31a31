/**
 * One request: as the edge hands it in (`IncomingCall`) and as an endpoint sees it (`Call`). Fully read,
 * plain data; knows nothing of sockets, streams or `Request`.
 */
import type { Random } from '../engine/random.ts'
import type { RefusalType } from './errors.ts'
import type { Plan } from './plan.ts'

/** A part of a form that carried a file. The bytes stay behind the handle; only facts about them travel. */
export interface FilePart {
  readonly filename: string
  /** The media type the client declared, in lower case, without parameters; empty when it declared none. */
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /** What the bytes are, when they are a picture. */
  readonly image?: ImageFacts
  /**
   * The handle of the bytes, of files that the endpoint keeps (`keeps`): the edge made it and only the edge
   * opens it.
   */
  readonly content?: unknown
}

/**
 * A body that is taken as it is, whatever it says it is. The bytes stay behind the handle; only facts about
 * them travel.
 */
export interface HeldBytes {
  /** Bytes. */
  readonly size: number
  /** MD5 of the bytes, hexadecimal. */
  readonly md5: string
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /**
   * What the bytes are, when they are a picture. The edge adds `pixels` (or the damage that it finds there)
   * once an operation wants to know: it is the same whenever it is looked for.
   */
  image?: ImageFacts
  /** The handle: the edge made it and only the edge opens it. It lives as long as somebody keeps it. */
  readonly content: unknown
}

/** What the bytes of a picture say. Pixels. */
export interface ImageFacts {
  readonly format: 'png' | 'jpeg' | 'webp' | 'gif'
  readonly width: number
  readonly height: number
  /**
   * Whether the file has what pixels need to show through: an alpha channel, or a colour that is declared
   * transparent.
   */
  readonly hasTransparency: boolean
  /**
   * Whether a pixel does show through; only of files that an endpoint inspects (`files`).
   * `unseen` when there are too many to look at.
   */
  readonly pixels?: 'transparent' | 'opaque' | 'unseen'
  /**
   * Why it cannot be shown although it begins like a picture (cut off, corrupt); undefined when nothing was
   * found.
   */
  readonly damage?: string
}

export type FormField =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: FilePart }

/** The body of a request, read to its end within the endpoint's limit. */
export type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'form'; readonly fields: readonly FormField[] }
  | { readonly kind: 'bytes'; readonly bytes: HeldBytes }
  /** The body could not be taken; the core refuses when the call's turn for validation comes. */
  | { readonly kind: 'refused'; readonly type: RefusalType; readonly message: string; readonly text?: string }

/** A request as the edge hands it to the simulator. */
export interface IncomingCall {
  /** Upper case. */
  readonly method: string
  /** The path as sent, without query, mount path or session prefix; percent-encoded. */
  readonly path: string
  /** The query as sent, without `?`. */
  readonly query: string
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly payload: Payload
  /** The session named by a base-URL prefix `/s/<id>`. */
  readonly session?: string | undefined
}

/** The API key of a call. */
export interface ApiKey {
  readonly value: string
  /** The models it may use, or undefined for all. */
  readonly models?: readonly string[] | undefined
  /**
   * The model of this call when it is a reserved value: it stands in no catalogue and may be used by every
   * key.
   */
  readonly reservedModel?: string | undefined
}

/** A request as an endpoint sees it: authenticated, validated, planned. */
export interface Call<Body = unknown, Query = Readonly<Record<string, string>>> {
  readonly operation: string
  /** Upper case; `HEAD` where the endpoint says `GET`. */
  readonly method: string
  /** `req_…`, in the reply's request-id header. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly key: ApiKey
  /** Virtual milliseconds since the epoch; sampled once per call. */
  readonly now: number
  /** Chance of what is said: the same for the same input, whoever asks and however often. */
  readonly content: Random
  /**
   * Chance of names: ids, job seeds. Differs by session seed, key and by how often this same request was
   * seen.
   */
  readonly identity: Random
  readonly plan: Plan
}
