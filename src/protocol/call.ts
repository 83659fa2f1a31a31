/**
 * One request: as an integration passes it in (`IncomingCall`), and as an endpoint sees it (`Call`). Fully
 * read, plain data.
 */
import type { Random } from '../engine/random.ts'
import type { RefusalType } from './errors.ts'
import type { Plan } from './plan.ts'

/** A file in a form. The bytes stay behind the handle; only facts about them travel. */
export interface FilePart {
  readonly filename: string
  /** The media type the client declared, in lower case, without parameters; empty when it declared none. */
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /** Facts about the image, when the bytes are one. */
  readonly image?: ImageFacts
  /**
   * The handle of the bytes, for files that the endpoint stores (`files`); only `http/` and `media/` open
   * it.
   */
  readonly content?: unknown
}

/** A body of any type, taken as it is. The bytes stay behind the handle; only facts about them travel. */
export interface HeldBytes {
  /** Bytes. */
  readonly size: number
  /** MD5 of the bytes, hexadecimal. */
  readonly md5: string
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /** Facts about the image, when the bytes are one; `pixels` or `damage` are added on demand. */
  image?: ImageFacts
  /** The handle, which only `http/` and `media/` open. */
  readonly content: unknown
}

/** What the bytes of an image say. Sizes in pixels. */
export interface ImageFacts {
  readonly format: 'png' | 'jpeg' | 'webp' | 'gif'
  readonly width: number
  readonly height: number
  /** Whether the file can hold transparent pixels: it has an alpha channel or a transparent colour. */
  readonly hasTransparency: boolean
  /**
   * Whether some pixel is transparent; only for files that an endpoint inspects (`files`). `unseen` when
   * there are too many to check.
   */
  readonly pixels?: 'transparent' | 'opaque' | 'unseen'
  /** Why it cannot be rendered although it begins like an image (truncated, corrupt). */
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
  /** The body could not be read; the core refuses it when it comes to validation. */
  | { readonly kind: 'refused'; readonly type: RefusalType; readonly message: string; readonly text?: string }

/** A request as an integration passes it to the simulator. */
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
  /** The model of this call when it is a reserved value, which every key may use. */
  readonly reservedModel?: string | undefined
}

/** A request as an endpoint sees it: authenticated, validated, planned. */
export interface Call<Body = unknown, Query = Readonly<Record<string, string>>> {
  readonly operation: string
  /** Upper case; `HEAD` for an endpoint of `GET`. */
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
  /** Randomness of content: the same for the same input, whatever the key and however often it is sent. */
  readonly content: Random
  /**
   * Randomness of identity: ids, job seeds. Depends on the seed, the key and how often the request was
   * sent.
   */
  readonly identity: Random
  readonly plan: Plan
}
