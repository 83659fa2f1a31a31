/**
 * A completely read request as plain data: from an integration (`IncomingCall`), and for an endpoint
 * (`Call`).
 */
import type { Random } from '../engine/random.ts'
import type { RejectionType } from './errors.ts'
import type { Plan } from './plan.ts'

/** A file in a form, with a handle of its bytes. */
export interface FilePart {
  readonly filename: string
  /** The media type that the client declared, in lower case, without parameters; empty if none. */
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /** Facts about the image, if the file is one. */
  readonly image?: ImageFacts
}

/** A body of any type, with a handle of its bytes. */
export interface HeldBytes {
  /** Bytes. */
  readonly size: number
  /** MD5 of the bytes, hexadecimal. */
  readonly md5: string
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string
  /** Facts about the image, if the body is one. */
  readonly image?: ImageFacts
  /** An opaque handle of the bytes. */
  readonly content: unknown
}

/** Facts read from the bytes of an image. Sizes in pixels. */
export interface ImageFacts {
  readonly format: 'png' | 'jpeg' | 'webp' | 'gif'
  readonly width: number
  readonly height: number
  /** Whether the file can hold transparent pixels: it has an alpha channel or a transparent colour. */
  readonly hasTransparency: boolean
  /** The reason why an image file cannot be decoded, as far as its header shows. */
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
  /** The head or body could not be read; validation rejects the call. */
  | {
      readonly kind: 'rejected'
      readonly type: RejectionType
      readonly message: string
      readonly text?: string
      readonly retryAfterMs?: number
      /** Overrides the status of the type. */
      readonly status?: number
    }

/** A request from an integration. */
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
  /** Over HTTP: requests with the same number cannot overlap (see `Chains`). */
  readonly chain?: number | undefined
}

/** The API key of a call. */
export interface ApiKey {
  readonly value: string
  /** The models that it may use; undefined for all. */
  readonly models?: readonly string[] | undefined
  /** The model of this call, if it is a reserved value, which every API key may use. */
  readonly reservedModel?: string | undefined
}

/** A request for an endpoint: authenticated, validated, planned. */
export interface Call<Body = unknown, Query = Readonly<Record<string, string>>> {
  readonly operation: string
  /** Upper case; `HEAD` for an endpoint of `GET`. */
  readonly method: string
  /** `req_…`, in the response's request-id header. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly key: ApiKey
  /** Virtual milliseconds since the epoch; sampled once per call. */
  readonly now: number
  /** Randomness of content: depends only on the input, not on the API key or earlier requests. */
  readonly content: Random
  /**
   * Randomness of ids and job seeds: depends on the seed, the API key and the number of identical requests.
   */
  readonly identity: Random
  readonly plan: Plan
}
